"""Ledgers as tables: the columns that a declared month gives, both ends of its band beside it, and blank rows after it.

A function's rows, a workbook's staged table and the checks between them take their names, labels and units from here.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from itertools import repeat
from typing import Annotated, Any, Protocol

from sizebook.core.sections import Argument, Quantity, flat, kept, leaves, quantity, section
from sizebook.core.texts import Day, text
from sizebook.plans.cost_range import CostRange, cost_range
from sizebook.plans.quantities import EnergyKwh, PriceShare

LONGEST_PLAN = 60  # months

Start = Annotated[
    date | None, Quantity("any day of the first month, blank to number the months", default=None, label="First month")
]

# The figures of a month that its band moves, and what the ends are called: GPUs if replicas are as fast, or as slow, as
# 1 in 10 measurements; cost where prices move too.
ENDS = (("peak_gpus", "fewest", "most"), ("usd", "least", "most"))

LedgerRows = Annotated[
    int,
    Quantity(
        "rows of months to give at least, blank after the last month, so that a table of fixed size shows no error",
        unit="months",
        minimum=1,
        maximum=LONGEST_PLAN,
        default=1,
        label="Rows of the ledger",
    ),
]
Ledger = Annotated[list[list[Any]], Quantity("a row of names, then one a month")]
Cases = Annotated[list[list[Any]], Quantity("a row of names, then low, middle and high")]
Figures = Annotated[list[list[Any]], Quantity("names and values, one figure a row")]


def as_table(kind: type[Any], items: Iterable[Any]) -> list[list[Any]]:
    """Return sections of a kind as a row of names and a row each."""
    return [[leaf.name for leaf in leaves(kind)], *(list(flat(each).values()) for each in items)]


def named_values(figures: Any) -> list[list[Any]]:
    """Return the figures of a section as names and values, blank where there is none."""
    return [[name, "" if value is None else value] for name, value in flat(figures).items()]


def month_label(start: date | None, month: int) -> str:
    """Return the name of a month, counted from 0: ``2027-01``, or ``Month 1`` where there is no first month."""
    if start is None:
        return text("Month {n}", n=month + 1)
    at = start.year * 12 + start.month - 1 + month
    return Day(f"{at // 12}-{at % 12 + 1:02d}")


def headline_months(peaks: Sequence[int]) -> tuple[int, ...]:
    """Return the months of a headline, counted from 0: first and last, and the busiest where it is above both."""
    busiest = (peaks.index(max(peaks)),) if max(peaks) > max(peaks[0], peaks[-1]) else ()
    return tuple(dict.fromkeys((0, *busiest, len(peaks) - 1)))


def elapsed_share(start: date | None) -> float:
    """Return the share of the first month that is over before its first day of work: 14 of 31 days on 15 March."""
    return 0.0 if start is None else (start.day - 1) / monthrange(start.year, start.month)[1]


@kept
def columns(month: Any) -> tuple[Argument, ...]:
    """Return the columns of the ledger of a declared month: its own figures, then the ends of the band."""
    own = leaves(month)
    by_name = {leaf.name: leaf for leaf in own}
    ends = []
    for name, fewest, most in ENDS:
        for end in (fewest, most):
            base = by_name[name].quantity
            quantity = replace(base, meaning=f"{base.meaning}, {end}", label=f"{base.label}, {end}")
            ends.append(Argument(f"{name}_{end}", quantity, by_name[name].default))
    return (*own, *ends)


def ledger_rows(kind: type[Any], plan: BandedPlan, n_rows: int = 1) -> list[list[Any]]:
    """Return a row of names, one row a month, and blank rows up to ``n_rows`` months."""
    table: list[list[Any]] = [[column.name for column in columns(kind)]]
    for at, month in enumerate(plan.months):
        found = month_range(plan, at)
        ends = [plan.fewest[at].peak_gpus, plan.most[at].peak_gpus, found.low, found.high]
        table.append([*flat(month).values(), *ends])
    return with_blanks(table, n_rows)


def with_blanks(table: list[list[Any]], n_rows: int) -> list[list[Any]]:
    """Return a table with blank rows up to so many below its names, and blanks for what there is none of."""
    filled = [["" if cell is None else cell for cell in row] for row in table]
    return filled + [[""] * len(table[0])] * (n_rows + 1 - len(table))


GpusFirstMonth = Annotated[
    int, Quantity("GPUs in the busiest hour of the first month", unit="GPUs", minimum=0, label="GPUs, first month")
]
GpusLastMonth = Annotated[
    int, Quantity("GPUs in the busiest hour of the last month", unit="GPUs", minimum=0, label="GPUs, last month")
]


@section
class Totals:
    """What all months of a plan add up to, with both ends of its band in money."""

    months: int = quantity("months planned", "months", minimum=0, label="Months")
    peak_gpus_first: GpusFirstMonth
    peak_gpus_last: GpusLastMonth
    usd: float = quantity("cost of all months", "USD", minimum=0, label="Cost")
    usd_least: float = quantity("cost of all months, least", "USD", minimum=0, label="Cost, least")
    usd_most: float = quantity("cost of all months, most", "USD", minimum=0, label="Cost, most")
    price_share_of_range: PriceShare
    energy_kwh: EnergyKwh
    co2e_kg: float = quantity("greenhouse gases, location-based", "kgCO2e", minimum=0, label="Carbon, location-based")


def total_usd(months: Sequence[Any]) -> float:
    """Return the cost of all months."""
    return float(sum(month.usd for month in months))


class BandedPlan(Protocol):
    """A plan over months: as planned, with fast and slow replicas, and where providers are cheap and dear."""

    @property
    def months(self) -> Sequence[Any]: ...
    @property
    def fewest(self) -> Sequence[Any]: ...
    @property
    def most(self) -> Sequence[Any]: ...
    @property
    def cheap(self) -> Sequence[Any]: ...
    @property
    def dear(self) -> Sequence[Any]: ...


def usd_range(plan: BandedPlan, rates: Sequence[float] = ()) -> CostRange:
    """Return the range of what all months of a plan cost, by throughput and by the prices of GPU-hours.

    With ``rates``, what 1 USD is in another currency in each month, it is of that currency.
    """

    def total(months: Sequence[Any]) -> float:
        return float(sum(month.usd * rate for month, rate in zip(months, rates or repeat(1.0), strict=bool(rates))))

    fast, slow, cheap, dear = (total(each) for each in (plan.fewest, plan.most, plan.cheap, plan.dear))
    return cost_range(total(plan.months), (fast, slow), (cheap, dear))


def month_range(plan: BandedPlan, at: int) -> CostRange:
    """Return the range of what one month of a plan costs; months count from 0."""
    fast, slow, cheap, dear = (each[at].usd for each in (plan.fewest, plan.most, plan.cheap, plan.dear))
    return cost_range(plan.months[at].usd, (fast, slow), (cheap, dear))


def totals(plan: BandedPlan) -> Totals:
    """Return what the months of a plan add up to."""
    months, found = plan.months, usd_range(plan)
    return Totals(
        months=len(months),
        peak_gpus_first=months[0].peak_gpus,
        peak_gpus_last=months[-1].peak_gpus,
        usd=total_usd(months),
        usd_least=found.low,
        usd_most=found.high,
        price_share_of_range=found.price_share,
        energy_kwh=sum(month.energy_kwh for month in months),
        co2e_kg=sum(month.co2e_kg for month in months),
    )
