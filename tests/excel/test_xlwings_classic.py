"""Every function of the registry through xlwings' classic `call_udf`, with stand-ins for Windows' COM."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.coercion import as_rows
from sizebook.core.registry import Function
from sizebook.dashboard.catalog_models import Model
from sizebook.dashboard.model_columns import BY_NAME
from sizebook.excel import classic
from sizebook.functions import load
from tests.commands import python

CLIENT = Path(__file__).with_name("classic_client.py")
FUNCTIONS = list(load().values())
# What COM hands over for an argument left out, and for an error cell.
MISSING = -2147352572
NOT_AVAILABLE = -2146826246

CASES: dict[str, tuple[list[Any], list[list[Any]]]] = {
    "argument left out": (["PARAMS_LN", [512.0, MISSING]], [[1024.0]]),
    "empty cell": (["PARAMS_LN", [512.0, None]], [[1024.0]]),
    "1x1 range": (["PARAMS_LN", [[[512.0]], True]], [[1024.0]]),
    "3x2 range": (
        ["PARAMS_LN", [[[512.0, "many"], [0.0, 256.0], [NOT_AVAILABLE, None]], True]],
        [[1024.0, "#VALUE!"], ["#NUM!", 512.0], ["#N/A", "#VALUE!"]],
    ),
    "text where a number belongs": (["PARAMS_LN", ["many", MISSING]], [["#VALUE!"]]),
    "negative": (["PARAMS_LN", [-1.0, MISSING]], [["#NUM!"]]),
    "zero": (["PARAMS_LN", [0.0, MISSING]], [["#NUM!"]]),
    "huge": (["PARAMS_MHA", [1e300, MISSING]], [["#NUM!"]]),
    "error cell": (["PARAMS_LN", [NOT_AVAILABLE, MISSING]], [["#N/A"]]),
    "unknown key": (["MODEL_BYTES", [8.0, "fp31"]], [["#N/A"]]),
    "folder of the workbook": (["FILES_BESIDE", ["a folder"]], [[""]]),
    "why": (
        ["SIZEBOOK_WHY", ["MODEL_BYTES", "8k", "fp32", *[MISSING] * 18]],
        [["parameters is ambiguous: got '8k', want plain digits. Write 8000 or 8 x 1024 in full."]],
    ),
}


def example_call(function: Function) -> list[Any]:
    given = function.example[0]
    return [function.name, [given.get(a.name, MISSING) for a in function.arguments]]


@pytest.fixture(scope="module")
def results() -> dict[str, list[list[Any]]]:
    """What Excel for Windows is given: one process answers all calls."""
    calls = {f.name: example_call(f) for f in FUNCTIONS} | {name: call for name, (call, _) in CASES.items()}
    known = {"PYTHONPATH": ":".join(sys.path), "XLWINGS_LICENSE_KEY": ""}
    done = python(CLIENT, input=json.dumps(list(calls.values())), env=known)
    assert done.returncode == 0, done.stderr
    return dict(zip(calls, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_cell_shows_the_example_figure(results: dict[str, list[list[Any]]], function: Function) -> None:
    value = function.example[1]
    want = as_rows(value) or [[value]]
    assert results[function.name] == [
        [pytest.approx(c, rel=1e-12) if isinstance(c, float) else "" if c is None else c for c in r] for r in want
    ]


@pytest.mark.parametrize("case", CASES)
def test_cell_shows_the_case(results: dict[str, list[list[Any]]], case: str) -> None:
    assert results[case] == CASES[case][1]


def test_the_macro_opens_the_page_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setenv("SIZEBOOK_DATA", str(tmp_path / "own"))
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(
        "sizebook.dashboard.catalog_models.published_models",
        lambda: [Model("own:Ours", "Ours", dict.fromkeys(BY_NAME))],
    )
    page = Path(classic.PAGE_OF_MODELS())
    assert page == tmp_path / "own" / "models.html" and opened == [page.as_uri()]
    assert "Ours" in page.read_text(encoding="utf-8")
