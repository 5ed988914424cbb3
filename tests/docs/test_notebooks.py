"""Every notebook runs from top to bottom and shows what its file shows, on whatever day."""

import json
import re
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from shown_notebooks import as_markdown, notebooks, refreshed

from sizebook.tables.prices import valued_on
from tests.docs.test_pages import paragraphs

each_notebook = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
LATER = date(2031, 1, 1)  # of prices, were one taken without a stated day


def cells(text: str) -> list[dict[str, Any]]:
    """Return the cells of a notebook, of each chart only what is written on it: shapes are the drawing library's."""
    found: list[dict[str, Any]] = json.loads(text)["cells"]
    for output in (output for cell in found for output in cell.get("outputs", ())):
        if svg := output.get("data", {}).get("image/svg+xml"):
            output["data"]["image/svg+xml"] = sorted(unescape(each) for each in re.findall(r">([^<]+)<", "".join(svg)))
    return found


def test_there_are_three() -> None:
    assert [path.stem for path in notebooks()] == ["budget_bridge", "count_and_compare", "serving_trade_offs"]


@each_notebook
def test_it_shows_what_its_cells_print(path: Path) -> None:
    with valued_on(LATER):
        now = refreshed(path)
    assert cells(now) == cells(path.read_text(encoding="utf-8")), (
        f"run: python docs/generate.py docs/notebooks/{path.name}"
    )


@each_notebook
def test_its_file_is_small_and_of_format_4_5(path: Path) -> None:
    assert path.stat().st_size < 64_000
    book = json.loads(path.read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    fields = {"id", "cell_type", "metadata", "source"}
    wanted = {"markdown": fields, "code": fields | {"execution_count", "outputs"}}
    assert all(cell.keys() == wanted[cell["cell_type"]] for cell in book["cells"])
    names = [cell["id"] for cell in book["cells"]]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)


@each_notebook
def test_it_reads_like_a_tutorial(path: Path) -> None:
    page = as_markdown(path)
    assert page.startswith("# ") and page.count("\n## ") >= 4
    assert [part for part in paragraphs(page) if len(part.split()) > 90] == []
    assert ".ipynb)" not in page.rpartition("This page is a notebook")[0]


def test_what_a_cell_shows(tmp_path: Path) -> None:
    """Text that is printed, then the value of the last line; none of nothing; names are kept from cell to cell."""
    path = tmp_path / "a.ipynb"
    code = ["a = 2\nprint('one')\na", "a = a + 1\nNone", "a"]
    made = [{"cell_type": "code", "source": [each], "outputs": ["old"], "execution_count": 9} for each in code]
    path.write_text(json.dumps({"cells": made}), encoding="utf-8")
    shown = json.loads(refreshed(path))["cells"]
    assert [cell["execution_count"] for cell in shown] == [1, 2, 3]
    printed, value = shown[0]["outputs"]
    assert printed == {"name": "stdout", "output_type": "stream", "text": ["one\n"]}
    assert value["data"] == {"text/plain": ["2"]} and shown[1]["outputs"] == []
    assert shown[2]["outputs"][0]["data"] == {"text/plain": ["3"]}
