"""Requests that run at once: blocks of the cache as engines allot them, and pools for states of mixers."""

from dataclasses import replace

import pytest

from sizebook.serving.case import Case, case_of
from sizebook.serving.estimate import estimate
from sizebook.serving.memory import (
    Memory,
    engine_constants,
    engine_memory,
    held_tokens,
    memory_of,
    physical_bytes,
    requests_kept,
    requests_that_fit,
    sequences_that_fit,
    states_bind,
)
from sizebook.serving.quantities import Demand, Replica
from sizebook.tables.hardware import accelerator


def at(model: str, gpu: str, engine: str, replica: Replica) -> tuple[Case, Memory]:
    case = case_of(model, gpu, replica)
    return case, engine_memory(case, physical_bytes(accelerator(gpu)), engine_constants(engine))


def test_a_sequence_that_grows_holds_half_of_its_answer_on_average() -> None:
    """Llama-3.1-8B keeps 2 x 32 x 8 x 128 x 2 = 131,072 bytes a token, a request of 1,024 and 8,192 holds 5,120."""
    case, memory = at("llama-3.1-8b", "h100-sxm", "vllm", Replica(weight_dtype="fp8"))
    assert requests_that_fit(case, memory, 1024, 8192) == memory.cache_bytes // (5120 * 131_072)
    case, memory = at("llama-3.1-8b", "h100-sxm", "tensorrt-llm", Replica(engine="tensorrt-llm", kv_dtype="bf16"))
    assert requests_that_fit(case, memory, 1024, 8192) == memory.cache_bytes // (9216 * 131_072)


