"""Serving time: limits, identities and arrays; its accuracy is in docs/serving_accuracy.md."""

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from sizebook.core.cells import call
from sizebook.core.tables import table
from sizebook.functions import load
from sizebook.serving.band import FITTED, KERNELS, NOTHING, UNSEEN, Band, error_band, replica_band
from sizebook.serving.case import Case, case_of, larger, smaller
from sizebook.serving.estimate import estimate
from sizebook.serving.formats import attention_dtype_of, kv_dtype_of, weight_dtype_of
from sizebook.serving.memory import engine_constants, engine_memory, physical_bytes
from sizebook.serving.quantities import KV_DTYPES, WEIGHT_DTYPES, Demand, Replica
from sizebook.serving.shape import shape_of
from sizebook.serving.time import (
    Pass,
    decode_step_seconds,
    latency,
    pass_parts,
    pass_seconds,
    prefill_seconds,
    tokens_of_step,
)
from sizebook.sweeps.serving import sweep
from sizebook.tables.hardware import accelerator

load()


def asked(input_tokens: float, output_tokens: float, concurrency: Any) -> Demand:
    return Demand(input_tokens=input_tokens, output_tokens=output_tokens, concurrency=concurrency)  # type: ignore[arg-type]


def test_a_decode_step_is_slower_than_its_weights_at_full_bandwidth() -> None:
    case = case_of("llama-3.1-70b", "h100-sxm", Replica(engine="vllm", weight_dtype="fp8", tp=2))
    read = 69.5e9 / 2 / 3.35e12  # every weight but the embedding, one byte each, two GPUs
    assert read < decode_step_seconds(case, asked(128, 128, 1)) < 3 * read


def test_a_long_prompt_is_slower_than_its_flops_at_peak() -> None:
    case = case_of("llama-3.1-70b", "h100-sxm", Replica(engine="vllm", weight_dtype="fp8", tp=8))
    at_peak = 2 * 69.5e9 * 8192 / 8 / 1.979e15
    assert at_peak < prefill_seconds(case, 8192.0) < 6 * at_peak


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm"])
@pytest.mark.parametrize("model", ["llama-3.1-70b", "deepseek-r1", "gpt-oss-120b"])
def test_more_load_never_makes_a_request_faster(model: str, engine: str) -> None:
    case = case_of(model, "b200-sxm", Replica(engine=engine, tp=8))
    found = [latency(case, asked(1024, 512, float(c))) for c in (1, 2, 8, 32, 128, 512)]
    for earlier, later in pairwise(found):
        assert earlier.tpot_seconds < later.tpot_seconds
        assert earlier.ttft_seconds < later.ttft_seconds


def test_arrays_give_what_numbers_give() -> None:
    case = case_of("deepseek-r1", "h200-sxm", Replica(engine="sglang", tp=8))
    loads = np.array([1.0, 7.0, 300.0])
    together = latency(case, asked(2000, 300, loads))
    for at, load_ in enumerate(loads):
        alone = latency(case, asked(2000, 300, float(load_)))
        assert together.tpot_seconds[at] == pytest.approx(alone.tpot_seconds, rel=1e-12)
        assert together.ttft_seconds[at] == pytest.approx(alone.ttft_seconds, rel=1e-12)


def test_larger_and_smaller_are_maximum_and_minimum() -> None:
    assert (larger(2.0, 5.0), smaller(2.0, 5.0), larger(5.0, 2.0), smaller(5.0, 2.0)) == (5.0, 2.0, 5.0, 2.0)


def test_requests_beyond_the_cache_wait_and_throughput_stays() -> None:
    case = case_of("qwen3-32b", "h100-sxm", Replica(engine="vllm", weight_dtype="bf16", tp=2))
    memory = engine_memory(case, physical_bytes(accelerator("h100-sxm")), engine_constants("vllm"))
    held = estimate(case, memory, asked(4096, 1024, 1)).capacity
    full = estimate(case, memory, asked(4096, 1024, float(held)))
    over = estimate(case, memory, asked(4096, 1024, float(3 * held)))
    assert full.fits and not over.fits
    assert over.tpot_seconds == full.tpot_seconds
    assert over.tokens_per_second == pytest.approx(full.tokens_per_second)
    # Little's law: three times as many requests at the same rate stay three times as long.
    stay = [each.ttft_seconds + each.tpot_seconds * 1023 for each in (full, over)]
    assert stay[1] == pytest.approx(3 * stay[0])


