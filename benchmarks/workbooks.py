"""How long workbooks take and how much memory: filling and recalculating, against openpyxl's loading and saving.

Run `python benchmarks/workbooks.py`. Times are processor seconds, those of the calculating process included, best of
`ROUNDS`; memory is the most that a process held. Each line is measured in a process of its own.
"""

import multiprocessing
import multiprocessing.connection
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path

from openpyxl import Workbook, load_workbook
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName

from sizebook.calculation import recalculate
from sizebook.functions import load
from sizebook.workbooks.filling import fill

ROUNDS = 3
Job = Callable[[Path], object]


def _book() -> Workbook:
    """Return a workbook whose cell Z1 of the first sheet is the input ``scale``."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "S1"
    book.add_named_style(NamedStyle("Input"))
    sheet["Z1"], sheet["Z1"].style = 2, "Input"
    book.defined_names["scale"] = DefinedName("scale", attr_text="S1!$Z$1")
    return book


def many_sheets(path: Path, *, formulas: bool) -> None:
    """Write 20 sheets of 400 rows of texts and numbers, 2 MB in all, with 500 formulas each where asked for."""
    book = _book()
    for number in range(1, 21):
        sheet = book.worksheets[0] if number == 1 else book.create_sheet(f"S{number}")
        for row in range(1, 401):
            for column in range(1, 21):
                text = f"Item {number * row * column % 9973} of the list" if column % 3 else None
                sheet.cell(row, column, text or row * column * 1.37)
        for row in range(1, 501 if formulas else 1):
            sheet.cell(row, 22, f"=SUM(C{row % 400 + 1}:R{row % 400 + 1})*S1!$Z$1")
    book.save(path)


def column_of_formulas(path: Path, n_rows: int, formula: str = "=A{row}*$Z$1+1") -> None:
    """Write numbers and a formula beside each."""
    book = _book()
    sheet = book.worksheets[0]
    for row in range(1, n_rows + 1):
        sheet.cell(row, 1, row)
        sheet.cell(row, 2, formula.format(row=row))
    book.save(path)


def whole_columns(path: Path) -> None:
    """Write 40 look-ups in whole columns of 20 rows and 10 sums over one."""
    book = _book()
    sheet, table = book.worksheets[0], book.create_sheet("T")
    for row in range(1, 21):
        table.cell(row, 1, row)
        table.cell(row, 2, row * row)
    for row in range(1, 41):
        sheet.cell(row, 1, row % 20 + 1)
        sheet.cell(row, 2, f"=VLOOKUP(A{row},T!A:B,2,FALSE)")
    for row in range(1, 11):
        sheet.cell(row, 3, f"=SUMPRODUCT((T!A:A=A{row})*1)")
    book.save(path)


def names(path: Path) -> None:
    """Write 100,000 formulas with a defined name, each to be rewritten for the engine."""
    column_of_formulas(path, 100_000, "=A{row}*scale+1")


def _openpyxl(path: Path) -> None:
    load_workbook(path).save(path.with_name("copied.xlsx"))


def _fill(path: Path) -> None:
    fill(path, {"scale": 3}, path.with_name("filled.xlsx"))


CASES: tuple[tuple[str, Callable[[Path], object], Job], ...] = (
    ("20 sheets without formulas: openpyxl", lambda p: many_sheets(p, formulas=False), _openpyxl),
    ("20 sheets without formulas: fill", lambda p: many_sheets(p, formulas=False), _fill),
    ("20 sheets, 10,000 formulas: openpyxl", lambda p: many_sheets(p, formulas=True), _openpyxl),
    ("20 sheets, 10,000 formulas: fill", lambda p: many_sheets(p, formulas=True), _fill),
    ("25,000 formulas: recalculate", lambda p: column_of_formulas(p, 25_000), recalculate),
    ("50,000 formulas: recalculate", lambda p: column_of_formulas(p, 50_000), recalculate),
    ("100,000 formulas: recalculate", lambda p: column_of_formulas(p, 100_000), recalculate),
    ("100,000 formulas: fill", lambda p: column_of_formulas(p, 100_000), _fill),
    ("100,000 formulas: openpyxl", lambda p: column_of_formulas(p, 100_000), _openpyxl),
    ("100,000 formulas with a name: recalculate", names, recalculate),
    (
        "10,000 of our functions: recalculate",
        lambda p: column_of_formulas(p, 10_000, "=PARAMS_MHA(A{row})"),
        recalculate,
    ),
    ("40 look-ups and 10 sums of whole columns", whole_columns, recalculate),
)


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _measured(number: int, line: multiprocessing.connection.Connection) -> None:
    """Send the least seconds and the most MiB of one case."""
    _, make, job = CASES[number]
    load()
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        make(path)
        for _ in range(ROUNDS):
            start = _processor_seconds()
            job(path)
            best = min(best, _processor_seconds() - start)
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    line.send((best, max(peaks) / 1024))


def main() -> None:
    print(f"{'':44} {'seconds':>8} {'MiB':>6}")
    context = multiprocessing.get_context("spawn")
    for number, (name, _, _) in enumerate(CASES):
        ours, theirs = context.Pipe()
        process = context.Process(target=_measured, args=(number, theirs))
        process.start()
        seconds, mebibytes = ours.recv()
        process.join()
        print(f"{name:44} {seconds:8.2f} {mebibytes:6.0f}")


if __name__ == "__main__":
    main()
