"""Requests that run at once: blocks of the cache as engines allot them, and pools for states of mixers."""

import pytest

from sizebook.serving.case import Case, case_of
from sizebook.serving.estimate import estimate
from sizebook.serving.memory import (
    Memory,
    engine_constants,
    engine_memory,
    held_tokens,
    physical_bytes,
    requests_kept,
    requests_that_fit,
    sequences_that_fit,
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


@pytest.mark.parametrize(("drafts", "copies"), [(0, 3), (3, 7)])
def test_states_of_mixers_bind_where_their_pool_is_full(drafts: int, copies: int) -> None:
    """Qwen3.6-27B in SGLang: 0.474 of the cache for states, three a request, and four more that check four tokens.

    About 28 ran at once on H200 where room for whole requests was for 101.
    """
    case, memory = at("qwen3.6-27b", "h200-sxm", "sglang", Replica(engine="sglang", draft_tokens=drafts))
    state = case.shape.state_bytes
    assert sequences_that_fit(case, memory, 9216) <= 0.474 * memory.cache_bytes // (copies * state)
    assert requests_that_fit(case, memory, 1024, 256) == 0.474 * memory.cache_bytes // (copies * state)


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
