"""Statistical functions at the ends of what they take: a grid by LibreOffice, Excel's documentation, and refusals."""

import math
from pathlib import Path
from typing import Any

import pytest

from sizebook.calculation import Calculated, ErrorCode
from tests.calculation.grids import calculate
from tests.csv_files import rows_of

# What LibreOffice 7.4 gives over the cells below for probabilities of 0 and 1, shapes of 0, counts cut off, samples of
# one value and the like; an error stands for any code, that of Excel's documentation. Measured on 23 November 2026.
VALUES = Path(__file__).with_name("end_values.csv")
COLUMNS = {"A": [1, 2, 3, 4], "B": [0.1, 0.2, 0.3, 0.4], "C": [2, 2, 2, 2], "D": [-1, 0, 5, 2]}

# Excel's documentation of each function.
DOCUMENTED = dict.fromkeys(
    ("LOGNORMDIST(0,0,1)", "EXPON.DIST(-1,1,TRUE)", "EXPONDIST(-1,1,FALSE)", "FACT(-1)", "MOD(123456789012345678,97)"),
    ErrorCode("#NUM!"),
)

# By hand. Excel 2010 and later: MOD(10,0.1) is 0.1 and MOD(0.9,0.3) 5.55112E-17, as remainders of binary fractions are.
BY_HAND = {
    "EXPON.DIST(0,3,FALSE)": 3, "COMBIN(1000,500)": float(math.comb(1000, 500)),
    "MOD(10,0.1)": 0.1 - 1e-16 * 5.5, "MOD(0.9,0.3)": 2**-54, "MOD(-7,3)": 2, "MOD(7,-3)": -2, "MOD(1E10,3)": 1,
    "HEX2DEC(\"FFFFFFFF5B\")": -165, "DEC2BIN(-100)": "1110011100", "DEC2BIN(9,4)": "1001", "OCT2DEC(7777777533)": -165,
}  # fmt: skip

# No stored value tells what Excel shows.
REFUSED = (
    "FACT(-0.5)",
    "COMBIN(5,-0.5)",
    "MOD(1.125E12,1)",
    "DEC2BIN(-9,10)",
    'HEX2BIN("FFFFFFFFFF",3)',
    "DEC2OCT(A9)",
    "NORM.DIST(TRUE=TRUE,0,1,TRUE)",
    'BITAND("3",1)',
    "ISODD(A9)",
)


def worked_out(folder: Path, formulas: list[str]) -> tuple[list[Any], Calculated]:
    cells: dict[str, Any] = {f"G{row}": f"={formula}" for row, formula in enumerate(formulas, 1)}
    for column, values in COLUMNS.items():
        cells |= {f"{column}{row}": value for row, value in enumerate(values, 1)}
    found = calculate(folder, cells)
    return [found["Main", f"G{row}"] for row in range(1, len(formulas) + 1)], found


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def test_the_ends_are_those_of_libreoffice(tmp_path: Path) -> None:
    rows = rows_of(VALUES)
    assert len(rows) > 600
    wrong = []
    for row, got in zip(rows, worked_out(tmp_path, [row["formula"] for row in rows])[0], strict=True):
        if row["kind"] == "number":
            right = is_number(got) and math.isclose(got, float(row["value"]), rel_tol=3e-9, abs_tol=1e-12)
        else:
            right = isinstance(got, ErrorCode) and got == row["value"]
        wrong += [] if right else [(row["formula"], row["value"], got)]
    assert wrong == []


@pytest.mark.parametrize("wanted", [DOCUMENTED, BY_HAND], ids=["documented", "by hand"])
def test_what_libreoffice_does_not_tell(tmp_path: Path, wanted: dict[str, Any]) -> None:
    values, found = worked_out(tmp_path, list(wanted))
    assert dict(zip(wanted, values, strict=True)) == {
        formula: pytest.approx(value, rel=1e-12, abs=0) if is_number(value) else value
        for formula, value in wanted.items()
    }
    assert found.not_calculated == ()


def test_an_end_of_which_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    hidden = [f"IFERROR({formula},0)" for formula in REFUSED]
    values, found = worked_out(tmp_path, hidden)
    assert set(values) == {ErrorCode("#N/IMPL!")}
    assert list(found.problems.values()) == [f"={formula} gives #N/IMPL!" for formula in hidden]
    assert list(found.not_calculated) == [("Main", f"G{row}") for row in range(1, len(hidden) + 1)]


def test_an_end_within_an_array_is_refused_too(tmp_path: Path) -> None:
    values, found = worked_out(tmp_path, ["COUNT(FACT({-0.5,3}))", "COUNT(FACT({2,3}))"])
    assert values == [ErrorCode("#N/IMPL!"), 2]
    assert list(found.not_calculated) == [("Main", "G1")]
