"""The planning workbook `serving_capacity.xlsx` shows the plan: staged once, derived again, compared by its checks."""

import re
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.core.sections import flat, leaves, put_together
from sizebook.functions import load
from sizebook.plans.ledgers import columns as ledger_columns
from sizebook.plans.serving.curves import LOADS, point
from sizebook.plans.serving.figures import ReplicaFigures, figures
from sizebook.plans.serving.functions import ledger
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.months import Month
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.scenarios.money import Money
from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import Filled
from sizebook.workbooks.input_cells import workbook_inputs
from tests.surfaces.grid import first_in_make_test
from tests.workbooks.filled import FilledOnce
from tests.workbooks.shipped import checks, columns, opened, timeline

load()
SERVING = {leaf.name for leaf in leaves(ServingInputs)}
REPORTS = Path(__file__).resolve().parents[2] / "reports"
GIVEN: dict[str, Any] = {
    "model": "llama-3.1-70b",
    "gpu": "h100-sxm",
    "weight_dtype": "fp8",
    "tp": 4,
    "requests_per_day": 864_000,
    "input_tokens": 2000,
    "output_tokens": 400,
    "on_demand_usd_per_gpu_hour": 2.5,
    "months": 3,
}
# What belongs together; the grid of tests/surfaces moves each input alone.
VARIED: dict[str, dict[str, Any]] = {
    "office hours, p90, whole nodes": {
        "shape": "office", "burst_factor": 1.4, "band_quantile": "p90", "tpot_target_seconds": 0.05,
        "ttft_target_seconds": 3, "whole_nodes": True, "failure_domain": "node", "growth_per_month": 0.05, "months": 24,
    },
    "own hours, load given": {"shape": [1] * 12 + [3] * 12, "concurrency": 16, "months": 1},
    "95 of 100 requests, in bursts": {
        "request_percentile": "p95", "tpot_target_seconds": 0.05, "ttft_target_seconds": 3, "dispersion": 3,
        "output_tokens_p95": 900,
    },
}  # fmt: skip


def filled(filled_once: FilledOnce, given: dict[str, Any]) -> Filled:
    return filled_once(bundled("workbooks") / "serving_capacity.xlsx", given)


def planned(changes: dict[str, Any]) -> tuple[dict[str, Any], ServingPlan]:
    """Return the inputs that a scenario puts into the workbook, and its plan."""
    values = {name: value for name, value in (GIVEN | changes).items() if value is not None}
    scenario = parse(ServingScenario, {"plan": "serving", **values}, "varied")
    return workbook_inputs(scenario), plan_serving_scenario(scenario).plan


# Rows of the sheet Months by the names of the plan's ledger; a plan in EUR says EUR where USD stands here.
ROWS = {
    "requests": "Requests", "peak_gpus": "GPUs at peak", "reserved_gpus": "GPUs reserved",
    "signed_gpus": "GPUs to sign for", "reserved_used_gpu_hours": "Under contract and needed",
    "reserved_idle_gpu_hours": "Under contract and idle", "on_demand_gpu_hours": "On demand, GPU-hours",
    "cash_usd": "Paid, with what is prepaid of contracts", "input_usd": "Prompts, USD",
    "cached_usd": "Cached tokens, USD", "output_usd": "Answers, USD", "idle_usd": "Idle, USD",
    "peak_nodes": "Nodes at peak", "gpu_hours": "GPU-hours", "utilization": "Fleet in use", "reserved_usd": "Reserved",
    "on_demand_usd": "On demand", "usd": "Cost", "usd_per_mtok_output": "USD per Mtok out",
    "usd_per_mtok_input": "USD per Mtok in", "energy_kwh": "Energy", "co2e_kg": "Greenhouse gases, location-based",
    "peak_gpus_fewest": "GPUs at peak, fewest", "peak_gpus_most": "GPUs at peak, most",
}  # fmt: skip
OF_CASES = {"usd_least": "Cost, least", "usd_most": "Cost, most"}


def costs(path: Path) -> dict[str, list[Any]]:
    """Return the cost of each case by month, behind its total."""
    rows = list(opened(path, data_only=True)["Cases"].iter_rows(min_col=2, values_only=True))
    first = [row[0] for row in rows].index("Cost")
    total = rows[3].index("Total")
    return {str(row[0]): list(row[total:]) for row in rows[first:] if row[0]}


