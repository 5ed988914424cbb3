"""Every architecture of llama.cpp whose keys are read: parameters, cache and FLOPs from the tensors by hand."""

from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import pytest

from sizebook.models.checkpoints.contents import contents_at
from sizebook.models.checkpoints.gguf_config import TYPES
from sizebook.sources.checkpoints import CONTEXT, figures_from_config
from tests.models.checkpoints.test_gguf_config import (
    DENSE,
    FF,
    HEAD,
    KV,
    ROUTED,
    D,
    H,
    L,
    Shapes,
    V,
    attention,
    keys,
    written,
)

NARROW = D // H
WINDOW, EXPERTS, USED = 512, 4, 2
SHARED: Shapes = {"ffn_gate_shexp": (48, D), "ffn_up_shexp": (48, D), "ffn_down_shexp": (D, 48)}
# DeepSeek: low-rank queries and keys, key heads of 12 with and 4 without positions, value heads of 10.
Q_RANK, KV_RANK, NOPE, ROPE, VALUE = 24, 20, 12, 4, 10


def narrow(bias: bool = False) -> Shapes:
    """Return attention whose heads are d_model / n_heads wide."""
    shapes: Shapes = {"attn_norm": (D,), "attn_q": (D, D), "attn_k": (KV * NARROW, D), "attn_v": (KV * NARROW, D)}
    shapes |= {"attn_output": (D, D), "ffn_norm": (D,)}
    widths = {
        "attn_q": D,
        "attn_k": KV * NARROW,
        "attn_v": KV * NARROW,
        "attn_output": D,
        "attn_norm": D,
        "ffn_norm": D,
    }
    return shapes | ({f"{name}.bias": (width,) for name, width in widths.items()} if bias else {})


LATENT: Shapes = {
    "attn_norm": (D,),
    "attn_q_a": (Q_RANK, D),
    "attn_q_a_norm": (Q_RANK,),
    "attn_q_b": (H * (NOPE + ROPE), Q_RANK),
    "attn_kv_a_mqa": (KV_RANK + ROPE, D),
    "attn_kv_a_norm": (KV_RANK,),
    "attn_output": (D, H * VALUE),
    "ffn_norm": (D,),
}
TOGETHER: Shapes = {"attn_kv_b": (H * (NOPE + VALUE), KV_RANK)}
APART: Shapes = {"attn_k_b": (H, KV_RANK, NOPE), "attn_v_b": (H, VALUE, KV_RANK)}
LATENT_KEYS = {
    "attention__q_lora_rank": Q_RANK,
    "attention__kv_lora_rank": KV_RANK,
    "rope__dimension_count": ROPE,
    "expert_count": EXPERTS,
    "expert_used_count": USED,
    "expert_feed_forward_length": 32,
    "leading_dense_block_count": 0,
    "expert_shared_count": 2,
}
SHARED_TWO: Shapes = {"ffn_gate_shexp": (64, D), "ffn_up_shexp": (64, D), "ffn_down_shexp": (D, 64)}


@dataclass(frozen=True)
class Case:
    """A file: its keys, the tensors of a layer, widths of a key and a value head, elements cached, windows."""

    keys: dict[str, Any]
    layer: Shapes
    tied: bool = False
    heads: int = 2 * HEAD
    cached: int = KV * 2 * HEAD
    windows: tuple[int, ...] = (CONTEXT,) * L
    outside: Shapes = field(default_factory=dict)


def experts(family: str, **more: Any) -> dict[str, Any]:
    return keys(family, expert_count=EXPERTS, expert_used_count=USED, expert_feed_forward_length=32, **more)


def _narrow_keys(family: str) -> dict[str, Any]:
    return keys(family, attention__key_length=NARROW)


