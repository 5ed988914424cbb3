"""A template that a process fills again has its formulas read once, and shows what a process of its own would show."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName

from sizebook.calculation import kept_model, recalculate
from sizebook.core.errors import InputError
from sizebook.workbooks.filling import fill

DEFAULTS = {"width": 'default: "=A1*10"', "kind": 'default: "bf16"', "note": "default: null"}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The workbooks whose formulas this process read."""
    found: list[str] = []
    real = kept_model.read_model
    monkeypatch.setattr(kept_model, "KEPT", kept_model.KeptModel())
    monkeypatch.setattr(kept_model, "read_model", lambda *given: [found.append(given[0].path.name), real(*given)][1])
    yield found


def template(folder: Path, total: str = "=A1+A2") -> Path:
    book = Workbook()
    sheet: Any = book.worksheets[0]
    sheet.title = "Plan"
    for name, row in (("count", 1), ("width", 2), ("kind", 3), ("note", 4)):
        style = "Input" if name == "count" else "Optional input"
        if style not in book.named_styles:
            book.add_named_style(NamedStyle(style))
        sheet.cell(row, 1).style = style
        book.defined_names[name] = DefinedName(name, attr_text=f"Plan!$A${row}", comment=DEFAULTS.get(name))
    sheet["A2"] = "=A1*10"
    sheet["B1"], sheet["B2"] = total, '=A3&IF(ISBLANK(A4),"",LEN(A4))'
    sheet["B3"], sheet["B4"] = "=PARAMS_MHA(A1)", "=1/(A1-9)"
    book.save(folder / "plan.xlsx")
    return folder / "plan.xlsx"


def shown(path: Path, **given: Any) -> list[Any]:
    done = fill(path, given, path.with_name("out.xlsx"))
    return [done.calculated["Plan", at] for at in ("A2", "B1", "B2", "B3")]


def test_formulas_are_read_once_and_every_value_counts(tmp_path: Path, read: list[str]) -> None:
    path = template(tmp_path)
    # B1 is A1 + A2, A2 10 A1; four matrices of A1 squared with a bias each are 4 A1 (A1 + 1) parameters.
    assert shown(path, count=2) == [20, 22, "bf16", 24]
    assert (shown(path, count=3), read) == ([30, 33, "bf16", 48], ["plan.xlsx"])
    assert shown(path, count=4, kind="fp8", note="four") == [40, 44, "fp84", 80]
    assert shown(path, count=5, kind="_x0041_") == [50, 55, "_x0041_", 120]
    assert shown(path, count=2, note="") == [20, 22, "bf160", 24]
    assert shown(path, count=2) == [20, 22, "bf16", 24]
    assert read == ["plan.xlsx"]
    assert fill(path, {"count": 9}, tmp_path / "out.xlsx").problems == ["Plan!B4: =1/(A1-9) gives #DIV/0!"]
    assert fill(path, {"count": 8}, tmp_path / "out.xlsx").problems == []


def test_other_formulas_are_read_anew(tmp_path: Path, read: list[str]) -> None:
    path = template(tmp_path)
    assert [shown(path, count=2)[1], shown(path, count=2)[1]] == [22, 22]
    assert [shown(path, count=2, width=width)[1] for width in (7, 8, 9)] == [9, 10, 11]  # in place of a formula
    template(tmp_path, "=A1*5+A2")
    assert [shown(path, count=2)[1] for _ in range(3)] == [30, 30, 30]


def test_what_was_never_worked_out_is_not_read(tmp_path: Path, read: list[str]) -> None:
    path = template(tmp_path, "=A1+B1")
    for _ in range(3):
        with pytest.raises(InputError, match="circular formulas: got Plan!B1"):
            shown(path, count=2)
    assert read == []


def test_a_workbook_of_chart_sheets_alone_is_read_again(tmp_path: Path, read: list[str]) -> None:
    book = Workbook()
    book.create_chartsheet("Chart")
    book.remove(book.worksheets[0])
    book.save(tmp_path / "charts.xlsx")
    assert [dict(recalculate(tmp_path / "charts.xlsx").values) for _ in range(3)] == [{}, {}, {}]
