"""Formulas copied over many cells are rewritten once; each must still read as its own cell asks."""

from pathlib import Path
from typing import Any

import pytest

from sizebook.calculation import ErrorCode, recalculate
from sizebook.calculation.copies import relative, template
from sizebook.calculation.package import Package
from sizebook.calculation.preparation import prepare
from sizebook.calculation.tokens import Area, shifted
from sizebook.functions import load
from tests.calculation.grids import calculate, saved
from tests.row_lists import listed


@pytest.mark.parametrize(*listed("calculation", "test_copies_read_the_same_from_their_cells"))
def test_copies_read_the_same_from_their_cells(formula: str) -> None:
    here, there = (Area("S", row, column, bottom=row, right=column) for row, column in ((5, 6), (12, 9)))
    seen = relative(formula, here)
    assert template(seen).written(here.top, here.left) == formula
    assert relative(shifted(formula, 7, 3), there) == seen
    assert template(seen).written(there.top, there.left) == shifted(formula, 7, 3)


def test_copies_of_our_calls_read_the_same_from_their_cells_for_the_engine(tmp_path: Path) -> None:
    """The engine takes a formula apart once for all cells that hold copies of it, and not where numbers differ."""
    formulas = {f"B{at}": f"=EDATE(A{at},1)+PARAMS_LINEAR(A{at},{n})" for at, n in enumerate((2, 2, 3), 1)}
    rewritten = prepare(Package.read(saved(tmp_path / "copies.xlsx", formulas)), load()).rewritten
    cells = [Area("Main", row, 2, bottom=row, right=2) for row in range(1, 4)]
    first, copy, other = (relative(rewritten[number], at) for number, at in enumerate(cells))
    assert first == copy != other
    assert [text.rpartition(",")[2] for text in rewritten.values()] == ["2))", "2))", "3))"]


# What stands in rows 1 to 3, where A1:A3 are 1, 2, 3, and what each row shows.
COLUMNS = {
    "C": (["=A1*scale", "=A2*scale", "=A3*scale"], [2, 4, 6]),
    "D": (["=Q1!$A$1+scale", "=Q2!$A$1+scale", "=Q2!$A$1+scale"], [12, 22, 22]),
    "E": (['="r1"&scale', '="r2"&scale', '="r3"&scale'], ["r12", "r22", "r32"]),
    "F": (["=rate1*A1", "=rate2*A2", "=rate3*A3"], [5, 14, 27]),
    "G": (["=SUM(Q1:Q2!A1)", "=SUM(Q1:Q2!A2)", "=SUM(Q1:Q2!A3)"], [30, 3, 0]),
    "H": (["=PARAMS_MHA(A1)", "=PARAMS_MHA(A2)", "=PARAMS_MHA(A3)"], [8, 24, 48]),
    "J": (["=A$1:A$2*scale", "=A$1:A$2*scale", "=A$1:A$2*scale"], [2, 4, ErrorCode("#VALUE!")]),
    "K": (["=SUM(Q1!1:1)*scale", "=SUM(Q1!2:2)*scale", "=SUM(Q1!3:3)*scale"], [20, 2, 0]),
    "L": (["=beside+1", "=beside+1", "=beside+1"], [2, 3, 4]),
    "M": (["=DAY(A1*scale)", "=DAY(A2*scale)", "=DAY(A3*scale)"], [2, 4, 6]),
}


def test_each_copy_is_calculated_for_its_own_cell(tmp_path: Path) -> None:
    cells: dict[str, Any] = {"Q1!A1": 10, "Q1!A2": 1, "Q2!A1": 20, "Q2!A2": 2}
    names = {"scale": "2", "rate1": "5", "rate2": "7", "rate3": "9", "beside": "Main!$A1"}
    for row in (1, 2, 3):
        cells |= {f"A{row}": row, f"I{row}": f"=PARAMS_MHA(-A{row})"}
        cells |= {f"{column}{row}": formulas[row - 1] for column, (formulas, _) in COLUMNS.items()}
    found = calculate(tmp_path, cells, names)
    shown = {column: [found["Main", f"{column}{row}"] for row in (1, 2, 3)] for column in COLUMNS}
    assert shown == {column: values for column, (_, values) in COLUMNS.items()}
    for row in (1, 2, 3):  # the message of each call stands at its own cell
        assert f"got -{row}," in found.problems["Main", f"I{row}"]


