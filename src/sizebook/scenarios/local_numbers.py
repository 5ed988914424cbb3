"""Cells as spreadsheets of many countries write them into CSV files: 2,5 and 1.234,50 and 45 % and WAHR and 31.12.2026.

Only cells of keys whose quantity is a number, a flag or a day are read so; texts stay as they are. Which sign stands
before decimals is a property of the file, not of the cell: 1.234 tells nothing, 1.234,50 does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from sizebook.core.errors import InputError, shown
from sizebook.core.number_text import DECLARED_BY, decimal_sign

FLAGS = {
    **dict.fromkeys(("WAHR", "VRAI", "VERDADERO", "VERO", "WAAR", "VERDADEIRO"), "TRUE"),
    **dict.fromkeys(("FALSCH", "FAUX", "FALSO", "ONWAAR"), "FALSE"),
}
_GROUPED = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'](?=\d{3}(?!\d))")
_DIGITS = re.compile(r"([+-]?)([\d.,]*\d)((?:[eE][+-]?\d+)?)([^\d]*)", re.ASCII)
_DAY = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
# By the sign of decimals: digits that only it explains, and digits that both do.
_CERTAIN = {
    sign: re.compile(
        rf"\d{{1,3}}(?:{other}\d{{3}})+{own}\d+|\d{{1,3}}(?:{other}\d{{3}}){{2,}}|0*{own}\d+|\d{{4,}}{own}\d+"
        rf"|\d+{own}(?:\d{{1,2}}|\d{{4,}})",
        re.ASCII,
    )
    for sign, own, other in ((",", ",", r"\."), (".", r"\.", ","))
}
_EITHER = re.compile(r"\d{1,3}[.,]\d{3}", re.ASCII)


@dataclass(frozen=True)
class Decimals:
    """The sign before decimals in a file, empty where none is needed, and the cell that told it."""

    sign: str = ""
    cell: str = ""


def find_decimals(cells: Sequence[str], where: str) -> Decimals:
    """Return which sign stands before decimals in the numbers of a file.

    Errors: `InputError` for numbers that contradict each other, and for ones that mean two things while nothing tells.
    """
    if declared := decimal_sign():
        return Decimals(declared)
    found: dict[str, str] = {}
    unsure = ""
    for cell in cells:
        match = _DIGITS.fullmatch(_GROUPED.sub("", cell.strip()))
        if match is None:
            continue
        digits, power = match[2], match[3]
        for sign, certain in _CERTAIN.items():
            if certain.fullmatch(digits) or (power and sign in digits):
                found.setdefault(sign, cell)
        if not power and _EITHER.fullmatch(digits) and not digits.startswith("0"):
            unsure = unsure or cell
    if len(found) == 2:
        raise InputError(
            f"two signs of decimals: got {shown(found[','])} and {shown(found['.'])} in {where}, want one of them. "
            "Save the table from one country's settings."
        )
    if not found and unsure:
        raise InputError(
            f"ambiguous number: got {shown(unsure)} in {where}, where no other number tells thousands from decimals, "
            f"want digits without groups. Write it out, or declare the sign of decimals: {DECLARED_BY} in the "
            "environment, a point or a comma."
        )
    return next((Decimals(sign, cell) for sign, cell in found.items()), Decimals())


def standard_cell(cell: str, kind: str, sign: str) -> Any:
    """Return a cell as every country reads it; what is no number, flag or day stays for the coercion to judge."""
    text = cell.strip()
    if kind == "flag":
        return FLAGS.get(text.upper(), cell)
    if kind == "date" and (day := _DAY.fullmatch(text)):
        return f"{day[3]}-{int(day[2]):02d}-{int(day[1]):02d}"
    return _number(cell, sign) if kind in ("number", "integer") else cell


def _number(cell: str, sign: str) -> str:
    match = _DIGITS.fullmatch(_GROUPED.sub("", cell.strip()))
    if match is None:
        return cell
    minus, digits, power, word = match.groups()
    if sign:
        if not re.fullmatch(
            rf"\d{{1,3}}(?:[.,]\d{{3}})*(?:{re.escape(sign)}\d+)?|\d*(?:{re.escape(sign)}\d+)?", digits
        ):
            return cell  # 1.5 where a comma is the sign is no number
        digits = digits.replace("." if sign == "," else ",", "").replace(sign, ".")
    if word.strip() == "%":
        try:
            return _written(str(Decimal(f"{minus}{digits}{power}") / 100))
        except InvalidOperation:
            return cell
    said = f"{minus}{digits}{power}{word}"
    return _written(said) if sign else said


def _written(number: str) -> str:
    """Return a number with a point as the coercion reads it, which follows a declared sign of decimals too."""
    return number.replace(".", decimal_sign() or ".")


def read_local_numbers(
    rows: Sequence[Mapping[str, Any]], kinds: Sequence[Mapping[str, str]], where: str, *, has_decimals: bool
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return the rows of a CSV file as every country reads them, and what to say of it.

    ``kinds`` are the kinds of the quantities by key, for each row; a key of several parts counts by its last.
    ``has_decimals`` where decimals may have a comma, which they cannot in a file that is separated by it.
    """
    kinded = [
        {key: kind.get(key.rpartition(".")[2], "text") for key in row} for row, kind in zip(rows, kinds, strict=True)
    ]
    numbers = [
        cell
        for row, kind in zip(rows, kinded, strict=True)
        for key, cell in row.items()
        if isinstance(cell, str) and kind[key] in ("number", "integer")
    ]
    found = find_decimals(numbers, where) if has_decimals else Decimals()
    said = f"{where}: decimals have a comma, as in {shown(found.cell)}" if found.sign == "," and found.cell else ""
    return [
        {
            key: standard_cell(cell, kind[key], found.sign) if isinstance(cell, str) else cell
            for key, cell in row.items()
        }
        for row, kind in zip(rows, kinded, strict=True)
    ], (said,) if said else ()