def test_throughput_is_requests_in_flight_over_their_time() -> None:
    inputs = ("llama-3.1-70b", "b200-sxm", 1000, 500, 64, "tp=4; weight_dtype=fp8")
    assert call("TOKENS_PER_SECOND", *inputs) == pytest.approx(64 * 500 / call("REQUEST_SECONDS", *inputs))


def test_bands_hold_their_order_and_widen_the_less_is_known() -> None:
    """In the fit, an unseen combination, a GPU of which kernels alone were measured, one of which nothing was."""
    for row in table("calibration_serving_error"):
        assert 0 < float(row["p10"]) < float(row["p90"])
        assert int(row["rows"]) >= 10
    for figure in ("ttft", "tpot", "throughput"):
        bands = [error_band(figure, "vllm", gpu) for gpu in ("h100-sxm", "a100-sxm-80gb", "mi300x")]
        assert [band.basis for band in bands] == [UNSEEN, KERNELS, NOTHING]
        for nearer, farther in pairwise(bands):
            assert farther.low <= nearer.low < 1 < nearer.high <= farther.high


def test_every_rate_of_the_calibration_is_positive_and_counts_its_rows() -> None:
    for row in table("calibration_serving"):
        assert float(row["value"]) > 0
        assert row["rows"].isdigit() and row["meaning"] and row["source"] and row["retrieved"]


@pytest.mark.parametrize(("engine", "load_"), [("vllm", 24.0), ("sglang", 96.0), ("tensorrt-llm", 7.0)])
def test_no_prompt_work_is_lost_or_counted_twice(engine: str, load_: float) -> None:
    """A request's life is its own passes and steps, and its share of the prompts of the others."""
    case = case_of("llama-3.1-70b", "h200-sxm", Replica(engine=engine, weight_dtype="fp8", tp=4))
    prompt, answer, rates = 1000.0, 400.0, case.rates
    found = latency(case, asked(prompt, answer, load_))
    step = decode_step_seconds(case, asked(prompt, answer, load_))
    at_once = 1 + rates["queue_share"] * (load_ - 1)
    chunk = max(prompt, min(8192.0, at_once * prompt))
    others = (load_ - 1) * sum(pass_seconds(case, Pass(chunk, chunk / prompt, prompt, prefill=True))) * prompt / chunk
    steps = (1 - 1 / load_) * rates["first_token_steps"] + answer - 1
    own = rates["first_token_seconds"] + prefill_seconds(case, prompt) + steps * step
    assert found.ttft_seconds + (answer - 1) * found.tpot_seconds == pytest.approx(own + others, rel=1e-12)


def test_activations_pass_through_memory_beside_the_matrix_products() -> None:
    """Llama-3.1-8B: 32 layers x 4096 x 2 bytes a token and pass, 1000 tokens over 3.35 TB/s."""
    case = case_of("llama-3.1-8b", "h100-sxm", Replica(engine="vllm", weight_dtype="fp8"))
    graphs = {**case.rates, "eager_seconds": 0.0}  # no host to wait for
    once_more = {**graphs, "activation_passes": case.rates["activation_passes"] + 1}
    work = Pass(1000.0, 1.0, 1000.0, prefill=True)
    less, more = (pass_seconds(Case(**{**case.__dict__, "rates": each}), work)[0] for each in (graphs, once_more))
    assert more - less == pytest.approx(32 * 4096 * 2 * 1000 / 3.35e12)


def test_experts_are_dispatched_through_memory() -> None:
    """gpt-oss-120b: 36 layers x 4 experts a token x 2880 x 2 bytes a token and pass, over 8 TB/s of a B200."""
    case = case_of("gpt-oss-120b", "b200-sxm", Replica(engine="vllm"))
    once_more = {**case.rates, "experts_passes": case.rates["experts_passes"] + 1}
    work = Pass(64.0, 64.0, 1000.0, prefill=False)
    more, _ = pass_seconds(Case(**{**case.__dict__, "rates": once_more}), work)
    bandwidth = float(accelerator("b200-sxm").memory_bandwidth_bytes_per_s)
    assert more - pass_seconds(case, work)[0] == pytest.approx(36 * 4 * 2880 * 2 * 64 / bandwidth)


