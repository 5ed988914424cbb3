"""The planning workbook `serving_capacity.xlsx` against the functions and against arithmetic by hand."""

from __future__ import annotations

import math
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.bundled import bundled
from sizebook.cells import call
from sizebook.functions import load
from sizebook.workbooks.filling import Filled, fill

GIVEN: dict[str, Any] = {
    "model": "llama-3.1-70b",
    "gpu": "h100-sxm",
    "weight_dtype": "fp8",
    "tp": 4,
    "requests_per_day": 864_000,
    "input_tokens": 2000,
    "output_tokens": 400,
    "price_usd": 2.5,
}


def filled(folder: Path, **changes: Any) -> Filled:
    load()
    return fill(bundled("workbooks") / "serving_capacity.xlsx", GIVEN | changes, folder / "out.xlsx")


def columns(path: Path, sheet: str) -> dict[str, list[Any]]:
    """Return the stored values beside each label; the first line of a label counts."""
    found: dict[str, list[Any]] = {}
    for label, *values in load_workbook(path, data_only=True)[sheet].iter_rows(min_col=2, max_col=5, values_only=True):
        found.setdefault(str(label), values)
    return found


def test_latency_is_the_functions_times_their_band(tmp_path: Path) -> None:
    stored = columns(filled(tmp_path, concurrency=64).path, "Calculation")
    at = ("llama-3.1-70b", "h100-sxm", 2000, 400, 64, "vllm", "fp8", None, 4)
    for label, function, figure in (
        ("Time to first token", "TTFT_SECONDS", "ttft"),
        ("Time per output token", "TPOT_SECONDS", "tpot"),
    ):
        bands = [call("SERVING_ERROR", "h100-sxm", "vllm", figure, q) for q in ("p10", "p90")]
        predicted = call(function, *at)
        assert stored[label] == pytest.approx([predicted * bands[0], predicted, predicted * bands[1]], rel=1e-12)


def test_fleet_and_money_by_hand(tmp_path: Path) -> None:
    """864,000 requests a day are 10 a second, 20 in the busiest hour; 80 % load, one spare replica of four GPUs."""
    stored = columns(filled(tmp_path, concurrency=64).path, "Calculation")
    assert stored["Busiest hour"] == [20, 20, 20]
    for case in range(3):
        rate = 64 / (stored["Time to first token"][case] + 399 * stored["Time per output token"][case])
        gpus = 4 * (math.ceil(20 / (0.8 * rate)) + 1)
        assert stored["GPUs"][case] == gpus
        assert stored["Cost a month"][case] == pytest.approx(gpus * 2.5 * 730)
        used = gpus * 2.5 / 3600 / (10 * 400) * 1e6
        assert stored["the same at the fleet's own use"][case] == pytest.approx(used)


def test_load_is_the_largest_step_within_both_targets(tmp_path: Path) -> None:
    path = filled(tmp_path, ttft_target=0.5, tpot_target=0.02).path
    sheet = load_workbook(path, data_only=True)["Curve"]
    steps = [row[1:4] for row in sheet.iter_rows(values_only=True) if isinstance(row[1], int)]
    assert len(steps) == 15
    stored = columns(path, "Calculation")
    for case, figure in enumerate(("p10", None, "p90")):
        bands = [call("SERVING_ERROR", "h100-sxm", "vllm", f, figure) if figure else 1 for f in ("ttft", "tpot")]
        within = [load for load, ttft, tpot in steps if ttft * bands[0] <= 0.5 and tpot * bands[1] <= 0.02]
        assert stored["Requests in flight on it"][case] == max(within)
    assert columns(path, "Checks")["Time per output token meets its target"] == ["OK"] * 3


def test_break_even_against_an_api(tmp_path: Path) -> None:
    """2000 x $1 + 400 x $4 a million is $0.0036 a request."""
    stored = columns(filled(tmp_path, concurrency=64, api_in=1.0, api_out=4.0).path, "Calculation")
    assert stored["A request at the API"][1] == pytest.approx(0.0036)
    assert stored["Break-even requests a day"][1] == pytest.approx(stored["Cost a month"][1] / 0.0036 * 12 / 365)


def test_a_target_that_no_load_meets_is_said(tmp_path: Path) -> None:
    result = filled(tmp_path, tpot_target=0.001)
    assert any("concurrency is out of range: got 0" in problem for problem in result.problems)


def test_a_model_that_does_not_fit_is_said(tmp_path: Path) -> None:
    result = filled(tmp_path, model="llama-3.1-405b", tp=1)
    assert any("does not fit" in problem for problem in result.problems)


def test_the_latency_chart_says_what_its_numbers_are() -> None:
    with zipfile.ZipFile(bundled("workbooks") / "serving_capacity.xlsx") as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
    (curve,) = [chart for chart in charts if "lineChart" in chart]
    assert re.findall(r"<(?:a:)?t>([^<]+)</", curve) == ["requests in flight on a replica", "seconds per output token"]
