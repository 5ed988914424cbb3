"""Money over time: present values, returns, paybacks, depreciation and instalments, as spreadsheets work them out."""

import math
from collections.abc import Sequence

from sizebook.core.errors import TargetError
from sizebook.core.quantities import MONTHS_PER_YEAR

_LOWEST, _HIGHEST, _HALVINGS = -0.999999, 1e6, 200  # a rate of return of a month or a year lies between


def npv(rate: float, amounts: Sequence[float]) -> float:
    """Return the value one period before the first amount: sum of amount k / (1 + rate)^k, k from 1."""
    return math.fsum(amount / (1 + rate) ** k for k, amount in enumerate(amounts, 1))


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


def monthly_rate(rate_of_a_year: float) -> float:
    """Return the rate of a month that comes to that of a year: (1 + rate)^(1/12) - 1."""
    return float((1 + rate_of_a_year) ** (1 / MONTHS_PER_YEAR) - 1)


def payback(amounts: Sequence[float]) -> int | None:
    """Return the first period after which amounts, counted from 0, have come to nothing or more; None where never."""
    so_far = 0.0
    for period, amount in enumerate(amounts):
        so_far += amount
        if period and so_far >= 0:
            return period
    return None


def straight_line(cost: float, left: float, periods: int) -> tuple[float, ...]:
    """Return what is written off in each period down to what is left: the same in all (SLN)."""
    return ((cost - left) / periods,) * periods


def declining_balance(cost: float, left: float, periods: int) -> tuple[float, ...]:
    """Return what is written off in each period down to what is left: twice the even share of the book value (DDB).

    From the period on in which spreading the rest evenly writes off more, it is spread (VDB).
    """
    written: list[float] = []
    book = cost
    for over in range(periods, 0, -1):
        written.append(min(book - left, max(book * 2 / periods, (book - left) / over)))
        book -= written[-1]
    return tuple(written)


def instalment(rate: float, periods: int, amount: float, left: float = 0.0) -> float:
    """Return what is paid at the end of each period for an amount borrowed, down to what is left then (PMT)."""
    if not rate:
        return (amount - left) / periods
    growth = (1 + rate) ** periods
    return float((amount * growth - left) * rate / (growth - 1))


def interest(rate: float, periods: int, amount: float, left: float = 0.0) -> tuple[float, ...]:
    """Return the part of each instalment that is interest on what is owed (IPMT)."""
    paid, found = instalment(rate, periods, amount, left), []
    for _ in range(periods):
        found.append(amount * rate)
        amount -= paid - found[-1]
    return tuple(found)
