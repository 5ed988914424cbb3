"""Step 3.5 and Step 3.7: experts behind attention that is gated per head and wider where it slides; 3.7 sees.

The published files name their sizes in words of their own, which the classes of transformers and vLLM translate.
"""

from dataclasses import replace
from typing import Any

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Layer
from sizebook.models.config import Config
from sizebook.models.families.blocks import (
    BesideLayers,
    attention,
    block,
    feed_forward,
    layers_of,
    linear,
    sliding_pattern,
    stack,
    window_of,
)
from sizebook.models.families.experts import correction, mlp_kinds, routed
from sizebook.models.families.multimodal.joining import refuse_another_type, with_note, with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type

STEP_TEXT = {
    "hidden_size": 4096,
    "intermediate_size": 11264,
    "num_hidden_layers": 45,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 128815,
    "n_routed_experts": 288,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 1280,
    "share_expert_dim": 1280,
}


# What no tensor follows from: positions, limits of activations, scores of the router.
_NO_TENSOR = (
    "max_seq_len",
    "yarn_only_types",
    "partial_rotary_factors",
    "swiglu_limits",
    "swiglu_limits_shared",
    "norm_expert_weight",
    "moe_router_activation",
    "moe_router_scaling_factor",
    "need_fp32_gate",
    "query_pre_attn_scalar",
    "n_shared_experts",
    "mtp_layer_types",
    "mtp_mlp_layer_types",
    "num_nextn_predict_layers",
    "num_mtp_layers",
)


@model_type("step3p5")
def step3p5(config: Config) -> Architecture:
    """Step 3.5 (arXiv:2602.10604): the language model of Step 3.7 alone."""
    config.only("architectures", ["Step3p5ForCausalLM"])
    return _language_model(config)


def _translated(config: Config) -> dict[str, Any]:
    """Return the keys of a published file in those of the class: its lists go on over the prediction layers."""
    values = dict(config.values)
    n_layers = config.integer("num_hidden_layers")
    padded = n_layers + config.integer("num_nextn_predict_layers", "num_mtp_layers", default=0)
    for key in ("layer_types", "mlp_layer_types"):
        if isinstance(values.get(key), list) and len(values[key]) == padded:
            values[key] = values[key][:n_layers]
    sparse = values.pop("moe_layers_enum", None)
    if sparse is not None:
        kinds = ["sparse" if i in _numbers(config, sparse) else "dense" for i in range(n_layers)]
        if values.get("mlp_layer_types") not in (None, kinds):
            raise config.unknown("moe_layers_enum", sparse, "the layers that are sparse in 'mlp_layer_types'")
        values["mlp_layer_types"] = kinds
        config.ignore("moe_every_n_layer", "moe_layer_offset")  # which layers are sparse is said
    if (other := values.pop("attention_other_setting", None)) is not None:
        values["num_sliding_attention_heads"] = _sliding_heads(config, other)
    return values


def _numbers(config: Config, listed: Any) -> set[int]:
    """Return the layers that a list or a text with commas numbers."""
    words = listed.split(",") if isinstance(listed, str) else listed
    if not isinstance(words, list) or not all(str(word).strip().isdecimal() for word in words):
        raise config.unknown("moe_layers_enum", listed, "numbers of layers, in a list or with commas between them")
    return {int(word) for word in words}


def _sliding_heads(config: Config, other: Any) -> int:
    """Return how many query heads a sliding layer has, of a setting that else says what other layers have too."""
    key = "attention_other_setting"
    setting = config.section(key) if isinstance(other, dict) else None
    if setting is None:
        raise config.unknown(key, other, "an object")
    setting.only("attention_type", "sliding_attention")
    setting.only("head_dim", config.values.get("head_dim"))
    setting.only("true_head_dim", config.values.get("head_dim"))
    groups = config.values.get("num_attention_groups", config.values.get("num_key_value_heads"))
    setting.only("num_attention_groups", groups)
    n_heads = setting.integer("num_attention_heads", default=config.integer("num_attention_heads"))
    if config.values.get("num_sliding_attention_heads") not in (None, n_heads):
        raise config.unknown(key, other, "the number of heads in 'num_sliding_attention_heads'")
    return n_heads


def _language_model(section: Config) -> Architecture:
    """Return the language model from a published file or a section of one, read as the class reads it."""
    section.values = _translated(section)
    section.ignore("attention_other_setting", *_NO_TENSOR)
    section.none("num_local_experts")  # its class takes it for nothing
    section.only("use_moe", True)
    section.only("att_impl_type", "GQA")
    section.only("use_head_wise_attn_gate", True)
    section.only("use_moe_router_bias", True)
    mixer = attention(section, biased=True, qk_norm="head", kv_required=True)
    feed = routed(section, d_ff_shared=section.integer("share_expert_dim"))
    mlps, slides = mlp_kinds(section, first_dense=3), sliding_pattern(section)
    n_sliding = section.integer("num_sliding_attention_heads", default=mixer.n_heads)

    def layer(kind: tuple[str, str]) -> Layer:
        window, n_heads = window_of(section, kind[1]), mixer.n_heads if kind[1] == "full_attention" else n_sliding
        slid = replace(mixer, window=window, n_heads=n_heads, gate=n_heads)
        return block(feed.d_model, slid, feed_forward(section) if kind[0] == "dense" else feed)

    built = layers_of(zip(mlps, slides, strict=True), layer)
    text = stack(section, built, BesideLayers(buffers=correction(feed.n_experts, mlps)))
    n_mtp = section.integer("num_nextn_predict_layers", "num_mtp_layers", default=0)
    left_out = remark("prediction layers, {n} of them, are not described and not counted", n=n_mtp)
    return with_note(text, left_out) if n_mtp else text


@model_type("step3p7")
def step3p7(config: Config) -> Architecture:
    """Step 3.7: Step 3.5 behind a ViT with scaled residuals.

    A file may keep the text model's sizes at the top level, which transformers does not read: it builds the class's
    defaults. The count follows the file and a note says so.
    """
    stray = [key for key in STEP_TEXT if config.has(key)]
    if stray and config.has("text_config"):
        raise config.unknown(*config.as_written(stray[0]), "sizes of the text model once: there is a 'text_config'")
    if stray:
        config.without("text_config")
    section = config.read_as(config.values) if stray else config.section("text_config")
    if not stray:
        refuse_another_type(section, "step3p5")
    section.values = {**section.values, "model_type": "step3p7"}
    config.built_as("Step3p7FlashForCausalLM", "Step3p7ForConditionalGeneration", "Step3p7Model")
    vision = config.section("vision_config")
    vision.reads_as("step3p5_vision")
    text = _language_model(section)
    vision.none("output_dim")
    bias = config.flag("projector_bias", default=False)
    projector = linear("multi_modal_projector", 4 * vision.integer("hidden_size", "width"), text.d_model, bias=bias)
    whole = with_towers(config, text, tower("step3p5_vision", vision, projector), tied=False)
    if not stray:
        return whole
    config.ignore(*section.read)
    return with_note(whole, remark("transformers does not read sizes at the top level and builds its class's defaults"))