def months(path: Path, n_months: int, currency: str = "USD") -> list[list[Any]]:
    """Return the months of the workbook as rows of the plan's ledger."""
    shown, cases = timeline(path), costs(path)
    rows = {name: shown[label.replace("USD", currency)] for name, label in ROWS.items()}
    found = []
    for month in range(1, n_months + 1):
        by_name = {name: values[month] for name, values in rows.items()} | {"month": month}
        by_name |= {name: cases[label][month] for name, label in OF_CASES.items()}
        found.append([by_name[column.name] for column in ledger_columns(Month)])
    return found


def ledger_in(money: Money, plan: ServingPlan) -> list[Any]:
    """Return the months of a plan's ledger with its USD at the rate of each month."""
    in_usd = [column.quantity.unit.startswith("USD") for column in ledger_columns(Month)]
    return [
        pytest.approx(
            [each * money.level(at) if usd else each for each, usd in zip(row, in_usd, strict=True)], rel=1e-12
        )
        for at, row in enumerate(ledger(plan)[1:])
    ]


@pytest.mark.parametrize("changes", first_in_make_test(VARIED.values(), VARIED, 2))
def test_the_workbook_shows_the_plan_and_all_checks_hold(changes: dict[str, Any], filled_once: FilledOnce) -> None:
    given, plan = planned(changes)
    found = filled(filled_once, given)
    assert found.problems == []
    assert months(found.path, len(plan.months)) == ledger_in(Money(), plan)
    shown = columns(found.path, "Basis")
    for leaf in leaves(ReplicaFigures):
        value = flat(figures(plan))[leaf.name]
        wanted = value if isinstance(value, str) else pytest.approx(value, rel=1e-12)
        assert shown[leaf.label][0] == wanted, leaf.name
    assert {label: text for label, text in checks(found.path).items() if text != "OK"} == {}


def by_hand(month: Month, plan: ServingPlan) -> float:
    """Return a month's cost from GPUs, hours and prices: contracts around the clock, what exceeds them by the hour.

    Of the sample at its prices of 2026-11-21, $3.40 under contract and $5.1375 on demand, 730 hours a month, 365/12
    days: 10 x 730 x 3.40 + 356 x 365/12 x 5.1375 = 24,820 + 55,630.56 = 80,450.56 in month 1, and in month 12
    16 x 730 x 3.40 + 588 x 365/12 x 5.1375 = 39,712 + 91,884.19 = 131,596.19.
    """
    prices = figures(plan)
    beyond = sum(max(0, prices.gpus_per_replica * each - month.reserved_gpus) for each in month.replicas_by_hour)
    reserved = month.reserved_gpus * 730 * prices.reserved_usd_per_gpu_hour
    return reserved + beyond * 365 / 12 * prices.on_demand_usd_per_gpu_hour


def test_the_sample_scenario_costs_what_the_plan_says(filled_once: FilledOnce) -> None:
    """On 0.3.0 the workbook showed 305 067 USD a month: its peak paid around the clock, no reserved price."""
    scenario = parse(ServingScenario, read_toml(REPORTS / "serving-llama-3.1-70b.toml"), "sample")
    plan = plan_serving_scenario(scenario).plan
    first, last = plan.months[0], plan.months[-1]
    assert [month.usd for month in plan.months] == pytest.approx([by_hand(month, plan) for month in plan.months])
    found = filled(filled_once, workbook_inputs(scenario))
    assert found.notes == ()
    assert months(found.path, len(plan.months)) == ledger_in(Money(), plan)
    rows = list(load_workbook(found.path, data_only=True)["Result"].iter_rows(min_col=2, max_col=7, values_only=True))
    at = next(number for number, row in enumerate(rows) if row[0] == "GPUs at peak, month 1")
    gpus, usd = (first.peak_gpus, last.peak_gpus), (pytest.approx(first.usd), pytest.approx(last.usd))
    assert rows[at + 1] == (*gpus, gpus[1], *usd, usd[1])  # the last month is the busiest
    of_last = dict(zip([column.name for column in ledger_columns(Month)], ledger(plan)[-1], strict=True))
    assert rows[at + 2][4] == f"{of_last['usd_least']:,.0f} to {of_last['usd_most']:,.0f}"
    reserved = 100 * sum(month.reserved_usd for month in plan.months) / sum(month.usd for month in plan.months)
    said = f"From ${first.usd:,.0f} to ${last.usd:,.0f} a month, {reserved:.1f} % of it for reserved GPUs"
    assert columns(found.path, "Basis")["Cost by month"][0] == said


