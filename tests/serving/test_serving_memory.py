"""Cache and engine memory against hand counts and figures that engines printed."""

from dataclasses import replace

import polars as pl
import pytest

from sizebook.core.cells import call
from sizebook.core.errors import RangeError, TargetError
from sizebook.functions import load
from sizebook.serving import memory as memory_module
from sizebook.serving.case import case_of, engine_row, layout_meant
from sizebook.serving.kernels import chance_missed
from sizebook.serving.memory import (
    context_that_fits,
    engine_constants,
    engine_memory,
    memory_of,
    physical_bytes,
    sequences_that_fit,
    workspace_bytes,
)
from sizebook.serving.quantities import Replica
from sizebook.serving.time import cache_bytes_per_gpu
from sizebook.sweeps.serving import sweep
from sizebook.tables.hardware import accelerator
from tests.refused import message_of
from tests.row_lists import listed

load()
GIB = 2**30


def test_recurrent_state_does_not_grow() -> None:
    short, long = (call("KV_CACHE_BYTES_PER_GPU", "mamba-130m", tokens) for tokens in (1, 100_000))
    assert short == long == call("STATE_BYTES", "mamba-130m") > 0


@pytest.mark.parametrize(*listed("serving", "test_what_vllm_printed_on_an_h100"))
def test_what_vllm_printed_on_an_h100(
    model: str, version: str, utilization: float, kv_dtype: str, published: float, unit: str
) -> None:
    replica = Replica(engine="vllm", weight_dtype="bf16", kv_dtype=kv_dtype, memory_utilization=utilization)
    case, physical = case_of(model, "h100-sxm", replica), physical_bytes(accelerator("h100-sxm"))
    left = engine_memory(case, physical, engine_constants("vllm", version)).cache_bytes
    got = left / GIB if unit == "GiB" else left / cache_bytes_per_gpu(case, 1.0)
    assert got == pytest.approx(published, rel=0.003)


@pytest.mark.parametrize(
    ("model", "gpu", "replica", "weights", "activations", "cache", "within"),
    [  # GiB that vLLM printed: llm-d-planner docs/empirical-vllm-memory-results.md and blog-gpu-capacity.md,
        # vLLM pull 10511 (256 requests: 1.26 GiB), dennislee22/vLLM-benchmarking (0.10.1.1, half of an A100)
        ("qwen3-32b", "h100-sxm", Replica(tp=2, weight_dtype="bf16", release="0.11.0"), 30.59, 5.64, 34.49, 0.005),
        ("llama-3.3-70b", "h100-sxm", Replica(tp=2, weight_dtype="fp8", release="0.11.0"), 33.88, 4.84, 32.0, 0.02),
        ("qwen3-14b", "h100-sxm", Replica(weight_dtype="bf16", release="0.16.0"), 27.52, 5.64, None, 0.005),
        ("qwen3-14b", "h100-sxm", Replica(weight_dtype="bf16", release="0.17.0"), 27.52, 2.23, None, 0.005),
        ("llama-3-8b", "h100-sxm", Replica(weight_dtype="bf16", release="0.6.4"), 14.96, 1.26, None, 0.06),
        ("codellama-7b", "h100-sxm", Replica(weight_dtype="bf16", release="0.19.0"), 12.55, 0.77, None, 0.025),
        ("qwen2-7b", "a100-sxm-80gb", Replica(weight_dtype="bf16", release="0.10.1", memory_utilization=0.5),
         14.25, None, 24.83, 0.045),
        # experts: docs/accuracy/vllm-v0.19.0-accuracy-report.md of llm-d-planner
        ("qwen3-30b-a3b", "h100-sxm", Replica(weight_dtype="bf16", release="0.19.0"), 56.87, 2.68, None, 0.025),
        ("deepseek-v2-lite", "h100-sxm", Replica(weight_dtype="bf16", release="0.19.0"), None, 1.93, None, 0.03),
        ("qwen1.5-moe-a2.7b", "h100-sxm", Replica(weight_dtype="bf16", release="0.19.0"), None, 2.47, None, 0.03),
        ("kimi-vl-a3b", "h100-sxm", Replica(weight_dtype="bf16", release="0.19.0"), None, 2.85, None, 0.03),
        ("llama-4-scout", "h100-sxm", Replica(tp=4, weight_dtype="bf16", release="0.19.0"), None, 3.19, None, 0.03),
        ("mixtral-8x7b", "h100-sxm", Replica(tp=2, weight_dtype="bf16", release="0.19.0"), None, 1.21, None, 0.075),
        ("gpt-oss-20b", "h100-sxm", Replica(tp=2, release="0.19.0"), None, 2.87, None, 0.035),
        # SGLang allotted 8.23 GiB each of keys and values: vLLM issue 21348
        ("qwen3-235b-a22b", "h100-sxm", Replica(tp=4, weight_dtype="fp8", engine="sglang", memory_utilization=0.93),
         None, 0.0, 16.46, 0.005),
    ],
)  # fmt: skip
def test_what_servers_printed(
    model: str,
    gpu: str,
    replica: Replica,
    weights: float | None,
    activations: float | None,
    cache: float | None,
    within: float,
) -> None:
    memory = memory_of(case_of(model, gpu, replica), gpu, replica)
    assert weights is None or memory.weight_bytes / GIB == pytest.approx(weights, rel=0.005)
    assert activations is None or memory.activation_bytes / GIB == pytest.approx(activations, rel=within)
    assert cache is None or memory.cache_bytes / GIB == pytest.approx(cache, rel=within)


