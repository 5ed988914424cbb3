"""The planning workbook `fleet_plan.xlsx`: a fleet small enough to be worked out by hand."""

from __future__ import annotations

import math
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.bundled import bundled
from sizebook.cells import call
from sizebook.functions import load
from sizebook.workbooks.filling import fill

ONE: dict[str, Any] = {
    "model_1": "llama-3.1-8b",
    "gpu_1": "h100-sxm",
    "weight_dtype_1": "fp8",
    "requests_per_day_1": 8_640_000,  # 100 a second
    "input_tokens_1": 1000,
    "output_tokens_1": 200,
    "concurrency_1": 32,
    "growth_per_month_1": 0.1,
    "reserved_usd_1": 2.0,
    "burst_usd_1": 3.0,
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
    return [list(row) for row in rows if str(row[0]).startswith("20")]


def rate() -> float:
    """Return requests a second of one replica: requests in flight over the time of a request."""
    return 32 / float(call("REQUEST_SECONDS", "llama-3.1-8b", "h100-sxm", 1000, 200, 32, "vllm", "fp8"))


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
    shown = {cell.value for row in book["Checks"].iter_rows(min_col=3, max_col=7) for cell in row}
    assert "OK" in shown and "CHECK" not in shown


def test_first_error_is_named_and_the_rest_counted(tmp_path: Path) -> None:
    load()
    given = ONE | {"concurrency_1": 0}
    filled = fill(bundled("workbooks") / "fleet_plan.xlsx", given, tmp_path / "out.xlsx")
    assert filled.problems[0].startswith("Replicas!C9: concurrency is out of range: got 0, want at least 1")
    assert filled.problems[-1].endswith("more cells show an error because of these")
    assert len(filled.problems) == 2
