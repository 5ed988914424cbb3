"""Rent, buy or API: prices of tokens and bought nodes by hand, and the first traffic at which one costs no more."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import sizebook
from sizebook.core.errors import InputError
from sizebook.core.registry import examples
from sizebook.core.sections import put_together
from sizebook.formulas.money import Running
from sizebook.plans.alternatives import months_by_way, present_values, settled_month
from sizebook.plans.break_even import Course
from sizebook.plans.owned import OwnedGpus, OwnedNode
from sizebook.plans.serving import alternatives as of_the_plan
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.option_steps import alternative_steps
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.tables import api_prices
from sizebook.tables.api_prices import ApiPrice
from tests.refused import message_of

PRICE = ApiPrice(
    provider="them", model="m", catalog_model="", input_usd_per_mtok=0.5, cached_input_usd_per_mtok=0.1,
    cache_write_usd_per_mtok=None, output_usd_per_mtok=2.5, batch_input_usd_per_mtok=0.25,
    batch_output_usd_per_mtok=1.0,
    long_input_usd_per_mtok=1.0, long_output_usd_per_mtok=5.0, long_from_tokens=128_000, context_tokens=None, ends="",
    date="2026-11-01", source="test", retrieved="2026-11-01",
)  # fmt: skip


NODE = OwnedNode(
    OwnedGpus(capex_usd=36_000, years=1.0,
              running=Running(colocation_usd_per_kw_month=100, staff_usd_per_year=1200, residual=0.25)),
    8, 10.0, tdp_watts=500, pue=1.25,
)  # fmt: skip
OWNED: dict[str, Any] = {"capex_usd": 30_000, "colocation_usd_per_kw_month": 100, "staff_usd_per_year": 600}


def plan(**changes: Any) -> ServingPlan:
    given: dict[str, Any] = {
        "requests_per_day": 100_000, "input_tokens": 2000, "output_tokens": 400, "months": 1, "concurrency": 32,
        "tp": 4,
        "weight_dtype": "fp8", "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0,
    }  # fmt: skip
    return plan_serving("llama-3.1-70b", "h100-sxm", put_together(ServingInputs, given | changes))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, str]]:
    """Return what names an API, once it has been told what that asks for a million tokens put in and put out."""

    def ask(usd_in: float, usd_out: float) -> dict[str, str]:
        asked = replace(PRICE, input_usd_per_mtok=usd_in, output_usd_per_mtok=usd_out)
        monkeypatch.setattr(api_prices, "api_price", lambda provider, model: asked)
        return {"api_provider": "them", "api_model": "m"}

    return ask


def test_a_request_costs_its_tokens() -> None:
    assert PRICE.usd_per_request(2000, 400) == pytest.approx((2000 * 0.5 + 400 * 2.5) / 1e6)
    assert PRICE.usd_per_request(500, 400, 1500) == pytest.approx((500 * 0.5 + 1500 * 0.1 + 400 * 2.5) / 1e6)
    assert PRICE.usd_per_request(100_000, 400, 50_000) == pytest.approx((100_000 + 50_000 * 0.1 + 400 * 5) / 1e6)
    assert PRICE.usd_per_request(2000, 400, in_batches=True) == pytest.approx((2000 * 0.25 + 400) / 1e6)
    plain = replace(PRICE, cached_input_usd_per_mtok=None, batch_input_usd_per_mtok=None)
    assert plain.usd_per_request(0, 0, 1000) == pytest.approx(0.0005)
    assert message_of(InputError, plain.usd_per_request, 1, 1, in_batches=True) == (
        "no batches: got in_batches for m of them, which lists no price of them, want one that does. Leave in_batches "
        "out."
    )


def test_the_function_gives_the_plans_month_at_the_api() -> None:
    """A month of 730 / 24 days x 100 000 requests of 1 000 tokens at 1 USD, 1 000 cached at 0.1, 400 written at 5."""
    named = {"api_provider": "anthropic", "api_model": "claude-haiku-4-5"}
    asked = {"requests_per_day": 100_000, "input_tokens": 2000, "output_tokens": 400}
    found = sizebook.api_usd_per_month(**asked, cached_share=0.5, **named)
    assert found == pytest.approx(730 / 24 * 100_000 * (1000 + 100 + 2000) / 1e6)
    assert found == pytest.approx(plan(**asked, cache_hit_ratio=0.5, **named).alternatives.api_usd, rel=1e-12)
    assert message_of(InputError, sizebook.api_usd_per_month, **asked) == (
        "no API: got no api_provider, want one of data/api_prices.csv. State it, and api_model."
    )


@pytest.mark.parametrize(("usd", "replicas"), [(2.0, 2), (1.2, 3)])
def test_rented_gpus_cost_no_more_from_a_step_on(
    calls: Callable[..., dict[str, str]], usd: float, replicas: int
) -> None:
    """Replicas of four GPUs at 2 USD, one of them spare, are 5 840 USD a month each and take 256 136 requests a day.

    At 2.0 USD for a thousand requests two of them cost as much as 192 000 requests a day, which one takes; at 1.2 it
    would be 320 000, which it does not: three cost as much as 480 000.
    """
    found = plan(**calls(0.0, usd / 400 * 1e3)).alternatives
    wanted = replicas * 5840 / usd * 1000 / (730 / 24)
    assert found.rent_beats_api_requests_per_day == pytest.approx(wanted)
    assert found.api_usd_per_request == pytest.approx(usd / 1000)
    assert found.api_usd == pytest.approx(usd / 1000 * 100_000 * 730 / 24)
    assert found.usd_per_request == pytest.approx(2 * 5840 / (100_000 * 730 / 24))
    assert [str(each).replace("\u2009", ",").replace("\u202f", ",") for each in found.sentences] == [
        f"The least traffic at which renting costs no more than an API is {wanted:,.0f} requests a day.",
        "Prices of the API: them, m, 2026-11-01.",
        "You must judge which of the two models gives the better answers.",
    ]


@pytest.mark.parametrize("changes", [{}, {"shape": "office"}, {"shape": "consumer", "whole_nodes": True, "tp": 2}])
@pytest.mark.parametrize("over", [1.05, 1.3, 3.0])
def test_no_traffic_before_it_costs_as_little(
    calls: Callable[..., dict[str, str]], changes: dict[str, Any], over: float
) -> None:
    """Traffic in thousandths of the crossover is tried: rented and bought GPUs cost more at each before it."""
    marginal = plan(**changes, **calls(1.0, 1.0)).alternatives.marginal_usd_per_request
    assert marginal is not None
    asked = plan(**changes, **OWNED, **calls(0.0, over * marginal / 400 * 1e6))
    found, courses = asked.alternatives, of_the_plan.courses(asked.last_month)
    for way, first in (
        ("rent", found.rent_beats_api_requests_per_day),
        ("buy", found.buy_beats_api_requests_per_day),
    ):
        assert first is not None
        _holds_from(courses[way], courses["api"], first / 100_000)


def _holds_from(one: Course, other: Course, first: float) -> None:
    just_above = max(first, 1e-9) * (1 + 1e-6)  # the ceiling leaves 1e-9 of a replica to rounding
    assert one.at(just_above) <= other.at(just_above) * (1 + 1e-5)
    assert not first or all(one.at(first * n / 1000) > other.at(first * n / 1000) for n in range(1, 1000))


@pytest.mark.parametrize(("capex", "whole_nodes"), [(45_000, True), (90_000, False), (30_000, False)])
def test_buying_beats_renting_from_a_step_on_or_never(capex: float, whole_nodes: bool) -> None:
    asked = plan(capex_usd=capex, years=3.0, tp=2, whole_nodes=whole_nodes)
    courses, first = of_the_plan.courses(asked.last_month), asked.alternatives.buy_beats_rent_requests_per_day
    if first is None:
        assert asked.alternatives.sentences[-1] == "At every traffic buying costs more than renting."
        assert all(courses["buy"].at(n / 7) > courses["rent"].at(n / 7) for n in range(1, 1000))
    else:
        _holds_from(courses["buy"], courses["rent"], first / 100_000)
    assert first is None if capex == 90_000 else first == 0 if whole_nodes else first


def test_an_api_below_the_gpus_is_never_met(calls: Callable[..., dict[str, str]]) -> None:
    found = plan(**calls(0.01, 0.02)).alternatives
    assert found.rent_beats_api_requests_per_day is None
    assert found.sentences[0] == "At every traffic renting costs more than an API."


def test_bought_nodes_by_hand() -> None:
    """Eight GPUs at 36 000 are 288 000; a quarter is left after twelve months, so 18 000 are written off in each.

    Staff 8 x 100, colocation 10 x 100, and idle 730 h x 8 x 500 W x 0.3 x 1.25 = 1 095 kWh at 0.1: 1 909.50 a month. An
    hour of work draws 500 W x (1.3 - 0.3) x 1.25 more: 0.0625. One node is needed but for month 2: the second is bought
    then. The first is used for twelve months and not replaced, the second is replaced in month 14.
    """
    assert (NODE.standing_usd, NODE.usd_per_work_hour) == pytest.approx((1909.5, 0.0625))
    assert NODE.written_off_usd == (18_000,) * 12
    needed = [1, 2, *[1] * 12]
    found = NODE.months(needed, [1000.0] * 14)
    assert [month.bought_gpus for month in found] == [8, 8, *[0] * 11, 8]
    assert [month.gpus for month in found] == [8, *[16] * 11, 8, 8]
    assert [found[at].capex_usd for at in (0, 1, 2, 12, 13)] == pytest.approx([288_000, 288_000, 0, -72_000, 216_000])
    assert found[1].running_usd == pytest.approx(2 * 1909.5 + 62.5) and found[1].written_off_usd == 36_000
    at_once = replace(NODE, owned=replace(NODE.owned, buy="at_once")).months(needed, [0.0] * 14)
    assert [month.bought_gpus for month in at_once] == [16, *[0] * 11, 8, 0]


def test_what_is_paid_less_what_is_left_is_the_cost() -> None:
    """The node of month 14 is then worth 288 000 - 18 000."""
    months = months_by_way(plan(months=14).months, [0.0] * 14, owned=NODE.months([1, 2, *[1] * 12], [0.0] * 14))
    left = sum((month.capex_usd or 0) + (month.running_usd or 0) - (month.owned_usd or 0) for month in months)
    assert left == pytest.approx(270_000)


def test_worth_today_by_hand() -> None:
    """At 1 % a month: 288 000 now, 1 909.5 at the end of two months, less 252 000 that are left after the second."""
    months = months_by_way(plan(months=2).months, [0.0] * 2, owned=NODE.months([1, 1], [0.0] * 2))
    found = present_values(months, 0.01)
    assert found.owned == pytest.approx(288_000 + 1909.5 / 1.01 + (1909.5 - 252_000) / 1.01**2)
    assert found.rented == pytest.approx(2 * 5840 * (1 / 1.01 + 1 / 1.01**2)) and found.api is None


def test_a_plan_with_bought_gpus_by_hand() -> None:
    """Two replicas of four GPUs are one node of 10.2 kW, 700 W a GPU; running contracts for four GPUs hold one replica.

    100 000 requests a day are 3 041 667 a month, of 4 / rate / 3600 GPU-hours each. A GPU of 30 000 is written off in
    48 months: 5 000 a node. Staff 400, colocation 1 020, idle energy 730 x 8 x 700 x 0.3 x 1.25 / 1000 = 1 533 kWh.
    """
    asked = plan(**OWNED)
    (month,), node = asked.alternative_months, 5000 + 400 + 1020 + 153.3
    hours = 100_000 * 730 / 24 * 4 / asked.replica.requests_per_second / 3600
    assert (month.owned_gpus, month.bought_gpus, month.capex_usd) == (8, 8, 240_000)
    assert month.owned_usd == pytest.approx(node + hours * 0.7 * 1.25 * 0.1)
    steps = {str(step.label): step.value for step in alternative_steps(asked)}
    assert steps == {
        "Written off of a node a month": pytest.approx(5000),
        "Standing cost of a node a month": pytest.approx(1573.3),
        "Cost of the month with GPUs bought": month.owned_usd,
    }
    (held,) = plan(**OWNED, contracts=[[4, 1, 1, 1.5]], sign_terms="none").alternative_months
    assert held.owned_gpus == 8 and held.running_usd == pytest.approx(1573.3 + hours * 8 / 12 * 0.0875 + 4 * 730 * 1.5)
    (none,) = plan(**OWNED, contracts=[[8, 1, 1, 1.5]], sign_terms="none").alternative_months
    assert (none.owned_gpus, none.owned_usd) == (0, none.rented_usd)


def test_blank_is_what_is_not_asked() -> None:
    assert plan().alternative_months == () and plan().alternatives.alternatives_said == ""
    unasked = {"requests_per_day": 100_000, "api_provider": None, "api_model": None, "rows": 2}
    names, month, blank = sizebook.serving_alternatives(**examples()["SERVING_ALTERNATIVES"]["arguments"] | unasked)
    found = dict(zip(names, month, strict=True))
    assert found["owned_gpus"] == 8 and found["api_usd"] == "" and set(blank) == {""}


def test_a_month_counts_from_which_on_it_stays_so() -> None:
    """Paid in all: 1 5 6 7 beside 1 3 6 9; a tie while a contract runs is no end of it."""
    assert settled_month([1, 4, 1, 1], [1, 2, 3, 3]) == 3
    assert settled_month([1, 1], [1, 2]) == 1
    assert settled_month([1, 9], [1, 2]) is None and settled_month([None, 1], [1, 2]) is None