def test_experts_reach_half_their_share_of_the_peak_at_the_half() -> None:
    """gpt-oss-120b sends 4 of 128 experts a token: 32 tokens an expert are 1,024 tokens in the pass."""
    case = case_of("gpt-oss-120b", "b200-sxm", Replica(engine="vllm"))
    share, half = case.rates["experts_compute"], case.rates["experts_half"]
    at_half = pass_parts(case, Pass(half * 128 / 4, 1.0, 1000.0, prefill=True)).routed
    flops = 2 * 4 * half * 128 / 4 * 36 * 3 * 2880 * 2880
    assert at_half == pytest.approx(flops / (case.expert_peak * share / 2), rel=1e-3)  # but for biases


@pytest.mark.parametrize("drafted", [1, 3])
def test_drafts_without_a_stated_yield_are_accepted_as_measured(drafted: int) -> None:
    case = case_of("deepseek-r1", "h200-sxm", Replica(engine="tensorrt-llm", tp=8, draft_tokens=drafted))
    short, long, endless = (tokens_of_step(case, tokens) for tokens in (1024.0, 8192.0, 1e9))
    assert short == pytest.approx(call("SPECULATIVE_TOKENS_PER_STEP", case.rates["draft_acceptance"], drafted))
    assert 1 < short < long < endless < drafted + 1
    stated = case_of(
        "deepseek-r1", "h200-sxm", Replica(engine="tensorrt-llm", tp=8, draft_tokens=drafted, tokens_per_step=1.5)
    )
    assert tokens_of_step(stated, 8192.0) == 1.5
    assert tokens_of_step(case_of("deepseek-r1", "h200-sxm", Replica(engine="tensorrt-llm", tp=8)), 8192.0) == 1


def test_checkpoints_that_carry_a_cache_format_are_cached_in_it() -> None:
    assert kv_dtype_of("vllm", "nvfp4", None) == kv_dtype_of("sglang", "nvfp4", None) == "fp8"
    assert kv_dtype_of("tensorrt-llm", "fp8_block", None) == "fp8"
    assert kv_dtype_of("vllm", "fp8", None) == kv_dtype_of("tensorrt-llm", "mxfp4", None) == "bf16"
    assert kv_dtype_of("vllm", "nvfp4", "bf16") == "bf16"


def test_a_repository_of_a_quantised_copy_brings_its_formats() -> None:
    copy = "nvidia/Llama-3.1-8B-Instruct-FP8"
    assert weight_dtype_of(copy, None) == weight_dtype_of("llama-3.1-8b-instruct-fp8", None) == "fp8"
    assert weight_dtype_of("meta-llama/Llama-3.1-8B-Instruct", None) == weight_dtype_of(copy, "bf16") == "bf16"
    assert kv_dtype_of("vllm", "fp8", None, model=copy) == "fp8"
    assert kv_dtype_of("vllm", "bf16", None, model=copy) == kv_dtype_of("vllm", "fp8", "bf16", model=copy) == "bf16"
    assert kv_dtype_of("vllm", "nvfp4", None, model="nvidia/MiniMax-M3-NVFP4") == "bf16"  # its config.json says none
    by_name, stated = (
        case_of(name, "h200-sxm", replica)
        for name, replica in ((copy, Replica()), ("llama-3.1-8b", Replica(weight_dtype="fp8", kv_dtype="fp8")))
    )
    assert (by_name.attention_bytes, by_name.kv_bytes) == (stated.attention_bytes, stated.kv_bytes) == (1.0, 1.0)


def test_every_repository_named_after_a_format_has_its_formats() -> None:
    repositories = [part for row in table("models") for part in row["hf_id"].split(";")]
    named = {name for name in repositories if name.casefold().endswith(("-fp8", "-nvfp4", "-fp4", "-mxfp4", "-int4"))}
    own = {row["hf_id"] for row in table("models") if row["hf_id"] in named and row["native_dtype"] not in ("", "bf16")}
    rows = {row["hf_id"]: row for row in table("quantised_repositories")}
    assert named - own == set(rows) - own
    for row in rows.values():
        assert row["weight_dtype"] in WEIGHT_DTYPES and row["kv_dtype"] in ("", *KV_DTYPES)
        assert row["source"] and row["retrieved"]


def test_one_request_alone_waits_for_nobody() -> None:
    case = case_of("llama-3.1-8b", "h100-sxm", Replica(engine="vllm", weight_dtype="fp8"))
    assert latency(case, asked(2000, 100, 1)).tpot_seconds == decode_step_seconds(case, asked(2000, 100, 1))


