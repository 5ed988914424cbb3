"""Tornado and two-way table of `fleet_plan.xlsx`: every bar is the plan with that input changed."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sizebook.functions import load
from sizebook.plans.commitments import Commitment
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
from sizebook.scenarios.scenario_files import parse
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill
from sizebook.workbooks.input_cells import workbook_inputs
from tests.workbooks.filled import FilledOnce
from tests.workbooks.shipped import opened

load()
pytestmark = pytest.mark.ci  # fills a fleet of its own
TEMPLATE = bundled("workbooks") / "fleet_plan.xlsx"
# Two that share nodes bought whole, one that is larger than a node, one that comes late and ends; contracts of a year
# are signed anew within the plan.
FLEET: dict[str, Any] = {
    "plan": "fleet", "months": 14, "share_nodes": True, "whole_nodes": True, "failure_domain": "node",
    "target_load": 0.75,
    "service": [
        {"name": "Chat", "model": "llama-3.1-8b", "gpu": "h200-sxm", "requests_per_day": 3_000_000,
         "input_tokens": 1500, "output_tokens": 300, "concurrency": 48, "growth_per_month": 0.03,
         "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.5},
        {"name": "Code", "model": "mixtral-8x7b", "gpu": "h200-sxm", "tp": 4, "requests_per_day": 400_000,
         "input_tokens": 4000, "output_tokens": 500, "concurrency": 32, "peak_factor": 3, "start_month": 5,
         "end_month": 11, "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.5},
        {"name": "Wide", "model": "llama-3.1-70b", "gpu": "a100-sxm-80gb", "tp": 8, "pp": 2, "gpus_per_node": 8,
         "requests_per_day": 90_000, "input_tokens": 900, "output_tokens": 300, "concurrency": 16,
         "on_demand_usd_per_gpu_hour": 2.2, "reserved_usd_per_gpu_hour": 1.4},
    ],
}  # fmt: skip


@cache
def signed() -> dict[int, list[Commitment]]:
    """Return the contracts of the plan by the service with which they stand: no change of an input changes them."""
    plan = plan_fleet_scenario(parse(FleetScenario, FLEET, "fleet"))
    return {each.members[0]: list(each.portfolio.contracts) for each in plan.purchases}


def held(at: int, factor: float) -> list[list[float]]:
    """Return them as running contracts of a service, those to sign at so many times their price."""
    return [
        [each.gpus, each.first_month, each.last_month, each.usd_per_gpu_hour * (factor if each.term else 1)]
        for each in signed().get(at, [])
    ]


def planned(*, load_over: float = 1, growth: float = 0, **factors: float) -> float:
    """Return what the fleet costs under the plan's contracts, with what services ask for and pay times factors."""
    services = [
        {key: value * factors.get(key, 1) if key in factors else value for key, value in each.items()}
        | {"growth_per_month": each.get("growth_per_month", 0) + growth, "sign_terms": "none"}
        | {"contracts": held(at, factors.get(PRICES[1], 1))}
        for at, each in enumerate(FLEET["service"])
    ]
    changed = FLEET | {"service": services, "target_load": min(1, FLEET["target_load"] * load_over)}
    return float(sum(month.usd for month in plan_fleet_scenario(parse(FleetScenario, changed, "fleet")).months))


PRICES = ("on_demand_usd_per_gpu_hour", "reserved_usd_per_gpu_hour")
BARS = {
    "Traffic": [{"requests_per_day": 0.8}, {"requests_per_day": 1.25}],
    "Added growth a month": [{"growth": -0.02}, {"growth": 0.02}],
    "On-demand price": [{PRICES[0]: 0.9}, {PRICES[0]: 1.15}],
    "Reserved price": [{PRICES[1]: 0.9}, {PRICES[1]: 1.15}],
    "Target load": [{"load_over": 1.1}, {"load_over": 0.9}],
}


@pytest.fixture(scope="module")
def path(filled_once: FilledOnce) -> Path:
    return filled_once(TEMPLATE, workbook_inputs(parse(FleetScenario, FLEET, "fleet"))).path


def rows(path: Path, sheet: str) -> list[tuple[Any, ...]]:
    return list(opened(path, data_only=True)[sheet].iter_rows(min_col=2, max_col=8, values_only=True))


@pytest.mark.parametrize("driver", BARS)
def test_a_bar_is_the_plan_with_that_input_changed(driver: str, path: Path) -> None:
    now = planned()
    bar = next(row for row in rows(path, "Sensitivity") if row[0] == driver)
    low, high = (planned(**changed) for changed in BARS[driver])
    assert low != now != high
    assert bar[1:5] == pytest.approx((low, high, low - now, high - now), rel=1e-9)


def test_the_bar_of_speed_is_the_workbook_at_that_speed(path: Path, tmp_path: Path) -> None:
    """No plan takes a speed; the sheets of replicas, nodes and purchases do, a service a row."""
    bar = next(row for row in rows(path, "Sensitivity") if row[0] == "Speed of a replica")
    given = workbook_inputs(parse(FleetScenario, FLEET, "fleet"))
    slow = fill(TEMPLATE, given | {"scenario": "own", "case_speed_own": 0.9}, tmp_path / "slow.xlsx").path
    assert bar[2] == pytest.approx(next(row[2] for row in rows(slow, "Months") if row[0] == "Cost"), rel=1e-9)
    assert bar[2] > planned()


def test_the_table_holds_the_plan_at_its_steps(path: Path) -> None:
    table = {row[0]: row[1:4] for row in rows(path, "Sensitivity") if isinstance(row[0], float | int)}
    for traffic in (0.5, 1.5, 2):
        for at, price in enumerate((0.8, 1, 1.2)):
            want = planned(requests_per_day=traffic, **dict.fromkeys(PRICES, price))
            assert table[traffic][at] == pytest.approx(want, rel=1e-9)


def test_the_largest_stands_first_and_is_named(path: Path) -> None:
    shown = rows(path, "Sensitivity")
    spans = {row[0]: row[2] - row[1] for row in shown if row[0] in BARS and isinstance(row[5], float | int)}
    first = next(at for at, row in enumerate(shown) if row[0] == "Largest first") + 2
    assert [row[0] for row in shown[first : first + 6] if row[0] in BARS] == sorted(
        spans, key=lambda driver: -abs(spans[driver])
    )
    said = next(row[1] for row in shown if row[0] == "Title of the chart")
    assert said.startswith(f"{shown[first][0]} moves the cost most: from ")
