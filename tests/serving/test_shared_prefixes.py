"""Shared prefixes: a hit spares the pass over the tokens that it finds, and nothing else."""

from dataclasses import replace

from sizebook.core.cells import call
from sizebook.serving.case import case_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import Pass, computed_and_cached, decode_step_seconds, latency, pass_seconds, prefill_seconds

CASE = case_of("llama-3.1-8b", "h100-sxm", Replica(weight_dtype="fp8"))
ASKED = Demand(input_tokens=4000, output_tokens=200, concurrency=32)


def test_three_quarters_found_leave_a_quarter_to_compute_over_the_whole_context() -> None:
    assert computed_and_cached(4000, 0.75) == (1000, 3000)
    moved, fixed = pass_seconds(CASE, Pass(1000, 1.0, 4000, prefill=True, cached=3000))
    assert prefill_seconds(CASE, 4000, 0.75) == moved + fixed


def test_scores_see_what_was_found_and_half_of_what_is_new() -> None:
    """1,000 queries after 3,000 tokens see 3,500 on average: as many scores as 1,000 queries in a context of 7,000."""
    found = pass_seconds(CASE, Pass(1000, 0.0, 4000, prefill=True, cached=3000))
    same = pass_seconds(CASE, Pass(1000, 0.0, 7000, prefill=True))
    assert found == same


def test_no_hit_is_as_before_and_a_whole_prompt_found_still_computes_its_last_token() -> None:
    assert prefill_seconds(CASE, 4000, 0.0) == prefill_seconds(CASE, 4000)
    assert computed_and_cached(4000, 1) == (1, 3999)


def test_a_hit_shortens_the_queue_of_prompts_not_the_decode_step() -> None:
    none, half = ASKED, replace(ASKED, cache_hit_ratio=0.5)
    assert latency(CASE, half).ttft_seconds < latency(CASE, none).ttft_seconds
    assert latency(CASE, half).tpot_seconds < latency(CASE, none).tpot_seconds
    assert decode_step_seconds(CASE, half) == decode_step_seconds(CASE, none)
    alone = replace(ASKED, concurrency=1)
    assert latency(CASE, replace(alone, cache_hit_ratio=0.5)).tpot_seconds == latency(CASE, alone).tpot_seconds


def test_a_hit_frees_no_room() -> None:
    """The most in flight is that of the cache, hits or not: with no target a plan's load stays."""
    loads = {
        ratio: dict(
            call("SERVING_FIGURES", "llama-3.1-8b", "h100-sxm", [
                ["requests_per_day", 1_000_000], ["input_tokens", 4000], ["output_tokens", 200], ["months", 1],
                ["weight_dtype", "fp8"], ["cache_hit_ratio", ratio],
            ])
        )
        for ratio in (0, 0.9)
    }  # fmt: skip
    assert loads[0]["capacity"] == loads[0.9]["capacity"] and loads[0]["concurrency"] == loads[0.9]["concurrency"]
    assert loads[0.9]["requests_per_second"] > 1.5 * loads[0]["requests_per_second"]
