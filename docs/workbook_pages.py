"""Draws the page of results of every planning workbook as LibreOffice prints it, and counts its pages.

The pictures are docs/workbooks/NAME.png, the counts go into the table of docs/workbooks.md. Run it as
``python docs/workbook_pages.py`` once the workbooks are built; names of workbooks after it draw only those. It needs
LibreOffice (`soffice`), poppler (`pdftoppm`) and NumPy, so it is no part of `make generated`. Pictures have 60 points
an inch and a palette of 241 colours, so that all of them together stay below 200 KB.
"""

import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.workbooks.printed import RESULT, by_sheet, printed_by_libreoffice  # noqa: E402
from tests.workbooks.shipped import SHIPPED  # noqa: E402

FOLDER = ROOT / "docs" / "workbooks"
PAGES = ROOT / "docs" / "workbooks.md"
_DOTS_AN_INCH = "60"
_GREYS, _STEPS = 25, 6  # of the palette: so many greys, and so many steps of red, green and blue each


def main() -> int:
    wanted = sys.argv[1:] or [book.file for book in SHIPPED]
    FOLDER.mkdir(exist_ok=True)
    for book in [each for each in SHIPPED if each.file in wanted]:
        with TemporaryDirectory() as folder:
            pdf = printed_by_libreoffice(book.path, Path(folder))
            sheets = by_sheet(pdf)
            number = str(sheets[RESULT][0].page_number + 1)
            subprocess.run(
                ["pdftoppm", "-r", _DOTS_AN_INCH, "-f", number, "-l", number, "-singlefile", pdf, f"{folder}/page"],
                check=True,
            )
            drawn = png(Path(folder, "page.ppm").read_bytes())
        path = FOLDER / f"{book.path.stem}.png"
        path.write_bytes(drawn)
        pages = sum(map(len, sheets.values()))
        count_pages(book.file, pages)
        print(f"docs/workbooks/{path.name}: {len(drawn):,} bytes; {pages} pages")
    return 0


def count_pages(file: str, pages: int) -> None:
    """Write how many pages a workbook prints into its row of the table."""
    text, written = re.subn(rf"(?m)^(\| `{re.escape(file)}` \|) \d+ \|$", rf"\1 {pages} |", PAGES.read_text("utf-8"))
    if written != 1:
        raise SystemExit(f"no one row for a workbook: got {written} of {file} in {PAGES.name}, want 1. Add its row.")
    PAGES.write_text(text, "utf-8")


def png(ppm: bytes) -> bytes:
    """Return a picture of three bytes a point as a PNG with a palette."""
    size = int(ppm.split(maxsplit=3)[1]), int(ppm.split(maxsplit=3)[2])
    points = np.frombuffer(ppm[-3 * size[0] * size[1] :], np.uint8).reshape(size[1], size[0], 3).astype(int)
    cube = np.round(points / 255 * (_STEPS - 1)).astype(int)
    of_colour = _GREYS + cube[..., 0] * _STEPS**2 + cube[..., 1] * _STEPS + cube[..., 2]
    of_grey = np.round(points.mean(axis=2) / 255 * (_GREYS - 1)).astype(int)
    is_grey = points.max(axis=2) - points.min(axis=2) < 20
    rows = np.where(is_grey, of_grey, of_colour).astype(np.uint8)
    greys = [(round(255 * n / (_GREYS - 1)),) * 3 for n in range(_GREYS)]
    steps = [round(255 * n / (_STEPS - 1)) for n in range(_STEPS)]
    palette = [*greys, *((red, green, blue) for red in steps for green in steps for blue in steps)]
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", *size, 8, 3, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(kind, data)
        for kind, data in (
            (b"IHDR", head), (b"PLTE", bytes(part for colour in palette for part in colour)),
            (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""),
        )
    )  # fmt: skip


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    sys.exit(main())
