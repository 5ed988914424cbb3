"""Draws the pictures of the documentation whose workbook, report or page of models has changed since.

`make generated` runs it last; with --check it says which pictures are older than what they show, and exits with 1.
docs/pictures.csv holds what each picture shows and the digest of that. Drawing needs LibreOffice (`soffice`), poppler
(`pdftoppm`) and Chromium. LibreOffice also counts the pages of every workbook for the table of docs/workbooks.md.
"""

import csv
import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from shown_commands import BLOCK, refreshed_in  # noqa: E402

from sizebook.dashboard import page_data  # noqa: E402
from sizebook.dashboard.catalog_models import published_models  # noqa: E402
from sizebook.dashboard.html_page import write_page  # noqa: E402
from sizebook.functions import load  # noqa: E402
from tests.workbooks.printed import RESULT, by_sheet, printed_by_libreoffice  # noqa: E402

DOCS = ROOT / "docs"
RECORD = DOCS / "pictures.csv"
MODELS = "the page of models"
MADE_BY = " of "  # between a file and the page whose commands make it
TUTORIALS = {"excel": "chat.xlsx", "scenarios": "chat-board.xlsx", "training": "programme.pdf", "budget": "budget.pdf"}
_COLOURS = 241  # of a palette, so that all pictures together stay below 400 KB
_MARGIN = 12  # pixels of paper around a page
_POINTS_A_PIXEL = 1200 / 1440  # of the page of models


@dataclass(frozen=True)
class Picture:
    """A picture under docs/: what it shows, a file or the page of models, and how that is digested and drawn."""

    name: str
    shows: str
    digest: Callable[[str], str]
    draw: Callable[[str], bytes]


def digest_of_workbook(file: str) -> str:
    """Return the digest of a workbook's parts: compression differs between machines."""
    with zipfile.ZipFile(ROOT / file) as archive:
        return _digest(*(part for name in sorted(archive.namelist()) for part in (name.encode(), archive.read(name))))


def digest_of_file(file: str) -> str:
    return _digest((ROOT / file).read_bytes())


def digest_of_page(shows: str) -> str:
    """Return the digest of the blocks of a page, what its commands print among them."""
    page = (ROOT / shows.partition(MADE_BY)[2]).read_text(encoding="utf-8")
    return _digest(*(block[0].encode() for block in BLOCK.finditer(page)))


def digest_of_models(_: str) -> str:
    """Return the digest of the page's data and of the files that lay it out."""
    load()
    models = published_models()
    layout = sorted(path for path in (ROOT / "templates" / "dashboard").rglob("*") if path.is_file())
    data = json.dumps((page_data.first_data(models), page_data.later_data(models)), sort_keys=True, default=str)
    return _digest(data.encode(), *(path.read_bytes() for path in layout))


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def draw_workbook(file: str) -> bytes:
    """Return the page of results as LibreOffice prints it, and write how many pages the workbook has."""
    with TemporaryDirectory() as folder:
        pdf = printed_by_libreoffice(ROOT / file, Path(folder))
        sheets = by_sheet(pdf)
        count_pages(Path(file).name, sum(map(len, sheets.values())))
        return drawn_page(pdf, sheets[RESULT][0].page_number + 1, dots_an_inch=60)


def draw_made(shows: str) -> bytes:
    """Return the page to hand over of a file that the commands of a page make: its results, else its first page."""
    file, _, page = shows.partition(MADE_BY)
    with TemporaryDirectory() as name:
        folder = Path(name)
        refreshed_in(ROOT / page, folder)
        if file.endswith(".pdf"):
            return trimmed(drawn_page(folder / file, 1, dots_an_inch=60))
        pdf = printed_by_libreoffice(folder / file, folder)
        results = by_sheet(pdf).get(RESULT)
        return trimmed(drawn_page(pdf, results[0].page_number + 1 if results else 1, dots_an_inch=60))


