"""Dates and times in number formats: ``dd mmm yyyy``, ``h:mm AM/PM``, ``[h]:mm:ss.000``."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from sizebook.calculation.spreadsheet.argument_values import fail
from sizebook.calculation.spreadsheet.serials import FROM_1904, LAST, day_of, weekday_of

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_SECONDS = 86_400
Piece = tuple[str, str]  # kind and text


def moment(pieces: Sequence[Piece], number: float, *, from_1904: bool) -> str:
    """Return a serial number as the pieces of a format show it: letters of dates, time passed, literals."""
    if any(kind in ("digit", "power", "percent") and not _is_fraction(pieces, n) for n, (kind, _) in enumerate(pieces)):
        fail("#N/IMPL!")
    sign = "-" if number < 0 else ""
    if sign and not from_1904:
        fail("#VALUE!")
    seconds = Decimal(f"{abs(number):.15g}") * _SECONDS
    places = max((len(t) - len(t.rstrip("0")) if "." in t else _places(pieces, n) for n, (k, t) in enumerate(pieces)
                  if k in ("letters", "elapsed") and t.startswith("s")), default=-1)  # fmt: skip
    # Where no seconds are shown they are cut off, but 1/3 of a day is eight hours: milliseconds count, less does not.
    seconds = seconds.quantize(Decimal(1).scaleb(-places if places >= 0 else -3), rounding=ROUND_HALF_UP)
    day, second = int(seconds // _SECONDS), seconds % _SECONDS
    day += FROM_1904 if from_1904 and not sign else 0
    if day > LAST:
        fail("#VALUE!")
    shown = [_shown(pieces, n, day, second, seconds) for n in range(len(pieces))]
    return sign + "".join(shown)


def _is_fraction(pieces: Sequence[Piece], n: int) -> bool:
    """Return whether a digit is a place behind the point of seconds, as in ``[s].000``."""
    while n > 0 and pieces[n][0] == "digit":
        n -= 1
    return pieces[n][0] == "point" and n > 0 and pieces[n - 1][1].startswith("s")


def _places(pieces: Sequence[Piece], n: int) -> int:
    """Return how many places follow elapsed seconds."""
    if n + 1 >= len(pieces) or pieces[n + 1][0] != "point":
        return 0
    count = 0
    while n + 2 + count < len(pieces) and pieces[n + 2 + count][0] == "digit":
        count += 1
    return count


def _shown(pieces: Sequence[Piece], n: int, day: int, second: Decimal, seconds: Decimal) -> str:
    kind, text = pieces[n]
    passed = [found[0] for what, found in pieces if what == "elapsed"]
    is_again = kind == "letters" and "." not in text and text[0] in passed and (text[0] != "m" or _is_minute(pieces, n))
    if kind == "elapsed" or is_again:
        unit = {"h": 3600, "m": 60, "s": 1}[text[0]]
        return str(int(seconds // unit)).zfill(len(text))
    if kind == "digit":
        return "" if pieces[n - 1][0] == "digit" else _decimals(seconds, _places(pieces, n - 2))
    if kind == "ampm":
        early = second < _SECONDS // 2
        return (text[:2] if early else text[-2:]) if len(text) == 5 else (text[0] if early else text[-1])
    if kind != "letters":
        return "." if kind == "point" else text
    if text[0] == "m" and _is_minute(pieces, n):
        return str(int(second // 60) % 60).zfill(len(text))
    if text[0] in "hs":
        return _time(text, second, seconds, pieces)
    return _date(text, day)


def _decimals(seconds: Decimal, places: int) -> str:
    return str(int(seconds % 1 * 10**places)).zfill(places)


def _time(text: str, second: Decimal, seconds: Decimal, pieces: Sequence[Piece]) -> str:
    if text[0] == "h":
        hour = int(second // 3600)
        if any(kind == "ampm" for kind, _ in pieces):
            hour = (hour - 1) % 12 + 1
        return str(hour).zfill(min(len(text), 2))
    letters, point, zeros = text.partition(".")
    return str(int(second % 60)).zfill(min(len(letters), 2)) + (point + _decimals(seconds, len(zeros)) if point else "")


def _is_minute(pieces: Sequence[Piece], n: int) -> bool:
    """Return whether an m stands beside hours or seconds, where it means minutes."""
    if len(pieces[n][1]) > 2:
        return False
    others = [text[0] for kind, text in pieces[n + 1 :] if kind in ("letters", "elapsed")]
    earlier = [text[0] for kind, text in pieces[:n] if kind in ("letters", "elapsed")]
    return bool((earlier and earlier[-1] in "hs") or (others and others[0] == "s"))


def _date(text: str, day: int) -> str:
    year, month, of_month = day_of(day)
    if text[0] == "y":
        return str(year % 100).zfill(2) if len(text) <= 2 else str(year)
    if text[0] == "d":
        name = _DAYS[weekday_of(day)]
        return [str(of_month), str(of_month).zfill(2), name[:3], name][min(len(text), 4) - 1]
    name = _MONTHS[month - 1]
    return [str(month), str(month).zfill(2), name[:3], name, name[0], name][min(len(text), 6) - 1]
