"""Days, months, years and times of day: DATE, YEAR, EDATE, WORKDAY, HOUR and the like."""

from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.argument_values import cells, each, fail, number, truth, whole
from sizebook.calculation.spreadsheet.serials import FROM_1904, LAST, day_of, days_in, serial_of, weekday_of
from sizebook.core.errors import CellError

_MOST_UNITS = 32_767  # hours, minutes or seconds that TIME takes


def _serial(value: Any, from_1904: bool) -> int:
    """Return the day that an argument names, as counted from 1900."""
    if from_1904 and isinstance(value, str):
        fail("#N/IMPL!")  # a text may be a date, which counts from 1900, or a number, which does not
    found = int(number(value) // 1) + (FROM_1904 if from_1904 else 0)
    return found if 0 <= found <= LAST else fail("#NUM!")


def _counted(day: float, from_1904: bool) -> float:
    """Return a day as the workbook counts it."""
    found = day - (FROM_1904 if from_1904 else 0)
    return found if found >= 0 and day <= LAST else fail("#NUM!")


def _date(from_1904: bool, year: Any, month: Any, day: Any) -> float:
    years = int(number(year) // 1)
    if years < 0 or years > 9999:
        fail("#NUM!")
    years += 1900 if years < (1904 if from_1904 else 1900) else 0
    return _counted(serial_of(years, int(number(month) // 1), int(number(day) // 1)), from_1904)


def _part(which: int) -> Callable[[bool, Any], int]:
    return lambda from_1904, value: day_of(_serial(value, from_1904))[which]


def _moved(value: Any, months: Any, from_1904: bool) -> tuple[int, int, int]:
    """Return year, month and day so many months later; the year may lie outside the calendar."""
    if isinstance(value, bool) or isinstance(months, bool):
        fail("#VALUE!")
    year, month, day = day_of(_serial(value, from_1904))
    total = year * 12 + month - 1 + whole(months)
    return total // 12, total % 12 + 1, day


def _edate(from_1904: bool, value: Any, months: Any) -> float:
    if number(value) == number(months) == 0:
        return 0.0
    year, month, day = _moved(value, months, from_1904)
    if not 1900 <= year <= 9999:
        fail("#NUM!")
    return _counted(serial_of(year, month, min(day, days_in(year, month))), from_1904)


def _eomonth(from_1904: bool, value: Any, months: Any) -> float:
    year, month, _ = _moved(value, months, from_1904)
    return _counted(serial_of(year, month, days_in(year, month)), from_1904) if year >= 1900 else fail("#NUM!")


def _days360(from_1904: bool, start: Any, end: Any, european: Any = False) -> int:
    if truth(european):
        fail("#N/IMPL!")
    (y1, m1, d1), (y2, m2, d2) = day_of(_serial(start, from_1904)), day_of(_serial(end, from_1904))
    d1 = 30 if d1 == 31 or (m1 == 2 and d1 == days_in(y1, 2)) else d1
    if d2 == 31:
        d2, m2 = (1, m2 + 1) if d1 < 30 else (30, m2)
    return (y2 - y1) * 360 + (m2 - m1) * 30 + d2 - d1


def _workday(from_1904: bool, start: Any, days: Any, holidays: Any = None) -> float:
    """Return the day so many days from Monday to Friday later that are no holidays."""
    if isinstance(start, bool) or isinstance(days, bool):
        fail("#N/IMPL!")
    day, left = _serial(start, from_1904), whole(days)
    free = _holidays(holidays, from_1904)
    if abs(left) > LAST:
        fail("#NUM!")
    step = 1 if left > 0 else -1
    while left:
        day += step
        if not 0 <= day <= LAST:
            fail("#NUM!")
        left -= step * (0 < weekday_of(day) < 6 and day not in free)
    return _counted(day, from_1904)


def _holidays(given: Any, from_1904: bool) -> set[int]:
    days = [cell for cell in cells(given) if cell is not None and cell != ""]
    for cell in days:
        if isinstance(cell, CellError):
            raise cell
    return {_serial(cell, from_1904) for cell in days}


def _time(hour: Any, minute: Any, second: Any) -> float:
    hours, minutes, rest = whole(hour), whole(minute), whole(second)
    if max(hours, minutes, rest) > _MOST_UNITS:
        fail("#NUM!")
    seconds = hours * 3600 + minutes * 60 + rest
    return seconds % 86_400 / 86_400 if seconds >= 0 else fail("#NUM!")


def _of_day(divisor: int, modulus: int) -> Callable[[bool, Any], int]:
    def called(from_1904: bool, value: Any) -> int:
        moment = number(value)
        if moment < 0:
            fail("#NUM!")
        if moment > LAST + 1:
            fail("#N/IMPL!")
        return int(moment % 1 * 86_400 + 0.5) // divisor % modulus

    return called


FUNCTIONS = {
    "TIME": each(_time),
    "HOUR": each(_of_day(3600, 24)),
    "MINUTE": each(_of_day(60, 60)),
    "SECOND": each(_of_day(1, 60)),
    "DATE": each(_date),
    "YEAR": each(_part(0)),
    "MONTH": each(_part(1)),
    "DAY": each(_part(2)),
    "EDATE": each(_edate),
    "EOMONTH": each(_eomonth),
    "DAYS360": each(_days360),
    "WORKDAY": _workday,
}
