"""How long workbooks take: recalculating and filling 10,000 formulas, half of them registered functions.

Run `python benchmarks/calculation.py`. Times are processor seconds, best of `ROUNDS`; the ratio is against working out
the same 10,000 cells in plain Python with the functions alone, through the coercion that every surface shares.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName

from sizebook.calculation import recalculate
from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.workbooks.filling import fill

ROUNDS, ROWS = 5, 5_000


def workbook(path: Path) -> None:
    """Write a column of widths, one of ordinary formulas and one of calls."""
    book = Workbook()
    sheet = book.worksheets[0]
    book.add_named_style(NamedStyle("Input"))
    sheet["E1"], sheet["E1"].style = 2, "Input"
    book.defined_names["scale"] = DefinedName("scale", attr_text=f"{sheet.title}!$E$1")
    for row in range(1, ROWS + 1):
        for column, value in enumerate((row, f"=A{row}*scale+1", f"=PARAMS_MHA(B{row})"), 1):
            sheet.cell(row, column, value)
    book.save(path)


def plain() -> int:
    """Work out the same in plain Python."""
    return sum(call("PARAMS_MHA", row * 2 + 1) for row in range(1, ROWS + 1))


def seconds(job: Callable[[], object]) -> float:
    """Return the least processor time of a job."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        job()
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    load()
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder) / "book.xlsx", Path(folder) / "out.xlsx"
        workbook(path)
        base = seconds(plain)
        rows = [
            ("functions alone, in plain Python", base),
            ("recalculate 10,000 formulas", seconds(lambda: recalculate(path))),
            ("fill: check, recalculate, store values, save", seconds(lambda: fill(path, {"scale": 3}, output))),
        ]
    print(f"{'':46} {'seconds':>8} {'ratio':>7}")
    for name, took in rows:
        print(f"{name:46} {took:8.2f} {took / base:7.1f}")


if __name__ == "__main__":
    main()
