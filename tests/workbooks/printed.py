"""LibreOffice prints every shipped workbook: each Result on one page, every other sheet in letters that can be read.

Run it with ``python -m tests.workbooks.printed``; names of workbooks after it take only those. It needs LibreOffice and
takes a minute, so it is no part of the suite. Sizes are those of the letters on paper, scaled as the page is; titles of
axes that stand upright and letters of charts count. No letter of Result is below 9 points and none elsewhere below 8,
every sheet that is read is printed, and no hidden one and no calculation; a serving workbook takes 20 pages at most, of
36 months too.
"""

import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pypdf
from openpyxl import load_workbook

from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.scenarios.serving import ServingScenario
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill
from sizebook.workbooks.input_cells import workbook_inputs
from sizebook.workbooks.sheet_order import group_of
from tests.workbooks.shipped import SHIPPED

RESULT, LEAST_ON_RESULT, LEAST_POINTS = "Result", 9.0, 8.0
SERVING, EXAMPLE = "serving_capacity", "serving-llama-3.1-70b.toml"
MOST_PAGES, MANY_MONTHS = 20, 36
ROUNDING = 0.1  # LibreOffice writes coordinates in hundredths of a millimetre


def printed_by_libreoffice(path: Path, folder: Path) -> Path:
    """Return the PDF that LibreOffice prints of a workbook into a folder, with a profile of its own there."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=600)
    return folder / path.with_suffix(".pdf").name


def sizes(page: pypdf.PageObject) -> dict[float, str]:
    """Return the sizes of a page's letters in points, each with a text that has it."""
    found: dict[float, str] = {}

    def visit(text: str, user: list[float], matrix: list[float], _: Any, size: float) -> None:
        if text.strip():
            up = matrix[2] * user[0] + matrix[3] * user[2], matrix[2] * user[1] + matrix[3] * user[3]
            found[round(size * (up[0] ** 2 + up[1] ** 2) ** 0.5, 2)] = text.strip()

    page.extract_text(visitor_text=visit)
    return found


def by_sheet(pdf: Path) -> dict[str, list[pypdf.PageObject]]:
    """Return the pages of each sheet: the footer names it; pages without one stand under ''."""
    found: dict[str, list[pypdf.PageObject]] = defaultdict(list)
    for page in pypdf.PdfReader(pdf).pages:
        footers = [line for line in page.extract_text().splitlines() if " · " in line and "sizebook " in line]
        name = footers[-1].split(" · ", 1)[1].split("sizebook ")[0].strip() if footers else ""
        found[name].append(page)
    return found


def complaints(printed: dict[str, list[pypdf.PageObject]], read: list[str]) -> list[str]:
    """Return what is wrong with the pages of a workbook; ``read`` are the sheets that are to be printed."""
    wrong = [f"{name}: not printed" for name in read if name not in printed]
    wrong += [f"{name}: printed, though hidden or calculation" for name in printed if name not in read]
    for name, pages in printed.items():
        found = {size: text for page in pages for size, text in sizes(page).items()}
        least, wanted = min(found), LEAST_ON_RESULT if name == RESULT else LEAST_POINTS
        if least < wanted - ROUNDING:
            wrong.append(f"{name}: letters of {least:.1f} points ({found[least]!r}), want {wanted:.0f}")
    if len(printed[RESULT]) != 1:
        wrong.append(f"{RESULT}: {len(printed[RESULT])} pages, want 1")
    return wrong


def workbooks(wanted: list[str], folder: Path) -> Iterator[Path]:
    """Yield the shipped workbooks that are wanted, and a serving one of many months filled into a folder."""
    for book in SHIPPED:
        if book.file in wanted:
            yield book.path
        if book.file in wanted and book.path.stem == SERVING:
            scenario = parse(ServingScenario, read_toml(bundled("reports") / EXAMPLE), EXAMPLE)
            given = {**workbook_inputs(scenario), "months": MANY_MONTHS}
            yield fill(book.path, given, folder / f"{SERVING}_{MANY_MONTHS}_months.xlsx").path


def main() -> int:
    wanted, n_wrong = sys.argv[1:] or [book.file for book in SHIPPED], 0
    with TemporaryDirectory() as folder:
        for path in workbooks(wanted, Path(folder)):
            printed = by_sheet(printed_by_libreoffice(path, Path(folder)))
            read = [each.title for each in load_workbook(path) if group_of(each) not in ("Calculation", "Lists")]
            wrong, n_pages = complaints(printed, read), sum(map(len, printed.values()))
            if path.stem.startswith(SERVING) and n_pages > MOST_PAGES:
                wrong.append(f"{n_pages} pages, want at most {MOST_PAGES}")
            n_wrong += bool(wrong)
            least = {name: min(size for page in pages for size in sizes(page)) for name, pages in printed.items()}
            small = min(least, key=lambda name: least[name])
            pages = ", ".join(f"{name} {len(of)}" for name, of in printed.items())
            print(
                f"{'WRONG' if wrong else 'ok':5} {path.name}: {n_pages} pages, smallest "
                f"letters {least[small]:.1f} points on {small}, {least[RESULT]:.1f} on {RESULT} ({pages})"
            )
            for line in wrong:
                print(f"      {line}")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
