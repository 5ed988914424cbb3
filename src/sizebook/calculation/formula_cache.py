"""Formulas as they were rewritten for the engine, kept in the user's cache: templates are filled again and again.

Rewriting hangs on formulas, names and tables, and not on the values of a scenario. A file is named by a hash of all
that, the code that rewrites included. One that is missing or damaged is as none: the formulas are rewritten then.
"""

import contextlib
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from sizebook.calculation.package import Package
from sizebook.calculation.sheet_text import SheetText
from sizebook.calculation.workbook_context import WorkbookContext
from sizebook.core.errors import InputError
from sizebook.core.tables import DATA
from sizebook.sources.writing import write_whole

LEAST_SECONDS = 0.1  # of a processor: what is rewritten faster is not worth a file
_MOST_FILES = 24


class RewrittenFormulas(NamedTuple):
    """What became of formulas by their number (None where one stands as it is), and why those refused are refused."""

    texts: list[str | None]
    refused: dict[int, str]


def cache_file(package: Package, found: Mapping[str, SheetText], book: WorkbookContext) -> Path | None:
    """Return the file of these formulas; None where a user has no cache, or another workbook is referred to."""
    folder = _folder()
    if folder is None or book.links.parts:
        return None
    about = hashlib.sha256(_code())
    names = sorted(map(repr, package.defined_names()))
    about.update(repr((names, book.tables, book.sheets, sorted(book.functions), book.dates_from_1904)).encode())
    for sheet, text in found.items():
        marked = [repr(each._replace(span=(0, 0))) for each in text.marked]
        about.update("\0".join([sheet, *text.addresses, *text.texts, *marked]).encode(errors="replace"))
    return folder / f"{about.hexdigest()}.formulas"


def read_cache(file: Path | None, book: WorkbookContext) -> RewrittenFormulas | None:
    """Return what a file keeps; None where it holds nothing that fits the values of this workbook."""
    if file is None:
        return None
    try:
        kept = json.loads(zlib.decompress(file.read_bytes()))
        if any(_used(book, sheet) != columns for sheet, columns in kept["used"].items()):
            return None
        if any(book.short.on(sheet) != is_short for sheet, is_short in kept["short"].items()):
            return None
        return RewrittenFormulas(kept["texts"], {int(number): why for number, why in kept["refused"].items()})
    except (OSError, ValueError, zlib.error, LookupError, TypeError, AttributeError):
        return None


def write_cache(file: Path | None, kept: RewrittenFormulas, book: WorkbookContext) -> None:
    """Keep formulas, with what was asked of the workbook's values; a folder that cannot be written keeps nothing."""
    if file is None:
        return
    values = {"used": {sheet: _used(book, sheet) for sheet in book.used.known}, "short": book.short.known}
    text = json.dumps({"texts": kept.texts, "refused": kept.refused, **values}, ensure_ascii=False)
    with contextlib.suppress(OSError, InputError):
        write_whole(file, zlib.compress(text.encode(), 1))
        oldest_first = sorted(file.parent.glob("*.formulas"), key=lambda each: each.stat().st_mtime)
        for each in oldest_first[:-_MOST_FILES]:
            each.unlink(missing_ok=True)


def _used(book: WorkbookContext, sheet: str) -> list[list[int]]:
    """Return the used columns of a sheet, with the first and last used row of each."""
    return sorted([column, *rows] for column, rows in (book.used.columns(sheet) or {}).items())


@cache
def _code() -> bytes:
    """Return a hash of what rewrites: this package, its table of functions, and the engine that reads the result."""
    about = hashlib.sha256(version("formualizer").encode())
    for file in (*sorted(Path(__file__).parent.rglob("*.py")), DATA / "spreadsheet_functions.csv"):
        about.update(file.read_bytes())
    return about.digest()


def _folder() -> Path | None:
    """Return where the platform keeps a user's caches."""
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen) / "sizebook"
    try:
        home = Path.home()
    except RuntimeError:  # a process of nobody
        return None
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "sizebook" / "Cache"
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "sizebook"
