"""The errors of training runs left out: what the page, the command and the chart say follows from the shipped table."""

import json
import re
from pathlib import Path

import pytest

from sizebook.core.tables import table
from sizebook.validation.training_runs import GroupError, chart_title, errors, over_groups, over_runs, summary
from tests.commands import run

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _error(group: str, runs: int, unseen: float) -> GroupError:
    return GroupError(group, "dense", runs, seen_error=0, unseen_error=unseen, unseen_bias=0, within_fifth=1, in_band=1)


def test_means_weigh_by_runs_and_by_groups() -> None:
    """9 runs at 10 % and one at 30 %: 12 % of runs, 20 % of groups; a group of two kinds counts once."""
    rows = [_error("a", 4, 0.1), _error("a", 5, 0.1), _error("b", 1, 0.3)]
    assert over_runs(rows, "unseen_error") == pytest.approx(0.12)
    assert over_groups(rows, "unseen_error") == pytest.approx(0.2)


def test_the_table_holds_every_run_of_the_fit_and_the_error_its_bands_state() -> None:
    assert {int(row["runs"]) for row in table("calibration_training") if row["runs"]} == {
        sum(row.runs for row in errors())
    }
    head = (DOCS.parent / "src" / "sizebook" / "data" / "calibration_training_bands.csv").read_text().splitlines()[1]
    stated = float(re.findall(r"0\.\d+", head)[0])
    assert over_runs(errors(), "unseen_error") == pytest.approx(stated, abs=6e-4)


def test_the_chart_says_what_the_table_does() -> None:
    """One dot a run, of four series."""
    chart = (DOCS / "training_accuracy.svg").read_text()
    assert chart.count(chart_title()) == 2
    assert len(re.findall(r"M\d+ \d+h0", chart)) == sum(row.runs for row in errors())


def test_the_page_on_accuracy_quotes_the_tables() -> None:
    """Means of runs left out, and how many published layouts lie near the fastest found."""
    page = " ".join((DOCS / "training_accuracy.md").read_text().split())
    every = errors()
    runs, groups = (f"{100 * over(every, 'unseen_error'):.1f} %" for over in (over_runs, over_groups))
    held = [f"{100 * over(every, 'in_band'):.0f} %" for over in (over_runs, over_groups)]
    assert f"{runs} off in the mean, {groups} as a mean of groups; {held[0]} of runs, {held[1]} by" in page
    ampere = [row for row in every if row.kind == "dense" and " ampere " in row.group]
    assert f"dense runs on Ampere ({100 * over_groups(ampere, 'in_band'):.0f} % by group)" in page
    layouts = (DOCS / "training_layouts_table.md").read_text()
    near = dict(re.findall(r"(\w+): (\d+ of \d+) published layouts", layouts))
    assert (
        f"{near['dense']} dense ones lie within 10 %" in page and f"{near['experts']} with experts within 20 %" in page
    )
    every_row = (DOCS / "training_memory_table.md").read_text().splitlines()[-1]
    assert f"{every_row.split('|')[6].strip().replace('%', ' %')} off where everything is stated" in page


def test_the_command_prints_the_errors_beside_the_published_figures() -> None:
    said = run("validate").output.splitlines()
    assert said[-1] == summary()
    data = json.loads(run("validate", "--json").output)[-1]
    assert data["quantity"] == "training_runs_left_out" and data["cases"] == sum(row["runs"] for row in data["rows"])
    assert data["mean_error"] == over_runs(errors(), "unseen_error")