GEMMA_2 = attention() | DENSE | {"post_attention_norm": (D,), "post_ffw_norm": (D,)}
BEFORE = ("attn_norm", "ffn_norm")
CASES = {
    "llama": Case(keys("llama"), attention() | DENSE),
    "llama with experts": Case(
        keys("llama", expert_count=EXPERTS, expert_used_count=USED, feed_forward_length=32), attention() | ROUTED
    ),
    "qwen2": Case(keys("qwen2"), attention(bias=True) | DENSE),
    "qwen2moe": Case(
        experts("qwen2moe", attention__key_length=NARROW, expert_shared_feed_forward_length=48),
        narrow()
        | {"attn_q.bias": (D,), "attn_k.bias": (KV * NARROW,), "attn_v.bias": (KV * NARROW,)}
        | ROUTED
        | SHARED
        | {"ffn_gate_inp_shexp": (D,)},
        heads=2 * NARROW,
        cached=KV * 2 * NARROW,
    ),
    "qwen3": Case(keys("qwen3"), attention(normed=True) | DENSE, tied=True),
    "qwen3moe": Case(experts("qwen3moe"), attention(normed=True) | ROUTED),
    "phi3": Case(
        _narrow_keys("phi3"),
        {"attn_norm": (D,), "attn_qkv": (D + 2 * KV * NARROW, D), "attn_output": (D, D), "ffn_norm": (D,)}
        | {"ffn_up": (2 * FF, D), "ffn_down": (D, FF)},
        heads=2 * NARROW,
        cached=KV * 2 * NARROW,
    ),
    "gemma": Case(keys("gemma"), attention() | DENSE, tied=True),
    "gemma2": Case(
        keys("gemma2", attention__sliding_window=WINDOW), GEMMA_2, tied=True, windows=(WINDOW, CONTEXT, WINDOW)
    ),
    "gemma3": Case(
        keys("gemma3", attention__sliding_window=WINDOW, block_count=7),
        GEMMA_2 | {"attn_q_norm": (HEAD,), "attn_k_norm": (HEAD,)},
        tied=True,
        windows=(*(WINDOW,) * 5, CONTEXT, WINDOW),
    ),
    "olmo2": Case(
        keys("olmo2"),
        {name: shape for name, shape in GEMMA_2.items() if name not in BEFORE}
        | {"attn_q_norm": (H * HEAD,), "attn_k_norm": (KV * HEAD,)},
    ),
    "starcoder2": Case(
        _narrow_keys("starcoder2"),
        narrow(bias=True)
        | {"ffn_up": (FF, D), "ffn_up.bias": (FF,), "ffn_down": (D, FF), "ffn_down.bias": (D,)},
        tied=True,
        heads=2 * NARROW,
        cached=KV * 2 * NARROW,
        outside={"output_norm.bias": (D,)},
    ),
    "deepseek2": Case(
        keys("deepseek2", attention__key_length=NOPE + ROPE, attention__value_length=VALUE, **LATENT_KEYS),
        LATENT | TOGETHER | ROUTED | SHARED_TWO | {"exp_probs_b.bias": (EXPERTS,)},
        heads=NOPE + ROPE + VALUE,
        cached=KV_RANK + ROPE,
    ),
    "deepseek2, heads apart": Case(
        keys(
            "deepseek2",
            attention__key_length=KV_RANK + ROPE,
            attention__value_length=KV_RANK,
            attention__key_length_mla=NOPE + ROPE,
            attention__value_length_mla=VALUE,
            **LATENT_KEYS,
        ),
        LATENT | APART | ROUTED | SHARED_TWO | {"exp_probs_b.bias": (EXPERTS,)},
        heads=NOPE + ROPE + VALUE,
        cached=KV_RANK + ROPE,
    ),
}  # fmt: skip


def test_every_architecture_has_a_case() -> None:
    assert {case.keys["general.architecture"] for case in CASES.values()} == set(TYPES)


@pytest.mark.parametrize("name", CASES)
def test_cache_and_flops_follow_from_the_tensors(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    layers = len(case.windows)
    part = contents_at(
        written(tmp_path / "m.gguf", case.keys, case.layer, tied=case.tied, layers=layers, outside=case.outside)
    ).parts[0]
    found, problem = figures_from_config(part)
    assert found is not None and found.total is not None and problem == ""
    corrections = sum(shape[0] for tensor, shape in case.layer.items() if tensor == "exp_probs_b.bias") * layers
    assert found.total + corrections == part.weighed.parameters
    assert found.origin == f"the file's own keys ({case.keys['general.architecture']})"

    # A token is multiplied by every matrix, of routed experts by those it visits, and by the table or the head once.
    def visited(tensor: str, shape: tuple[int, ...]) -> int:
        return prod(shape) * USED // EXPERTS if tensor.endswith("_exps") else prod(shape)

    idle = sum(prod(s) - visited(t, s) for t, s in case.layer.items()) * layers
    assert found.active == found.total - idle
    one_layer = sum(visited(t, s) for t, s in case.layer.items() if len(s) > 1 or t == "ffn_gate_inp_shexp")
    matrices = layers * one_layer + V * D
    # Of 4,096 tokens a query sees half, in a window of W the last W but at the start: W (1 - W / 2T).
    seen = sum(w * (1 - w / (2 * CONTEXT)) for w in case.windows)
    assert found.flops == 2 * matrices + 2 * H * case.heads * seen
    cached_layers = sum(min(w, CONTEXT) for w in case.windows)
    assert found.cache_bytes == 2 * case.cached * cached_layers  # two bytes an element