def test_one_request_must_fit_with_its_whole_answer() -> None:
    case, memory = at("llama-3.1-8b", "h100-sxm", "vllm", Replica(weight_dtype="fp8"))
    most = int(memory.cache_bytes // 131_072)
    assert requests_that_fit(case, memory, 1, most - 1) == 1
    assert requests_that_fit(case, memory, 1, most + 1) == 0


def test_kimi_with_64_in_flight_does_not_wait_for_a_place() -> None:
    """0.23 s were measured with answers of 8,192 tokens, where cache for whole answers on arrival made it 28 s."""
    case, memory = at("kimi-k2.5", "h200-sxm", "vllm", Replica(tp=8))
    found = estimate(case, memory, Demand(input_tokens=1024, output_tokens=8192, concurrency=64))
    assert found.fits and found.ttft_seconds < 1


@pytest.mark.parametrize(
    ("release", "drafts", "states", "aside"),
    [  # as each release's source parts its pools: 3 states a request, 2 more where scheduling is overlapped
        ("0.5.6", 0, 3, 0),
        ("0.5.6", 3, 3 * (1 + 4), 0),
        ("0.5.9", 0, 3, 0),
        ("0.5.9", 3, 3, 48 * 4),
        ("0.5.12", 3, 3 + 2, 48 * 4),
        ("0.5.13", 0, 3, 0),
        ("0.5.13", 3, 3 + 2 + 4, 0),
        ("0.5.14", 0, 3 + 2, 0),
        ("0.5.23", 3, 3 + 2 + 4, 0),
    ],
)
def test_states_of_mixers_bind_where_their_pool_is_full(release: str, drafts: int, states: int, aside: int) -> None:
    """Qwen3.6-27B in SGLang: 0.9 / 1.9 of the cache for states. With three drafts 48 requests run at most."""
    replica = Replica(engine="sglang", release=release, draft_tokens=drafts)
    case = case_of("qwen3.6-27b", "h200-sxm", replica)
    memory = memory_of(case, "h200-sxm", replica)
    each = case.shape.state_bytes
    running = 0.4737 * (memory.cache_bytes - aside * each) // (states * each)
    assert requests_that_fit(case, memory, 1024, 256) == running
    assert sequences_that_fit(case, memory, 9216) <= running


def test_a_server_with_three_drafts_runs_a_fifth_of_its_states() -> None:
    """It was told to hold 40 states and ran 8 requests (jpezzulli/sglang-rtxpro6000 issue 5): four more of each of
    them, one for every token that a step checks, lie beside those 40."""
    case, memory = at("qwen3.6-27b", "h200-sxm", "sglang", Replica(engine="sglang", draft_tokens=3))
    pool = (40 + 8 * 4) * case.shape.state_bytes
    for held, running in ((pool + 1, 8), (pool - 1, 7)):
        assert requests_that_fit(case, replace(memory, cache_bytes=held / 0.4737), 1024, 256) == running


@pytest.mark.parametrize(
    ("model", "gpu", "weight_dtype", "total_tps", "tpot_ms", "alone_ms"),
    [  # SGLang cookbook, qwen3.6-benchmarks.jsx (ec170fd9), without drafts, 1,024 in flight
        ("qwen3.6-27b", "h200-sxm", "bf16", 6322, 39.28, 734),
        ("qwen3.6-27b", "b200-sxm", "bf16", 12_154, 31.56, 402),
        ("qwen3.6-27b", "b200-sxm", "fp8", 16_229, 29.35, 292),
        ("qwen3.6-27b", "b300-sxm", "fp8", 18_327, 42.42, 284),
        ("qwen3.6-35b-a3b", "h200-sxm", "fp8", 30_201, 27.90, 138),
        ("qwen3.6-35b-a3b", "b200-sxm", "bf16", 38_134, 22.45, 98),
        ("qwen3.6-35b-a3b", "b300-sxm", "bf16", 49_190, 33.17, 95),
    ],
)
def test_a_full_server_runs_its_states_in_waves(
    model: str, gpu: str, weight_dtype: str, total_tps: float, tpot_ms: float, alone_ms: float
) -> None:
    """Prompts go first and all answers have 1,024 tokens, so as many prompts as there are states follow one another,
    then all decode together. Of the prompts of a wave a request waits for half on average. So a wave takes the time
    of an answer and half of its prompts, each of which takes what one alone takes to its first token.

    By rate x time per token fewer decode at a time than run: 28 of the 40 of the 27B in bf16 on H200.
    """
    replica = Replica(
        engine="sglang", release="0.5.16", weight_dtype=weight_dtype, memory_utilization=0.8, draft_tokens=0
    )
    case = case_of(model, gpu, replica)
    running = requests_that_fit(case, memory_of(case, gpu, replica), 8192, 1024)
    wave, answer = running / (total_tps / 9216), 1023 * tpot_ms / 1e3
    assert 2 * (wave - answer) / running == pytest.approx(alone_ms / 1e3, rel=0.25)


@pytest.mark.parametrize(
    ("model", "engine", "tokens", "binds"),
    [  # five states of 153,944,064 bytes in 0.9 parts of the cache, tokens of 65,536 in 1: as many at 13,050 tokens
        ("qwen3.6-27b", "sglang", 12_700, True),
        ("qwen3.6-27b", "sglang", 13_400, False),
        ("qwen3.6-27b", "vllm", 12_700, False),
        ("llama-3.1-8b", "sglang", 12_700, False),
    ],
)
def test_states_bind_where_contexts_are_short(model: str, engine: str, tokens: int, binds: bool) -> None:
    case, memory = at(model, "h200-sxm", engine, Replica(engine=engine))
    assert states_bind(case, memory, tokens) is binds


@pytest.mark.parametrize(("drafts", "states"), [(0, 1), (3, 4)])
def test_states_share_the_cache_of_vllm(drafts: int, states: int) -> None:
    """A sequence of 9,216 tokens of Qwen3.6-27B: 16 layers of 4 heads of 256, keys and values in two bytes.

    Half a block of the 16 is empty, each as large as one of 48 states.
    """
    case, memory = at("qwen3.6-27b", "h200-sxm", "vllm", Replica(draft_tokens=drafts))
    each = 9216 * 16 * 4 * 256 * 2 * 2 + 16 * 3_207_168 / 2 + states * 48 * 3_207_168
    assert sequences_that_fit(case, memory, 9216) == memory.cache_bytes // each


@pytest.mark.parametrize(
    ("model", "engine", "tokens", "each"),
    [  # Gemma 4 E4B keeps 8,192 elements a token of its whole layers, 20,480 of those that see 512 tokens; two bytes
        ("gemma-4-e4b", "sglang", 8704, 2 * 8704 * (8192 + 0.8 * 20_480)),
        ("gemma-4-e4b", "sglang", 400, 2 * 500 * (8192 + 0.8 * 20_480)),  # windows take all 400 of the 0.8 of 500
        ("gemma-4-e4b", "vllm", 8704, 2 * (8704 * 8192 + 512 * 20_480)),
        ("llama-3.1-8b", "sglang", 8704, 8704 * 131_072),
    ],
)
def test_layers_with_a_window_have_a_pool_in_sglang(model: str, engine: str, tokens: int, each: float) -> None:
    replica = Replica(engine=engine, weight_dtype="bf16", kv_dtype="bf16")
    case, memory = at(model, "h200-sxm", engine, replica)
    assert sequences_that_fit(case, memory, tokens) == memory.cache_bytes // each


def test_a_plan_keeps_room_for_two_deviations_of_what_grows() -> None:
    """100 requests of 1,000 and 600 tokens, anywhere in their answers: 1,300 on average, of a spread of 173 each.

    Together 130,000 and twice 10 x 173.2: 133,464, so 1,335 for each. One alone has its whole answer, as TensorRT-LLM
    gives every one.
    """
    _, memory = at("llama-3.1-8b", "h100-sxm", "vllm", Replica(weight_dtype="fp8"))
    assert [held_tokens(memory, 1000, 600, requests=n) for n in (1, 100)] == [1600, 1335]
    _, whole = at("llama-3.1-8b", "h100-sxm", "tensorrt-llm", Replica(engine="tensorrt-llm"))
    assert held_tokens(whole, 1000, 600, requests=100) == 1600


def test_as_many_requests_are_kept_as_fit_with_what_is_held_for_each() -> None:
    """Llama-3.1-8B keeps 131,072 bytes a token: one request more than the most would not fit."""
    case, memory = at("llama-3.1-8b", "h100-sxm", "vllm", Replica(weight_dtype="fp8"))
    n = requests_kept(case, memory, 1024, 8192)
    needed = [m * held_tokens(memory, 1024, 8192, requests=m) * 131_072 for m in (n, n + 1)]
    assert needed[0] <= memory.cache_bytes < needed[1]
    assert requests_kept(case, memory, 1024, 8192) < requests_that_fit(case, memory, 1024, 8192)
    assert requests_kept(case, memory, int(memory.cache_bytes // 131_072), 10) == 0
