"""What shows a whole batch: equal outcomes give equal bytes, and each file carries the record that it was made of."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.batch import index_html
from sizebook.batch.comparison_files import ComparisonOptions, write_comparison
from sizebook.batch.index_html import write_index_page
from sizebook.batch.index_table import Line, lines_of
from sizebook.batch.index_workbook import write_index
from sizebook.batch.inspection import inspect
from sizebook.batch.journal import Outcome
from sizebook.batch.scenario_list import Row
from sizebook.core.figure_label import FigureLabel

COST, TIME = FigureLabel("Cost", "USD"), FigureLabel("Time per output token", "seconds")
DAY = "1795132800"  # 2026-11-20
MAKE = "import sys; from tests.batch.test_indexes import make; make(sys.argv[1])"


def make(folder: str) -> list[Path]:
    """Write indexes and comparison of two scenarios that are done and one that is not."""
    done = [Line(f"s{n}", "gpt-2", True, {"pdf": f"s{n}.pdf"}, {COST: 100.0 * n, TIME: 0.04 / n}, "") for n in (1, 2)]
    lines, where = [*done, Line("s3", "gpt-3", False, {}, {}, "s3: refused")], Path(folder)
    return [
        write_index(lines, where),
        write_index_page(lines, where),
        *write_comparison(lines, where, ComparisonOptions()),
    ]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", DAY)
        return make(str(tmp_path_factory.mktemp("indexes")))


def test_another_process_writes_the_same_bytes(written: list[Path], tmp_path: Path) -> None:
    surroundings = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": DAY}
    subprocess.run([sys.executable, "-c", MAKE, str(tmp_path)], env=os.environ | surroundings, check=True)
    assert [path.name for path in written] == ["index.xlsx", "index.html", "comparison.html", "comparison.pdf"]
    for path in written:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_each_carries_a_record_that_holds_today(written: list[Path]) -> None:
    for path in written:
        found = inspect(path)
        assert (found.record["batch"], found.causes, found.problem) == (3, (), ""), path.name


@pytest.mark.parametrize("tables", ["service", "phases"])
def test_a_line_names_each_model_of_a_scenario_once(tables: str) -> None:
    values = {tables: [{"model": name} for name in ("qwen3-32b", "gpt-2", "qwen3-32b")]}
    (line,) = lines_of([Outcome(Row("here", Path(), "s", values), None, "s: refused")])
    assert (line.models, line.is_done, line.remarks) == ("qwen3-32b, gpt-2", False, "s: refused")


def test_charts_of_the_index_state_their_titles_and_fit_the_paper(written: list[Path]) -> None:
    """A title that only refers to its cell is drawn by LibreOffice as "Chart Title"."""
    with zipfile.ZipFile(written[0]) as package:
        parts = sorted(name for name in package.namelist() if re.fullmatch(r"xl/charts/chart\d+\.xml", name))
        drawn = [package.read(name).decode() for name in parts]
    titles = [re.search(r"<(?:c:)?strCache>.*?<(?:c:)?v>(.*?)</", chart, re.DOTALL) for chart in drawn]
    assert [found and found[1] for found in titles] == ["Cost, USD", "Time per output token, seconds"]
    # Bars say what they are with digits, their axis in round numbers.
    formats = [re.findall(r'<(?:c:)?numFmt formatCode="([^"]*)"', chart) for chart in drawn]
    assert [sorted(each) for each in formats] == [["[&gt;=1000]#,##0;General", "[&gt;=100]#,##0;[=0]0;0.00##"]] * 2
    sheet = load_workbook(written[0])["Charts"]
    # Ten columns of 11 letters, each letter 5.6 points of a scaled page, beside margins of 0.3 inches on 595 points.
    assert 10 * 11 * 5.6 * 0.89 <= 595 - 2 * 0.3 * 72
    assert (sheet.page_setup.orientation, sheet.page_setup.paperSize, sheet.page_setup.scale) == ("portrait", 9, 89)
    # A chart of three lines takes 12 rows, heading and space two; in 0.10.0 24 on a page of its own.
    assert sheet.print_area == "'Charts'!$B$1:$K$28"


@pytest.mark.parametrize(("n", "pages"), [(3, 1), (40, 2)])
def test_charts_of_the_index_share_pages(n: int, pages: int, tmp_path: Path) -> None:
    """Three charts: of few scenarios they stand on one upright page, of forty two on each."""
    figures = (COST, TIME, FigureLabel("Power", "kW"))
    lines = [Line(f"s{at}", "m", True, {}, dict.fromkeys(figures, float(at + 1)), "") for at in range(n)]
    sheet = load_workbook(write_index(lines, tmp_path))["Charts"]
    assert (len(sheet.row_breaks.brk) + 1, len(sheet._charts)) == (pages, 3)


def test_labels_of_the_page_leave_the_unit_to_the_axis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the longest bar there is room for a figure, not for "10⁹ parameters"."""
    shown: dict[str, Any] = {}
    monkeypatch.setattr(index_html, "fill_template", lambda name, **given: shown.update(given) or name)
    lines = [Line(f"s{n}", "gpt-2", True, {}, {COST: 100.0 * n}, "") for n in (1, 2)]
    write_index_page(lines, tmp_path)
    [chart] = shown["charts"]
    assert [bar.text for bar in chart.bars] == ["100", "200"]
    assert "Cost, USD" in vars(chart).values()
