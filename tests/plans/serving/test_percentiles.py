"""Targets for a percentile of requests: what a replica takes, what moves it, what is refused, and on which name."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import scenario_of
from sizebook.core.cells import call
from sizebook.core.errors import InputError, SizebookError, TargetError
from sizebook.functions import load
from sizebook.plans.serving.choice import choose
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from sizebook.serving.case import case_of
from sizebook.serving.load import Limits
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import latency
from tests.plans.asking import serving_inputs
from tests.refused import message_of
from tests.row_lists import listed

load()
ASKED: dict[str, Any] = {
    "requests_per_day": 2_000_000, "input_tokens": 1500, "output_tokens": 300, "weight_dtype": "fp8",
    "ttft_target_seconds": 0.3, "tpot_target_seconds": 0.025, "request_percentile": "p95", "months": 1,
}  # fmt: skip


def planned(**values: Any) -> ServingPlan:
    """Return the plan of a service on one H100."""
    given = {name: value for name, value in {**ASKED, **values}.items() if value is not None}
    return plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**given))


def rate(**values: Any) -> float:
    """Return the requests a second of its replica."""
    return planned(**values).replica.requests_per_second


def test_the_percentile_meets_the_target_and_a_little_more_misses_it() -> None:
    loaded = planned().replica.loaded
    assert loaded is not None
    within = Limits(0.3, 0.025, 0.95)
    assert within.broken(loaded.served) == ""
    assert within.broken(loaded.simulator.at(loaded.requests_per_second * 1.03)) == loaded.binding == "tpot"
    over = sum(tpot > 0.025 for tpot in loaded.served.tpot) / len(loaded.served.tpot)
    assert 0.005 < over <= 0.05


def test_more_of_the_requests_take_more_replicas() -> None:
    rates = [rate(request_percentile=name) for name in ("p50", "p90", "p95", "p99")]
    assert rates == sorted(rates, reverse=True) and rates[0] > 1.05 * rates[3]


def test_bursts_and_mixed_lengths_take_more_replicas() -> None:
    assert rate(dispersion=0.5) >= rate() > rate(dispersion=4) > rate(dispersion=20)
    assert rate(input_tokens_p95=4000, output_tokens_p95=900) < rate()


def test_the_band_makes_the_target_harder() -> None:
    plan = planned(band_quantile="p90")
    assert plan.replica.requests_per_second < rate()
    assert plan.replica.held("tpot") * plan.replica.bands["tpot"].high <= 0.025


def test_mean_latencies_are_those_of_a_steady_load() -> None:
    """A closed loop with as many in flight: the two agree within the work of prompts that the loop leaves out."""
    replica = planned().replica
    demand = Demand(input_tokens=1500, output_tokens=300, concurrency=replica.concurrency)
    steady = latency(case_of("llama-3.1-8b", "h100-sxm", Replica(weight_dtype="fp8")), demand)
    assert replica.at_knee.tpot_seconds == pytest.approx(steady.tpot_seconds, rel=0.25)


def test_little_and_the_headline_agree() -> None:
    replica = planned().replica
    knee = replica.at_knee
    seconds = knee.ttft_seconds + knee.tpot_seconds * 299
    assert replica.requests_per_second * seconds == pytest.approx(replica.concurrency, rel=0.03)


def test_a_plan_is_the_same_however_often_it_is_made() -> None:
    from sizebook.serving.load import simulator

    first = planned()
    simulator.cache_clear()
    assert planned().months == first.months and planned().replica.held("ttft") == first.replica.held("ttft")


def test_without_a_target_for_the_first_token_the_cache_binds() -> None:
    plan = planned(ttft_target_seconds=None, tpot_target_seconds=10)
    loaded = plan.replica.loaded
    assert loaded is not None and plan.replica.binding == "cache"
    assert loaded.requests_per_second == pytest.approx(0.95 * loaded.simulator.saturated)


def test_a_trace_may_hold_the_lengths(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text("seconds,input_tokens,output_tokens\n0,1000,200\n0.5,2000,400\n3,1500,300\n")
    values = {name: value for name, value in ASKED.items() if not name.endswith("put_tokens")}
    given = {"plan": "serving", "model": "llama-3.1-8b", "gpu": "h100-sxm", **values, "trace": "trace.csv"}
    scenario = scenario_of(given, "s.toml", tmp_path)
    assert isinstance(scenario, ServingScenario)
    plan = plan_serving_scenario(scenario).plan
    assert (plan.traffic.mean_demand.input_tokens, plan.traffic.mean_demand.output_tokens) == (1500, 300)
    assert (plan.traffic.longest_tokens, plan.arrivals) == (2400, "trace of 3")
    twice = replace(scenario, stated=scenario.stated | {"input_tokens"})
    assert message_of(InputError, plan_serving_scenario, twice) == (
        "lengths given twice: got trace and input_tokens, want one of them. Mean and percentiles follow from the "
        "trace: remove the others."
    )


def test_a_search_simulates_the_cheapest_first() -> None:
    given = {name: value for name, value in ASKED.items() if name != "weight_dtype"}
    found = choose("llama-3.1-8b", serving_inputs(**given), ("h100-sxm",))
    assert all(choice.plan.replica.loaded is not None for choice in found.ranked)
    assert dict(found.failed)["not simulated, dearer on average"] > 0
    costs = [choice.usd_per_month for choice in found.ranked]
    assert costs == sorted(costs)


@pytest.mark.parametrize(*listed("plans/serving", "test_arrivals_and_percentiles_that_do_not_fit_are_refused"))
def test_arrivals_and_percentiles_that_do_not_fit_are_refused(values: dict[str, Any], code: str, message: str) -> None:
    with pytest.raises(SizebookError) as refused:
        planned(**values)
    assert (refused.value.code, str(refused.value)) == (code, message)


def test_a_target_that_no_rate_meets_names_what_one_request_sees() -> None:
    with pytest.raises(TargetError) as refused:
        planned(ttft_target_seconds=0.01)
    alone = planned(ttft_target_seconds=5).replica.loaded
    assert alone is not None
    got = alone.simulator.rare.seconds("ttft", 0.95)
    assert str(refused.value) == (
        f"ttft_target_seconds binds: got {got:.4g} s at p95 of requests that meet no other at tp1, want 0.01 s. Raise "
        f"tp, accept {got:.4g} s, or choose a faster gpu or a narrower weight_dtype."
    )


@pytest.mark.parametrize(*listed("plans/serving", "test_the_cell_refuses_what_has_no_percentile"))
def test_the_cell_refuses_what_has_no_percentile(values: dict[str, Any], message: str) -> None:
    given = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "replica_requests_per_second": 5, "input_tokens": 1500,
             "output_tokens": 300, "request_percentile": "p95", **values}  # fmt: skip
    names = [argument.name for argument in load()["SERVING_PERCENTILE"].arguments]
    with pytest.raises((InputError, TargetError), match=message):
        call("SERVING_PERCENTILE", *(given.get(name) for name in names))
