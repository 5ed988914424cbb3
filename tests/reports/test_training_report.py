"""What the training report says, and that it can be laid out."""

import re
from datetime import date
from typing import Any

import pytest

from sizebook.core.units import usd
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.reports.charts.chart_types import Bars, Spans, Stacks
from sizebook.reports.document import Section, Table, texts_of
from sizebook.reports.training.report import report
from tests.plans.training.training_runs import run_of
from tests.reports.reading import part_on

GIVEN: dict[str, Any] = {
    "gpus": 256, "tokens": 1e12, "batch": 1024, "seq": 8192, "tp": 2, "pp": 8, "price_usd_per_gpu_hour": 2,
    "watts": 700, "grams_per_kwh": 400, "covered_share": 0.6, "residual_grams_per_kwh": 450,
}  # fmt: skip


def _plan(**changes: Any) -> TrainingPlan:
    return unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **{**GIVEN, **changes}))


@pytest.fixture(scope="module")
def plan() -> TrainingPlan:
    return _plan()


def _plain(text: str) -> str:
    return " ".join(text.split())


def _table(section: Section, caption: str = "") -> Table:
    tables = [block for block in section.blocks if isinstance(block, Table)]
    return next(table for table in tables if caption in ("", table.caption))


def test_a_single_micro_batch_and_where_the_layout_comes_from(as_of: date) -> None:
    view = report(_plan(batch=16), as_of)
    chart = next(block for block in part_on(view, "Step").blocks if isinstance(block, Bars))
    assert chart.title.endswith(", 1 micro-batch a pipeline")
    rows = {row.cells[0]: row.cells[2] for row in _table(part_on(view, "Assumptions")).rows}
    assert rows["Layout"] == "scenario, else the fastest that fits"


def test_band_stands_beside_time_and_cost(plan: TrainingPlan, as_of: date) -> None:
    view = report(plan, as_of)
    tiles = {tile.label: tile for tile in view.tiles}
    for label in ("Time, whole run", "Cost, whole run", "Steady state", "Of peak compute (MFU)"):
        assert " to " in tiles[label].note
    assert "10th to the 90th percentile of published runs" in view.summary


def test_given_mfu_has_no_band_and_no_split_of_the_step(as_of: date) -> None:
    # 6 N tokens / (GPUs x peak x MFU) / goodput, with the H100's dense 989.4 TFLOP/s.
    given = _plan(mfu=0.4, flops_convention="6nd")
    view = report(given, as_of)
    tiles = {tile.label: tile for tile in view.tiles}
    productive_days = 6 * 8_030_261_248 * 1e12 / (256 * 989.4e12 * 0.4) / 86_400
    shown = float(tiles["Steady state"].value.split("\u00a0")[0])
    assert shown == pytest.approx(productive_days / given.middle.goodput, rel=0.005)
    assert tiles["Steady state"].note == "at the MFU given"
    assert _plain(view.summary).endswith("; the time follows from the given MFU of 40.0 %.")
    assert "Step" not in [section.topic for section in view.sections]


def test_memory_shows_every_component_against_what_the_gpu_has(plan: TrainingPlan, as_of: date) -> None:
    section = part_on(report(plan, as_of), "Memory")
    chart = section.blocks[0]
    assert isinstance(chart, Stacks)
    assert chart.limit is not None and chart.limit.label == "79.2 GiB usable"
    # Eight stages: the first two and last two are shown, and the fullest, which is one of them.
    assert chart.categories == ("Stage 1", "Stage 2", "Stage 7", "Stage 8")
    for index, category in enumerate(chart.categories):
        stage = plan.work.stages[int(category.removeprefix("Stage ")) - 1]
        assert sum(one.values[index] for one in chart.series) == pytest.approx(stage.total / 2**30)


