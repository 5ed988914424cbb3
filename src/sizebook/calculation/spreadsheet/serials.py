"""Serial numbers of days: 1 is 1 January 1900, and 29 February 1900 counts though there was none, as in Excel.

A workbook that counts from 1904 writes the same day as a number smaller by 1 462.
"""

from datetime import date, timedelta

FROM_1904 = 1462
LAST = 2_958_465  # 31 December 9999
_DAY_0 = date(1899, 12, 30)
_NO_DAY = 60  # 29 February 1900


def serial_of(year: int, month: int, day: int) -> float:
    """Return the serial number of a day; months and days beyond their range carry over."""
    months = year * 12 + month - 1
    first = _first(months // 12, months % 12 + 1)
    return float(first + day - 1)


def _first(year: int, month: int) -> int:
    """Return the serial number of the first of a month."""
    if year < 1900:
        return (date(year, month, 1) - date(1899, 12, 31)).days if year > 0 else -1
    days = (date(year, month, 1) - _DAY_0).days
    return days if days > _NO_DAY else days - 1


def day_of(serial: int) -> tuple[int, int, int]:
    """Return year, month and day of a serial number; 0 is 0 January 1900."""
    if serial == 0:
        return 1900, 1, 0
    if serial == _NO_DAY:
        return 1900, 2, 29
    found = _DAY_0 + timedelta(days=serial + (1 if serial < _NO_DAY else 0))
    return found.year, found.month, found.day


def weekday_of(serial: int) -> int:
    """Return the day of the week of a serial number, 0 for Sunday."""
    return (serial - 1) % 7


def days_in(year: int, month: int) -> int:
    """Return how many days a month has, 29 for February 1900."""
    months = year * 12 + month
    return _first(months // 12, months % 12 + 1) - _first(year, month)
