"""The table `sensitivity` in somebody's own workbook: costs at both ends of an input are the plan's at that input."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.table import Table

from sizebook.batch.anchor_values import supply_names
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.workbooks.filling import fill_from
from sizebook.workbooks.template_check import check_template

SERVING: dict[str, Any] = {
    "plan": "serving", "model": "llama-3.1-70b", "gpu": "h100-sxm", "weight_dtype": "fp8", "tp": 4, "months": 6,
    "requests_per_day": 900_000, "input_tokens": 2000, "output_tokens": 400, "concurrency": 32,
    "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.5,
}  # fmt: skip
TRAINING: dict[str, Any] = {
    "plan": "training", "model": "llama-3.1-8b", "gpu": "h200-sxm", "gpus": 64, "tokens": 2e12, "seq": 8192,
    "batch": 256, "tp": 2, "price_usd_per_gpu_hour": 3.0,
}  # fmt: skip


@pytest.fixture
def template(tmp_path: Path) -> Path:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in (("Input", "low_usd", "Cost at the high end"), ("x", 1, 2)):
        sheet.append(row)
    sheet.add_table(Table(displayName="sensitivity", ref="A1:C2"))
    book.save(tmp_path / "own.xlsx")
    return tmp_path / "own.xlsx"


def cost(values: dict[str, Any], name: str, **changed: Any) -> Any:
    found = plan_scenario({**values, **changed}, "here.toml", Path())
    return next(figure.value for figure in found.contents.figures if figure.name == name)


def rows(template: Path, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    found = plan_scenario(values, "here.toml", Path())
    path = fill_from(template, found.supply, template.with_name("out.xlsx")).path
    return list(load_workbook(path).worksheets[0].iter_rows(min_row=2, values_only=True))


def test_serving(template: Path) -> None:
    shown = {label: figures for label, *figures in rows(template, SERVING)}
    assert shown["Requests a day, \u221220% to +20%"] == pytest.approx(
        [cost(SERVING, "usd", requests_per_day=900_000 * factor) for factor in (0.8, 1.2)]
    )
    prices = [
        cost(SERVING, "usd", on_demand_usd_per_gpu_hour=4 * factor, reserved_usd_per_gpu_hour=2.5 * factor)
        for factor in (0.8, 1.2)
    ]
    assert shown["Price of a GPU-hour, \u221220% to +20%"] == pytest.approx(prices)
    assert len(shown) == 5


def test_training(template: Path) -> None:
    shown = {label: figures for label, *figures in rows(template, TRAINING)}
    prices = [cost(TRAINING, "programme_cost_usd", price_usd_per_gpu_hour=3 * factor) for factor in (0.8, 1.2)]
    assert shown["Price per GPU-hour \u00b120\u00a0%"] == pytest.approx(prices)
    widths = [abs(high - low) for low, high in shown.values()]
    assert widths == sorted(widths, reverse=True)


def test_the_check_knows_it_without_a_scenario(template: Path) -> None:
    found = check_template(template, names=supply_names())
    assert found.anchors == ("sensitivity  Sheet!A1:C2  the table sensitivity: input, low_usd, high_usd",)