def test_waterfall_ends_at_the_total(plan: TrainingPlan, as_of: date) -> None:
    view = report(plan, as_of)
    chart = view.chart
    assert isinstance(chart, Spans)
    *steps, total = chart.spans
    assert (total.label, total.start, total.marked) == ("Total", 0, True)
    assert steps[-1].end == pytest.approx(total.end)
    assert total.end == pytest.approx(plan.middle.programme_cost_usd / 1e3)
    assert view.tiles[0].value == total.text == usd(plan.middle.programme_cost_usd)
    assert steps[-1].label == "Restarts, ramp and evaluation"
    assert [one.start for one in steps[1:]] == [one.end for one in steps[:-1]]


def test_conventions_give_one_row_each_and_mark_the_plans_own(plan: TrainingPlan, as_of: date) -> None:
    rows = _table(part_on(report(plan, as_of), "Conventions")).rows
    assert [row.cells[0] for row in rows if row.kind == "marked"] == ["matmul"]
    # 6 x 8 030 261 248 parameters: 48.2 GFLOP a token.
    assert next(row.cells[1] for row in rows if row.cells[0] == "6nd") == "48.2"


def test_market_based_emissions_are_an_account_of_their_own(plan: TrainingPlan, as_of: date) -> None:
    labels = [row.cells[0] for row in _table(part_on(report(plan, as_of), "Energy and carbon")).rows]
    assert "Emissions, market-based" in labels
    without = _plan(covered_share=None)
    labels = [row.cells[0] for row in _table(part_on(report(without, as_of), "Energy and carbon")).rows]
    assert "Emissions, market-based" not in labels


def test_a_small_run_is_told_in_small_units(as_of: date) -> None:
    small = _plan(tokens=1e8)
    view = report(small, as_of)
    rows = {row.cells[0]: row.cells[1] for row in _table(part_on(view, "Time"), "The run in figures").rows}
    assert (rows["Training time"], rows["Cost"], rows["Whole run, carbon, location-based"]) == (
        "s",
        "USD",
        "kgCO\u2082e",
    )
    total = _table(part_on(view, "Cost")).rows[-1].cells[1]
    assert total == f"{small.middle.programme_cost_usd:.2f}"


def test_adapters_have_one_mfu_on_tile_and_table(as_of: date) -> None:
    view = report(_plan(lora_rank=16, tp=1, pp=1), as_of)
    tile = next(tile for tile in view.tiles if tile.label == "Of peak compute (MFU)")
    section = part_on(view, "Conventions")
    marked = next(row for row in _table(section).rows if row.kind == "marked")
    assert float(marked.cells[2]) == pytest.approx(float(tile.value.split("\u00a0")[0]), abs=0.05)
    assert [row.cells[0] for row in _table(section).rows] == ["matmul", "hardware"]
    assert marked.cells[3].startswith("4 x parameters that multiply + 6 x adapters")
    rows = {row.cells[0]: row.cells[1] for row in _table(part_on(view, "Assumptions")).rows}
    assert rows["Trained"] == "LoRA, rank 16 on attention"


@pytest.mark.parametrize("changes", [{"tokens": 1e4, "price_usd_per_gpu_hour": 0.02}, {"tokens": 1e7}],
                         ids=("thousandths of a cent", "cents"))  # fmt: skip
def test_no_text_of_a_small_run_rounds_to_nothing(changes: dict[str, Any], as_of: date) -> None:
    view = report(_plan(other_usd=0, **changes), as_of)
    for text in texts_of(view):
        assert not re.match(r"0 (GPU-hours|[*/])", text), text
        assert not re.search(r"\$0\.0+(?!\d)", text), text
    total, *_ = (row.cells[1] for row in _table(part_on(view, "Cost")).rows if row.kind == "total")
    assert float(total) == pytest.approx(_plan(other_usd=0, **changes).middle.programme_cost_usd, rel=0.01)


def test_a_run_that_costs_nothing_is_reported(as_of: date) -> None:
    view = report(_plan(price_usd_per_gpu_hour=0), as_of)
    assert part_on(view, "Cost").message == "The whole run costs $0, $0 at both ends of the range"