def test_small_figures_keep_their_digits(filled_once: FilledOnce) -> None:
    found = filled(
        filled_once,
        GIVEN
        | {"model": "qwen3-0.6b", "tp": 1, "requests_per_day": 10, "on_demand_usd_per_gpu_hour": 0.001, "spare": 0},
    )
    assert columns(found.path, "Basis")["Cost by month"][0] == "$0.730 in every month, 0 % of it for reserved GPUs"
    result = load_workbook(found.path, data_only=True)["Result"]
    texts = [str(cell.value) for row in result.iter_rows(max_row=11) for cell in row if isinstance(cell.value, str)]
    assert not [text for text in texts if re.search(r"\b0\.0+\b", text)]


def test_an_api_breaks_even_in_the_last_month(filled_once: FilledOnce) -> None:
    """2000 x $1 + 400 x $4 a million is $0.0036 a request."""
    long = {"months": 60, "growth_per_month": 0.01, "start": datetime(2027, 3, 15)}
    found = filled(filled_once, GIVEN | long | {"usd_per_mtok_in": 1.0, "usd_per_mtok_out": 4.0})
    every, beside = timeline(found.path), columns(found.path, "Basis")
    assert beside["A request at the API"][0] == pytest.approx(0.0036)
    assert beside["Break-even requests a month"][0] == pytest.approx(every["Cost"][60] / 0.0036)


def test_a_target_that_no_load_meets_is_said_once_a_call(filled_once: FilledOnce) -> None:
    result = filled(filled_once, GIVEN | {"tpot_target_seconds": 0.001})
    begun = [problem for problem in result.problems if "tpot" in problem.casefold()]
    assert [problem[:8] for problem in begun] == ["Staged!B"] * 5
    assert all("binds" in problem for problem in begun)
    assert result.problems[-1].endswith("more cells show an error because of these")
    assert len(result.problems) == 6


def test_the_latency_chart_says_what_its_numbers_are() -> None:
    with zipfile.ZipFile(bundled("workbooks") / "serving_capacity.xlsx") as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
    (curve,) = [chart for chart in charts if "lineChart" in chart and "in flight" in chart]
    assert re.findall(r"<(?:a:)?t>([^<]+)</", curve) == ["requests in flight on a replica", "seconds per output token"]


@pytest.mark.ci
def test_the_curve_is_that_of_both_pools_which_no_scenario_searches_again(filled_once: FilledOnce) -> None:
    """Also for a percentile of requests, which every check of the workbook holds for; the curve is of a steady load."""
    given = GIVEN | {
        "separate_prefill": True, "prefill_tp": 2, "prefill_workers": 2, "decode_workers": 1, "scenario": "high",
        "request_percentile": "p95", "ttft_target_seconds": 3, "tpot_target_seconds": 0.05,
    }  # fmt: skip
    found = filled(filled_once, given)
    book = load_workbook(found.path, data_only=True)
    first = next(cell.row for cell in book["Basis"]["B"] if cell.value == "Requests in flight") + 1
    rows = book["Basis"].iter_rows(first, first + len(LOADS) - 1, min_col=2, max_col=6, values_only=True)
    asked = put_together(ServingInputs, {name: value for name, value in given.items() if name in SERVING})
    replica = plan_serving("llama-3.1-70b", "h100-sxm", asked).replica
    assert [list(row) for row in rows] == [list(flat(point(replica, load)).values())[:5] for load in LOADS]
    said = [str(row[0]) for row in book["Result"].iter_rows(max_row=8, min_col=2, max_col=2, values_only=True)]
    assert (
        "Prefill and decode workers are those of the least cost for the inputs as they stand; this scenario does not "
        "search them again."
    ) in said
    assert set(checks(found.path).values()) <= {"OK"}
