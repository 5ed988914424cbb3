"""What an argument becomes where a number, a text or a truth is wanted, as Excel takes it."""

import functools
import math
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NoReturn

from sizebook.calculation.spreadsheet.serials import serial_of
from sizebook.core.errors import CellError

_NUMBER = re.compile(r"[+-]?(?:\d+(?:,\d{3})*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_TIME = re.compile(r"(\d{1,4}):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?\s*([AaPp][Mm]?)?", re.ASCII)
_DATES = ("%m/%d/%Y", "%m/%d/%y", "%Y-%m-%d", "%Y/%m/%d", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y",
          "%b %d, %Y", "%B %d, %Y", "%d-%B-%Y", "%m-%d-%Y")  # fmt: skip


_LAST_SHORT_YEAR = 2029  # 29 is 2029, 30 is 1930
# Digits with signs of dates and times between them, or the name of a month: Excel may read more of these than we do.
_MAY_BE_A_DAY = re.compile(
    r"\d\s*[/:-]\s*\d|\d.*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec).*\d|\d\s*[ap]m?$", re.IGNORECASE
)  # fmt: skip
LONGEST_NUMBER = 64  # characters of a text that may say a date, a time or a sum of money
LONGEST_TEXT = 32_767  # characters that a cell can hold; a longer result is #VALUE!


def fail(code: str) -> NoReturn:
    """Raise an error value."""
    raise CellError(code)


def number(value: Any, default: float | None = None) -> float:
    """Return an argument as a number: blank is ``default`` or 0, texts are read, truths are 1 and 0."""
    if isinstance(value, CellError):
        raise value
    if value is None:
        return 0.0 if default is None else default
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        return number_of_text(value)
    fail("#VALUE!")


def whole(value: Any, default: float | None = None) -> int:
    """Return an argument as a whole number, cut off towards zero."""
    return int(number(value, default))


def truth(value: Any, default: bool = False) -> bool:
    """Return an argument as true or false."""
    if isinstance(value, str):
        if value.upper() in ("TRUE", "FALSE"):
            return value.upper() == "TRUE"
        fail("#VALUE!")
    return number(value, float(default)) != 0


def text(value: Any) -> str:
    """Return an argument as a text, numbers as a cell of no format shows 15 digits of them."""
    if isinstance(value, CellError):
        raise value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        fail("#VALUE!")
    shown = f"{float(value) + 0.0:.15g}"  # -0 is 0
    mantissa, mark, power = shown.partition("e")
    if mark and 0 <= int(power) < 20:
        return f"{float(shown):.0f}"
    if mark and -5 <= int(power) < 0:
        return f"{float(shown):.20f}".rstrip("0")
    return f"{mantissa}E{power[0]}{power[1:].zfill(2)}" if mark else shown


def joined(*given: Any) -> str:
    """Return arguments as one text."""
    return "".join(map(text, given))


def number_of_text(given: str) -> float:
    """Return the number, percentage, sum of money, date or time that a text reads as."""
    stripped = given.strip()
    body = stripped.replace("$", "", 1).strip()
    negative = body.startswith("(") and body.endswith(")")
    body = body[1:-1] if negative else body
    percent = body.endswith("%")
    body = body[:-1].strip() if percent else body
    if _NUMBER.fullmatch(body):
        found = float(body.replace(",", ""))
        if math.isinf(found):
            fail("#VALUE!")
        return (-found if negative else found) / (100 if percent else 1)
    if len(stripped) > LONGEST_NUMBER:
        fail("#VALUE!")
    moment = _moment(stripped)
    if moment is None:
        fail("#N/IMPL!" if _MAY_BE_A_DAY.search(stripped) else "#VALUE!")
    return moment


def _moment(given: str) -> float | None:
    """Return the serial number of a date, of a time, or of both, None for another text."""
    date, _, rest = given.partition(" ")
    for day_text, time_text in ((given, ""), ("", given), (date, rest.strip())):
        day, time = _day(day_text) if day_text else 0.0, _time(time_text) if time_text else 0.0
        if day is not None and time is not None and given:
            return day + time
    return None


def _day(given: str) -> float | None:
    for form in _DATES:
        try:
            found = datetime.strptime(given, form)
        except ValueError:
            continue
        if "%y" in form and found.year > _LAST_SHORT_YEAR:
            found = found.replace(year=found.year - 100)
        return serial_of(found.year, found.month, found.day) if found.year >= 1900 else None
    return None


def _time(given: str) -> float | None:
    match = _TIME.fullmatch(given)
    if match is None:
        return None
    hours, minutes, seconds = int(match[1]), int(match[2]), float(match[3] or 0)
    if match[4]:
        hours = hours % 12 + (12 if match[4][0] in "Pp" else 0)
    return (hours * 3600 + minutes * 60 + seconds) / 86400


def cells(*given: Any) -> Iterator[Any]:
    """Yield every value of several arguments, those of ranges row by row."""
    for value in given:
        if isinstance(value, list):
            for row in value:
                yield from row
        else:
            yield value


def rows_of(value: Any) -> list[list[Any]]:
    """Return an argument as rows; a single value is one row of one."""
    return value if isinstance(value, list) else [[value]]


def each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of single values as one that also takes rows, and gives rows for them."""

    @functools.wraps(function)
    def spread(*given: Any) -> Any:
        shapes = [(len(value), len(value[0])) for value in given if isinstance(value, list)]
        if not shapes:
            return function(*given)
        height, width = max(h for h, _ in shapes), max(w for _, w in shapes)
        return [[_one(function, given, row, column) for column in range(width)] for row in range(height)]

    return spread


def _one(function: Callable[..., Any], given: tuple[Any, ...], row: int, column: int) -> Any:
    picked = []
    for value in given:
        rows = rows_of(value)
        down, across = (0 if len(rows) == 1 else row), (0 if len(rows[0]) == 1 else column)
        if down >= len(rows) or across >= len(rows[0]):
            return CellError("#N/A")
        picked.append(rows[down][across])
    try:
        return function(*picked)
    except CellError as error:
        return error
    except (ValueError, ZeroDivisionError, OverflowError):
        return CellError("#NUM!")
