"""Which keys of a config.json cannot change a count, judged by name and value.

Config files carry much that is not about tensors: names, token ids, what happens in training and in generation,
activation functions, numerics, storage. A name on that list is harmless. Any other name that sounds like a size, a
switch or a pattern may matter and is refused unless a mapping has read it. Null, false, zero and empty are the same
as absent.
"""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from sizebook.core.tables import table

# Words by their place in a name, and no pattern: to compile one of these takes longer than to count a model.
_HARMLESS_NAMES = """
architectures model_type model_name model_size name is_llama_config is_composition transformers.js_config auto_map dtype
torchscript transformers_version compression_config bf16 fp16 fp32 use_bfloat16 tf_legacy_loss use_flash_attn
use_mamba_kernels use_mambapy use_associative_scan pretraining_tp ep_size

label2id id2label num_labels problem_type finetuning_task task_specific_params use_cache output_attentions
output_hidden_states output_router_logits output_scores output_past max_length min_length num_logits_to_keep
no_repeat_ngram_size encoder_no_repeat_ngram_size num_beams num_beam_groups num_return_sequences bad_words_ids do_sample
early_stopping temperature top_k top_p typical_p remove_invalid_values forced_decoder_ids prefix is_encoder_decoder
pad_key_length

gradient_checkpointing save_step moe_capacity capacity_factor apply_spec_augment median_filter_width pruned_heads

context_window_size sliding_window sliding_window_size max_window_layers attention_sink_size max_position_embeddings

clip_qkv scoring_func topk_method topk_group n_group norm_topk_prob moe_norm_min moe_renormalize query_pre_attn_scalar
seq_aux
"""  # storage; tokens, labels, tasks, generation; training; how far a token sees; functions and scales without weights
_HARMLESS = frozenset(_HARMLESS_NAMES.split())
_HARMLESS_BEGINNINGS = (
    *("_", "torch_", "tokenizer_", "onnx_", "rescale_", "use_fast_", "chunk_size", "summary_", "return_dict"),
    *("classifier_", "init_", "mask_time_", "mask_feature_", "original_max_position", "rope_", "rotary_", "scale_"),
    "logit_",
)
_HARMLESS_ENDINGS = (
    *("_dtype", "quantization_config", "_implementation", "attn_impl", "_eps", "epsilon", "_chunk_size", "_chunksize"),
    *("_token_id", "_token_ids", "_token_index", "_idx", "_penalty", "suppress_tokens", "layerdrop", "_pdrop", "_init"),
    *("_std", "_coef", "_act", "activation", "activation_function", "act_fn", "partial_rotary_factor", "rope_theta"),
    *("scaling", "scaling_factor", "_multiplier", "_multipliers", "_scale", "softcap", "softcapping", "_cap", "_theta"),
    "_limit",
)
_HARMLESS_PARTS = ("fp32", "dropout", "initializer", "_loss", "jitter")
_SIZES_AND_PARTS = """
size dim rank num _n_ expert layer head bias width depth kernel conv channel group norm gate gating vocab embed proj ff
mlp moe attn attention block patch state expan factor ratio mult tie pattern type lora adapter index mtp nextn hidden
inner intermediate share sparse residual router tower vision audio config position bucket kv _d_ freq interval step
period offset latent mixer mamba ssm rnn time
"""
_MAY_MATTER_PARTS = tuple(_SIZES_AND_PARTS.split())
_MAY_MATTER_BEGINNINGS = ("n_", "d_", "use_", "has_", "add_", "enable_", "with_")

# Keys that name an activation function, and those that sound so and say whether there is one.
_FUNCTION = ("_act", "activation", "activation_function", "act_fn")
_WHETHER = ("use_", "is_", "has_")
_SAYS_WHETHER = ("classifier_activation", "gelu_activation")

# Activation functions that hold weights of their own, two or one a block; others hold none.
_WITH_WEIGHTS = frozenset(("prelu", "xielu", "gated-prelu", "gated-xielu"))


@cache
def _harmless_values() -> dict[tuple[str, str], str]:
    """Return the value at which a type's key changes nothing, as JSON, or "any"."""
    rows = table("harmless_keys")
    return {(model_type, row["key"]): row["value"] for row in rows for model_type in row["model_types"].split()}


def changes_nothing(model_type: object, key: str, value: Any) -> bool:
    """Return whether a key that the class of a type does not read holds a value at which it changes nothing.

    Published files carry such keys: ``data/harmless_keys.csv`` has them, with the one value that says what the type is
    anyway, or any.
    """
    return _harmless_values().get((str(model_type), key)) in ("any", json.dumps(value))


def odd_activation(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first key whose activation function is not known to hold no weights, and what is wanted there."""
    for key, value in values.items():
        if value.__class__ is not str:
            if value is None or value is False or not _names_a_function(key):
                continue
            named = value.get("name") if isinstance(value, dict) and len(value) == 1 else None  # as DBRX writes it
            if not isinstance(named, str):
                return key, "the name of an activation function"
            value = named
        if value in _WITH_WEIGHTS and (values.get("model_type"), key, value) != ("apertus", "hidden_act", "xielu"):
            return key, "an activation function without weights of its own"
    return None


@lru_cache(maxsize=8192)
def _names_a_function(key: str) -> bool:
    return key.endswith(_FUNCTION) and not key.startswith(_WHETHER) and key not in _SAYS_WHETHER


def cannot_matter(key: str, value: Any) -> bool:
    """Return whether a key that no mapping read can be left unread without changing the count."""
    return value is None or value is False or value in (0, "", [], {}) or _harmless_name(key)


@lru_cache(maxsize=8192)  # files repeat the names of each other's keys
def _harmless_name(key: str) -> bool:
    known = key in _HARMLESS or key.startswith(_HARMLESS_BEGINNINGS) or key.endswith(_HARMLESS_ENDINGS)
    if known or (key.endswith("_token") and not key.startswith("num_")) or any(part in key for part in _HARMLESS_PARTS):
        return True
    return not (
        key.startswith(_MAY_MATTER_BEGINNINGS) or key.endswith("_n") or any(part in key for part in _MAY_MATTER_PARTS)
    )
