"""The table `layouts` in somebody's own workbook: what the search finds, each as the plan of that layout gives it."""

import json
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.table import Table

from sizebook.batch import extra_tables
from sizebook.batch.anchor_values import supply_names
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.errors import SizebookError
from sizebook.core.sections import leaves
from sizebook.plans.training.alternatives import LayoutFigures
from sizebook.workbooks.filling import fill_from
from sizebook.workbooks.template_check import check_template
from tests.commands import run
from tests.refused import message_of

RUN: dict[str, Any] = {
    "plan": "training", "model": "llama-3.1-70b", "gpu": "h200-sxm", "gpus": 64, "tokens": 2e12, "seq": 8192,
    "batch": 256, "price_usd_per_gpu_hour": 3.0,
}  # fmt: skip
HEADS = tuple(leaf.name for leaf in leaves(LayoutFigures))


def book(path: Path, name: str = "layouts", heads: tuple[str, ...] = HEADS) -> Path:
    found = Workbook()
    sheet = found.worksheets[0]
    sheet.append(heads)
    sheet.append([None] * len(heads))
    sheet.add_table(Table(displayName=name, ref=f"A1:{'ABCDEFGHIJ'[len(heads) - 1]}2"))
    found.save(path)
    return path


def rows(template: Path, values: dict[str, Any]) -> list[dict[str, Any]]:
    found = plan_scenario(values, "here.toml", Path())
    path = fill_from(template, found.supply, template.with_name("out.xlsx")).path
    shown = load_workbook(path).worksheets[0].iter_rows(min_row=2, values_only=True)
    return [dict(zip(HEADS, row, strict=True)) for row in shown]


def figure(name: str, **changed: Any) -> Any:
    found = plan_scenario({**RUN, **changed}, "here.toml", Path())
    return next(figure.value for figure in found.contents.figures if figure.name == name)


def test_the_table_is_the_search_and_each_row_the_plan_of_its_layout(tmp_path: Path) -> None:
    shown = rows(book(tmp_path / "own.xlsx"), RUN)
    lines = [f"{key} = {json.dumps(value)}" for key, value in RUN.items()]
    scenario = tmp_path / "run.toml"
    scenario.write_text("\n".join(lines))
    printed = run("plan", "train", scenario, "--layouts", "--json")
    searched = json.loads(printed.output)["layouts"]
    assert [row["layout"] for row in shown] == [each["layout"]["name"] for each in searched]
    for name in ("memory_bytes", "step_seconds", "tokens_per_s_per_gpu"):
        assert [row[name] for row in shown] == pytest.approx([each[name] for each in searched])
    assert [row["chosen"] for row in shown] == [True] + [False] * (len(shown) - 1)
    assert shown[0]["step_over_fastest"] == 1
    assert shown[0]["step_seconds"] == pytest.approx(figure("step_seconds"))
    assert shown[0]["mfu"] == pytest.approx(figure("mfu"))
    second = searched[1]["layout"]
    stated = {
        key: second[key] for key in ("tp", "pp", "dp", "cp", "zero_stage", "micro_batch", "recompute", "interleave")
    }
    assert shown[1]["step_seconds"] == pytest.approx(figure("step_seconds", **stated))
    assert shown[1]["mfu"] == pytest.approx(figure("mfu", **stated))
    said = [(row["reason"] or "").partition(" ")[0] for row in shown]
    assert said == ["needs" if row["memory_bytes"] > 140 * 2**30 else "" for row in shown] == [""] * 10 + ["needs"] * 10


def test_a_stated_layout_is_marked_where_it_stands(tmp_path: Path) -> None:
    shown = rows(book(tmp_path / "own.xlsx"), {**RUN, "tp": 8, "pp": 8, "micro_batch": 1})
    assert not any(row["chosen"] for row in shown)  # it is not among the fastest
    assert all("mb1" in row["layout"] for row in shown)


def test_nothing_is_searched_before_a_workbook_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(extra_tables, "layouts_of", lambda *_: asked.append("searched"))
    found = plan_scenario({**RUN, "tp": 8}, "here.toml", Path())
    fill_from(book(tmp_path / "own.xlsx", "cases", ("step_seconds",)), found.supply, tmp_path / "out.xlsx")
    assert asked == []


def test_a_search_that_finds_nothing_is_said_and_nothing_written(tmp_path: Path) -> None:
    """Nine GPUs as stated, tensors in three parts; the grid halves them only, and divides no micro-batch."""
    values = {**RUN, "model": "gpt-2-small", "gpus": 9, "batch": 9, "micro_batch": 9, "tp": 3, "pp": 3, "seq": 1024}
    assert message_of(SizebookError, lambda: rows(book(tmp_path / "own.xlsx"), values)) == (
        "table layouts: no layout divides: got 9 GPUs and a batch of 9 with micro_batch 9, want a batch that dp x "
        "micro_batch divides. Use a batch that is a multiple of 81, or remove micro_batch."
    )
    assert not (tmp_path / "out.xlsx").exists()


def test_a_check_knows_the_table_without_a_scenario(tmp_path: Path) -> None:
    found = check_template(book(tmp_path / "own.xlsx"), names=supply_names())
    assert found.anchors == (f"layouts  Sheet!A1:H2  the table layouts: {', '.join(HEADS)}",)
