"""Decoders, hybrids and models that see or hear: made-up configs, perturbed real ones, published counts."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from tests.models.counts import counted, small_configs

FACTS = small_configs("decoder_counts.jsonl")
TYPES = sorted({fact["config"]["model_type"] for fact in FACTS})

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "vocab_size": 128256,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}
DEEPSEEK_V3: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "vocab_size": 129280,
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "num_hidden_layers": 61,
    "first_k_dense_replace": 3,
    "num_attention_heads": 128,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "num_nextn_predict_layers": 1,
}
DBRX: dict[str, Any] = {
    "model_type": "dbrx",
    "vocab_size": 100352,
    "d_model": 6144,
    "n_layers": 40,
    "n_heads": 48,
    "attn_config": {"kv_n_heads": 8},
    "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
}


def _totals(config: dict[str, Any]) -> dict[str, int]:
    got = counted(config)
    return {key: got[key] for key in ("total", "active", "buffers")}


@pytest.mark.parametrize("model_type", TYPES)
def test_made_up_configs(model_type: str) -> None:
    for fact in (fact for fact in FACTS if fact["config"]["model_type"] == model_type):
        want = {key: fact[key] for key in ("total", "active", "buffers")}
        assert {**_totals(fact["config"]), "config": fact["config"]} == {**want, "config": fact["config"]}


def test_real_configs_with_one_key_changed(shared: Path) -> None:
    """Other widths, depths, heads, experts, vocabularies, tie flags, against transformers 5.23 on the meta device."""
    differing = defaultdict(list)
    rows = small_configs("perturbed_counts.jsonl")
    for row in rows:
        config = json.loads((shared / "configs" / row["base"]).read_text(encoding="utf-8"))
        for path, value in row["set"].items():
            section = config
            *outer, key = path.split(".")
            for name in outer:
                section = section.setdefault(name, {})
            for name in row.get("without", ()):
                section.pop(name, None)
            section[key] = value
        got = counted(config)
        if (got["total"], got["active"]) != (row["total"], row["active"]):
            differing[row["base"]].append((row, got))
    assert len(rows) > 300
    assert differing == {}


@pytest.mark.parametrize(
    ("config", "total"),
    [
        (LLAMA, 8_030_261_248),
        (
            {
                **LLAMA,
                "num_hidden_layers": 80,
                "hidden_size": 8192,
                "num_attention_heads": 64,
                "intermediate_size": 28672,
            },
            70_553_706_496,
        ),
        (DEEPSEEK_V3, 671_026_404_352),
        (
            {
                "model_type": "gpt2",
                "vocab_size": 50257,
                "n_embd": 768,
                "n_layer": 12,
                "n_head": 12,
                "n_positions": 1024,
            },
            124_439_808,
        ),
        (DBRX, 131_596_523_520),
    ],
)
def test_published_counts(config: dict[str, Any], total: int) -> None:
    """The counts that the Hub shows for Llama 3.1 8B and 70B, GPT-2 and DBRX; DeepSeek-V3's without buffers."""
    assert counted(config)["total"] == total


QWEN = {**LLAMA, "model_type": "qwen", "kv_channels": 128, "no_bias": False}
CHATGLM: dict[str, Any] = {
    "model_type": "chatglm",
    "padded_vocab_size": 65024,
    "hidden_size": 4096,
    "ffn_hidden_size": 13696,
    "num_layers": 28,
    "num_attention_heads": 32,
    "kv_channels": 128,
}
TEXT = {key: value for key, value in LLAMA.items() if key != "model_type"}
VISION = {"model_type": "qwen2_5_vl", "text_config": TEXT, "vision_config": {"hidden_size": 1280, "num_heads": 48}}
GEMMA_4 = {
    "model_type": "gemma4",
    "text_config": {**TEXT, "head_dim": 128, "hidden_size_per_layer_input": 0},
    "audio_config": {"hidden_size": 1024, "num_attention_heads": 8, "subsampling_conv_channels": [128]},
}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (QWEN, "not described: got 'no_bias' = False in config.json, want True."),
        ({**CHATGLM, "rmsnorm": False}, "not described: got 'rmsnorm' = False in config.json, want True."),
        ({**CHATGLM, "pre_seq_len": 128}, "not described: got 'pre_seq_len' = 128 in config.json, want 0."),
        (
            VISION,
            "inconsistent keys: got 'hidden_size' = 1280 and 'num_heads' = 48 in config.json, 'vision_config', want "
            "the first to be a multiple of the second. Correct one of them.",
        ),
        (
            GEMMA_4,
            "not described: got 'subsampling_conv_channels' = [128] in config.json, 'audio_config', want two numbers: "
            "the tower has two such convolutions.",
        ),
    ],
)
def test_what_would_be_counted_as_something_else_is_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(SizebookError) as error:
        counted(config)
    assert str(error.value) == message


def test_what_deepseek_v3_stores_besides() -> None:
    """arXiv:2412.19437: 671 B of which 37 B are active; a prediction layer of 11.5 B; 256 routing biases a layer."""
    from sizebook.models.config import Config
    from sizebook.models.counting import count
    from sizebook.models.huggingface import architecture

    got = count(architecture(Config(dict(DEEPSEEK_V3), "config.json")))
    assert got.buffers == 58 * 256 == 14_848
    attention = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168 + 1536 + 512
    experts = (256 + 1) * 3 * 7168 * 2048 + 256 * 7168
    joining = 2 * 7168 * 7168 + 5 * 7168
    assert got.mtp == attention + experts + joining == 11_610_067_968
    assert got.active == 37_552_282_624
    assert got.active_without_embedding == 37_552_282_624 - 129280 * 7168


@pytest.mark.parametrize("kind", ["gemma3n_text", "gemma4_text"])
@pytest.mark.parametrize("shared", [3, 6, 7])
def test_shared_keys_need_a_layer_of_their_kind_that_has_some(kind: str, shared: int) -> None:
    """More shared layers than there are were counted as all of them, where the class shares fewer."""
    of_type = next(
        row["config"] for row in small_configs("distinct_counts.jsonl") if row["config"]["model_type"] == kind
    )
    types = ["sliding_attention"] * 3 + ["full_attention"] * 3
    config = {**of_type, "num_hidden_layers": 6, "layer_types": types, "num_kv_shared_layers": shared}
    config = {key: value for key, value in config.items() if key != "per_layer_config"} | {"intermediate_size": 64}
    assert counted({**config, "num_kv_shared_layers": 2})["total"] > 0
    with pytest.raises(SizebookError) as error:
        counted(config)
    assert str(error.value) == (
        f"not described: got 'num_kv_shared_layers' = {shared} in config.json, want a layer of each kind with keys and "
        "values of its own."
    )
