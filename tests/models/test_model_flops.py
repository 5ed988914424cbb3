"""FLOPs of architectures: against torch's counter, published (rate, TFLOP/s) pairs and the conventions' own
formulas."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.architecture import Architecture, Attention, Embedding, Experts, FeedForward, Head, Layer, Norm
from sizebook.models.config import Config
from sizebook.models.flops import fine_tuning_flops_per_token, forward, seen_keys, train_flops_per_token
from sizebook.models.huggingface import architecture
from tests.csv_files import rows_of
from tests.refused import message_of


def _decoder(d_model: int, layers: int, vocab: int, *blocks: object, tied: bool = False) -> Architecture:
    attention, feed_forward = blocks
    layer = Layer((Norm("a", d_model), attention, Norm("b", d_model), feed_forward))  # type: ignore[arg-type]
    return Architecture(
        model_type="test",
        d_model=d_model,
        vocab=vocab,
        n_ctx=None,
        inputs=(Embedding("tokens", vocab, d_model),),
        layers=(layer,) * layers,
        outputs=(Norm("norm", d_model),),
        head=Head(vocab, d_model, tied),
    )


LLAMA_70B = _decoder(8192, 80, 128256, Attention(8192, 64, 8, 128), FeedForward(8192, 28672, gated=True))
QWEN3_30B = _decoder(2048, 48, 151936, Attention(2048, 32, 4, 128, qk_norm=(128, 128)), Experts(2048, 768, 128, 8))
GPT2 = _decoder(768, 12, 50257, Attention(768, 12, 12, 64), FeedForward(768, 3072, gated=False), tied=True)


def test_every_row_that_torch_counted(shared: Path) -> None:
    rows = rows_of(shared / "truth" / "flops.csv")
    assert len(rows) >= 10
    for row in rows:
        folder = shared / "configs" / "real"
        values = json.loads((folder / (row["model"].replace("/", "__") + ".json")).read_text())
        values.update(json.loads(row["shrunk"] or "{}"))
        seq = int(row["seq"])
        one = forward(architecture(Config(values, row["model"])), seq, causal=False, windows=False)
        assert seq * one.total == int(row["fwd_flops"]), row["model"]
        assert seq * one.scores == int(row["fwd_score_flops"]), row["model"]
        assert 3 * seq * one.total == int(row["fwd_bwd_flops"]), row["model"]


def test_gpt_2_of_nanogpt() -> None:
    one = forward(GPT2, 1024, causal=False)
    assert 1024 * one.total == 291_648_307_200
    assert 3 * 1024 * one.total == 874_944_921_600


def test_published_pairs_of_rate_and_model_flops() -> None:
    assert train_flops_per_token(LLAMA_70B, 8192, "megatron") == pytest.approx(449e9, rel=0.005)
    assert train_flops_per_token(QWEN3_30B, 4096, "megatron") == pytest.approx(23.1e9, rel=0.005)
    assert train_flops_per_token(QWEN3_30B, 8192, "torchtitan") == 37_578_559_488


def test_megatron_leaves_routers_out() -> None:
    routers = 48 * 128 * 2048
    difference = train_flops_per_token(QWEN3_30B, 4096) - train_flops_per_token(QWEN3_30B, 4096, "megatron")
    assert difference == 6 * routers


def test_conventions_differ_by_what_they_say() -> None:
    seq, scores = 2048, 12 * 12 * 768 * 2048
    layers, table = 12 * 12 * 768**2, 50257 * 768
    norms = 25 * 768
    flops = {name: train_flops_per_token(GPT2, seq, name) for name in ("matmul", "kaplan", "6nd", "palm", "hardware")}
    assert flops["kaplan"] == 6 * (layers + norms)
    assert flops["6nd"] == 6 * (layers + norms + table)
    assert flops["palm"] == flops["6nd"] + scores
    assert flops["matmul"] == 6 * (layers + table) + scores / 2
    assert flops["hardware"] == 6 * (layers + table) + scores


def test_chinchilla_appendix_f_by_hand() -> None:
    seq, d, vocab, heads = 2048, 768, 50257, 12
    layer = 2 * 3 * d * d + 2 * seq * d + 3 * heads * seq + 2 * seq * d + 2 * d * d + 2 * 2 * d * 4 * d
    forward_pass = 2 * vocab * d + 12 * layer + 2 * d * vocab
    assert train_flops_per_token(GPT2, seq, "chinchilla") == 3 * forward_pass


def test_hardware_counts_full_recomputation_as_equation_3() -> None:
    seq, d, n_layers, vocab = 1024, 768, 12, 50257
    equation_3 = 96 * n_layers * d**2 * (1 + seq / (6 * d) + vocab / (16 * n_layers * d))
    assert train_flops_per_token(GPT2, seq, "hardware", "full") == pytest.approx(equation_3, rel=1e-12)


def test_a_window_is_seen_whole_except_at_the_start() -> None:
    windowed = replace(LLAMA_70B.layers[0].bricks[1], window=128)  # type: ignore[type-var]
    exact = sum(min(position + 0.5, 128) for position in range(4096)) / 4096
    assert seen_keys(windowed, 4096, causal=True) == pytest.approx(exact, rel=1e-12)
    assert seen_keys(windowed, 64, causal=True) == 32


def test_adapters_save_the_weight_gradients_of_what_is_frozen() -> None:
    whole = train_flops_per_token(LLAMA_70B, 4096)
    scores = 3 * forward(LLAMA_70B, 4096, causal=True).scores
    assert fine_tuning_flops_per_token(LLAMA_70B, 4096, trained_share=1) == whole
    frozen = fine_tuning_flops_per_token(LLAMA_70B, 4096, trained_share=0, adapters=1000)
    assert frozen == (whole - scores) * 2 / 3 + scores + 6000


def test_an_unknown_convention_is_refused() -> None:
    assert message_of(SizebookError, train_flops_per_token, GPT2, 1024, "plam") == (
        "unknown convention: got 'plam', want 'palm', or one of kaplan and 6 others. docs/functions.md lists them."
    )
