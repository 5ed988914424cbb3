"""Targets for a percentile of requests where prompts have a pool of their own: simulated through both pools."""

from typing import Any

import pytest

from sizebook.functions import load
from sizebook.plans.serving.choice import choose
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.serving.load import Limits
from tests.plans.asking import serving_inputs

load()
ASKED: dict[str, Any] = {
    "requests_per_day": 2_000_000, "input_tokens": 4000, "output_tokens": 400, "months": 1, "tp": 4,
    "weight_dtype": "fp8", "ttft_target_seconds": 1.5, "tpot_target_seconds": 0.025, "separate_prefill": True,
    "request_percentile": "p95",
}  # fmt: skip
STATED = {"prefill_tp": 1, "prefill_workers": 7, "decode_workers": 1}


def planned(**values: Any) -> ServingPlan:
    given = {name: value for name, value in {**ASKED, **values}.items() if value is not None}
    return plan_serving("llama-3.1-70b", "h200-sxm", serving_inputs(**given))


def test_the_percentile_meets_the_target_and_a_little_more_misses_it() -> None:
    loaded = planned(**STATED).replica.loaded
    assert loaded is not None
    within = Limits(1.5, 0.025, 0.95)
    assert within.broken(loaded.served) == ""
    assert within.broken(loaded.simulator.at(loaded.requests_per_second * 1.03)) == loaded.binding


def test_requests_that_meet_no_other_see_the_estimate_of_one() -> None:
    """Far apart, requests take what the closed loop of one says: prompt, cache sent, steps of a batch of one."""
    replica = planned(**STATED).replica
    assert replica.loaded is not None and replica.pools is not None
    one, rare = replica.at(1), replica.loaded.simulator.rare
    assert rare.mean("ttft") == pytest.approx(one.ttft_seconds, rel=0.01)
    assert rare.mean("tpot") == pytest.approx(one.tpot_seconds, rel=0.01)


def test_the_busiest_simulation_passes_what_the_estimate_does() -> None:
    """The most a second, simulated, is that of the closed loop of ever more requests, whichever pool is too small."""
    for workers in ({"prefill_workers": 2}, {"prefill_workers": 16}):
        replica = planned(**STATED | workers).replica
        assert replica.loaded is not None and replica.pools is not None
        full = replica.at(100 * replica.capacity).tokens_per_second / 400
        assert replica.loaded.simulator.saturated == pytest.approx(full, rel=0.03)


def test_a_stricter_percentile_never_takes_more() -> None:
    rates = [planned(**STATED, request_percentile=name).replica.requests_per_second for name in ("p50", "p95", "p99")]
    assert rates == sorted(rates, reverse=True) and rates[0] > 1.03 * rates[2]
    bursty = planned(**STATED, dispersion=20).replica.requests_per_second
    assert bursty < rates[1]


def test_pools_are_searched_by_what_requests_see() -> None:
    """No stated pair of workers near the one found is cheaper; a percentile costs no less than the mean."""
    found = planned()
    assert found.replica.loaded is not None and found.replica.held("ttft") <= 1.5
    for workers in (5, 6, 8):
        assert planned(**STATED | {"prefill_workers": workers}).months[0].usd >= found.months[0].usd
    assert planned(request_percentile=None).months[0].usd <= found.months[0].usd


def test_a_prefill_pool_that_is_too_small_is_named() -> None:
    plan = planned(**STATED | {"prefill_workers": 1}, ttft_target_seconds=60, tpot_target_seconds=10)
    assert plan.replica.binding == "prefill"
    assert planned(**STATED | {"prefill_workers": 32}, ttft_target_seconds=60, tpot_target_seconds=10).replica.binding \
        == "cache"  # fmt: skip


def test_a_search_over_setups_simulates_pools() -> None:
    given = {name: value for name, value in ASKED.items() if name != "tp"}
    found = choose("llama-3.1-70b", serving_inputs(**given, **STATED), ("h200-sxm",), "vllm")
    assert all(choice.plan.replica.loaded is not None for choice in found.ranked)
