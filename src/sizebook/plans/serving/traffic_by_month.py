"""How many requests come in each month of a plan: a rate that grows, users, or a table of months; and the season."""

from collections.abc import Mapping
from datetime import date
from functools import cached_property
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.quantities import DAYS_PER_MONTH, MONTHS_PER_YEAR
from sizebook.core.sections import DEFAULT, quantity, section
from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.plans.serving.users import Users
from sizebook.serving.quantities import Demand
from sizebook.serving.traffic import requests_after
from sizebook.serving.traffic_quantities import Growth

STEPS, RAMP = "steps", "ramp"
TABLES_OF_MONTHS = ("monthly_requests", "monthly_tokens")
WAYS = ("requests_per_day", "users", *TABLES_OF_MONTHS)  # keys of which one states the traffic
_TABLE = "one number a month from the first on, or pairs of month and number; or a CSV file with columns month and "


@section
class Arrivals:
    """Requests a day, what each of them asks, and how they grow."""

    requests_per_day: float | None = quantity(
        "requests a day now; blank where users or a table of months say it",
        "requests",
        above=0,
        maximum=1e15,
        default=None,
        label="Requests a day",
    )
    demand: Demand = DEFAULT
    growth_per_month: Growth = DEFAULT

    @property
    def mean_demand(self) -> Demand:
        """What one request asks on average."""
        return self.demand


@section
class Course:
    """A table of months in place of a rate, and the factors of the calendar months."""

    monthly_requests: Any = quantity(
        f"requests of each month, in place of requests a day: {_TABLE}requests",
        default=None,
        label="Requests by month",
    )
    monthly_tokens: Any = quantity(
        f"tokens of each month, prompts and answers, in place of requests a day: {_TABLE}tokens",
        default=None,
        label="Tokens by month",
    )
    between_months: str = quantity(
        "what holds between the months of a table: steps, the last one before, or ramp, a straight line",
        choices=(STEPS, RAMP),
        default=STEPS,
        label="Between months of a table",
        source="neutral: what was stated holds until the next",
    )
    season: Any = quantity(
        "what traffic is multiplied by in January to December, 12 numbers; blank for no season",
        default=None,
        label="Season",
    )

    def __post_init__(self) -> None:
        _ = self.table
        given = self.season
        if given is not None and (
            not isinstance(given, tuple)
            or len(given) != MONTHS_PER_YEAR
            or not all(_is_positive(each) for each in given)
        ):
            raise InputError(
                f"no season: got {given!r}, want 12 numbers above 0, January to December. Give one a month."
            )

    @cached_property
    def table(self) -> tuple[tuple[int, float], ...]:
        """The months of the table and their numbers, empty without one; months count from 1."""
        stated = {name: getattr(self, name) for name in TABLES_OF_MONTHS if getattr(self, name) is not None}
        return next((month_table(name, given) for name, given in stated.items()), ())

    def factor(self, month: int, start: date | None) -> float:
        """Return the factor of the calendar month in which a month of the plan lies; months count from 0."""
        if self.season is None:
            return 1.0
        if start is None:
            raise InputError(
                "season without a calendar: got season and no start, want the plan's first month. State start, such as "
                "start = 2027-01-01."
            )
        return float(self.season[(start.month - 1 + month) % MONTHS_PER_YEAR])

    def counted(self, demand: Demand) -> float:
        """Return what the table counts of one request: itself, or its tokens."""
        return 1.0 if self.monthly_tokens is None else float(demand.input_tokens + demand.output_tokens)

    def stated(self, month: int) -> float:
        """Return what the table says of a month, counted from 0: its own number, the one before, or a line between."""
        at = month + 1
        before = max(each for each in self.table if each[0] <= at)
        after = min((each for each in self.table if each[0] > at), default=before)
        if self.between_months == STEPS or before == after:
            return before[1]
        return before[1] + (after[1] - before[1]) * (at - before[0]) / (after[0] - before[0])


def month_table(name: str, given: Any) -> tuple[tuple[int, float], ...]:
    """Return the months of a table and their numbers.

    Errors: what is no list, no number above 0, months that do not begin with the first, rise and end with the 60th.
    """
    rows = given if isinstance(given, (list, tuple)) else ()
    pairs = [each if isinstance(each, (list, tuple)) else (at, each) for at, each in enumerate(rows, 1)]
    for at, pair in enumerate(pairs or [given]):
        if not (isinstance(pair, (list, tuple)) and len(pair) == 2 and all(_is_positive(each) for each in pair)):
            shown = rows[at] if rows else given
            raise InputError(
                f"no month: got {shown!r} in {name}, want a number above 0, or a month and such a number. Correct it."
            )
    months = [pair[0] for pair in pairs]
    whole = all(float(month).is_integer() for month in months)
    if not whole or months[0] != 1 or sorted(set(months)) != months or months[-1] > LONGEST_PLAN:
        listed = ", ".join(f"{month:g}" for month in months)
        raise InputError(
            f"months out of order: got {listed} in {name}, want whole months that rise from 1 to {LONGEST_PLAN} at "
            "most. Correct them."
        )
    return tuple((int(month), float(number)) for month, number in pairs)


def _is_positive(given: Any) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool) and 0 < given <= 1e18


@section
class DemandByMonth:
    """How traffic goes on: a table of months or users in place of requests a day, and the season."""

    course: Course = DEFAULT
    people: Users = DEFAULT

    def __post_init__(self) -> None:
        if len(given := self._stated) > 1:
            raise _twice(*given)

    @property
    def _stated(self) -> tuple[str, ...]:
        ways = {"users": self.people.users, **{name: getattr(self.course, name) for name in TABLES_OF_MONTHS}}
        return tuple(name for name, value in ways.items() if value is not None)

    def ways(self, traffic: Arrivals) -> tuple[str, ...]:
        """Return the keys that state the traffic."""
        return (*(("requests_per_day",) if traffic.requests_per_day is not None else ()), *self._stated)

    def check(self, traffic: Arrivals) -> None:
        """Refuse traffic that nobody states, that is stated twice, and growth of what states every month."""
        if not (ways := self.ways(traffic)):
            raise InputError(f"no traffic: got none of {', '.join(WAYS)}, want one of them. State requests_per_day.")
        if len(ways) > 1:
            raise _twice(*ways)
        if self.course.table and traffic.growth_per_month:
            raise _twice("growth_per_month", *ways)

    def requests_in(self, month: int, traffic: Arrivals, start: date | None, since: int = 0) -> float:
        """Return requests a day in a month of the plan, a mean over its days; growth counts from the month ``since``.

        Months count from 0.
        """
        course = self.course
        if course.table:
            day = course.stated(month) / course.counted(traffic.mean_demand) / DAYS_PER_MONTH
        else:
            day = self.people.requests_per_day if traffic.requests_per_day is None else traffic.requests_per_day
            day = requests_after(day, traffic.growth_per_month, month - since)
        return day if course.season is None else day * course.factor(month, start)

    def times(self, factor: float, traffic: Arrivals) -> Mapping[str, Any]:
        """Return what states the traffic, times a factor, by its name."""
        if traffic.requests_per_day is not None:
            return {"requests_per_day": factor * traffic.requests_per_day}
        if self.people.users is not None:
            return {"users": factor * self.people.users}
        return {name: tuple((month, number * factor) for month, number in self.course.table) for name in self._stated}


def _twice(*given: str) -> InputError:
    return InputError(f"traffic given twice: got {' and '.join(given)}, want one of them. Remove the others.")
