"""Days, months and years: DATE, YEAR, EDATE, DATEDIF and the like, from the first serial numbers on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, moment_of_text, number, truth, whole
from sizebook.calculation.spreadsheet.serials import FROM_1904, LAST, day_of, days_in, serial_of, weekday_of
from sizebook.core.errors import CellError


def serial(value: Any, from_1904: bool) -> int:
    """Return the day that an argument names, as counted from 1900."""
    found = int(number(value) // 1) + (FROM_1904 if from_1904 else 0)
    return found if 0 <= found <= LAST else fail("#NUM!")


def counted(day: float, from_1904: bool) -> float:
    """Return a day as the workbook counts it."""
    found = day - (FROM_1904 if from_1904 else 0)
    return found if found >= 0 and day <= LAST else fail("#NUM!")


def _date(from_1904: bool, year: Any, month: Any, day: Any) -> float:
    years = int(number(year) // 1)
    if years < 0 or years > 9999:
        fail("#NUM!")
    years += 1900 if years < (1904 if from_1904 else 1900) else 0
    return counted(serial_of(years, int(number(month) // 1), int(number(day) // 1)), from_1904)


def _part(which: int) -> Callable[[bool, Any], int]:
    return lambda from_1904, value: day_of(serial(value, from_1904))[which]


def _weekday(from_1904: bool, value: Any, kind: Any = 1) -> int:
    day, numbering = weekday_of(serial(value, from_1904)), whole(kind, 1)
    if numbering == 1:
        return day + 1
    if numbering in (2, 3):
        return (day - 1) % 7 + (1 if numbering == 2 else 0)
    return (day - (numbering - 10)) % 7 + 1 if 11 <= numbering <= 17 else fail("#NUM!")


def _isoweeknum(from_1904: bool, value: Any) -> int:
    day = serial(value, from_1904)
    thursday = day - (weekday_of(day) - 1) % 7 + 3
    return int((thursday - serial_of(day_of(thursday)[0], 1, 1)) // 7) + 1


def _weeknum(from_1904: bool, value: Any, kind: Any = 1) -> int:
    numbering = whole(kind, 1)
    if numbering == 21:
        return _isoweeknum(from_1904, value)
    begins = {1: 0, 2: 1, 11: 1, 12: 2, 13: 3, 14: 4, 15: 5, 16: 6, 17: 0}.get(numbering)
    if begins is None:
        fail("#NUM!")
    day = serial(value, from_1904)
    first = int(serial_of(day_of(day)[0], 1, 1))
    return (day - first + (weekday_of(first) - begins) % 7) // 7 + 1


def _moved(value: Any, months: Any, from_1904: bool) -> tuple[int, int, int]:
    if isinstance(value, bool) or isinstance(months, bool):
        fail("#VALUE!")
    year, month, day = day_of(serial(value, from_1904))
    total = year * 12 + month - 1 + whole(months)
    return total // 12, total % 12 + 1, day


def _edate(from_1904: bool, value: Any, months: Any) -> float:
    if number(value) == number(months) == 0:
        return 0.0
    year, month, day = _moved(value, months, from_1904)
    if not 1900 <= year <= 9999:
        fail("#NUM!")
    return counted(serial_of(year, month, min(day, days_in(year, month))), from_1904)


def _eomonth(from_1904: bool, value: Any, months: Any) -> float:
    year, month, _ = _moved(value, months, from_1904)
    return counted(serial_of(year, month, days_in(year, month)), from_1904) if year >= 1900 else fail("#NUM!")


def _datedif(from_1904: bool, start: Any, end: Any, unit: Any) -> float:
    first, last = serial(start, from_1904), serial(end, from_1904)
    if first > last:
        fail("#NUM!")
    (y1, m1, d1), (y2, m2, d2) = day_of(first), day_of(last)
    months = (y2 - y1) * 12 + m2 - m1 - (d2 < d1)
    match str(unit).upper():
        case "D":
            return last - first
        case "M":
            return months
        case "Y":
            return months // 12
        case "YM":
            return months % 12
        case "YD" | "MD":
            return fail("#N/IMPL!")  # Excel itself says that they may be wrong
    return fail("#NUM!")


def _days360(from_1904: bool, start: Any, end: Any, european: Any = False) -> int:
    (y1, m1, d1), (y2, m2, d2) = day_of(serial(start, from_1904)), day_of(serial(end, from_1904))
    if truth(european):
        d1, d2 = min(d1, 30), min(d2, 30)
    else:
        d1 = 30 if d1 == 31 or (m1 == 2 and d1 == days_in(y1, 2)) else d1
        if d2 == 31:
            d2, m2 = (1, m2 + 1) if d1 < 30 else (30, m2)
    return (y2 - y1) * 360 + (m2 - m1) * 30 + d2 - d1


def _datevalue(from_1904: bool, value: Any) -> float:
    if isinstance(value, CellError):
        raise value
    moment = moment_of_text(value) if isinstance(value, str) else None
    return counted(moment // 1, from_1904) if moment is not None else fail("#VALUE!")


def _days(from_1904: bool, end: Any, start: Any) -> int:
    return serial(end, from_1904) - serial(start, from_1904)


def _time(hour: Any, minute: Any, second: Any) -> float:
    seconds = whole(hour) * 3600 + whole(minute) * 60 + whole(second)
    return seconds % 86_400 / 86_400 if seconds >= 0 else fail("#NUM!")


def _of_day(divisor: int, modulus: int) -> Callable[[bool, Any], int]:
    def called(from_1904: bool, value: Any) -> int:
        moment = number(value)
        if moment < 0:
            fail("#NUM!")
        return int(moment % 1 * 86_400 + 0.5) // divisor % modulus

    return called


FUNCTIONS = {
    "DAYS": each(_days),
    "TIME": each(_time),
    "HOUR": each(_of_day(3600, 24)),
    "MINUTE": each(_of_day(60, 60)),
    "SECOND": each(_of_day(1, 60)),
    "DATE": each(_date),
    "DATEVALUE": each(_datevalue),
    "YEAR": each(_part(0)),
    "MONTH": each(_part(1)),
    "DAY": each(_part(2)),
    "WEEKDAY": each(_weekday),
    "WEEKNUM": each(_weeknum),
    "ISOWEEKNUM": each(_isoweeknum),
    "EDATE": each(_edate),
    "EOMONTH": each(_eomonth),
    "DATEDIF": each(_datedif),
    "DAYS360": each(_days360),
}
