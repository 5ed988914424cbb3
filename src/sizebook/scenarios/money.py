"""The table ``[money]`` of a scenario: the currency that its cost is stated in, dated rates, and the first month.

Plans count in USD, as prices are listed. What a plan costs in another currency is the cost of each month at the rate
that holds on the month's first day, and so are the ends of its range; those of runs are taken at its mean rate.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Annotated, Any

from sizebook.core.coercion import as_text, is_blank
from sizebook.core.errors import InputError
from sizebook.core.quantities import DAYS_PER_MONTH
from sizebook.core.sections import DEFAULT, Quantity, quantity, section
from sizebook.core.texts import Text, joined, range_text, text
from sizebook.core.units import NO_BREAK_SPACE, measure, parameters, usd
from sizebook.plans.contents import Figure
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.ledgers import Start, elapsed_share, usd_range
from sizebook.plans.programme.plan import ProgrammePlan
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.training.plan import TrainingPlan

USD = "USD"
AMOUNT_FIGURES = ("amount", "amount_least", "amount_most", "rate_per_usd")
MOST_RATES = 6  # as many as a workbook takes
Currency = Annotated[
    str,
    Quantity(
        "currency that the cost is stated in, by its three letters",
        default=USD,
        label="Currency",
        source="neutral: prices are in USD",
    ),
]


@section
class Money:
    """A currency, what 1 USD is in it (one rate, or several with the days from which they hold), and the first month.

    The first month is also that of a fleet's or programme's calendar.
    """

    currency: Currency = DEFAULT
    rates: Any = quantity(
        "units of the currency for 1 USD: one number, or pairs of the day from which it holds and the number",
        default=None,
        label="Exchange rates",
        source="your own: a published rate of that day",
    )
    start: Start = DEFAULT

    def __post_init__(self) -> None:
        _ = self.dated  # a scenario says what is wrong with them before it is planned

    @cached_property
    def dated(self) -> tuple[tuple[date | None, float], ...]:
        """The rates by the day from which each holds, None for one without a day; none in USD.

        Errors: a currency without a rate, a rate without a currency, days that do not rise, no number above 0.
        """
        code, given = self.currency, self.rates
        if not (len(code) == len(USD) and code.isascii() and code.isalpha() and code.isupper()):
            raise InputError(f"no currency: got currency '{code}', want three letters such as EUR. Correct it.")
        if (code == USD) != is_blank(given):
            got, fix = ("'USD' with rates", "Name it") if code == USD else (f"'{code}' without rates", "State them")
            raise InputError(
                f"currency without a rate: got currency {got}, want what 1 USD is in another currency. {fix}, such as "
                f"currency = 'EUR' and rates = 0.92."
            )
        found = tuple(_pairs(given))
        days = [day for day, _ in found if day is not None]
        if len(found) > 1 and (len(days) < len(found) or sorted(set(days)) != days):
            raise InputError(f"rates out of order: got {given!r}, want a later day for each. Sort them by day.")
        if len(found) > MOST_RATES:
            raise InputError(f"too many rates: got {len(found)}, want at most {MOST_RATES}. Leave some out.")
        return found

    def shown(self, amount: float) -> str:
        """Return an amount of the currency, to three digits."""
        return in_currency(amount, self.currency)

    def level(self, month: int) -> float:
        """Return the rate on the first day of a month, counted from 0; before the first day that of the first.

        Errors: several rates and no first month.
        """
        if len(self.dated) <= 1:
            return self.dated[0][1] if self.dated else 1.0
        if self.start is None:
            raise InputError(
                f"no first month: got {len(self.dated)} rates of days and no start, want the plan's first month. State "
                "start, such as start = 2027-01-01."
            )
        at = self.start.year * 12 + self.start.month - 1 + month
        first = date(at // 12, at % 12 + 1, 1)
        held = [rate for day, rate in self.dated if day is not None and day <= first]
        return held[-1] if held else self.dated[0][1]


def in_currency(amount: float, currency: str) -> str:
    """Return an amount of a currency, to three digits."""
    return usd(amount) if currency == USD else joined((parameters(amount), currency), NO_BREAK_SPACE)


def _pairs(given: Any) -> Iterator[tuple[date | None, float]]:
    """Yield the rates of a list, a text or a number, each with its day. Errors: what is no day or no rate."""
    if is_blank(given):
        return
    if isinstance(given, (int, float)):
        yield None, _rate(given)
        return
    words = [each.split() for each in given.replace(";", ",").split(",")] if isinstance(given, str) else given
    for each in words:
        parts = list(each) if isinstance(each, (list, tuple)) else [each]
        if len(parts) == 1 and len(words) == 1:
            yield None, _rate(parts[0])
            continue
        if len(parts) != 2:
            raise InputError(f"no rate: got {each!r}, want a day and a number, such as 2027-01-01 0.92. Correct rates.")
        yield _day(parts[0]), _rate(parts[1])


def _day(given: Any) -> date:
    try:
        return given if isinstance(given, date) else date.fromisoformat(str(given))
    except ValueError:
        raise InputError(f"no day: got '{given}' in rates, want one such as 2027-01-01. Correct it.") from None


def _rate(given: Any) -> float:
    try:
        found = float(given)
    except (TypeError, ValueError):
        found = 0.0
    if not 0 < found <= 1e9:
        typed = as_text(given)
        raise InputError(f"no rate: got '{typed}', want units of the currency for 1 USD, above 0. Correct rates.")
    return found


@dataclass(frozen=True)
class Amount:
    """What a plan costs in a currency: low, middle and high, by month, and what 1 USD is in it over the months."""

    currency: str
    rate: float
    low: float
    middle: float
    high: float
    months: tuple[float, ...]

    @property
    def said(self) -> Text:
        """The cost in words, as every surface says it."""
        if math.isnan(self.middle):
            return text("No price is listed, so no cost in {currency}.", currency=self.currency)
        return text(
            "In {currency} it costs {amount} ({range}); 1 USD is {rate} {currency} over its months.",
            currency=self.currency,
            amount=self._shown(self.middle),
            range=range_text(self._shown(self.low), self._shown(self.high)),
            rate=measure(self.rate),
        )

    def _shown(self, amount: float) -> str:
        return in_currency(amount, self.currency)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The cost as figures of the plan."""
        unit, per_usd = self.currency, f"{self.currency}/USD"
        labels = (f"Cost, {unit}", f"Cost, least, {unit}", f"Cost, most, {unit}", f"{unit} for 1 USD")
        values = ((self.middle, unit), (self.low, unit), (self.high, unit), (self.rate, per_usd))
        return tuple(
            Figure(name, label, unit=of, value=value)
            for name, label, (value, of) in zip(AMOUNT_FIGURES, labels, values, strict=True)
        )

    @property
    def data(self) -> dict[str, Any]:
        """The cost as plain data."""
        return {
            "currency": self.currency,
            "rate_per_usd": self.rate,
            "amount": self.middle,
            "range": [self.low, self.high],
            "months": list(self.months),
        }


