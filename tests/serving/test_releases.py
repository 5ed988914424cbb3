"""What a release of an engine decides: its cap on requests, its chunks of prompts, and how near the fit is."""

from dataclasses import replace
from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.serving.band import FITTED, UNSEEN, replica_band
from sizebook.serving.case import case_of
from sizebook.serving.costs import costs_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.releases import said_of
from sizebook.serving.step_times import step_times
from sizebook.serving.time import Pass, decode_pass, decode_step_seconds, load_of, pass_seconds, prompts_together
from sizebook.tables.hardware import accelerator

load()
MODEL = "llama-3.1-8b"


def costs(gpu: str, **how: Any) -> Any:
    return costs_of(case_of(MODEL, gpu, Replica(weight_dtype="fp8", **how)))


def asked(function: str, **words: Any) -> float:
    said = {"weight_dtype": "fp8", "input_tokens": 500, "output_tokens": 101, **words}
    return float(call(function, MODEL, "h100-sxm", "; ".join(f"{name}={value}" for name, value in said.items())))


def test_a_blank_release_has_neither_cap_nor_chunk_of_its_own() -> None:
    found = costs("a100-sxm-80gb", engine="vllm", release="")
    assert (found.max_running, found.chunk_tokens) == (0, 8192)


def test_requests_beyond_the_default_wait_for_a_place() -> None:
    """Of 400 in flight 256 run: each of them stays as long as among 256, and 144 of 400 places in the queue more."""
    token = asked("TPOT_SECONDS", concurrency=256, release="0.7.3")
    first = asked("TTFT_SECONDS", concurrency=256, release="0.7.3")
    stay = (first + 100 * token) * 400 / 256
    assert asked("TPOT_SECONDS", concurrency=400, release="0.7.3") == pytest.approx(token, rel=1e-12)
    assert asked("TTFT_SECONDS", concurrency=400, release="0.7.3") == pytest.approx(stay - 100 * token, rel=1e-12)
    assert asked("TTFT_SECONDS", concurrency=400) < 0.5 * (stay - 100 * token), "without a cap none waits"


@pytest.mark.parametrize("function", ["TTFT_SECONDS", "TPOT_SECONDS", "TOKENS_PER_SECOND"])
def test_the_default_is_as_good_as_the_same_cap_stated(function: str) -> None:
    of_it = {"engine": "tensorrt-llm", "concurrency": 400}
    assert asked(function, **of_it, release="0.11.0") == asked(function, **of_it, max_running=256)


def test_a_stated_cap_holds_against_the_default() -> None:
    of_it = {"engine": "tensorrt-llm", "concurrency": 400, "max_running": 320}
    assert asked("TTFT_SECONDS", **of_it, release="0.11.0") == asked("TTFT_SECONDS", **of_it)


def test_every_attention_rank_has_a_cap_and_a_chunk_of_its_own() -> None:
    """SGLang divides its chunk, and the 48 requests of a server that drafts, by the ranks; vLLM neither."""
    vllm = costs("b200-sxm", engine="vllm", release="0.28.0", dp=4)
    assert (vllm.max_running, vllm.chunk_tokens) == (4 * 1024, 16384)
    sglang = costs("b200-sxm", engine="sglang", release="0.5.9", dp=4)
    assert (sglang.max_running, sglang.chunk_tokens) == (4 * 2048, 16384 / 4)
    drafting = costs("b200-sxm", engine="sglang", release="0.5.9", dp=4, draft_tokens=3)
    assert drafting.max_running == 48


def test_a_release_that_schedules_ahead_hides_the_shorter_of_two_times() -> None:
    """vLLM schedules a step while the GPU works since 0.14: sqrt(gpu^2 + fixed^2) in place of gpu + fixed."""
    before, since = (
        case_of(MODEL, "h100-sxm", Replica(weight_dtype="fp8", release=release)) for release in ("0.13.0", "0.14.0")
    )
    alone = Demand(input_tokens=500, output_tokens=101)
    fixed, each = since.rates["step_seconds"], since.rates["request_seconds"]
    working = sum(pass_seconds(since, decode_pass(since, load_of(since, alone, 1))))
    assert decode_step_seconds(before, alone) == pytest.approx(working + fixed + each, rel=1e-12)
    assert decode_step_seconds(since, alone) == pytest.approx((working**2 + fixed**2) ** 0.5 + each, rel=1e-12)


