"""The cache on one GPU, kind of layer by kind of layer, against the count layer by layer and against hand counts."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest

from sizebook.core.cells import call
from sizebook.core.errors import InputError, RangeError
from sizebook.functions import load
from sizebook.models import catalog
from sizebook.models.architecture import Architecture
from sizebook.models.cache_size import cache_bytes
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.serving.case import Case, case_of
from sizebook.serving.kernels import kv_heads_held
from sizebook.serving.layouts import layouts
from sizebook.serving.quantities import Replica
from sizebook.serving.shape import AttentionKind, ServingShape, serving_shape, shape_of, side_by_side
from sizebook.serving.time import Pass, cache_bytes_per_gpu, pass_parts
from sizebook.sweeps.serving import sweep
from tests.models.counts import small_configs
from tests.refused import message_of

load()
DEGREES = (1, 2, 3, 4, 5, 8, 16, 64)


@cache
def decoders() -> dict[str, tuple[Architecture, ServingShape]]:
    """Every decoder of the catalog and of the made-up configs, one or more of each model type."""
    configs = [fact["config"] for name in ("decoder", "seq2seq") for fact in small_configs(f"{name}_counts.jsonl")]
    every = {key: catalog.architecture(key) for key in catalog.model_keys() if catalog.facts(key)["architecture"]}
    every |= {f"{c['model_type']} {at}": architecture(Config(c, "config.json")) for at, c in enumerate(configs)}
    found = {}
    for name, model in every.items():
        try:
            found[name] = (model, serving_shape(model))
        except InputError:
            continue  # encoders, and decoders without a head
    return found


def contexts(shape: ServingShape) -> Iterator[int]:
    """Contexts below, at and above every window of a model."""
    yield from (1, 1000, 131_072)
    for window in {int(kind.window) for kind in shape.kinds} - {0}:
        yield from (window - 1 or 1, window, window + 1, 3 * window + 7)


def held(shape: ServingShape, context: float, tp: int = 1, kv_bytes: float = 2.0) -> float:
    case = replace(case_of("llama-3.1-8b", "h100-sxm", Replica()), shape=shape, kv_bytes=kv_bytes, tp=tp)
    return float(cache_bytes_per_gpu(case, context))


def of_encoder(shape: ServingShape) -> float:
    return sum(kv_heads_held(kind.n_kv_heads, 1) * kind.cross_width for kind in shape.kinds)


@pytest.mark.parametrize("kv_bytes", [2.0, 1.0])
def test_one_gpu_holds_what_the_layers_hold_one_by_one(kv_bytes: float) -> None:
    """Layers that attend to an encoder hold as many of its tokens, which serving counts apart."""
    models = decoders()
    assert len(models) > 500
    assert sum(len(shape.kinds) > 1 for _, shape in models.values()) > 60
    differing = {}
    for name, (model, shape) in models.items():
        for context in contexts(shape):
            here = held(shape, float(context), kv_bytes=kv_bytes) + of_encoder(shape) * context * kv_bytes
            if here != cache_bytes(model, context, kv_bytes):
                differing[name, context] = (here, cache_bytes(model, context, kv_bytes))
    assert differing == {}


@pytest.mark.parametrize("model", ["gemma-4-31b", "deepseek-v4-pro", "nemotron-h-56b", "glm-5", "minimax-m3"])
def test_both_functions_say_the_same(model: str) -> None:
    for dtype in ("bf16", "fp8"):
        assert call("KV_CACHE_BYTES", model, 8192, dtype) == call("KV_CACHE_BYTES_PER_GPU", model, 8192, 1, 1, dtype)
    both = call("KV_CACHE_BYTES_PER_GPU", "t5-base", 300, 1, 1, "bf16", 300)
    assert call("KV_CACHE_BYTES", "t5-base", 300) == both
    on_four = call("KV_CACHE_BYTES_PER_GPU", "mamba-130m", 9, 4)
    assert on_four == call("KV_CACHE_BYTES", "mamba-130m", 9) / 4


def test_a_wider_layout_never_holds_more_and_a_longer_context_never_less() -> None:
    for name, (_, shape) in decoders().items():
        by_tp = [held(shape, 5000.0, tp) for tp in DEGREES]
        assert by_tp == sorted(by_tp, reverse=True), name
        by_context = [held(shape, float(context), 3) for context in sorted(contexts(shape))]
        assert by_context == sorted(by_context), name


def test_layers_of_minimax_m3_without_an_indexer_see_every_key() -> None:
    """60 layers of 64 and 4 heads of 128; three see all, 57 the 16 blocks of 128 keys that their indexer selects."""
    kinds = {(kind.seen, kind.cache_width, kind.score_width) for kind in shape_of("minimax-m3").kinds}
    assert kinds == {(0, 3 * 256, 3 * 64 * 256), (2048, 57 * 256, 57 * 64 * 256)}


def test_layers_that_share_a_cache_hold_none_and_read_it() -> None:
    """Gemma 4 E2B: the first 15 of 35 layers keep a cache, 12 of them sliding with heads of 256, 3 of 512."""
    by_window = {kind.window: (kind.cache_width, kind.read_width) for kind in shape_of("gemma-4-e2b").kinds}
    assert by_window == {512: (12 * 2 * 256, 28 * 2 * 256), 0: (3 * 2 * 512, 7 * 2 * 512)}


@pytest.mark.parametrize(
    ("model", "tp", "prefill", "read", "scored"),
    [
        # Per token of context: three layers read one of 4 heads and score 16 of 64; 57 indexers read 128 bytes and
        # score 4 heads of 128. The layers that they select for see no more at 20 000 tokens than at 10 000.
        ("minimax-m3", 4, False, (3 * 256 * 2, 57 * 128), (3 * 16 * 256, 57 * 4 * 128)),
        # Heads on the fullest of 8 GPUs: 2 of 12, 2 of 16 and 3 of 20, each 64 + 64 wide.
        ("openelm-270m", 8, False, ((5 + 7 + 4) * 128 * 2, 0), ((5 * 2 + 7 * 2 + 4 * 3) * 128, 0)),
        # 16 of 128 heads in 61 layers, decoding against the latent; a prompt expands it, sees half on average, and
        # finds it in the chip.
        ("deepseek-v3", 8, False, (61 * 576 * 2, 0), (61 * 16 * (2 * 512 + 64), 0)),
        ("deepseek-v3", 8, True, (0, 0), (61 * 16 * (192 + 128) / 2, 0)),
        ("gemma-4-31b", 8, False, (10 * 1024 * 2, 0), (10 * 4 * 1024, 0)),
    ],
)
def test_what_one_more_token_of_context_costs_a_pass(
    model: str, tp: int, prefill: bool, read: tuple[float, float], scored: tuple[float, float]
) -> None:
    """Reading and scoring of attention and of indexers, each at the share of its own kernels."""
    case = case_of(model, "h200-sxm", Replica(engine="vllm", weight_dtype="fp8", kv_dtype="bf16", tp=tp))
    short, long = (pass_parts(case, Pass(1.0, 1.0, context, prefill)) for context in (10_000.0, 20_000.0))
    rates, phase = case.rates, "prefill" if prefill else "decode"
    shares = rates["decode_attention_bandwidth"], rates["index_decode_bandwidth"]
    memory = sum(bytes_ / share for bytes_, share in zip(read, shares, strict=True)) / case.bandwidth
    shares = rates[f"{phase}_attention_compute"], rates[f"index_{phase}_compute"]
    compute = sum(2 * pairs / share for pairs, share in zip(scored, shares, strict=True)) / case.half_peak
    assert long.cache - short.cache == pytest.approx(10_000 * memory, rel=1e-6)
    assert long.scores - short.scores == pytest.approx(10_000 * compute, rel=1e-6)


def test_a_prompt_expands_a_latent_and_a_decode_step_does_not() -> None:
    """DeepSeek V3: 61 layers of 128 heads, expanded 192 + 128 wide, against the latent 2 x 512 + 64."""
    assert shape_of("deepseek-v3").kinds == (
        AttentionKind(128, 1, 0, 0, 61 * 576, 61 * 576, 0, 61 * 128 * 320, 61 * 128 * 1088, 61),
    )


def test_tp_must_divide_the_heads_of_every_layer() -> None:
    """OpenELM 270M has layers of 12, 16 and 20 heads; Nemotron-H 56B 64 heads beside mixers of 256."""
    assert shape_of("openelm-270m").common_heads == 4
    assert shape_of("nemotron-h-56b").common_heads == 64
    assert shape_of("rwkv-4-169m").common_heads == 0  # no heads: any tp
    assert [each["tp"] for each in layouts("openelm-270m", "h100-sxm")] == [1, 2, 4]
    for tp, n_heads, want in ((5, 12, 4), (8, 12, 4), (12, 16, 4)):
        assert message_of(RangeError, call, "TPOT_SECONDS", "openelm-270m", "h100-sxm", 1024, 1024, 1, f"tp={tp}") == (
            f"tensor parallelism does not divide the heads: got tp {tp} and n_heads {n_heads}, want tp to divide "
            f"n_heads. Use tp {want}."
        )


def test_models_of_different_kinds_stand_side_by_side() -> None:
    """What one estimate says of each, columns say of all at once, however few kinds a model has."""
    models = {name: shape for name, (_, shape) in decoders().items()}
    one = case_of("llama-3.1-8b", "h100-sxm", Replica(tp=4))
    together = Case(**{**one.__dict__, "shape": side_by_side(list(models.values()), np.array)})
    found = cache_bytes_per_gpu(together, 3000.0)
    assert found.tolist() == [held(shape, 3000.0, 4) for shape in models.values()]


def test_a_sweep_of_different_kinds_says_what_one_estimate_says() -> None:
    models = ("gemma-4-31b", "openelm-1.1b", "llama-3.1-8b", "deepseek-v4-flash", "mimo-v2-flash", "mamba-1.4b")
    rows = {"model": models, "gpu": "h200-sxm", "input_tokens": 20_000, "output_tokens": 500, "concurrency": 16}
    found = sweep(pl.DataFrame({**rows, "tp": 4, "weight_dtype": "fp8"}))
    load_of = ("h200-sxm", 20_000, 500, 16, "tp=4; weight_dtype=fp8")
    assert found["tpot_seconds"].to_list() == pytest.approx([call("TPOT_SECONDS", m, *load_of) for m in models])
    assert found["ttft_seconds"].to_list() == pytest.approx([call("TTFT_SECONDS", m, *load_of) for m in models])


def test_rows_that_share_a_case_say_what_each_says_alone() -> None:
    """Windows, latents, experts and layouts mixed in any order; what is kept of a piece changes nothing in the next."""
    names = ("gemma-4-31b", "llama-3.1-8b", "deepseek-v3", "mamba-1.4b")
    of_layout = {"tp": (1, 8, 8, 16), "dp": (8, 1, 2, 1), "draft_tokens": (None, 0, 1, 3), "max_running": (0, 8, 0, 64)}
    rows = [
        {"model": model, "gpu": gpu, "input_tokens": 300 * (n + 1), "output_tokens": 200, "concurrency": 8 + n}
        | {name: values[(n + place) % 4] for name, values in of_layout.items()}
        for place, model in enumerate(names)
        for n, gpu in enumerate(("h200-sxm", "b200-sxm", "a100-sxm-80gb", "h200-sxm"))
    ]
    frame = pl.DataFrame(rows, infer_schema_length=None)
    alone = pl.concat([sweep(frame[i]) for i in range(frame.height)])
    together, backwards = sweep(frame), sweep(frame.reverse()).reverse()
    assert together["tpot_seconds"].is_not_null().sum() > 8
    for name in ("ttft_seconds", "tpot_seconds", "tokens_per_second"):
        known = together[name].is_not_null()
        assert together[name].filter(known).to_list() == pytest.approx(alone[name].filter(known).to_list(), rel=1e-12)
        assert alone[name].is_not_null().to_list() == known.to_list()
        assert backwards[name].to_list() == together[name].to_list()
    for name in ("fits", "reason", "error_basis", "error_low"):
        assert together[name].to_list() == alone[name].to_list() == backwards[name].to_list()