def test_logits_of_fewer_requests_leave_more_for_the_cache() -> None:
    """Qwen2.5-72B: 152,064 tokens x 15,800 bytes of 1,024 requests; of 512 half. The widest block of 8,192 tokens:
    3 x 29,568 / 2 GPUs and four times 8,192, two bytes each."""

    def peak(**settings: int) -> float:
        replica = Replica(tp=2, weight_dtype="bf16", **settings)
        return float(memory_of(case_of("qwen2.5-72b", "h100-sxm", replica), "h100-sxm", replica).activation_bytes)

    assert peak() == peak(max_running=1024) == peak(max_running=4096) == 152_064 * 15_800
    assert peak(max_running=768) == pytest.approx(0.75 * peak())
    block = 3 * 29_568 / 2 + 4 * 8192
    assert peak(max_running=32) == peak(max_running=1) == pytest.approx(2 * 8192 * block, rel=1e-3)


def test_experts_have_two_buffers_in_vllm() -> None:
    """Qwen3-235B on four GPUs: 8 experts of 8,192 tokens, 4,096 wide twice (an expert's 1,536 are 384 on each), two
    bytes each. Split by experts 4,096 again, as 2 x 1,536 are less. Mixtral's 14,336 are more than its 4,096."""
    replica = Replica(tp=4, weight_dtype="fp8")
    for layout in (replica, replace(replica, ep=4)):
        assert workspace_bytes(case_of("qwen3-235b-a22b", "h100-sxm", layout)) == 8192 * 8 * (4096 + 4096) * 2
    whole = case_of("mixtral-8x7b", "h200-sxm", Replica(weight_dtype="bf16"))
    assert workspace_bytes(whole) == 8192 * 2 * (14_336 + 28_672) * 2
    assert workspace_bytes(case_of("gpt-oss-20b", "h100-sxm", Replica())) == 0
    assert workspace_bytes(case_of("llama-3.1-8b", "h100-sxm", Replica())) == 0


def test_the_parts_of_memory_sum_to_what_the_engine_may_use() -> None:
    for engine in ("vllm", "sglang", "tensorrt-llm"):
        case = case_of("qwen3-32b", "h200-sxm", Replica(engine=engine, tp=2))
        memory = engine_memory(case, physical_bytes(accelerator("h200-sxm")), engine_constants(engine))
        taken = memory.weight_bytes + memory.activation_bytes + memory.non_torch_bytes
        assert memory.allowed_bytes == pytest.approx(taken + memory.cache_bytes)
        assert memory.allowed_bytes < memory.physical_bytes


