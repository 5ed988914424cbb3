"""Money: depreciation by declining balances, interest of payments in advance, prices in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, truth, whole


def _vdb(cost: Any, salvage: Any, life: Any, *periods: Any) -> float:
    start, end, factor, no_switch = (*periods, None, None)[:4]
    amount, rest, n_periods = number(cost), number(salvage), number(life)
    first, last, rate = number(start), number(end), number(factor, 2.0)
    if min(amount, rest, first) < 0 or last < first or last > n_periods or n_periods <= 0 or rate <= 0:
        fail("#NUM!")
    if n_periods != int(n_periods):
        fail("#N/IMPL!")
    total, period = 0.0, 0
    value, straight_from = amount, False
    while period < last:
        declined = min(value * rate / n_periods, max(0.0, value - rest))
        straight = max(0.0, value - rest) / (n_periods - period)
        straight_from = straight_from or (not truth(no_switch) and straight > declined)
        taken = straight if straight_from else declined
        total += taken * max(0.0, min(last, period + 1) - max(first, period))
        value -= taken
        period += 1
    return total


def _db(cost: Any, salvage: Any, life: Any, period: Any, month: Any = 12) -> float:
    amount, rest, n_periods, which = number(cost), number(salvage), number(life), number(period)
    months = whole(month, 12)
    if min(amount, rest) < 0 or n_periods <= 0 or not 1 <= months <= 12 or not 1 <= which <= n_periods + (months < 12):
        fail("#NUM!")
    if amount == 0:
        return 0.0
    rate = round(1 - math.pow(rest / amount, 1 / n_periods), 3)
    taken = amount * rate * months / 12
    total = taken
    for number_ in range(2, int(which) + 1):
        taken = (amount - total) * rate * ((12 - months) / 12 if number_ > n_periods else 1)
        total += taken
    return taken


def _pmt(rate: float, n: float, present: float, future: float, advance: bool) -> float:
    if rate == 0:
        return -(present + future) / n
    grown = math.pow(1 + rate, n)
    return -(present * grown + future) * rate / ((grown - 1) * (1 + rate * advance))


def _ipmt(rate: Any, period: Any, n_periods: Any, present: Any, future: Any = None, kind: Any = None) -> float:
    each_rate, which, n, value, rest = (number(given) for given in (rate, period, n_periods, present, future))
    advance = number(kind) != 0
    if not 1 <= which < n + 1:
        fail("#NUM!")
    if advance and which == 1:
        return 0.0
    payment = _pmt(each_rate, n, value, rest, advance)
    passed = which - 1
    grown = math.pow(1 + each_rate, passed)
    owed = value * grown + (
        payment * (1 + each_rate * advance) * (grown - 1) / each_rate if each_rate else payment * passed
    )
    return -owed * each_rate / (1 + each_rate if advance else 1)


def _ppmt(rate: Any, period: Any, n_periods: Any, present: Any, future: Any = None, kind: Any = None) -> float:
    interest = _ipmt(rate, period, n_periods, present, future, kind)
    advance = number(kind) != 0
    return _pmt(number(rate), number(n_periods), number(present), number(future), advance) - interest


def _rate(n_periods: Any, payment: Any, present: Any, future: Any = None, kind: Any = None, guess: Any = None) -> float:
    """Return the rate at which payments, present and future value come to 0, the nearest to the guess."""
    n, paid, value, rest = (number(given) for given in (n_periods, payment, present, future))
    advance, first = number(kind) != 0, number(guess, 0.1)
    if n <= 0 or first <= -1 or min(paid, value, rest) >= 0 or max(paid, value, rest) <= 0:
        fail("#NUM!")
    if value * rest > 0:
        fail("#N/IMPL!")  # there may be two rates, of which Excel's steps find one

    def owed(rate: float) -> float:
        discount = n * math.log1p(rate)
        annuity = n if rate == 0 else -math.expm1(-discount) / rate
        return value + paid * (1 + rate * advance) * annuity + rest * math.exp(-discount)

    step, above = 0.01, owed(first) > 0
    for _ in range(60):
        for end in (first + step, max(first - step, (first - 99) / 100)):
            if (owed(end) > 0) != above:
                return _crossing(owed, first, end, above=above)
        step *= 1.5
    return fail("#N/IMPL!")


def _crossing(function: Callable[[float], float], first: float, last: float, *, above: bool) -> float:
    """Return where a function crosses 0, by halves; it is above 0 at the first end, or not."""
    for _ in range(100):
        middle = (first + last) / 2
        if (function(middle) > 0) == above:
            first = middle
        else:
            last = middle
    return (first + last) / 2


def _dollarde(price: Any, fraction: Any) -> float:
    """Return a price in fractions, 1.02 for one and two sixteenths, as a decimal."""
    value, parts = number(price), whole(fraction)
    if parts < 1:
        fail("#NUM!" if parts < 0 else "#DIV/0!")
    full = math.trunc(value)
    return full + (value - full) * math.pow(10, math.ceil(math.log10(parts))) / parts


def _dollarfr(price: Any, fraction: Any) -> float:
    """Return a decimal price in fractions."""
    value, parts = number(price), whole(fraction)
    if parts < 1:
        fail("#NUM!" if parts < 0 else "#DIV/0!")
    full = math.trunc(value)
    return full + (value - full) * parts / math.pow(10, math.ceil(math.log10(parts)))


FUNCTIONS = {
    "VDB": each(_vdb),
    "DB": each(_db),
    "IPMT": each(_ipmt),
    "PPMT": each(_ppmt),
    "RATE": each(_rate),
    "DOLLARDE": each(_dollarde),
    "DOLLARFR": each(_dollarfr),
}
