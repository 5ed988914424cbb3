"""Mistral's and Meta's own ``params.json`` in the keys of a config.json, so that the usual mappings count it.

Dense models become ``mistral``, experts ``mixtral``, latent attention ``mistral4`` (``deepseek_v3`` where the experts
are balanced by a stored bias); a vision encoder puts ``mistral3`` (its patches merged) or ``llava`` (Pixtral 12B)
around them. What is not translated keeps its name, so that it is refused where it may matter. Meta's give the width of
the feed-forward blocks by a rule: two thirds of four times the model's, times a factor, up to the next multiple.
"""

from collections.abc import Mapping
from typing import Any

from sizebook.models.refusals import not_described

KNOWN_BY = ("dim", "n_layers", "n_heads")
BY_RULE = "multiple_of"  # Meta's, in place of the width itself
_TEXT = {
    "dim": "hidden_size",
    "hidden_dim": "intermediate_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "n_kv_heads": "num_key_value_heads",
    "norm_eps": "rms_norm_eps",
    "max_seq_len": "max_position_embeddings",
}
_EXPERTS = {
    "num_experts_per_tok": "num_experts_per_tok",
    "first_k_dense_replace": "first_k_dense_replace",
    "route_every_n": "moe_layer_freq",
    "expert_hidden_dim": "moe_intermediate_size",
    "num_shared_experts": "n_shared_experts",
    "num_expert_groups": "n_group",
    "num_expert_groups_per_tok": "topk_group",
    "routed_scale": "routed_scaling_factor",
}
_NO_TENSOR = (
    "renorm_strategy", "use_load_balancing_bias", "expert_parallel", "expert_model_parallel", "max_image_size",
    "image_token_id", "image_break_token_id", "image_end_token_id",
)  # fmt: skip
# What training, positions and storage are: no tensor.
_IGNORED = ("yarn", "llama_4_scaling", "quantization", "use_biases", "causal", "model_parallel")


def is_params(values: Mapping[str, Any]) -> bool:
    """Return whether a file is Mistral's or Meta's params.json and not a config.json."""
    return (
        "model_type" not in values
        and "architectures" not in values
        and (all(key in values for key in KNOWN_BY) and ("hidden_dim" in values or BY_RULE in values))
    )


def as_config(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a params.json in the keys of a config.json.

    Errors: biases, a window that differs by layer, a projector or experts that are not described.
    """
    if values.get("use_biases"):
        raise not_described("use_biases", values["use_biases"], "false", where=where)
    if isinstance(values.get("sliding_window"), list):
        raise not_described("sliding_window", values["sliding_window"], "one number for all layers", where=where)
    inner = dict(values)
    if "hidden_dim" not in inner:
        return _by_rule(inner, where)
    vision = inner.pop("vision_encoder", None)
    text = _text(inner, where)
    return _seeing(text, vision, where) if vision else text


def _by_rule(values: dict[str, Any], where: str) -> dict[str, Any]:
    """Return Meta's params.json: meta-llama/llama, llama/model.py, ``FeedForward``."""
    dim, multiple, factor = values["dim"], values.pop(BY_RULE), values.pop("ffn_dim_multiplier", None)
    for key, value in (("dim", dim), (BY_RULE, multiple)):
        if value.__class__ is not int or value < 1:
            raise not_described(key, value, "a whole number of 1 or more", where=where)
    if factor is not None and (factor.__class__ not in (int, float) or not 0 < factor < 1000):
        raise not_described("ffn_dim_multiplier", factor, "a number above 0, or null", where=where)
    width = int(2 * 4 * dim / 3)
    width = int(factor * width) if factor is not None else width
    values["hidden_dim"] = multiple * -(-width // multiple)
    values.pop("use_scaled_rope", None)
    return {**_text(values, where), "model_type": "llama"}


def _text(values: dict[str, Any], where: str) -> dict[str, Any]:
    experts = values.pop("moe", None)
    tied = values.pop("tied_embeddings", False)
    kept = {key: value for key, value in values.items() if key not in _IGNORED}
    config = {_TEXT.get(key, key): value for key, value in kept.items()} | {"tie_word_embeddings": tied}
    if experts is None:
        return config | {"model_type": "mistral"}
    if not isinstance(experts, dict):
        raise not_described("moe", experts, "an object", where=where)
    latent = bool(values.get("qk_nope_head_dim"))
    names = {**_EXPERTS, "num_experts": "n_routed_experts" if latent else "num_local_experts"}
    routed = {names.get(key, f"moe.{key}"): value for key, value in experts.items() if key not in _NO_TENSOR}
    if not latent:
        return config | routed | {"model_type": "mixtral"}
    return config | routed | {"model_type": "deepseek_v3" if experts.get("use_load_balancing_bias") else "mistral4"}


def _seeing(text: dict[str, Any], vision: Any, where: str) -> dict[str, Any]:
    if not isinstance(vision, dict):
        raise not_described("vision_encoder", vision, "an object", where=where)
    rest = {key: value for key, value in vision.items() if key not in _NO_TENSOR}
    merged = rest.pop("mm_projector_id", "") or ""
    normed, size = rest.pop("add_pre_mm_projector_layer_norm", False), rest.pop("spatial_merge_size", 2)
    if merged not in ("", "patch_merge") or bool(merged) != normed:
        raise not_described("mm_projector_id", merged, "'patch_merge' with a norm before it, or neither", where=where)
    whole = {
        "model_type": "mistral3" if merged else "llava",
        "text_config": text,
        "multimodal_projector_bias": rest.pop("adapter_bias", True),
        "tie_word_embeddings": text["tie_word_embeddings"],
        "vision_config": {"model_type": "pixtral", **rest},
    }
    return whole | ({"spatial_merge_size": size} if merged else {})
