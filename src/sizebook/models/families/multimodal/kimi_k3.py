"""Kimi K3: delta-rule and latent attention over earlier blocks' sums, experts in a narrower space, a MoonViT in front.

Its code is the publisher's own; the mapping is held against the name and shape of every tensor of its checkpoint.
"""

from dataclasses import replace

from sizebook.models.architecture import Architecture, Brick, Layer, Norm, Tensors
from sizebook.models.config import Config
from sizebook.models.families.blocks import BesideLayers, feed_forward, layers_of, matrix, stack
from sizebook.models.families.decoders.latent_attention import latent
from sizebook.models.families.decoders.linear_attention import MIXED, kimi_kinds
from sizebook.models.families.experts import correction, fine_grained, mlp_kinds
from sizebook.models.families.multimodal.joining import with_note, with_towers
from sizebook.models.families.towers.rows import tower
from sizebook.models.huggingface import model_type
from sizebook.models.mixers import DeltaNet
from sizebook.models.towers import Tower

# What the mapping describes, and every published file says.
TEXT_SAYS = {
    "model_type": "kimi_linear",
    "mla_use_output_gate": True,
    "latent_moe_use_norm": True,
    "moe_layer_freq": 1,
    "num_nextn_predict_layers": 0,
    "tie_word_embeddings": False,
}
VISION_SAYS = {
    "attn_bias": False,
    "linear_bias": False,
    "patch_embed_proj_bias": False,
    "norm_type": "rmsnorm",
    "mlp_type": "mlp2",
    "merge_type": "sd2_tpool",
    "mm_projector_type": "patchmergerv2",
    "pos_emb_type": "divided_fixed",
    "merge_kernel_size": [2, 2],
}


@model_type("kimi_k3")
def kimi_k3(config: Config) -> Architecture:
    """Kimi K3: the language model behind a ViT without biases whose positions are a learned grid."""
    config.only("tie_word_embeddings", False)
    config.needs("text_config", "vision_config")
    text = _text(config.section("text_config"))
    return with_towers(config, text, _vit(config.section("vision_config"), text.d_model), tied=False, ties="neither")


def _says(section: Config, said: dict[str, object]) -> None:
    for key, value in said.items():
        if section.values.get(key) != value:
            raise section.unknown(key, section.values.get(key), repr(value))
    section.ignore(*said)


def _text(config: Config) -> Architecture:
    _says(config, TEXT_SAYS)
    config.ignore("attn_res_block_size", "num_expert_group", "use_grouped_topk", "moe_router_activation_func")
    delta, attend = _delta(config), latent(config)
    attend = replace(attend, gate=attend.n_heads * attend.d_head_v)
    experts = replace(fine_grained(config), d_latent=config.integer("routed_expert_hidden_size"))
    mlps, kinds = mlp_kinds(config), kimi_kinds(config, config.section("linear_attn_config"), kimi=True)
    d_model = experts.d_model

    def layer(kind: tuple[str, str]) -> Layer:
        norm = Norm("routed_expert_norm", experts.d_latent)
        feed: tuple[Brick, ...] = (feed_forward(config),) if kind[0] == "dense" else (experts, norm)
        mixer = delta if kind[1] == MIXED[0] else attend
        first, second = Norm("input_layernorm", d_model), Norm("post_attention_layernorm", d_model)
        sums = *_sums("self_attention_res", d_model), *_sums("mlp_res", d_model)
        return Layer((first, mixer, second, *feed, *sums))

    layers, last = layers_of(zip(mlps, kinds, strict=True), layer), _sums("output_attn_res", d_model)
    beside = BesideLayers(ties=False, outputs=last, buffers=correction(experts.n_experts, mlps))
    whole = stack(config, layers, beside)
    padding = "the checkpoint stores the decays of heads padded to 128 entries a layer; the padding is not counted"
    return with_note(whole, padding) if delta.n_value_heads < 128 else whole


def _sums(name: str, d_model: int) -> tuple[Brick, ...]:
    """Return what weighs the sums of earlier blocks before they are added: a norm and one row."""
    return Norm(f"{name}_norm", d_model), Tensors((matrix(f"{name}_proj.weight", 1, d_model),))


def _delta(config: Config) -> DeltaNet:
    own = config.section("linear_attn_config")
    _says(own, {"use_full_rank_gate": True})
    own.ignore("gate_lower_bound")
    heads, width = own.integer("num_heads"), own.integer("head_dim")
    return DeltaNet(
        config.integer("hidden_size"),
        heads,
        heads,
        d_key=width,
        d_value=width,
        d_conv=own.integer("short_conv_kernel_size"),
        channel_decay=True,
        decay_rank=width,
        name="self_attn",
    )


def _vit(config: Config, d_text: int) -> Tower:
    _says(config, VISION_SAYS)
    n_heads = config.integer("vt_num_attention_heads")
    _says(config, {"mm_hidden_size": config.integer("vt_hidden_size"), "text_hidden_size": d_text})
    config.divides("qkv_hidden_size", config.integer("qkv_hidden_size"), "vt_num_attention_heads", n_heads)
    return tower("kimi_k3", config, text=d_text)
