"""CSV as spreadsheets write it: separated by commas, semicolons or tabs, in UTF-8, UTF-16 or Windows-1252.

Excel writes semicolons where the country's decimals have a comma, "Unicode text" as UTF-16 with tabs, and plain "CSV"
in the code page of Windows. What is not certain is said in a note or refused.
"""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError, shown
from sizebook.intake.files import decoded, read_bytes
from sizebook.intake.text_formats import refuse_repeated, text_rows

SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas"}
_WANTED = "a CSV file"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class SpreadsheetCsv:
    """The text of a CSV file without a line that only names the separator, its separator, and what was assumed."""

    path: Path
    text: str
    separator: str
    notes: tuple[str, ...] = ()

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield its rows by their heads, every cell a text. Errors: as of `sizebook.intake.text_formats.csv_rows`."""
        for row in text_rows(self.text, self.path, _WANTED, separator=self.separator):
            heads = [head.strip() for head in row]
            refuse_repeated(heads, self.path)
            yield dict(zip(heads, row.values(), strict=True))


def read_spreadsheet_csv(path: Path, *, comments: bool = False) -> SpreadsheetCsv:
    """Return a CSV file that a spreadsheet wrote; with ``comments``, lines that start with ``#`` are left out.

    Errors: `InputError` where its separator cannot be told.
    """
    text, notes = _text(read_bytes(path, _WANTED), path)
    if comments:
        text = "".join(line for line in io.StringIO(text, newline="") if not line.startswith("#"))
    first, _, rest = text.partition("\n")
    if first.strip().strip('"').casefold().startswith("sep=") and len(sign := first.strip("\r\n").strip('"')[4:]) == 1:
        if sign not in SEPARATORS:
            raise InputError(
                f"unknown separator: got {shown(sign)} in {path.name}, want a comma, a semicolon or a tab. Save it so."
            )
        return SpreadsheetCsv(path, rest, sign, notes)
    return SpreadsheetCsv(path, text, _separator(first, path), notes)


def _text(content: bytes, path: Path) -> tuple[str, tuple[str, ...]]:
    if content.startswith(_UTF16):
        try:
            return content.decode("utf-16"), ()
        except UnicodeDecodeError as error:
            raise InputError(
                f"not UTF-16: got {error.reason} at byte {error.start} of {path.name}, want {_WANTED}. Save it again."
            ) from error
    try:
        return decoded(content, path.name, _WANTED), ()
    except InputError:
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError:
            pass
        else:
            return text, (f"{path.name}: no UTF-8, read as Windows-1252, which Excel writes as plain CSV",)
        raise


def _separator(heads: str, path: Path) -> str:
    """Return what separates the heads of a table: the names of keys hold none of the three."""
    outside = "".join(heads.split('"')[::2])
    found = [sign for sign in SEPARATORS if sign in outside]
    if len(found) > 1:
        names = " and ".join(SEPARATORS[sign] for sign in found)
        raise InputError(
            f"two separators: got {names} in the heads of {path.name}, want one of them. Put quotes round the others."
        )
    return found[0] if found else ","
