"""Rent, buy or API for fleets: shared nodes, contracts and calls by hand, each crossing by planning all traffic."""

import tomllib
from dataclasses import replace
from typing import Any

import pytest

import sizebook
from sizebook.core.errors import InputError
from sizebook.core.sections import flat, put_together
from sizebook.plans.fleet.alternatives import FleetAlternatives
from sizebook.plans.fleet.inputs import FleetInputs, Service
from sizebook.plans.fleet.plan import FleetPlan, plan_fleet
from sizebook.plans.fleet.steps import derivations
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
from sizebook.scenarios.scenario_files import parse
from sizebook.tables import api_prices
from tests.plans.asking import fleet_inputs, service
from tests.plans.serving.test_alternatives import PRICE
from tests.refused import message_of

OWNED: dict[str, Any] = {
    "capex_usd": 36_000, "years": 1, "residual": 0.25, "colocation_usd_per_kw_month": 100, "staff_usd_per_year": 1200,
}  # fmt: skip
LARGE: dict[str, Any] = {
    "name": "Large", "model": "llama-3.1-70b", "gpu": "h100-sxm", "weight_dtype": "fp8", "tp": 4, "concurrency": 32,
    "requests_per_day": 1000, "input_tokens": 2000, "output_tokens": 400,
    "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0,
}  # fmt: skip
SMALL: dict[str, Any] = LARGE | {"name": "Small", "model": "llama-3.1-8b", "tp": 1, "cache_hit_ratio": 0.5}
API = {"api_provider": "them", "api_model": "m"}
NODE = 8 * 100 + 10.2 * 100 + 730 * 8 * 0.7 * 0.3 * 1.25 * 0.1  # staff, colocation of a DGX H100, energy of idle GPUs


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """An API at 0.5 USD in, 0.1 cached and 2.5 out for a million tokens."""
    monkeypatch.setattr(api_prices, "api_price", lambda provider, model: PRICE)


def fleet(large: dict[str, Any], small: dict[str, Any], **terms: Any) -> FleetPlan:
    services = service(**LARGE | large), service(**SMALL | small)
    return plan_fleet(fleet_inputs(*services, **{"months": 3, "spare": 0, "share_nodes": True} | terms))


def work_usd(plan: FleetPlan, at: int) -> float:
    """Return what the work of 1 000 requests a day costs in energy: 0.7 kW x 1.25 x 0.1 USD for each hour of a GPU."""
    replica = plan.services[at].replica
    return 1000 * 730 / 24 * replica.gpus / replica.requests_per_second / 3600 * 0.7 * 1.25 * 0.1


def test_shared_nodes_and_a_contract_by_hand() -> None:
    """Large stands under a contract of four GPUs in month 1. Half a node and an eighth are one node in month 2.

    Eight GPUs of 36 000 are bought then; a quarter is left after twelve months: 18 000 are written off in each. A
    request of Large costs 2 000 x 0.5 + 400 x 2.5 for a million, one of Small 1 000 x 0.5 + 1 000 x 0.1 + 400 x 2.5.
    """
    held = {"contracts": ((4, 1, 1, 1.5),), "sign_terms": "none"}
    plan = fleet(OWNED | API | held, OWNED | API | {"start_month": 2, "end_month": 2})
    first, second, third = plan.alternative_months
    assert [(month.owned_gpus, month.bought_gpus) for month in plan.alternative_months] == [(0, 0), (8, 8), (8, 0)]
    assert (first.owned_usd, first.capex_usd, second.capex_usd) == (pytest.approx(4380), 0, 288_000)
    assert second.owned_usd == pytest.approx(18_000 + NODE + work_usd(plan, 0) + work_usd(plan, 1))
    assert third.owned_usd == pytest.approx(18_000 + NODE + work_usd(plan, 0))
    calls = [1000 * 730 / 24 * usd for usd in (0.002, 0.0016)]
    assert [month.api_usd for month in plan.alternative_months] == pytest.approx(
        [4380 + calls[0], sum(calls), calls[0]]
    )
    assert [month.rented_usd for month in plan.alternative_months] == [month.usd for month in plan.months]
    found = plan.alternatives
    assert found.owned_left_usd == pytest.approx(288_000 - 2 * 18_000)
    assert found.api_usd == pytest.approx(4380 + 3 * calls[0] + calls[1])


