"""LibreOffice recalculates every shipped workbook as it does in four countries: the same numbers, the same sentences.

Run it with ``python -m tests.workbooks.locales``; names of workbooks after it take only those. It needs LibreOffice and
takes a minute for each country, so it is no part of the suite. A number is held to the stored one; a text to the stored
one once the separators of its numbers are those of the country: ``12,345.6`` is ``12.345,6`` in Germany.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from openpyxl import load_workbook

from sizebook.calculation.package import Package
from sizebook.functions import load
from sizebook.workbooks.target_formats import convert_for
from tests.libreoffice.office import Office, is_same
from tests.workbooks.shipped import SHIPPED

# What parts thousands and what begins decimals, as regular expressions.
SEPARATORS = {
    "en-US": (",", r"\."),
    "de-DE": (r"\.", ","),
    "fr-FR": ("[\u202f\u00a0 ]", ","),
    "ja-JP": (",", r"\."),
}
MOST_SHOWN = 12


def neutral(text: str, locale: str) -> str:
    """Return a text whose numbers have a point for decimals and nothing between thousands."""
    thousands, decimals = SEPARATORS[locale]
    joined = re.sub(rf"(?<=\d){thousands}(?=\d{{3}})", "", text)
    return re.sub(rf"(?<=\d){decimals}(?=\d)", ".", joined)


def differing(office: Office, path: Path, locale: str) -> Iterator[str]:
    """Yield the cells that show something else in a country than what is stored; `AssertionError` for an empty book."""
    found, n_texts, n_otherwise = office.values(path), 0, 0
    for sheet in load_workbook(path, data_only=True):
        for row in sheet.iter_rows():
            for cell in row:
                got = found[sheet.title].get(cell.coordinate)
                n_texts += isinstance(got, str)
                n_otherwise += isinstance(got, str) and got != cell.value
                if not agrees(got, cell.value, locale):
                    yield f"{sheet.title}!{cell.coordinate}: stored {cell.value!r}, shown {got!r}"
    assert n_texts > 100, f"{path.name}: LibreOffice read {n_texts} texts"
    # Sentences hold numbers, so that a country that was not taken shows.
    assert n_otherwise or SEPARATORS[locale] == SEPARATORS["en-US"], f"{path.name}: nothing is written as in {locale}"


def for_libreoffice(path: Path, folder: Path) -> Path:
    """Return a copy of a workbook that calls functions as the extension names them, its stored values as they are."""
    package = Package.read(path)
    convert_for(package, "libreoffice", load(), namespace="")
    package.save(folder / path.name)
    return folder / path.name


def agrees(got: Any, stored: Any, locale: str) -> bool:
    if is_same(got, stored):
        return True
    return isinstance(got, str) and isinstance(stored, str) and is_same(neutral(got, locale), neutral(stored, "en-US"))


def main() -> int:
    names, failed = sys.argv[1:], 0
    for locale in SEPARATORS:
        with Office(locale=locale) as office, TemporaryDirectory() as folder:
            for book in SHIPPED:
                if names and book.path.stem not in names:
                    continue
                lines = list(differing(office, for_libreoffice(book.path, Path(folder)), locale))
                failed += bool(lines)
                print(f"{locale} {book.file}: {len(lines)} cells differ", flush=True)
                for line in lines[:MOST_SHOWN]:
                    print(f"  {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
