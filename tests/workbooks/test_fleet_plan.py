"""The planning workbook `fleet_plan.xlsx`: a fleet small enough to be worked out by hand."""

from __future__ import annotations

import math
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.core.cells import call
from sizebook.core.errors import InputError
from sizebook.core.registry import flat, leaves
from sizebook.functions import load
from sizebook.plans.fleet.figures import ServiceFigures, figures
from sizebook.plans.fleet.plan import FleetMonth
from sizebook.plans.ledgers import ledger_rows
from sizebook.scenarios.files import parse
from sizebook.scenarios.fleet import FleetScenario, answer
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill
from sizebook.workbooks.inputs import workbook_inputs
from tests.workbooks.shipped import checks, columns

ONE: dict[str, Any] = {
    "model_1": "llama-3.1-8b",
    "gpu_1": "h100-sxm",
    "weight_dtype_1": "fp8",
    "requests_per_day_1": 8_640_000,  # 100 a second
    "input_tokens_1": 1000,
    "output_tokens_1": 200,
    "concurrency_1": 32,
    "growth_per_month_1": 0.1,
    "reserved_usd_per_gpu_hour_1": 2.0,
    "on_demand_usd_per_gpu_hour_1": 3.0,
    "model_2": None,
    "model_3": None,
    "grams_per_kwh": 100,
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    load()
    output = tmp_path_factory.mktemp("fleet") / "out.xlsx"
    filled = fill(bundled("workbooks") / "fleet_plan.xlsx", ONE | {"start": datetime(2027, 1, 15)}, output)
    assert filled.problems == []
    return output


def months(path: Path, sheet: str) -> list[list[Any]]:
    """Return the 36 rows of a monthly sheet from column B on."""
    rows = load_workbook(path, data_only=True)[sheet].iter_rows(min_col=2, values_only=True)
    return [list(row) for row in rows if re.match(r"20|Month \d", str(row[0]))]


def rate() -> float:
    """Return requests a second of one replica: requests in flight over the time of a request."""
    demand = [["input_tokens", 1000], ["output_tokens", 200], ["concurrency", 32], ["weight_dtype", "fp8"]]
    return 32 / float(call("REQUEST_SECONDS", "llama-3.1-8b", "h100-sxm", demand))


def gpus(per_second: float) -> int:
    return math.ceil(per_second / (rate() * 0.8) - 1e-9) + 1


def test_gpus_follow_traffic(path: Path) -> None:
    peak, mean = months(path, "Peak GPUs"), months(path, "Mean GPUs")
    assert len(peak) == len(mean) == 36
    for month in range(36):
        per_second = 100 * 1.1**month
        assert peak[month][1] == peak[month][6] == gpus(2 * per_second)
        assert mean[month][1] == gpus(per_second)
    assert (peak[0][0], peak[35][0]) == ("2027-01", "2029-12")


def test_reserved_are_those_of_the_terms_first_month(path: Path) -> None:
    reserved = [row[1] for row in months(path, "Reserved GPUs")]
    assert reserved == [gpus(100 * 1.1 ** (12 * (month // 12))) for month in range(36)]


def test_burst_and_money_by_hand(path: Path) -> None:
    """Eight busy hours a day beyond the reserved at peak, sixteen beyond them at the mean; 730 hours a month."""
    peak, mean, reserved, hours, cost, summary = (
        months(path, sheet) for sheet in ("Peak GPUs", "Mean GPUs", "Reserved GPUs", "Burst hours", "Cost", "Summary")
    )
    for month in range(36):
        held = reserved[month][1]
        burst = 730 / 24 * (8 * max(0, peak[month][1] - held) + 16 * max(0, mean[month][1] - held))
        assert hours[month][1] == pytest.approx(burst)
        assert cost[month][6] == pytest.approx(730 * held * 2 + burst * 3)
        assert summary[month][4] == pytest.approx(730 * held * 2)
        assert summary[month][5] == pytest.approx(burst * 3)


def test_energy_and_carbon(path: Path) -> None:
    energy, summary = months(path, "Energy"), months(path, "Summary")
    for month in (0, 17, 35):
        hours = 730 * months(path, "Reserved GPUs")[month][1] + months(path, "Burst hours")[month][1]
        used = min(1, 100 * 1.1**month / rate() * 730 / hours)
        assert energy[month][1] == pytest.approx(hours * 700 * (used * 1.3 + (1 - used) * 0.3) * 1.25 / 1000)
        assert summary[month][8] == pytest.approx(energy[month][1] * 100 / 1e6)


def test_headlines_and_checks(path: Path) -> None:
    book = load_workbook(path, data_only=True)
    total = sum(row[6] for row in months(path, "Cost"))
    assert book["Result"]["B5"].value == pytest.approx(total)
    assert {label: text for label, text in checks(path).items() if text != "OK"} == {}


def test_the_staged_plan_is_the_plan(tmp_path: Path) -> None:
    """Also where nobody states a load or a reserved price, and none is listed below the one on demand."""
    scenario = parse(FleetScenario, SEARCHED, "fleet")
    found = fill(bundled("workbooks") / "fleet_plan.xlsx", workbook_inputs(scenario), tmp_path / "out.xlsx")
    plan = answer(scenario)
    rows = ledger_rows(FleetMonth, plan.months, plan.fewest, plan.most)[1:]
    assert [row[1 : 1 + len(rows[0])] for row in months(found.path, "Months")] == [
        pytest.approx(row, rel=1e-12) for row in rows
    ]
    shown = columns(found.path, "Plan")
    for number, each in enumerate(plan.services):
        for name, value in flat(figures(each, plan.terms)).items():
            label = next(leaf.label for leaf in leaves(ServiceFigures) if leaf.name == name)
            assert shown[label][number] == (value if isinstance(value, str) else pytest.approx(value)), name
    assert shown["Reserved GPU-hour"][0] <= shown["On-demand GPU-hour"][0]
    assert {label: text for label, text in checks(found.path).items() if text != "OK"} == {}


SEARCHED: dict[str, Any] = {
    "plan": "fleet", "whole_nodes": True, "failure_domain": "node", "term_months": 6, "reserve_share": 0.7,
    "service": [
        {"name": "Chat", "model": "llama-3.1-8b", "gpu": "h200-sxm", "requests_per_day": 3_000_000,
         "input_tokens": 1500, "output_tokens": 300, "tpot_target_seconds": 0.02, "growth_per_month": 0.03},
        {"name": "Code", "model": "mixtral-8x7b", "gpu": "a100-sxm-80gb", "tp": 4, "requests_per_day": 200_000,
         "input_tokens": 4000, "output_tokens": 500, "peak_factor": 3},
    ],
}  # fmt: skip


def test_first_error_is_named_and_the_rest_counted(tmp_path: Path) -> None:
    load()
    given = ONE | {"tpot_target_seconds_1": 0.02}
    filled = fill(bundled("workbooks") / "fleet_plan.xlsx", given, tmp_path / "out.xlsx")
    twice = "Service 1: load given twice: got concurrency and a target of seconds, want one of them."
    begun = [problem.partition(": ") for problem in filled.problems[:2]]
    assert all(at.startswith("Staged!B") and text.startswith(twice) for at, _, text in begun)
    assert filled.problems[-1].endswith("more cells show an error because of these")
    assert len(filled.problems) == 3


def test_what_no_plan_takes_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    given = ONE | {"concurrency_1": 0, "pue": 125}
    with pytest.raises(InputError) as caught:
        fill(bundled("workbooks") / "fleet_plan.xlsx", given, tmp_path / "out.xlsx")
    assert str(caught.value) == (
        "fleet_plan.xlsx: concurrency_1 is out of range: got 0, want at least 1 and at most 1e+09 (requests in flight "
        "on the whole replica; blank: 1 in a function, the most within the targets in a plan). Correct the number.\n"
        "fleet_plan.xlsx: pue is out of range: got 125, want at least 1 and at most 10 (power usage effectiveness: "
        "facility power over IT power). Correct the number."
    )
    assert not (tmp_path / "out.xlsx").exists()