def test_the_longest_context_fits_and_one_more_token_does_not() -> None:
    case = case_of("gpt-oss-120b", "h100-sxm", Replica(engine="vllm", tp=2))
    memory = engine_memory(case, physical_bytes(accelerator("h100-sxm")), engine_constants("vllm"))
    most = context_that_fits(case, memory, 8.0)
    assert cache_bytes_per_gpu(case, float(most)) * 8 <= memory.cache_bytes
    assert cache_bytes_per_gpu(case, float(most + 1)) * 8 > memory.cache_bytes


def test_weights_that_do_not_fit_leave_a_negative_cache_and_no_concurrency() -> None:
    assert call("CACHE_BYTES_AVAILABLE", "llama-3.1-70b", "h100-sxm", "weight_dtype=bf16") < 0
    assert call("MAX_CONCURRENCY", "llama-3.1-70b", "h100-sxm", 4096, "weight_dtype=bf16") == 0
    assert call("MAX_CONTEXT", "llama-3.1-70b", "h100-sxm", "weight_dtype=bf16; concurrency=1") == 0


def test_a_token_misses_the_experts_that_it_is_not_sent_to() -> None:
    """Of E experts a batch visits E (1 - (1 - k / E)^tokens): 8 of 256 by one token, 1.75 of 4 by two to one each."""
    assert 256 * (1 - chance_missed(256.0, 8.0)) == pytest.approx(8)
    assert 4 * (1 - chance_missed(4.0, 1.0) ** 2) == pytest.approx(1.75)
    assert chance_missed(0.0, 0.0) == 1


def test_layouts_that_tables_write_as_a_product() -> None:
    assert layout_meant(64, 1, 8, 8)[:3] == (8, 1, 8)
    assert layout_meant(1, 64, 8, 8)[:3] == (1, 8, 8)
    assert layout_meant(64, 1, 8, 72) == (64, 1, 8, "")  # one NVLink domain of 72 can hold 64
    assert layout_meant(8, 1, 8, 8) == (8, 1, 8, "")


def test_the_share_that_an_engine_takes_is_stated_or_its_default() -> None:
    """Qwen2.5-72B in 16 bits on two H100: 1.2 GB too much of 90 % of them, and room at 95 % and vLLM's own 92 %."""
    left = {}
    for share in (0, 0.9, 0.92, 0.95):
        case = case_of("qwen2.5-72b", "h100-sxm", Replica(tp=2, weight_dtype="bf16", memory_utilization=share))
        left[share] = engine_memory(case, physical_bytes(accelerator("h100-sxm")), engine_constants("vllm")).cache_bytes
    assert left[0.9] < 0 < left[0] == left[0.92] < left[0.95]
    assert left[0.95] - left[0.9] == pytest.approx(0.05 * physical_bytes(accelerator("h100-sxm")))
    row = {"model": "qwen2.5-72b", "gpu": "h100-sxm", "tp": 2, "weight_dtype": "bf16", "input_tokens": 1024,
           "output_tokens": 128, "concurrency": 1}  # fmt: skip
    found = sweep(pl.DataFrame([{**row, "memory_utilization": share} for share in (0.9, 0.95)]))
    assert found["fits"].to_list() == [None, True]
    single = call("TTFT_SECONDS", "qwen2.5-72b", "h100-sxm", 1024, 128, 1,
                  "tp=2; weight_dtype=bf16; memory_utilization=0.95")  # fmt: skip
    assert found["ttft_seconds"][1] == single


