"""Working days: WORKDAY, NETWORKDAYS and their international forms."""

from __future__ import annotations

from typing import Any

from sizebook.calculation.spreadsheet.calendar import counted, serial
from sizebook.calculation.spreadsheet.coercing import cells, fail, whole
from sizebook.calculation.spreadsheet.serials import LAST, weekday_of
from sizebook.core.errors import CellError


def _off(weekend: Any) -> frozenset[int]:
    """Return the days of the week that are off, 0 for Sunday."""
    if isinstance(weekend, str):
        if len(weekend) != 7 or set(weekend) - {"0", "1"}:
            fail("#VALUE!")
        return frozenset((place + 1) % 7 for place, sign in enumerate(weekend) if sign == "1")
    number = whole(weekend, 1)
    if 1 <= number <= 7:
        return frozenset(((number + 5) % 7, (number + 6) % 7))
    return frozenset([number - 11]) if 11 <= number <= 17 else fail("#NUM!")


def _holidays(given: Any, from_1904: bool) -> set[int]:
    found = set()
    for cell in cells(given):
        if isinstance(cell, CellError):
            raise cell
        if cell is not None and cell != "":
            found.add(serial(cell, from_1904))
    return found


def _workday_intl(from_1904: bool, start: Any, days: Any, weekend: Any = None, holidays: Any = None) -> float:
    day, left, off = serial(start, from_1904), whole(days), _off(weekend)
    if len(off) == 7:
        fail("#VALUE!")
    free, step = _holidays(holidays, from_1904), (1 if left > 0 else -1)
    if abs(left) > LAST:
        fail("#NUM!")
    while left:
        day += step
        if not 0 <= day <= LAST:
            fail("#NUM!")
        left -= step * (weekday_of(day) not in off and day not in free)
    return counted(day, from_1904)


def _networkdays_intl(from_1904: bool, start: Any, end: Any, weekend: Any = None, holidays: Any = None) -> int:
    first, last = serial(start, from_1904), serial(end, from_1904)
    off, free = _off(weekend), _holidays(holidays, from_1904)
    low, high = sorted((first, last))
    weeks, rest = divmod(high - low + 1, 7)
    n_days = weeks * (7 - len(off)) + sum(weekday_of(high - n) not in off for n in range(rest))
    n_days -= sum(low <= day <= high and weekday_of(day) not in off for day in free)
    return n_days if first <= last else -n_days


def _workday(from_1904: bool, start: Any, days: Any, holidays: Any = None) -> float:
    return _workday_intl(from_1904, start, days, None, holidays)


def _networkdays(from_1904: bool, start: Any, end: Any, holidays: Any = None) -> int:
    return _networkdays_intl(from_1904, start, end, None, holidays)


FUNCTIONS = {
    "WORKDAY": _workday,
    "WORKDAY.INTL": _workday_intl,
    "NETWORKDAYS": _networkdays,
    "NETWORKDAYS.INTL": _networkdays_intl,
}