def test_a_chunk_is_what_one_pass_of_prompts_takes() -> None:
    """Of 41 requests that share 0.05, 1 + 0.05 x 40 = 3 come at once: 1,500 tokens. Of 101 it is 6, which 2,048 hold as
    4.096 in the closed form.
    """
    case = case_of(MODEL, "a100-sxm-80gb", Replica(weight_dtype="bf16", engine="vllm", release="0.11.0"))
    case = replace(case, rates={**case.rates, "queue_share": 0.05})
    for in_flight, tokens in ((1, 500.0), (41, 1500.0), (101, 2048.0)):
        found = prompts_together(costs_of(case), load_of(case, Demand(input_tokens=500, output_tokens=100), in_flight))
        moved, fixed = pass_seconds(case, Pass(tokens, tokens / 500, 500.0, prefill=True))
        assert found.together == pytest.approx(moved + fixed, rel=1e-12)
        assert found.each == pytest.approx((moved + fixed) * 500 / tokens, rel=1e-12)


def test_requests_are_simulated_by_the_same_chunks_and_apart_where_the_engine_does_not_mix() -> None:
    demand = Demand(input_tokens=500, output_tokens=100)
    found = {
        engine: step_times(case_of(MODEL, "b200-sxm", Replica(engine=engine, release=release)), demand, 600.0, most=4)
        for engine, release in (("sglang", "0.5.9"), ("vllm", "0.19.0"), ("tensorrt-llm", ""))
    }
    assert [found[engine].chunk for engine in found] == [16384, 8192, 8192]
    assert [found[engine].apart for engine in found] == [True, False, False]


def test_a_release_outside_those_of_the_fit_has_the_band_of_unseen_combinations() -> None:
    """Servers of Llama-3.1-8B on H100 under TensorRT-LLM are in the fit, as 1.0.0rc3 and a few without a name."""
    case = case_of(MODEL, "h100-sxm", Replica(engine="tensorrt-llm"))
    bands = {
        release: replica_band("tpot", "h100-sxm", Replica(engine="tensorrt-llm", release=release), case)
        for release in ("", "1.0.0rc3", "1.2.0rc6.post3", "1.0.0rc2", "1.2.0", "0.21.0")
    }
    assert [each.basis for each in bands.values()] == [FITTED, FITTED, FITTED, UNSEEN, UNSEEN, UNSEEN]
    assert bands["1.0.0rc3"] == bands[""]
    assert bands["1.2.0"].low >= bands[""].low and bands["1.2.0"].high <= bands[""].high, "its own beside it"


@pytest.mark.parametrize(
    ("replica", "words"),
    [
        (Replica(), "not stated"),
        (
            Replica(release="v0.19.0"),
            "vLLM 0.19.0: at most 1\u202f024 requests at once, its default; up to 8\u202f192 tokens of prompts in a "
            "step",
        ),
        (
            Replica(release="0.7.3"),
            "vLLM 0.7.3: at most 256 requests at once, its default; outside 0.12.0 to 0.19.0 of the fit",
        ),
        (
            Replica(release="0.40.0", max_running=64),
            "vLLM 0.40.0: at most 64 requests at once, as stated; up to 8\u202f192 tokens of prompts in a step; newer "
            "than 0.33.0, the newest whose defaults were read; outside 0.12.0 to 0.19.0 of the fit",
        ),
        (
            Replica(engine="sglang", release="0.5.9", dp=2, draft_tokens=3),
            "SGLang 0.5.9: at most 48 requests at once, its default where it drafts; prompts in passes of their own of "
            "up to 4\u202f096 tokens",
        ),
    ],
)  # fmt: skip
def test_what_a_release_decides_is_said(replica: Replica, words: str) -> None:
    assert said_of(replica, accelerator("h100-sxm"), drafting=bool(replica.draft_tokens)) == words
