"""Every formula of the tables gives the value beside it: LibreOffice's, Excel's documented one, or one by hand."""

import math
from pathlib import Path
from typing import Any

import pytest

from sizebook.calculation import ErrorCode
from tests.calculation.grids import GRIDS, worked_out
from tests.csv_files import rows_of

FOLDER = Path(__file__).parent
HAND = "formulas.csv"  # by hand or from Excel's documentation; `#N/IMPL!` is refused
# What LibreOffice 7.4 gave, where it does as Excel does: it differs in the codes of errors, takes TRUE for a number,
# and knows no day before 1 March 1900. Measured on 22 November 2026, the ordinary ones on 26 November.
MEASURED = "libreoffice_values.csv"


def rows_on(file: str, grid: str) -> list[dict[str, str]]:
    return [row for row in rows_of(FOLDER / file) if row["cells"] == grid]


def is_right(row: dict[str, str], got: Any, near: float) -> bool:
    want = row["value"]
    if row["kind"] == "number":
        small = 1e-9 if near > 1e-10 and abs(float(want)) < 1e-3 else 0
        number = isinstance(got, (int, float)) and not isinstance(got, bool)
        return number and math.isclose(got, float(want), rel_tol=near, abs_tol=small)
    return type(got) is {"truth": bool, "text": str, "error": ErrorCode}[row["kind"]] and str(got) == want


@pytest.mark.parametrize(
    ("file", "grid", "near"),
    [
        (MEASURED, "figures", 3e-9),
        (MEASURED, "ordinary", 1e-13),
        *((HAND, grid, 1e-12) for grid in GRIDS if grid != "ordinary"),
    ],
)
def test_every_formula_gives_its_value(tmp_path: Path, file: str, grid: str, near: float) -> None:
    rows = rows_on(file, grid)
    assert len(rows) > 25
    values, found = worked_out(tmp_path, [row["formula"] for row in rows], grid)
    wrong = [(row["formula"], row["value"], got) for row, got in zip(rows, values, strict=True)
             if not is_right(row, got, near)]  # fmt: skip
    assert wrong == []
    refused = [value for value in values if value == ErrorCode("#N/IMPL!")]
    assert len(refused) <= len(found.not_calculated)


def test_each_value_of_an_array_counts_as_in_libreoffice(tmp_path: Path) -> None:
    """What LibreOffice 7.4 gives for SUMPRODUCT(1*(...)) of these, on 22 November 2026."""
    wanted = {row["formula"]: float(row["value"]) for row in rows_of(FOLDER / "array_values.csv")}
    # Excel needs an array formula for conditions only; for the others SUMPRODUCT is enough.
    plain = [formula for formula in wanted if not formula.startswith(("IF(", "IFERROR("))]
    assert len(plain) > 80
    asked = [f"{{SUMPRODUCT(1*({formula}))}}" for formula in wanted] + [
        f"SUMPRODUCT(1*({formula}))" for formula in plain
    ]
    found, _ = worked_out(tmp_path, asked)
    assert found == pytest.approx([*wanted.values(), *(wanted[formula] for formula in plain)], rel=1e-9)
