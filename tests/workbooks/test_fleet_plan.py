"""The planning workbook `fleet_plan.xlsx`: a fleet small enough to be worked out by hand, and the plan on it."""

import math
from pathlib import Path

import pytest

from sizebook.core.cells import call
from sizebook.core.sections import flat, leaves
from sizebook.functions import load
from sizebook.plans.fleet.figures import ServiceBasis, basis, contracts
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
from sizebook.scenarios.money import Money
from sizebook.scenarios.scenario_files import parse
from sizebook.sources.bundled import bundled
from tests.workbooks.filled import FilledOnce
from tests.workbooks.shipped import checks, columns, opened, timeline
from tests.workbooks.sittings import CEILED, CEILINGS, ONE_SERVICE, SEARCHED, searched

load()
TEMPLATE = bundled("workbooks") / "fleet_plan.xlsx"
MONTHS = CEILED["months"]
# Rows of the sheet Months by the names of the plan's ledger.
ROWS = {
    "requests_per_day": "Requests a day", "peak_gpus": "GPUs at peak", "mean_gpus": "GPUs at the mean",
    "reserved_gpus": "GPUs reserved", "signed_gpus": "GPUs to sign for", "cash_usd": "Paid, with what is prepaid of "
    "contracts", "reserved_used_gpu_hours": "Reserved and needed", "reserved_idle_gpu_hours": "Reserved and idle",
    "burst_gpu_hours": "of them burst", "reserved_usd": "Reserved",
    "burst_usd": "Burst", "usd": "Cost", "energy_kwh": "Energy", "co2e_kg": "Greenhouse gases, location-based",
    "nodes": "Nodes", "own_nodes": "Nodes if services shared none", "racks": "Racks", "site_kw": "Power to provide",
}  # fmt: skip
ENDS = {
    ("fewest", "peak_gpus"): "GPUs at peak, fewest", ("most", "peak_gpus"): "GPUs at peak, most",
    ("fewest", "usd"): "Cost, fast replicas", ("most", "usd"): "Cost, slow replicas",
}  # fmt: skip


def assert_shows_the_plan(path: Path, plan: FleetPlan, money: Money) -> None:
    """Hold that the sheet Months gives every figure of every month of a plan, its USD at the rate of the month."""
    shown, n = timeline(path), len(plan.months)
    for (months, name), label in {**{("months", name): label for name, label in ROWS.items()}, **ENDS}.items():
        rates = [money.level(at) if name.endswith("usd") else 1.0 for at in range(n)]
        wanted = [getattr(month, name) * rate for month, rate in zip(getattr(plan, months), rates, strict=True)]
        assert shown[label][1 : 1 + n] == pytest.approx(wanted, rel=1e-12), label
        assert set(shown[label][1 + n :]) <= {0, None}, label


@pytest.fixture(scope="module")
def path(filled_once: FilledOnce) -> Path:
    filled = filled_once(TEMPLATE, CEILED)
    assert filled.problems == []
    return filled.path


def rate() -> float:
    """Return requests a second of one replica: requests in flight over the time of a request."""
    demand = [["input_tokens", 1000], ["output_tokens", 200], ["concurrency", 32], ["weight_dtype", "fp8"]]
    return 32 / float(call("REQUEST_SECONDS", "llama-3.1-8b", "h100-sxm", demand))


def gpus(per_second: float) -> int:
    return math.ceil(per_second / (rate() * 0.8) - 1e-9) + 1


