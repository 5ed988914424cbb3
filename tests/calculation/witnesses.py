"""Lists who uses and what proves each function of spreadsheets: ``python -m tests.calculation.witnesses FILE.zip``.

The ZIP holds workbooks that Excel stored. A line is a function, who works it out, the formulas of the shipped workbooks
that call it, and the formulas of the ZIP that call it and whose stored value recalculation gives. A function of our own
without either is refused in `data/spreadsheet_functions.csv`.
"""

import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from sizebook.calculation import Calculated, recalculate
from sizebook.calculation.names import without_prefixes
from sizebook.calculation.package import Package, tag
from sizebook.calculation.sheet_formulas import formulas
from sizebook.calculation.spreadsheet_functions import spreadsheet_functions
from sizebook.calculation.tokens import called_name, tokenize
from sizebook.core.errors import SizebookError
from sizebook.sources.bundled import bundled

FormulaCell = tuple[str, str, str, str]  # sheet, address, formula, stored value


def formula_cells(package: Package) -> Iterator[FormulaCell]:
    """Yield every cell of a workbook with a formula of its own and a stored value."""
    for sheet, part in package.sheets().items():
        for cell, formula in formulas(package.xml(part)):
            if formula.text and cell.findtext(tag("v")):
                yield sheet, cell.get("r", ""), formula.text, cell.findtext(tag("v"), "")


def called(formula: str) -> set[str]:
    """Return the functions that a formula calls."""
    return {without_prefixes(called_name(token)).upper() for token in tokenize(formula) if token.kind == "call"}


def is_given(calculated: Calculated, cell: FormulaCell) -> bool:
    """Return whether recalculation gives a stored number; texts may be stored elsewhere, so any text is taken."""
    sheet, address, _, stored = cell
    value = calculated[sheet, address]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        is_number = not stored.startswith("#")
        return is_number and abs(float(stored) - value) <= 1e-9 * max(abs(value), 1e-5)
    return (sheet, address) not in calculated.not_calculated


def main(corpus: Path) -> None:
    """Print the table."""
    used: Counter[str] = Counter()
    for path in sorted(bundled("workbooks").glob("*.xlsx")):
        used.update(name for *_, formula, _ in formula_cells(Package.read(path)) for name in called(formula))
    proved: dict[str, set[str]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(corpus) as archive:
        for entry in archive.namelist():
            if not entry.endswith((".xlsx", ".xlsm")):
                continue
            path = Path(archive.extract(entry, folder))
            try:
                cells = list(formula_cells(Package.read(path)))
                calculated = recalculate(path) if cells else None
            except SizebookError:
                continue
            for cell in cells:
                if calculated is not None and is_given(calculated, cell):
                    for name in called(cell[2]):
                        proved[name].add(cell[2])
    for name, function in spreadsheet_functions().items():
        sys.stdout.write(f"{name}\t{function.by}\tshipped {used[name]}\tproved {len(proved[name])}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
