"""From the keys of a GGUF file to an `Architecture`, for the architectures of llama.cpp that a mapping describes.

The keys are put into those of a config.json, and what the mapping then counts is held against the headers: only where
both hold the same parameters is the file taken to be described. Keys: ggml-org/ggml, docs/gguf.md; names of tensors
and keys: ggml-org/llama.cpp, gguf-py/gguf/constants.py.
"""

from collections.abc import Mapping
from typing import Any

from sizebook.core.errors import InputError
from sizebook.models.architecture import Architecture
from sizebook.models.checkpoints.contents import Part
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture

# Architecture of llama.cpp: the model type that describes it without experts, and with them.
TYPES = {
    "llama": ("llama", "mixtral"),
    "qwen2": ("qwen2", ""),
    "qwen2moe": ("", "qwen2_moe"),
    "qwen3": ("qwen3", ""),
    "qwen3moe": ("", "qwen3_moe"),
    "phi3": ("phi3", ""),
    "gemma": ("gemma", ""),
    "gemma2": ("gemma2", ""),
    "gemma3": ("gemma3_text", ""),
    "olmo2": ("olmo2", ""),
    "starcoder2": ("starcoder2", ""),
    "deepseek2": ("", "deepseek_v3"),
}
_KEYS = {
    "block_count": "num_hidden_layers",
    "context_length": "max_position_embeddings",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "attention.sliding_window": "sliding_window",
}
_EXPERT_KEYS = {
    "expert_feed_forward_length": "moe_intermediate_size",
    "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
    "expert_used_count": "num_experts_per_tok",
    "leading_dense_block_count": "first_k_dense_replace",
    "expert_shared_count": "n_shared_experts",
}
_EXPERTS = {"mixtral": "num_local_experts", "deepseek_v3": "n_routed_experts"}


def described(part: Part) -> Architecture:
    """Return the architecture that a GGUF file's own keys describe.

    Errors: an architecture without a mapping, keys that are missing, and a count other than that of the headers.
    """
    metadata = part.checkpoint.metadata
    family = str(metadata.get("general.architecture"))
    values = _config(part, family, metadata)
    # A converter writes every size, so none is the default of a class.
    config = Config(values, f"the keys of {part.name}", class_values={})
    found = architecture(config)
    counted, held = count(found), part.weighed.parameters
    if held not in (counted.total, counted.total + counted.buffers):
        raise InputError(
            f"not described by its keys: got {held} parameters in the headers of {part.name}, want {counted.total}, "
            f"what its keys say of a '{family}'. Put its config.json beside it."
        )
    _check_windows(found, family, metadata, part.name)
    return found


def _check_windows(found: Architecture, family: str, metadata: Mapping[str, Any], where: str) -> None:
    """Refuse keys that say of other layers than the mapping that they slide: no tensor would tell."""
    slides = [any(getattr(brick, "window", None) for brick in layer.bricks) for layer in found.layers]
    width, said = (metadata.get(f"{family}.attention.sliding_window{end}") for end in ("", "_pattern"))
    if isinstance(said, list) and list(map(bool, said)) != slides:
        raise _not_described(f"{family}.attention.sliding_window_pattern", said, f"{slides}", where)
    if type(width) is int and width > 0 and not any(slides):
        raise _not_described(f"{family}.attention.sliding_window", width, "0: no layer of this type slides", where)


def _not_described(key: str, value: object, want: str, where: str) -> InputError:
    return InputError(
        f"not described: got '{key}' = {value!r} in {where}, want {want}. Put the model's config.json beside it."
    )


def _config(part: Part, family: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a config.json that a GGUF file's keys and tensors stand for."""
    experts = metadata.get(f"{family}.expert_count") or 0
    kind = TYPES.get(family, ("", ""))[bool(experts)]
    if not kind:
        raise InputError(
            f"no config: got GGUF of the architecture '{family}' in {part.name}, want one of {', '.join(TYPES)}, "
            "whose keys tell layers and heads. Put its config.json beside it."
        )
    extents = {tensor.name: tensor.shape for tensor in part.checkpoint.tensors}
    table = extents.get("token_embd.weight", (0, 0))
    keys = {**_KEYS, **_EXPERT_KEYS} if experts else _KEYS
    values = {name: metadata[f"{family}.{key}"] for key, name in keys.items() if f"{family}.{key}" in metadata}
    values |= {"model_type": kind, "vocab_size": table[0], "tie_word_embeddings": "output.weight" not in extents}
    if experts:
        values[_EXPERTS.get(kind, "num_experts")] = experts
    if kind == "deepseek_v3":
        values |= _latent(family, metadata)
    return values | _switches(kind, extents)


def _latent(family: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sizes of latent attention; newer files give the widths of expanded heads under names of their own."""

    def size(key: str) -> Any:
        return metadata.get(f"{family}.attention.{key}_mla", metadata.get(f"{family}.attention.{key}"))

    rope, width = metadata.get(f"{family}.rope.dimension_count"), size("key_length")
    return {
        "q_lora_rank": metadata.get(f"{family}.attention.q_lora_rank"),
        "kv_lora_rank": metadata.get(f"{family}.attention.kv_lora_rank"),
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": width - rope if isinstance(width, int) and isinstance(rope, int) else None,
        "v_head_dim": size("value_length"),
        "head_dim": None,
    }


def _switches(kind: str, extents: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Return the switches that the tensors show."""
    biased = "blk.0.attn_q.bias" in extents
    if kind == "qwen2_moe":
        return {"qkv_bias": biased}
    if kind == "starcoder2":
        return {"use_bias": biased}
    if kind in ("llama", "qwen3", "qwen3_moe", "gemma3_text", "olmo2"):
        return {"attention_bias": biased}
    return {}
