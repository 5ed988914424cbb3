"""Money over time: present values, returns, instalments and depreciation, as spreadsheets work them out.

Each function gives what the spreadsheet function of the same name gives: a test compares them with LibreOffice's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date

from sizebook.core.errors import TargetError

_DAYS_A_YEAR, _MONTHS_A_YEAR = 365, 12
_LOWEST, _HIGHEST, _HALVINGS = -0.999999, 1e6, 200  # a rate of return of a month or a year lies between


def npv(rate: float, amounts: Sequence[float]) -> float:
    """Return the value one period before the first amount: sum of amount k / (1 + rate)^k, k from 1."""
    return math.fsum(amount / (1 + rate) ** k for k, amount in enumerate(amounts, 1))


def xnpv(rate: float, amounts: Sequence[float], days: Sequence[date]) -> float:
    """Return the value on the first day of amounts of days: amount / (1 + rate)^(days since / 365)."""
    return math.fsum(
        amount / (1 + rate) ** ((day - days[0]).days / _DAYS_A_YEAR) for amount, day in zip(amounts, days, strict=True)
    )


def irr(amounts: Sequence[float]) -> float:
    """Return the rate at which the amounts, the first of them now, are worth nothing together: found by halving.

    Errors: amounts of one sign only, which have none.
    """

    def worth(rate: float) -> float:
        return math.fsum(amount / (1 + rate) ** k for k, amount in enumerate(amounts))

    if not (any(amount > 0 for amount in amounts) and any(amount < 0 for amount in amounts)):
        raise TargetError(
            f"no rate of return: got {len(amounts)} amounts of one sign, want money that goes out and comes in. State "
            "both."
        )
    low, high = _LOWEST, _HIGHEST
    rising = worth(low) < worth(high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if (worth(middle) < 0) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def of_a_month(rate_of_a_year: float) -> float:
    """Return the rate of a month that comes to that of a year: (1 + rate)^(1/12) - 1."""
    return float((1 + rate_of_a_year) ** (1 / _MONTHS_A_YEAR) - 1)


def pmt(rate: float, periods: int, present: float, future: float = 0.0) -> float:
    """Return the instalment at the end of each period that pays back a present value; money paid is negative."""
    if rate == 0:
        return -(present + future) / periods
    grown = float((1 + rate) ** periods)
    return -(present * grown + future) * rate / (grown - 1)


def sln(cost: float, salvage: float, life: float) -> float:
    """Return the straight-line depreciation of a period: (cost - salvage) / life."""
    return (cost - salvage) / life


def db(cost: float, salvage: float, life: int, period: int, month: int = _MONTHS_A_YEAR) -> float:
    """Return the declining-balance depreciation of a year, the first of so many months, the rate to three decimals."""
    if cost == 0:
        return 0.0
    rate = round(1 - float((salvage / cost) ** (1 / life)), 3)
    found, lost = cost * rate * month / _MONTHS_A_YEAR, 0.0
    for at in range(2, period + 1):
        lost += found
        months = _MONTHS_A_YEAR - month if at == life + 1 else _MONTHS_A_YEAR
        found = (cost - lost) * rate * months / _MONTHS_A_YEAR
    return found


def payback(amounts: Sequence[float]) -> int | None:
    """Return the first period after which amounts, counted from 0, have come to nothing or more; None where never."""
    so_far = 0.0
    for period, amount in enumerate(amounts):
        so_far += amount
        if period and so_far >= 0:
            return period
    return None