def trimmed(picture: bytes) -> bytes:
    """Return a picture of a page without the empty paper around what is printed."""
    page = Image.open(io.BytesIO(picture)).convert("RGB")
    left, top, right, bottom = ImageChops.difference(page, Image.new("RGB", page.size, "white")).getbbox()
    shown, written = page.crop((left - _MARGIN, top - _MARGIN, right + _MARGIN, bottom + _MARGIN)), io.BytesIO()
    shown.save(written, "PNG")
    return in_few_colours(written.getvalue())


def count_pages(file: str, pages: int) -> None:
    """Write how many pages a workbook prints into its row of the table."""
    page = DOCS / "workbooks.md"
    text, written = re.subn(rf"(?m)^(\| `{re.escape(file)}` \|) \d+ \|$", rf"\1 {pages} |", page.read_text("utf-8"))
    if written != 1:
        raise SystemExit(f"no one row for a workbook: got {written} of {file} in {page.name}, want 1. Add its row.")
    page.write_text(text, "utf-8")


def draw_report(file: str) -> bytes:
    return drawn_page(ROOT / file, 1, dots_an_inch=80)


def drawn_page(pdf: Path, number: int, dots_an_inch: int) -> bytes:
    """Return a page of a PDF as a PNG."""
    options = ["-r", str(dots_an_inch), "-f", str(number), "-l", str(number), "-singlefile", "-png"]
    return in_few_colours(subprocess.run(["pdftoppm", *options, pdf], check=True, capture_output=True).stdout)


def draw_models(_: str) -> bytes:
    """Return the page of models as it stands on a desk: models with experts, and the card of one."""
    from playwright.sync_api import sync_playwright

    from tests.dashboard.driving import CHROMIUM, SWITCHES, WIDE, opened, settled

    load()
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        address = write_page(published_models(), Path(folder) / "page.html").as_uri()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        page = browser.new_page(viewport=WIDE, device_scale_factor=_POINTS_A_PIXEL)
        opened(page, address, "sort=-total")
        page.click('.chip[data-feature="experts"]')
        page.hover('.tabulator-row .model:has-text("DeepSeek-V4-Pro")')
        page.wait_for_selector("#hover:not([hidden])")
        settled(page)
        shot = page.screenshot()
        browser.close()
    return in_few_colours(shot)


def in_few_colours(picture: bytes) -> bytes:
    """Return a picture as a PNG with a palette."""
    reduced, written = Image.open(io.BytesIO(picture)).convert("RGB").quantize(_COLOURS), io.BytesIO()
    reduced.save(written, "PNG", optimize=True)
    return written.getvalue()


def pictures() -> list[Picture]:
    books = (path.stem for path in sorted((ROOT / "workbooks").glob("*.xlsx")))
    return [
        *(
            Picture(f"workbooks/{name}.png", f"workbooks/{name}.xlsx", digest_of_workbook, draw_workbook)
            for name in books
        ),
        *(
            Picture(f"tutorials/{name}.png", f"{file}{MADE_BY}docs/tutorials/{name}.md", digest_of_page, draw_made)
            for name, file in TUTORIALS.items()
        ),
        Picture("report.png", "reports/llama-3.1-8b.pdf", digest_of_file, draw_report),
        Picture("page.png", MODELS, digest_of_models, draw_models),
    ]


def recorded() -> dict[str, str]:
    """Return the digest of what each picture shows, as it was when the picture was drawn."""
    if not RECORD.exists():
        return {}
    with RECORD.open(encoding="utf-8", newline="") as lines:
        return {row["picture"]: row["sha256"] for row in csv.DictReader(lines)}


def main() -> int:
    check, known, made = "--check" in sys.argv[1:], recorded(), pictures()
    digests = {each.name: each.digest(each.shows) for each in made}
    stale = [each for each in made if known.get(each.name) != digests[each.name] or not (DOCS / each.name).exists()]
    for each in stale:
        if check:
            print(f"older than {each.shows}: docs/{each.name}. Run 'make generated'.")
        else:
            (DOCS / each.name).write_bytes(each.draw(each.shows))
            print(f"drew docs/{each.name}")
    if stale and not check:
        rows = [("picture", "shows", "sha256"), *((each.name, each.shows, digests[each.name]) for each in made)]
        RECORD.write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