def test_areas_of_unequal_size_are_refused_below_a_formula_of_equal_ones(tmp_path: Path) -> None:
    """Excel shows #N/A where an operator works on three rows and two; the engine would show another error."""
    cells: dict[str, Any] = {"A1": 1, "A2": 2, "A3": 3, "B1": 10, "B2": 20, "B3": 30}
    cells |= {"C1": "=SUMPRODUCT($A$1:$A$3*$B$1:$B$3)", "C2": "=SUMPRODUCT($A$1:$A$3*$B$1:$B$2)"}
    cells |= {"D1": "=SUMPRODUCT(A1:A3*B1:B3)", "D2": "=SUMPRODUCT(A2:A3*B2:B6)"}
    found = calculate(tmp_path, cells)
    assert [found["Main", cell] for cell in ("C1", "D1")] == [140, 140]  # 1 x 10 + 2 x 20 + 3 x 30
    for cell in ("C2", "D2"):
        assert ("Main", cell) in found.not_calculated
        assert found.problems["Main", cell].endswith("cannot be calculated: it works with arrays of unequal size")


@pytest.fixture
def turned(tmp_path: Path) -> Path:
    """A1:B8 hold 1 to 8 and tens of them, in column D stand areas from their end; programs write such, Excel reads."""
    cells: dict[str, Any] = {f"J{row}": formula for row, formula in enumerate(TURNED, 1)}
    for row in range(1, 9):
        cells |= {
            f"A{row}": row, f"B{row}": 10 * row, f"C{row}": f"=SUM(A$5:A{row})", f"D{row}": f"=SUM(A$5:A{row})*scale",
            f"E{row}": f"=SUM(from_5)+0*A{row}", f"F{row}": f"=SUM($B{row}:A{row})",
        }  # fmt: skip
    names = {"scale": "90", "two": "Main!$B$5:$B$4", "from_5": "Main!$B$5:$B1"}
    return saved(tmp_path / "turned.xlsx", cells, names)


TURNED = {
    "=SUM(B5:B4)": 90, "=ROWS(B5:B4)": 2, "=SUM(B2:A1)": 33, "=SUM(B$5:$A4)": 99, "=SUM(B:A)": 396, "=SUM(20:19)": 0,
    "=SUM(two)": 90, '=SUM(INDIRECT("B5:B4"))': 90, "=COUNTIF(B5:B2,20)": 1, "=SUM(A3:B4 B5:B4)": 40,
    "=B8:B8+1": 81, "=B8:B9+1": ErrorCode("#VALUE!"),
}  # fmt: skip
FROM_5 = [15, 14, 12, 9, 5, 11, 18, 26]  # 1 + 2 + 3 + 4 + 5 down to 5, and up to 5 + 6 + 7 + 8


def test_areas_from_their_end_are_those_from_their_beginning(turned: Path) -> None:
    found = recalculate(turned)
    assert {text: found["Main", f"J{row}"] for row, text in enumerate(TURNED, 1)} == TURNED
    for column, times in (("C", 1), ("D", 90), ("E", 10)):
        assert [found["Main", f"{column}{row}"] for row in range(1, 9)] == [times * each for each in FROM_5]
    assert [found["Main", f"F{row}"] for row in range(1, 9)] == [11 * row for row in range(1, 9)]


@pytest.mark.parametrize("column", ["C", "D"])
@pytest.mark.parametrize("first", [1, 5])
def test_cells_that_share_a_formula_may_turn_its_area(turned: Path, column: str, first: int) -> None:
    """Excel writes formulas that were filled down so: the text in the first cell, in the others its number."""
    package = Package.read(turned)
    for cell in package.xml("xl/worksheets/sheet1.xml", change=True).iter():
        address = cell.get("r", "")
        if address[:1] == column and int(address[1:]) >= first:
            cell[0].attrib.update({"t": "shared", "si": "0"})
            if address == f"{column}{first}":
                cell[0].set("ref", f"{address}:{column}8")
            else:
                cell[0].text = None
    package.save(turned)
    found, times = recalculate(turned), 1 if column == "C" else 90
    assert [found["Main", f"{column}{row}"] for row in range(1, 9)] == [times * each for each in FROM_5]
