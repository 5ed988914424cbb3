"""Decoders: real configs with one key changed, and what DeepSeek-V3 stores besides."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.models.counts import counted, small_configs

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
