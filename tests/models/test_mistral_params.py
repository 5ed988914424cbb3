"""Mistral's params.json counts as the config.json of the same model does; what is not translated is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.config import Config
from sizebook.models.counting import Count, count
from sizebook.models.huggingface import architecture

SEVEN: dict[str, Any] = {
    "dim": 4096,
    "n_layers": 32,
    "head_dim": 128,
    "hidden_dim": 14336,
    "n_heads": 32,
    "n_kv_heads": 8,
    "norm_eps": 1e-05,
    "vocab_size": 32000,
    "sliding_window": 4096,
}
MINISTRAL = {**SEVEN, "dim": 3072, "n_layers": 26, "hidden_dim": 9216, "vocab_size": 131072, "tied_embeddings": True}
PIXTRAL = {
    "hidden_size": 1024,
    "num_channels": 3,
    "image_size": 1540,
    "patch_size": 14,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "rope_theta": 10000.0,
    "image_token_id": 10,
}
MERGED = {
    "adapter_bias": False,
    "mm_projector_id": "patch_merge",
    "spatial_merge_size": 2,
    "add_pre_mm_projector_layer_norm": True,
}
LATENT = {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "moe": {
        "num_experts": 128,
        "num_experts_per_tok": 4,
        "num_shared_experts": 1,
        "expert_hidden_dim": 4096,
        "first_k_dense_replace": 3,
        "route_every_n": 1,
        "routed_scale": 1.0,
        "num_expert_groups": 1,
        "num_expert_groups_per_tok": 1,
    },
}
LARGE = {**SEVEN, "dim": 7168, "n_layers": 61, "head_dim": 192, "hidden_dim": 16384, "n_heads": 128, "n_kv_heads": 128}


def counted(params: dict[str, Any]) -> Count:
    return count(architecture(Config(params, "params.json")))


def test_a_dense_model_and_one_of_experts_come_to_their_published_totals() -> None:
    assert counted(SEVEN).total == 7_241_732_096
    mixtral = counted({**SEVEN, "sliding_window": None, "moe": {"num_experts": 8, "num_experts_per_tok": 2}})
    assert (mixtral.total, mixtral.active) == (46_702_792_704, 12_879_925_248)


def test_a_model_that_sees_counts_as_its_config() -> None:
    assert counted({**MINISTRAL, "vision_encoder": PIXTRAL | MERGED}).total == 3_849_090_048
    # Pixtral's projector, of which the file says nothing: two projections with biases, 1024 and 3072 wide.
    merging = 1024 + 4 * 1024 * 1024 + 1024 * 3072 + 3072 * 3072
    apart = 1024 * 3072 + 3072 + 3072 * 3072 + 3072
    assert counted({**MINISTRAL, "vision_encoder": PIXTRAL}).total == 3_849_090_048 - merging + apart


def test_mistral_large_3_from_its_dimensions() -> None:
    """673 billion of language model, 39 of them active, as published."""
    large = counted({**LARGE, **LATENT, "vocab_size": 131072, "sliding_window": None})
    assert (large.total, large.active) == (673_421_089_792, 39_946_968_064)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"sliding_window": [4096, None]},
            "not described: got 'sliding_window' = [4096, None] in params.json, want one number for all layers.",
        ),
        ({"use_biases": True}, "not described: got 'use_biases' = True in params.json, want false."),
        ({"moe": 8}, "not described: got 'moe' = 8 in params.json, want an object."),
        ({"vision_encoder": 8}, "not described: got 'vision_encoder' = 8 in params.json, want an object."),
        (
            {"vision_encoder": PIXTRAL | {"mm_projector_id": "mean"}},
            "not described: got 'mm_projector_id' = 'mean' in params.json, want 'patch_merge' with a norm before it, "
            "or neither.",
        ),
        (
            {"lora_rank": 64},
            "keys not understood: got lora_rank in params.json, want keys whose effect on the count of model type "
            "'mistral' is known. Remove a key only if it changes no tensor.",
        ),
        (
            {"moe": {"num_experts": 8, "num_experts_per_tok": 2, "expert_width": 5}},
            "keys not understood: got moe.expert_width in params.json, want keys whose effect on the count of model "
            "type 'mixtral' is known. Remove a key only if it changes no tensor.",
        ),
    ],
)
def test_what_is_not_translated_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SizebookError) as refused:
        counted(SEVEN | changes)
    assert str(refused.value) == message


# meta-llama/llama-models: the params.json of Llama 3.1 8B, Llama 2 7B (its vocabulary written in) and Llama 2 70B.
META = {"dim": 4096, "n_layers": 32, "n_heads": 32, "norm_eps": 1e-05}
LLAMA_3 = {**META, "n_kv_heads": 8, "multiple_of": 1024, "ffn_dim_multiplier": 1.3, "vocab_size": 128256}
LLAMA_70 = {"dim": 8192, "n_layers": 80, "n_heads": 64, "n_kv_heads": 8, "multiple_of": 4096, "ffn_dim_multiplier": 1.3}


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ({**LLAMA_3, "use_scaled_rope": True, "rope_theta": 500000.0}, 8_030_261_248),
        ({**META, "multiple_of": 256, "vocab_size": 32000}, 6_738_415_616),
        ({**LLAMA_70, "norm_eps": 1e-05, "vocab_size": 32000}, 68_976_648_192),
    ],
)
def test_metas_params_give_the_width_by_a_rule(values: dict[str, Any], total: int) -> None:
    """Totals of the published checkpoints: 14 336, 11 008 and 28 672 wide."""
    assert count(architecture(Config(dict(values), "params.json"))).total == total


@pytest.mark.parametrize(
    ("key", "value", "want"),
    [
        ("dim", None, "a whole number of 1 or more"),
        ("multiple_of", 0, "a whole number of 1 or more"),
        ("ffn_dim_multiplier", "1.3", "a number above 0, or null"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_refused(key: str, value: Any, want: str) -> None:
    with pytest.raises(SizebookError) as refused:
        architecture(Config({**LLAMA_3, key: value}, "params.json"))
    assert str(refused.value) == f"not described: got '{key}' = {value!r} in params.json, want {want}."