@pytest.mark.parametrize(
    ("model", "dense"),
    [("llama-3.1-70b", 80), ("deepseek-v3", 61), ("gpt-oss-120b", 0), ("mixtral-8x7b", 0), ("qwen3.5-397b-a17b", 60)],
)
def test_layers_with_a_feed_forward_block_or_a_shared_expert(model: str, dense: int) -> None:
    """DeepSeek-V3: 3 dense layers and a shared expert in each of 58; gpt-oss and Mixtral have routed experts alone."""
    assert shape_of(model).n_dense_layers == dense


def test_four_bit_experts_leave_attention_in_sixteen() -> None:
    assert attention_dtype_of(shape_of("gpt-oss-120b"), "mxfp4") == "bf16"
    assert attention_dtype_of(shape_of("llama-3.1-70b"), "nvfp4") == "nvfp4"
    assert attention_dtype_of(shape_of("deepseek-v3"), "fp8") == "fp8"


def band_of(model: str, gpu: str, **stated: Any) -> Band:
    replica = Replica(**{"engine": "sglang", "tp": 8, **stated})
    return replica_band("tpot", gpu, replica, case_of(model, gpu, replica))


def test_a_combination_in_the_fit_has_a_band_of_its_own_under_any_name() -> None:
    """R1 and V3 are one architecture; a model that no server of the fit ran takes the band of unseen combinations."""
    for model in ("deepseek-r1", "deepseek-v3"):
        band = band_of(model, "b200-sxm")
        assert (band.basis, band.groups) == (FITTED, 1)
    unseen = band_of("llama-3.1-405b", "b200-sxm")
    fitted = band_of("deepseek-v3", "b200-sxm")
    assert fitted.low <= unseen.low < unseen.high <= fitted.high, "its next server is another"
    assert unseen == error_band("tpot", "sglang", "b200-sxm")
    assert unseen.basis == UNSEEN
    assert call("SERVING_ERROR", "b200-sxm", "sglang", "tpot", "p90", "deepseek-v3") == band.high


def test_gpt_oss_has_a_band_of_its_own_by_both_names_of_its_format() -> None:
    """The table calls its 4.25 bits nvfp4; left blank they are mxfp4, whose estimates are the slower ones."""
    blank, named = (band_of("gpt-oss-120b", "b200-sxm", engine="vllm", weight_dtype=w) for w in (None, "nvfp4"))
    assert blank.basis == named.basis == FITTED
    assert blank.rows == named.rows == 66
    assert blank.middle < named.middle < 1


@pytest.mark.parametrize(
    ("stated", "basis"),
    [
        ({"weight_dtype": "bf16"}, UNSEEN),  # fp4 and fp8 ran
        ({"weight_dtype": "nvfp4"}, FITTED),
        ({"draft_tokens": 3, "weight_dtype": "nvfp4"}, UNSEEN),  # under SGLang it drafted in fp8 alone
        ({"draft_tokens": 2}, FITTED),
        ({"draft_tokens": 0}, FITTED),
        ({"tp": 16}, NOTHING),  # two nodes of eight
    ],
)
def test_a_band_is_that_of_the_fit_only_where_the_fit_was(stated: dict[str, Any], basis: str) -> None:
    assert band_of("deepseek-r1", "b200-sxm", **stated).basis == basis


def test_a_table_has_the_bands_of_single_estimates() -> None:
    """By names, by drafts and by the nodes that a row spans."""
    stated = ({}, {"draft_tokens": 3}, {"tp": 16}, {"tp": 16, "draft_tokens": 3}, {"weight_dtype": "nvfp4"})
    row = {"model": "deepseek-r1", "gpu": "b200-sxm", "engine": "sglang", "tp": 8, "draft_tokens": None,
           "weight_dtype": None, "input_tokens": 1024, "output_tokens": 1024, "concurrency": 8}  # fmt: skip
    found = sweep(pl.DataFrame([{**row, **each} for each in stated], infer_schema_length=None))
    bands = [band_of("deepseek-r1", "b200-sxm", **each) for each in stated]
    assert found["error_basis"].to_list() == [band.basis for band in bands]
    assert found["error_low"].to_list() == pytest.approx([band.low - 1 for band in bands])
    assert found["error_high"].to_list() == pytest.approx([band.high - 1 for band in bands])
