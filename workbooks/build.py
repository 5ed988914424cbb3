"""Builds the planning workbooks beside this script; with --check, says which are out of date and exits with 1.

Names of workbooks (serving_capacity) build only those.

Run it by `make generated`. A workbook is the same however often it is built: dates in it come from the data. Two builds
are compared part by part, for compression differs between machines.
"""

import importlib
import sys
import tempfile
import zipfile
from pathlib import Path

from sizebook import __version__
from sizebook.workbooks.book import Book
from sizebook.workbooks.saving import save

FOLDER = Path(__file__).resolve().parent
DESCRIPTIONS = (
    "model_sizing",
    "model_comparison",
    "fine_tuning",
    "training_budget",
    "training_programme",
    "serving_capacity",
    "fleet_plan",
)


def main() -> int:
    check, names = "--check" in sys.argv[1:], [word for word in sys.argv[1:] if not word.startswith("--")]
    sys.path.insert(0, str(FOLDER))
    stale = []
    for name in names or DESCRIPTIONS:
        description = importlib.import_module(name)
        book = Book(description.TITLE, __version__)
        description.build(book)
        path = FOLDER / description.FILE
        with tempfile.TemporaryDirectory() as folder:
            built = Path(folder) / path.name
            save(book, description.EXAMPLE, built)
            if path.exists() and _parts(built) == _parts(path):
                continue
            stale.append(path.name)
            if not check:
                path.write_bytes(built.read_bytes())
    for file in stale:
        print(f"out of date: workbooks/{file}. Run 'make generated'." if check else f"rebuilt workbooks/{file}")
    return 1 if check and stale else 0


def _parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


if __name__ == "__main__":
    sys.exit(main())