@pytest.mark.parametrize(
    ("terms", "contracts", "gpus"),
    [
        ({}, (), [8, 8, 8]),
        ({"share_nodes": False}, (), [16, 16, 16]),
        ({"whole_nodes": True}, ((8, 2, 2, 1.5),), [8, 0, 8]),  # a node under contract holds both
        ({"whole_nodes": True, "share_nodes": False}, ((8, 2, 2, 1.5),), [16, 8, 16]),
        ({}, ((3, 2, 2, 1.5),), [8, 8, 8]),  # three GPUs hold no replica of four
        ({"buy": "at_once"}, ((4, 1, 1, 1.5),), [8, 8, 8]),
    ],
)
def test_nodes_of_both(terms: dict[str, Any], contracts: tuple[Any, ...], gpus: list[int]) -> None:
    """Half a node and an eighth: one if shared, else two. Nodes bought once are kept while contracts hold all."""
    buy = {name: terms.pop(name) for name in ("buy",) if name in terms}
    plan = fleet(OWNED | buy | {"contracts": contracts, "years": 1 / 12}, OWNED | buy | {"years": 1 / 12}, **terms)
    assert [month.owned_gpus for month in plan.alternative_months] == gpus


def test_pools_of_two_accelerators_have_prices_of_their_own() -> None:
    """One node of eight each, of GPUs of 36 000 and of 10 000: 8 x 36 000 and 8 x 10 000."""
    plan = fleet(OWNED, OWNED | {"gpu": "l40s", "capex_usd": 10_000, "gpus_per_node": 8}, months=1)
    (month,) = plan.alternative_months
    assert (month.owned_gpus, month.capex_usd) == (16, 8 * 36_000 + 8 * 10_000)
    steps = {str(step.label): step.value for step in derivations(plan)}
    assert steps["Large: Written off of a node a month"] == pytest.approx(18_000)
    assert steps["Large: Standing cost of a node a month"] == pytest.approx(NODE)
    assert steps["Small: Written off of a node a month"] == pytest.approx(5_000)
    assert steps["Cost of the month with GPUs bought"] == month.owned_usd


def scaled(inputs: FleetInputs, times: float) -> FleetPlan:
    """Return the plan of a fleet at so many times its traffic."""
    services = (
        put_together(Service, flat(each) | {"requests_per_day": flat(each)["requests_per_day"] * times})
        for each in inputs.service
    )
    return plan_fleet(replace(inputs, service=tuple(services)))


WAYS: dict[str, tuple[str, str]] = {
    "buy_beats_rent_times": ("owned_usd", "rented_usd"),
    "rent_beats_api_times": ("rented_usd", "api_usd"),
    "buy_beats_api_times": ("owned_usd", "api_usd"),
}