@pytest.mark.parametrize(
    ("model", "gpu", "replica", "share"),
    [  # what the rule of the wheel gives, as public logs of servers without --mem-fraction-static say too
        ("llama-3.1-8b", "h100-sxm", Replica(release="0.5.9"), 0.835),
        ("llama-3.1-8b", "h200-sxm", Replica(release="0.5.9"), 0.907),
        ("deepseek-r1", "h200-sxm", Replica(release="0.5.9", tp=8), 0.897),
        # by hand, in MiB of 182,630: 848, 1.5 + 1/64 each of 16,384 tokens, 2 each of 512 graphs, 128 a GPU
        ("llama-3.1-8b", "b200-sxm", Replica(), 1 - (848 + 24_832 + 1024 + 128) / 182_630),
        # 8 ranks: 4.5 each of 512 graphs and ranks; a latent's graphs of prompts
        ("deepseek-r1", "b200-sxm", Replica(dp=8, ep=8), 1 - (848 + 24_832 + 1024 + 8 * 128 + 18_432 + 1072) / 182_630),
        # 27 layers of 1,152: 1.424 times ViT-L, so 0.95 x (1.1 - 0.1424) of what an H200 of 143,155 MiB leaves
        ("qwen3.6-27b", "h200-sxm", Replica(), 0.95 * 0.9576 * (1 - (848 + 12_416 + 512 + 128) / 143_155)),
    ],
)  # fmt: skip
def test_sglang_keeps_room_by_its_rule(model: str, gpu: str, replica: Replica, share: float) -> None:
    replica = replace(replica, engine="sglang")
    memory = memory_of(case_of(model, gpu, replica), gpu, replica)
    assert memory.share == pytest.approx(share, rel=0.0012)
    assert memory.allowed_bytes == memory.share * memory.physical_bytes


def test_sglang_keeps_room_for_drafts_where_its_release_does() -> None:
    """2 GiB up to 0.5.9, 4 GiB up to 0.5.13, none since: of the 79.19 GiB of an H100."""
    shares = {}
    for release in ("0.5.9", "0.5.13", "0.5.14"):
        for drafts in (0, 3):
            replica = Replica(engine="sglang", release=release, draft_tokens=drafts)
            case = case_of("llama-3.1-8b", "h100-sxm", replica)
            shares[release, drafts] = float(memory_of(case, "h100-sxm", replica).share)
    fewer = [shares[release, 0] - shares[release, 3] for release in ("0.5.9", "0.5.13", "0.5.14")]
    assert fewer == pytest.approx([2 / 79.19, 4 / 79.19, 0], rel=1e-3)


def test_an_own_engine_without_all_of_its_columns_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**engine_row("vllm", "0.19"), "state_copies": "", "state_share": ""}
    monkeypatch.setattr(memory_module, "engine_row", lambda engine, version: row)
    assert message_of(RangeError, engine_constants.__wrapped__, "vllm", "0.19") == (
        "incomplete engine: got no state_share, state_copies of vllm 0.19, want all columns of data/engines.csv. Add "
        "them to your own table."
    )


def test_a_72b_in_16_bits_runs_on_two_h100_as_it_was_started() -> None:
    """It answered 8,192 tokens in April 2025 (tenstorrent/tt-inference-server issue 143), vLLM 0.8; its operator starts
    its sister with 32 requests at once and 95 % (issue 235). Either makes room; the defaults of 0.8 and 0.19 do not.
    From 0.21 on they take 92 % and count graphs of 0.39 GB: room for 2 900 tokens of 163 840 bytes, not for 8 320."""
    weights, allowed = 72.71e9, 0.92 * 85.03e9
    layout = {"tp": 2, "weight_dtype": "bf16"}
    assert call("CACHE_BYTES_AVAILABLE", "qwen2.5-72b", "h100-sxm", "tp=2; weight_dtype=bf16") == pytest.approx(
        allowed - weights - 152_064 * 15_800 - 2.2549e9 - 0.3865e9, abs=2e7
    )
    for settings in ({"max_running": 32}, {"memory_utilization": 0.95, "max_running": 32}, {}):
        replica = Replica(**layout, release="0.8.2", **settings)
        memory = memory_of(case_of("qwen2.5-72b", "h100-sxm", replica), "h100-sxm", replica)
        assert (sequences_that_fit(case_of("qwen2.5-72b", "h100-sxm", replica), memory, 8320.0) >= 1) == bool(settings)
    assert message_of(
        TargetError, call, "TTFT_SECONDS", "qwen2.5-72b", "h100-sxm", 8192, 128, 1, "tp=2; weight_dtype=bf16"
    ) == (
        "does not fit: got 0.9 GB too much on one h100-sxm, want room for one request. Raise tp, pp or ep, or choose a "
        "narrower weight_dtype, or set max_running to 32."
    )
