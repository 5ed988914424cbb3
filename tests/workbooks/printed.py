"""LibreOffice prints every shipped workbook: each Result on one page, no letter on it below 9 points.

Run it with ``python -m tests.workbooks.printed``; names of workbooks after it take only those. It needs LibreOffice and
takes half a minute, so it is no part of the suite. Sizes are those of the letters on paper, scaled as the page is;
titles of axes that stand upright and letters of charts count.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pypdf

from tests.workbooks.shipped import SHIPPED

LEAST_POINTS = 9.0
ROUNDING = 0.1  # LibreOffice writes coordinates in hundredths of a millimetre


def sizes(page: pypdf.PageObject) -> dict[float, str]:
    """Return the sizes of a page's letters in points, each with a text that has it."""
    found: dict[float, str] = {}

    def visit(text: str, user: list[float], matrix: list[float], _: Any, size: float) -> None:
        if text.strip():
            up = matrix[2] * user[0] + matrix[3] * user[2], matrix[2] * user[1] + matrix[3] * user[3]
            found[round(size * (up[0] ** 2 + up[1] ** 2) ** 0.5, 2)] = text.strip()

    page.extract_text(visitor_text=visit)
    return found


def results(pdf: Path) -> list[pypdf.PageObject]:
    """Return the pages of the sheet Result: its footer names it."""
    return [page for page in pypdf.PdfReader(pdf).pages if page.extract_text().rstrip().find("· Result") > 0]


def main() -> int:
    wanted, wrong = sys.argv[1:] or [book.file for book in SHIPPED], 0
    with TemporaryDirectory() as folder:
        profile = f"-env:UserInstallation=file://{folder}/profile"
        for book in [each for each in SHIPPED if each.file in wanted]:
            command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", folder, str(book.path)]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            pdf = Path(folder) / book.path.with_suffix(".pdf").name
            pages, n_pages = results(pdf), len(pypdf.PdfReader(pdf).pages)
            found = {size: text for page in pages for size, text in sizes(page).items()}
            least = min(found, default=0.0)
            is_wrong = len(pages) != 1 or least < LEAST_POINTS - ROUNDING
            wrong += is_wrong
            print(
                f"{'WRONG' if is_wrong else 'ok':5} {book.file}: Result on {len(pages)} of {n_pages} pages, "
                f"smallest letters {least:.1f} points ({found.get(least, '')!r})"
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
