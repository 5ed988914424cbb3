"""Published files that carry keys which their classes do not read: counted, and to the figure of their checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.key_names import _harmless_values
from tests.models.counts import counted
from tests.models.edits import bases

BASES = bases()

COMMAND_A: dict[str, Any] = {
    "architectures": ["Cohere2ForCausalLM"], "model_type": "cohere2", "head_dim": 128, "hidden_size": 12288,
    "intermediate_size": 36864, "num_attention_heads": 96, "num_hidden_layers": 64, "num_key_value_heads": 8,
    "vocab_size": 256000, "use_parallel_block": True, "use_embedding_sharing": True, "use_gated_activation": True,
    "use_parallel_embedding": True, "position_embedding_type": "rope_gptj", "layer_switch": 4,
    "order_of_interleaved_layers": "local_attn_first", "sliding_window_pattern": 4,
}  # fmt: skip
NOMIC: dict[str, Any] = {
    "architectures": ["NomicBertModel"], "model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_inner": 3072,
    "n_layer": 12, "n_positions": 8192, "vocab_size": 30528, "type_vocab_size": 2, "fused_bias_fc": True,
    "max_trained_positions": 2048, "pad_vocab_size_multiple": 64, "qkv_proj_bias": False, "use_xentropy": True,
}  # fmt: skip
DEBERTA: dict[str, Any] = {
    "model_type": "deberta-v2", "hidden_size": 768, "intermediate_size": 3072, "max_position_embeddings": 512,
    "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True,
    "pos_att_type": "p2c|c2p", "max_relative_positions": -1, "position_biased_input": False,
    "num_attention_heads": 12, "num_hidden_layers": 12, "type_vocab_size": 0, "vocab_size": 128100,
}  # fmt: skip


def test_command_a() -> None:
    """c4ai-command-a-03-2025 holds 111 057 580 032 parameters (safetensors, model card)."""
    assert counted(COMMAND_A)["total"] == 111_057_580_032


def test_nomic_with_the_names_of_gpt2() -> None:
    """nomic-embed-text-v1.5 holds 136 731 648 parameters (safetensors, model card)."""
    assert counted(NOMIC)["total"] == 136_731_648


def test_deberta_v3_without_a_class() -> None:
    """Base V3 bare: a table of 128 100 and 512 relative rows, two norms, 12 layers of 7 087 872."""
    layer = 4 * (768 * 768 + 768) + 2 * 768 * 3072 + 3072 + 768 + 4 * 768
    assert counted(DEBERTA)["total"] == 128_100 * 768 + 512 * 768 + 4 * 768 + 12 * layer


@pytest.mark.parametrize(
    ("config", "key", "other"),
    [
        (COMMAND_A, "use_parallel_embedding", 2),
        (COMMAND_A, "position_embedding_type", "learned"),
        (NOMIC, "qkv_proj_bias", True),
        ({**NOMIC, "model_type": "gte", "architectures": ["GteModel"]}, "n_embd", 769),
    ],
)
def test_another_value_or_type_is_refused(config: dict[str, Any], key: str, other: object) -> None:
    with pytest.raises(SizebookError, match=f"^keys not understood: got .*{key}"):
        counted({**config, key: other})


def test_every_real_file_is_counted(shared: Path) -> None:
    for path in sorted((shared / "configs" / "real").glob("*.json")):
        assert counted(json.loads(path.read_text(encoding="utf-8")))["total"] > 0


def _with(model_type: str, key: str, value: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a config that is or holds one of the type, and the same with one more key in its place."""
    if model_type in BASES:
        return BASES[model_type][0], {**BASES[model_type][0], key: value}
    whole, name = next(
        (whole, name)
        for whole in (whole for wholes in BASES.values() for whole in wholes)
        for name, section in whole.items()
        if isinstance(section, dict) and section.get("model_type") == model_type
    )
    return whole, {**whole, name: {**whole[name], key: value}}


def test_every_harmless_value_is_needed_and_no_other_is_let_pass() -> None:
    for (model_type, key), value in _harmless_values().items():
        config, more = _with(model_type, key, 7 if value == "any" else json.loads(value))
        assert counted(more) == counted(config)
        if value != "any":
            with pytest.raises(SizebookError, match=f"^keys not understood: got {key} in config.json, want keys"):
                counted(_with(model_type, key, 7)[1])