@pytest.mark.parametrize("terms", [{}, {"whole_nodes": True}, {"whole_nodes": True, "share_nodes": False, "spare": 1}])
@pytest.mark.parametrize("capex", [20_000, 60_000])
def test_no_traffic_before_it_costs_as_little(
    terms: dict[str, Any], capex: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A twenty-fifth of the traffic before each crossing is planned anew, and so on up to it, and one after it.

    What is never met is not met up to ten times the traffic either.
    """
    dear = replace(PRICE, input_usd_per_mtok=1.0, output_usd_per_mtok=3.0)
    monkeypatch.setattr(api_prices, "api_price", lambda provider, model: dear)
    bought = {"capex_usd": capex, **API, "requests_per_day": 500_000}
    services = service(**LARGE | bought), service(**SMALL | bought | {"requests_per_day": 1_500_000})
    asked = fleet_inputs(*services, **{"months": 1, "spare": 0, "share_nodes": True} | terms)
    found = plan_fleet(asked).alternatives
    for name, (one, other) in WAYS.items():
        first = getattr(found, name)
        for n in range(1, 100, 4):
            (month,) = scaled(asked, n / 100 * (10 if first is None else first or 1e-6)).alternative_months
            assert getattr(month, one) > getattr(month, other) or first == 0, (name, first, n)
        if first is not None:
            (month,) = scaled(asked, max(first, 1e-9) * (1 + 1e-6)).alternative_months
            assert getattr(month, one) <= getattr(month, other) * (1 + 1e-5), (name, first)


def test_sentences_name_what_was_found() -> None:
    """Five GPUs at 2 USD are 7 300 USD a month; at the API the traffic is 1 000 x 730 / 24 x 0.0036 = 109.50: 66.67.

    That traffic takes two nodes, each 18 000 a month and what stands above; work takes a little off each request.
    """
    plan = fleet(OWNED | API, OWNED | API)
    nodes = 2 * (18_000 + NODE) / (109.5 - work_usd(plan, 0) - work_usd(plan, 1))
    assert plan.alternatives.rent_beats_api_times == pytest.approx(7300 / 109.5)
    assert plan.alternatives.buy_beats_api_times == pytest.approx(nodes)
    assert [str(each) for each in plan.alternatives.sentences] == [
        "At the end of the plan more has been paid for buying than for renting.",
        "At the end of the plan more has been paid for buying than for an API.",
        "At every traffic buying costs more than renting.",
        "The least traffic at which renting costs no more than an API is 66.67 times the last month's.",
        f"The least traffic at which buying costs no more than an API is {nodes:.1f} times the last month's.",
        "Large at the API: them, m, 2026-11-01.",
        "Small at the API: them, m, 2026-11-01.",
        "You must judge for each service which of the two models gives the better answers.",
    ]


def test_blank_is_what_is_not_asked() -> None:
    plan = fleet({}, {})
    assert plan.alternative_months == () and plan.alternatives == FleetAlternatives()
    ended = fleet(OWNED | {"end_month": 2}, OWNED | {"end_month": 1}).alternatives
    assert ended.buy_beats_rent_times is None and len(ended.sentences) == 1
    services = [[name, value] for name, value in (LARGE | {"capex_usd": 36_000}).items()]
    names, month, blank = sizebook.fleet_alternatives(services, months=1, rows=2)
    found = dict(zip(names, month, strict=True))
    assert found["capex_usd"] == 8 * 36_000 and found["api_usd"] == "" and set(blank) == {""}


def test_nothing_is_said_of_a_price_that_nobody_lists() -> None:
    """Nobody lists a price of an H20: bought ones are compared with the API alone."""
    unlisted = {"gpu": "h20", "on_demand_usd_per_gpu_hour": None, "reserved_usd_per_gpu_hour": None}
    found = fleet(OWNED | unlisted | API, OWNED | unlisted | API, months=1).alternatives
    assert (found.buy_beats_rent_month, found.buy_beats_rent_times, found.rent_beats_api_times) == (None, None, None)
    assert [str(each) for each in found.sentences[:2]] == [
        "At the end of the plan more has been paid for buying than for an API.",
        "At every traffic buying costs more than an API.",
    ]


@pytest.mark.parametrize(
    ("large", "small", "said"),
    [
        ({"capex_usd": 1}, {}, "capex_usd of some services: got one for Large and none for Small, want one for each. "
                               "State it for all, or for none."),
        ({}, API, "api_provider of some services: got one for Small and none for Large, want one for each. State it "
                  "for all, or for none."),
        ({"capex_usd": 1}, {"capex_usd": 2}, "two values of capex_usd: got 1 for Large and 2 for Small, which buy "
                                             "whole nodes of h100-sxm together, want one. State the same for both, or "
                                             "give one a region of its own."),
    ],
)  # fmt: skip
def test_half_a_comparison_is_refused(large: dict[str, Any], small: dict[str, Any], said: str) -> None:
    assert message_of(InputError, fleet, large, small) == said


TOML = """
plan = "fleet"
[owned]
capex_usd = 36_000
years = 3
[api]
api_provider = "them"
api_model = "m"
[[service]]
name = "Large"
model = "llama-3.1-70b"
gpu = "h100-sxm"
tp = 4
weight_dtype = "fp8"
requests_per_day = 1000
input_tokens = 2000
output_tokens = 400
[[service]]
name = "Small"
model = "llama-3.1-8b"
gpu = "l40s"
requests_per_day = 1000
input_tokens = 2000
output_tokens = 400
[service.owned]
capex_usd = 10_000
"""


def test_what_stands_at_the_top_is_that_of_every_service() -> None:
    scenario = parse(FleetScenario, tomllib.loads(TOML), "f.toml")
    large, small = scenario.inputs.service
    assert (large.owned.capex_usd, large.owned.years, small.owned.capex_usd, small.owned.years) == (
        36_000,
        3,
        10_000,
        4,
    )
    assert large.api == small.api and small.api.api_model == "m"
    assert plan_fleet_scenario(scenario).alternatives.owned_usd is not None