def amount_of(plan: Any, money: Money) -> Amount | None:
    """Return what a plan costs in the currency of its scenario; None in USD."""
    if not money.dated:
        return None
    if isinstance(plan, (FleetPlan, ServingPlan)):
        return _by_month(plan, money)
    if isinstance(plan, TrainingPlan):
        low, middle, high = (case.programme_cost_usd for case in plan.cases)
        months = [middle * share for share in _shares(plan.middle.programme_days, money.start)]
    elif isinstance(plan, ProgrammePlan):
        (low, _, high), months = (budget.usd for budget in plan.budgets), [month.usd for month in plan.months]
    else:
        return amount_of(plan.plan, money)  # a serving plan that was chosen among others
    amounts = tuple(usd * money.level(at) for at, usd in enumerate(months))
    rate = _mean_rate(amounts, months, money)
    return Amount(money.currency, rate, low * rate, sum(amounts), high * rate, amounts)


def _by_month(plan: FleetPlan | ServingPlan, money: Money) -> Amount:
    """Return the amount of a plan whose ends of the range cost something each month, as its middle does."""
    months = [month.usd for month in plan.months]
    rates = [money.level(at) for at in range(len(months))]
    amounts, found = tuple(usd * rate for usd, rate in zip(months, rates, strict=True)), usd_range(plan, rates)
    rate = _mean_rate(amounts, months, money)
    return Amount(money.currency, rate, found.low, found.middle, found.high, amounts)


def _mean_rate(amounts: Sequence[float], months: Sequence[float], money: Money) -> float:
    """Return what 1 USD is over all months, by what each of them costs."""
    return sum(amounts) / sum(months) if sum(months) > 0 else money.level(0)


def run_rate(days: float, money: Money) -> float:
    """Return what 1 USD is over the months of a run of so many days."""
    return sum(share * money.level(at) for at, share in enumerate(_shares(days, money.start)))


def _shares(days: float, start: date | None) -> list[float]:
    """Return the share of a run in each month of 730 hours, the first from its first day on."""
    over = elapsed_share(start) * DAYS_PER_MONTH
    shares: list[float] = []
    while sum(shares) < 1 - 1e-12:
        first = len(shares) * DAYS_PER_MONTH - over
        shares.append((min(days, first + DAYS_PER_MONTH) - max(0.0, first)) / days)
    return shares
