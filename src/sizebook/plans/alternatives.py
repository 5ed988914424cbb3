"""Rent, buy or use an API: what the months of a plan cost with GPUs rented, with GPUs bought, and at an API.

Existing contracts are paid in each of the three. From which month or traffic on one of them costs less is found
exactly, or it is said that it never does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Annotated, Protocol

from sizebook.core.derivation import Step
from sizebook.core.quantities import MONTHS_PER_YEAR
from sizebook.core.sections import Quantity, quantity, section
from sizebook.core.texts import Figure, Text, text
from sizebook.core.units import measure, significant
from sizebook.formulas.finance import npv
from sizebook.plans.owned import OwnedMonth, OwnedNode
from sizebook.plans.quantities import MonthNumber
from sizebook.serving.quantities import Demand
from sizebook.tables.api_prices import ApiAsked

AlternativesSaid = Annotated[str, Quantity("which way costs less from when on", default="", label="Rent, buy or API")]


@section
class AlternativeMonth:
    """A month of a plan as GPUs are rented, as they are bought, and at an API; blank where that is not asked."""

    month: MonthNumber
    rented_usd: float = quantity("cost of the month with GPUs rented, as planned", "USD", label="Rented, USD")
    rented_paid_usd: float = quantity("paid in the month for rented GPUs", "USD", label="Rented, paid, USD")
    owned_gpus: int | None = quantity("GPUs that are owned", "GPUs", minimum=0, default=None, label="Owned GPUs")
    bought_gpus: int | None = quantity(
        "GPUs that are bought in the month", "GPUs", minimum=0, default=None, label="GPUs to buy"
    )
    capex_usd: float | None = quantity(
        "paid at once for GPUs in the month, less the book value of those no longer used",
        "USD",
        default=None,
        label="Purchase, USD",
    )
    instalments_usd: float | None = quantity(
        "paid for loans and leases of GPUs at the end of the month", "USD", default=None, label="Instalments, USD"
    )
    running_usd: float | None = quantity(
        "energy, colocation and staff of owned GPUs, and existing contracts",
        "USD",
        default=None,
        label="Running cost, USD",
    )
    owned_usd: float | None = quantity(
        "cost of the month with GPUs bought: what is written off, interest, and what they cost to run",
        "USD",
        default=None,
        label="Bought, USD",
    )
    api_usd: float | None = quantity("cost of the month at an API", "USD", default=None, label="API, USD")

    def at(self, rate: float) -> AlternativeMonth:
        """Return the month in another currency; ``rate`` is what 1 USD is in it."""
        amounts = {name: each for name, each in vars(self).items() if name.endswith("_usd") and each is not None}
        return replace(self, **{name: usd * rate for name, usd in amounts.items()})

    @property
    def paid(self) -> tuple[float, float | None, float | None]:
        """What is paid in the month for rented GPUs, for bought ones and at an API."""
        bought = self.capex_usd, self.instalments_usd, self.running_usd
        return self.rented_paid_usd, None if None in bought else sum(each or 0.0 for each in bought), self.api_usd


class RentedMonth(Protocol):
    """A month of a plan that rents its GPUs."""

    @property
    def usd(self) -> float: ...
    @property
    def cash_usd(self) -> float: ...


def months_by_way(
    rented: Sequence[RentedMonth],
    contracts: Sequence[float],
    owned: Sequence[OwnedMonth] = (),
    called: Sequence[float] = (),
) -> tuple[AlternativeMonth, ...]:
    """Return the months in each way; ``contracts`` are what existing ones cost, whatever the way."""
    found = []
    for at, (month, running) in enumerate(zip(rented, contracts, strict=True)):
        one = AlternativeMonth(month=at + 1, rented_usd=month.usd, rented_paid_usd=month.cash_usd)
        if owned:
            bought = owned[at]
            one = replace(
                one,
                owned_gpus=bought.gpus,
                bought_gpus=bought.bought_gpus,
                capex_usd=bought.capex_usd,
                instalments_usd=bought.instalments_usd,
                running_usd=bought.running_usd + running,
                owned_usd=bought.written_off_usd + bought.interest_usd + bought.running_usd + running,
            )
        found.append(replace(one, api_usd=called[at] + running) if called else one)
    return tuple(found)


def settled_month(paid: Sequence[float | None], other: Sequence[float | None]) -> int | None:
    """Return the month after which, to the end of the plan, no more has been paid in all than for the other.

    None where more has been paid at the end. An earlier month may have been cheaper for a while: existing contracts
    put purchases off.
    """
    sums = zip(*(accumulate(math.nan if each is None else each for each in way) for way in (paid, other)), strict=True)
    dearer = max((month for month, (one, two) in enumerate(sums, 1) if not one <= two), default=0)
    return dearer + 1 if dearer < len(paid) else None


@section
class AlternativeTotals:
    """What all months cost with GPUs bought and at an API, and from which month on no more has been paid."""

    owned_usd: float | None = quantity(
        "cost of all months with GPUs bought: what is written off, interest, and what they cost to run",
        "USD",
        default=None,
        label="Cost, bought",
    )
    owned_capex_usd: float | None = quantity(
        "paid for GPUs in all months, also in instalments, less the book value of those no longer used",
        "USD",
        default=None,
        label="Purchases",
    )
    owned_left_usd: float | None = quantity(
        "book value of bought GPUs after the last month, less what is still owed for them",
        "USD",
        default=None,
        label="Book value at the end, less debt",
    )
    api_usd: float | None = quantity("cost of all months at the API", "USD", default=None, label="Cost, API")
    buy_beats_rent_month: int | None = quantity(
        "month after which, to the end of the plan, no more has been paid for bought GPUs than for rented ones, blank "
        "if that is never",
        default=None,
        label="Break-even month: after it buying has cost no more in all than renting",
    )
    buy_beats_api_month: int | None = quantity(
        "month after which, to the end of the plan, no more has been paid for bought GPUs than at the API, blank if "
        "that is never",
        default=None,
        label="Break-even month: after it buying has cost no more in all than the API",
    )


def totals_of(months: Sequence[AlternativeMonth]) -> AlternativeTotals:
    """Return what months add up to."""
    if not months:
        return AlternativeTotals()

    def total(name: str) -> float | None:
        values = [getattr(month, name) for month in months]
        return None if None in values else float(sum(values))

    rented, bought, api = zip(*(month.paid for month in months), strict=True)
    owned, paid, running = total("owned_usd"), None if None in bought else float(sum(bought)), total("running_usd")
    return AlternativeTotals(
        owned_usd=owned,
        owned_capex_usd=None if paid is None or running is None else paid - running,
        owned_left_usd=None if owned is None or paid is None else paid - owned,
        api_usd=total("api_usd"),
        buy_beats_rent_month=settled_month(bought, rented),
        buy_beats_api_month=settled_month(bought, api),
    )


@dataclass(frozen=True)
class PresentValues:
    """What GPUs cost in each way, discounted to the day before the first month; None where a way is not asked."""

    rented: float | None = None
    owned: float | None = None
    api: float | None = None


def present_values(months: Sequence[AlternativeMonth], rate: float) -> PresentValues:
    """Return what months cost today at a rate of a month: GPUs are paid at its beginning, all else at its end.

    The book value of bought GPUs after the last month, less what is owed for them, comes back at its end.
    """

    def worth(name: str) -> float | None:
        values = [getattr(month, name) for month in months]
        return None if None in values else npv(rate, values)

    capex, left, bought = worth("capex_usd"), totals_of(months).owned_left_usd, None
    if capex is not None and left is not None:
        later = npv(rate, [(month.instalments_usd or 0.0) + (month.running_usd or 0.0) for month in months])
        bought = capex * (1 + rate) + later - float(left / (1 + rate) ** len(months))
    return PresentValues(npv(rate, [month.rented_usd for month in months]), bought, worth("api_usd"))


def cost_by_way(months: Sequence[AlternativeMonth]) -> tuple[tuple[Text, float], ...]:
    """Return what all months cost in each way that is asked."""
    ways = text("Renting"), text("Buying"), text("An API")
    sums = zip(*((month.rented_usd, month.owned_usd, month.api_usd) for month in months), strict=True)
    return tuple((way, sum(each)) for way, each in zip(ways, sums, strict=True) if None not in each)


def break_even_sentences(months: Sequence[AlternativeMonth]) -> Iterator[Text]:
    """Yield after which month buying has cost no more in all than the other ways, in words; nothing without a price."""
    totals, rented = totals_of(months), sum(month.rented_usd for month in months)
    ways = (
        (text("renting"), rented, totals.buy_beats_rent_month),
        (text("an API"), totals.api_usd, totals.buy_beats_api_month),
    )
    for way, cost, month in ways:
        if totals.owned_usd is None or cost is None or math.isnan(totals.owned_usd + cost):
            continue
        if month is None:
            yield text("At the end of the plan more has been paid for buying than for {way}.", way=way)
        else:
            yield text(
                "After month {n} no more has been paid for buying than for {way}.", n=Figure(f"{month}"), way=way
            )


def by_year(months: Sequence[AlternativeMonth]) -> tuple[tuple[str, tuple[float | None, ...]], ...]:
    """Return each year of the plan, then all of them: cost rented, cost bought, paid for bought, cost at an API."""

    def sums(of: Sequence[AlternativeMonth]) -> tuple[float | None, ...]:
        each = [(month.rented_usd, month.owned_usd, month.paid[1], month.api_usd) for month in of]
        return tuple(None if None in values else sum(values) for values in zip(*each, strict=True))

    starts = range(0, len(months), MONTHS_PER_YEAR)
    years = [months[at : at + MONTHS_PER_YEAR] for at in starts]
    named = [(text("Year {n}", n=Figure(f"{number}")), sums(each)) for number, each in enumerate(years, 1)]
    return (*named, (text("All months"), sums(months)))


def usd_of_a_request(api: ApiAsked, demand: Demand) -> float | None:
    """Return what a request costs at the API, None where none is named.

    Errors: prices of batches that its provider does not list.
    """
    price, cached = api.price, demand.input_tokens * demand.cache_hit_ratio
    if price is None:
        return None
    return price.usd_per_request(demand.input_tokens - cached, demand.output_tokens, cached, in_batches=api.in_batches)


def owned_steps(node: OwnedNode) -> tuple[Step, ...]:
    """Return what a node costs a month that is bought."""
    owned, running = node.owned, node.owned.running
    bought, evenly = f"{measure(owned.capex_usd or 0.0)} * {node.gpus}", owned.depreciation == "straight_line"
    return (
        Step(
            text("Written off of a node a month") if evenly else text("Written off of a node in its first month"),
            text("purchase of a GPU * GPUs * (1 - residual) / months")
            if evenly
            else text("purchase of a GPU * GPUs * min(2 / months, 1 - residual)"),
            f"{bought} * (1 - {running.residual:g}) / {owned.months}"
            if evenly
            else f"{bought} * min(2 / {owned.months}, 1 - {running.residual:g})",
            value=node.written_off_usd[0],
            unit="USD",
            source=text("straight line") if evenly else text("declining balance"),
        ),
        *_instalment_step(node),
        Step(
            text("Standing cost of a node a month"),
            text("GPUs * staff / 12 + kW * colocation + energy of idle GPUs"),
            f"{node.gpus} * {running.staff_usd_per_year:g} / 12 + {node.kw:g} * "
            f"{running.colocation_usd_per_kw_month:g} + {significant(node.energy_usd(0.0), 6)}",
            value=node.standing_usd,
            unit="USD",
            source=text("power of the node: data/nodes.csv; of idle GPUs: SERVING_KWH"),
        ),
    )


def _instalment_step(node: OwnedNode) -> Iterator[Step]:
    """Yield what is paid each month for the loan or lease of a node."""
    debt = node.debt
    if debt.amount:
        yield Step(
            text("Instalment of a node a month"),
            text("PMT(interest a year / 12, months, -purchase, value at the end of a lease)"),
            f"PMT({node.owned.financing.financing_rate_per_year:g} / 12, {debt.months}, "
            f"-{significant(debt.amount, 6)}, {significant(debt.left, 6)})",
            value=debt.instalment,
            unit="USD",
            source=text("equal instalments at the end of each month"),
        )


def bought_step(month: AlternativeMonth) -> Step:
    """Return what a month costs with nodes bought."""
    owned, running = month.owned_usd or 0.0, month.running_usd or 0.0
    return Step(
        text("Cost of the month with GPUs bought"),
        text("written off, with interest + running cost, with existing contracts"),
        f"{significant(owned - running, 6)} + {significant(running, 6)}",
        value=owned,
        unit="USD",
    )
