"""Plans from Python: the figures, tables and files are those of the other surfaces; bad input gets their messages."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from openpyxl import load_workbook

import sizebook as sb
from sizebook.batch.formats import FORMATS
from sizebook.batch.output_schema import schema
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.scenarios.scenario_files import read_toml

SCENARIOS = Path(__file__).resolve().parents[2] / "reports"
SERVING = SCENARIOS / "serving-llama-3.1-70b.toml"
KEYS = {
    "plan": "serving",
    "model": "llama-3.1-8b",
    "gpu": "h100-sxm",
    "as_of": "2026-11-21",
    "input_tokens": 2000,
    "output_tokens": 300,
}


@pytest.fixture(scope="module")
def plan() -> Any:
    return sb.plan(KEYS, requests_per_day=1e6, months=2)


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.toml")), ids=lambda path: path.stem)
def test_json_is_what_a_batch_writes(path: Path) -> None:
    planned = plan_scenario(read_toml(path), path.name, path.parent)
    written = sb.plan(path).to_json()
    assert written.encode() == FORMATS["json"].content(planned)
    jsonschema.validate(json.loads(written), schema())


def test_figures_months_and_tables_are_those_of_the_json(plan: Any) -> None:
    written = json.loads(plan.to_json())
    assert dict(plan.figures) == {name: each["value"] for name, each in written["figures"].items()}
    assert plan.months == written["tables"]["months"] and len(plan.months) == 2
    assert plan.table("months", "polars").to_dicts() == plan.months
    assert plan.table("months", "pandas").to_dict("records") == plan.months
    figures = plan.table("figures", "polars")
    assert figures.columns == ["name", "label", "unit", "value", "text"] and figures.height == len(plan.figures)
    numbers = {row["name"]: row["value"] for row in figures.iter_rows(named=True) if row["text"] is None}
    assert numbers["usd"] == plan.figures["usd"] and figures["value"].dtype.is_float()


def test_keywords_stand_in_place_of_keys() -> None:
    changed = sb.plan(SERVING, gpu="b200-sxm", title="Other")
    values = {**read_toml(SERVING), "gpu": "b200-sxm", "title": "Other"}
    assert changed.figures == sb.plan(values).figures != sb.plan(SERVING).figures


def test_files_and_first_page(plan: Any, tmp_path: Path) -> None:
    assert plan.report(tmp_path / "plan.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    book = load_workbook(plan.fill(tmp_path / "plan.xlsx"), data_only=True)
    assert "Result" in book.sheetnames
    shown = plan._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "To know before using the figures" in shown
    lines = repr(plan).splitlines()
    assert lines[0] == "serving plan" and lines[1].split() == [
        "gpus_per_replica",
        "1",
        "GPU",
        "GPUs",
        "of",
        "a",
        "replica",
    ]


def test_a_figure_is_explained_by_its_formula(plan: Any) -> None:
    lines = plan.explain("peak_gpus_first").splitlines()
    assert any(line.startswith("  formula  ") for line in lines) and any(line.startswith("  source ") for line in lines)
    assert f"  result   {plan.figures['peak_gpus_first']} GPUs" in lines
    assert plan.explain().count("  formula  ") > 10
    assert plan.explain("gpus in the busiest hour") == plan.explain("GPUs in the busiest hour") != plan.explain()


def test_a_cost_is_explained_by_its_months(plan: Any) -> None:
    """Two months of the same traffic: the numbers of the sum are both, and a step says how one came about."""
    first, second = (month["usd"] for month in plan.months)
    total, month = plan.explain("usd").split("\n\n", 1)
    assert total.splitlines()[:2] == ["Cost", "  formula  sum over months"]
    assert f"  numbers  {first:,.0f} + {second:,.0f}".replace(",", "") in total.replace("\u202f", "").replace(
        "\xa0", ""
    )
    assert month.startswith("Cost a month\n")


def test_figures_tell_the_nearest_name_and_read_as_lines(plan: Any) -> None:
    with pytest.raises(sb.SizebookError, match=r"^unknown figure: got 'usdd', want a figure of this serving plan\."):
        _ = plan.figures["usdd"]
    assert plan.figures.get("usdd", 3) == 3 and "usd" in plan.figures and "usdd" not in plan.figures
    assert len(repr(plan.figures).splitlines()) == len(plan.figures)


def test_the_catalog_names_what_arguments_take() -> None:
    models, gpus = sb.catalog("models"), sb.catalog("hardware", "pandas")
    row = {"model": models["key"].to_list(), "gpu": gpus["key"].tolist()}
    assert "llama-3.1-8b" in row["model"] and "h100-sxm" in row["gpu"]
    assert sb.catalog("prices")["usd_per_gpu_hour"].dtype.is_float()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda plan, _: plan.table("month"),
            "unknown table: got 'month', want 'months', or one of figures, volumes. Correct it.",
        ),
        (lambda plan, _: plan.table("months", "arrow"), "unknown frame: got 'arrow', want 'polars' or 'pandas'. "),
        (
            lambda plan, _: plan.explain("peak_gpu_first"),
            "unknown figure: got 'peak_gpu_first', want a figure of this serving plan. Did you mean 'peak_gpus_first'?",
        ),
        (
            lambda plan, _: plan.chart("cost"),
            "unknown chart: got 'cost', want words of a title. They are: $62.4\xa0k if all three come together; "
            "Replicas of 1 GPU by hour of month 1",
        ),
        (lambda plan, _: plan.bridge(sb.plan(model="llama-3.1-8b")), "other plans: got serving and sizing, want two"),
        (lambda plan, folder: plan.fill(folder / "a.pdf"), "cannot write: got "),
        (lambda *_: sb.plan(KEYS, gpus=3), "scenario: "),
        (
            lambda *_: sb.plan(model="llama-3.1-8b", gpu="h100-sxm"),
            "scenario: no plan: got gpu without one, want plan = 'training' or 'serving'. Add that line; a scenario "
            "that names none is sizing.",
        ),
        (
            lambda *_: sb.plan("llama-3.1-8b", gpu="h100-sxm"),
            "no scenario: got 'llama-3.1-8b', want the path of a TOML file or keywords. Write the file's ending, or "
            "sb.plan(plan='serving', model='llama-3.1-8b', ...).",
        ),
        (lambda *_: sb.catalog("gpus"), "unknown catalog: got 'gpus', want one of models, hardware, prices. "),
        (lambda *_: sb.plan(model="lama-3.1-8b"), "unknown model: got 'lama-3.1-8b', want a key"),
        (lambda *_: sb.sweep(3), "no table: got 3, want a DataFrame, a dict of columns or a list of dicts."),
    ],
)
def test_refusals(plan: Any, tmp_path: Path, call: Any, message: str) -> None:
    with pytest.raises(sb.SizebookError, match=f"^{re.escape(message)}"):
        call(plan, tmp_path)


def test_sweep_gives_the_rows_that_the_command_writes() -> None:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    row = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "input_tokens": 2000, "output_tokens": 100, "concurrency": 8}
    found = sb.sweep([row, {**row, "gpu": "none"}])
    assert isinstance(found, polars.DataFrame)
    assert found["ttft_seconds"][0] == pytest.approx(sb.ttft_seconds("llama-3.1-8b", "h100-sxm", 2000, 100, 8))
    assert found["reason"][0] == "" and "unknown gpu: got 'none'" in found["reason"][1]
    with pytest.warns(UserWarning, match="columns kept but not read: colour"):
        again = sb.sweep(pandas.DataFrame([{**row, "colour": "red"}]))
    assert isinstance(again, pandas.DataFrame) and again["ttft_seconds"][0] == found["ttft_seconds"][0]


def test_charts_are_those_of_the_report(plan: Any) -> None:
    drawn = plan.chart("TIME per token")
    assert drawn.title in plan.charts and drawn.title.startswith("Time per token: ")
    assert drawn._repr_svg_().startswith("<svg") and "Requests in flight on one replica" in drawn.svg
    assert 'font-family="Inter, Helvetica, Arial, sans-serif"' in drawn.svg and 'font-family="Inter"' not in drawn.svg
    assert repr(drawn).startswith("Lines of TPOT over Requests in flight on one replica. Time per token: ")


def test_a_bridge_holds_what_each_changed_input_adds() -> None:
    """Every step is the difference of two plans, the second with one key more changed."""
    one, more, both = (
        sb.plan(KEYS, requests_per_day=1e6, months=2, **changed)
        for changed in ({"title": "A"}, {"output_tokens": 600}, {"title": "B", "output_tokens": 600, "gpu": "h200-sxm"})
    )
    bridge = one.bridge(both)
    assert bridge.ends == ("A", "B") and (bridge.start, bridge.end) == (one.figures["usd"], both.figures["usd"])
    assert [name for name, _ in bridge.bars] == ["gpu", "output_tokens"]
    assert one.bridge(more).bars == [("output_tokens", more.figures["usd"] - one.figures["usd"])]
    assert repr(bridge).splitlines()[0].split() == ["A", f"{one.figures['usd']:,.0f}", "USD"]
    assert "Tokens of an answer" in bridge._repr_svg_()
    assert more.bridge(one).ends == ("before", "after"), "one has no title"