def test_gpus_money_nodes_and_power_by_hand(path: Path) -> None:
    """What is needed at the mean is signed for as it comes; beyond it eight busy hours a day; 730 hours a month."""
    shown = timeline(path)
    for month in range(14):
        peak, mean = gpus(200 * 1.1**month), gpus(100 * 1.1**month)
        held, burst = mean, 730 / 24 * 8 * (peak - mean)
        at = {label: values[1 + month] for label, values in shown.items() if len(values) > 1 + month}
        assert (at["GPUs at peak"], at["GPUs at the mean"], at["GPUs reserved"]) == (peak, mean, held)
        assert (at["of them burst"], at["Cost"]) == pytest.approx((burst, 730 * held * 2 + burst * 3))
        assert (at["Nodes"], at["Racks"]) == (math.ceil(peak / 8), math.ceil(peak / 32))
        assert at["Power to provide"] == pytest.approx(-(-peak // 8) * 10.2 * 1.25)
        hours = 730 * held + burst
        busy = min(1, 100 * 1.1**month / rate() * 730 / hours)
        assert at["Energy"] == pytest.approx(hours * 700 * (busy * 1.3 + (1 - busy) * 0.3) * 1.25 / 1000)
        assert at["Greenhouse gases, location-based"] == pytest.approx(at["Energy"] * 0.1)
    assert [day.strftime("%Y-%m") for day in shown["Starts"][1:3]] == ["2027-01", "2027-02"]


def test_headlines_and_checks(path: Path) -> None:
    cost = timeline(path)["Cost"]
    rows = list(opened(path, data_only=True)["Result"].iter_rows(min_col=2, max_col=8, values_only=True))
    at = next(number for number, row in enumerate(rows) if row[0] == f"USD, all {MONTHS} months")
    assert rows[at + 1][0] == pytest.approx(sum(cost[1 : 1 + MONTHS]))
    assert {label: text for label, text in checks(path).items() if text != "OK"} == {}


def test_a_ceiling_is_said_with_its_first_month(path: Path, filled_once: FilledOnce) -> None:
    said = columns(path, "Result")["Ceilings"][0]
    first, ceiling = gpus(200 * 1.1**5), gpus(200 * 1.1**4)
    assert CEILINGS["gpu_ceiling"] == ceiling
    assert said == f"From 2027-06 on {first} GPUs, more than the {ceiling} that there are. "
    assert columns(filled_once(TEMPLATE, searched()).path, "Result")["Ceilings"][0] == "No ceiling is given."


@pytest.mark.ci  # a fleet for one line
def test_a_reservation_dearer_than_burst_fails_its_check(filled_once: FilledOnce) -> None:
    """The plan signs at 2.00 USD against 3.00 on demand; a scenario in which it costs twice as much keeps it signed."""
    found = checks(filled_once(TEMPLATE, ONE_SERVICE | {"scenario": "own", "case_reserved_own": 2}).path)
    assert {label for label, text in found.items() if text != "OK"} == {
        "Reserving costs no more than burst 1", "All checks 1",
    }  # fmt: skip


def test_the_workbook_shows_the_plan(filled_once: FilledOnce) -> None:
    """Also where nobody states a load or a reserved price, and nodes are shared.

    The workbook of 0.10.0 compared accelerators as they were typed, so that "H200 SXM" stood on nodes of its own.
    """
    scenario = parse(FleetScenario, SEARCHED, "fleet")
    found = filled_once(TEMPLATE, searched())
    plan = plan_fleet_scenario(scenario)
    assert_shows_the_plan(found.path, plan, scenario.money)
    tail = timeline(found.path)["Tail of contracts, after the plan"]
    assert sum(tail[1:]) == pytest.approx(contracts(plan).tail_usd)
    shown = columns(found.path, "Services")
    assert shown["Stands on the nodes of"][:2] == [1, 1]
    for number, each in enumerate(plan.services):
        for name, value in flat(basis(each.service, plan.terms)).items():
            label = next(leaf.label for leaf in leaves(ServiceBasis) if leaf.name == name)
            want = value if isinstance(value, str) and value else pytest.approx(value) if value else None
            assert (shown[label][number] or None) == want, name
    parts = timeline(found.path, "Years")
    for each in plan.services:
        assert parts[each.service.name][8] == pytest.approx(sum(month.usd for month in each.months)), each.service.name
    assert {label: text for label, text in checks(found.path).items() if text != "OK"} == {}
