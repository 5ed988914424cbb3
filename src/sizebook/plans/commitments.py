"""Commitments: GPUs that are paid for around the clock to the end of a contract, needed or not.

Existing contracts are given, what to sign beside them is found (`plans.purchases`). A contract is paid to its end, also
after the plan's. What is signed is a decision: where traffic, speed or prices turn out otherwise it stays as it was
signed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from sizebook.core.errors import InputError, RangeError
from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import Quantity, quantity, section
from sizebook.core.texts import plural, text
from sizebook.core.units import usd
from sizebook.formulas.covering import Need
from sizebook.plans.quantities import MonthNumber, gpu_hour_price

HOURS = 24
TERMS = {"1y": 12, "3y": 36}  # months of the terms that price lists know
TERM_WORDS = {"1y": text("1 year"), "3y": text("3 years")}
PREPAID = {"none": 0.0, "part": 0.5, "all": 1.0}
CONTRACT_COLUMNS = ("gpus", "first_month", "last_month", "usd_per_gpu_hour")


@section
class CommitmentTerms:
    """Which contracts the plan may sign, how they are paid, and which run already."""

    sign_terms: str = quantity(
        "terms of the contracts that the plan may sign: none, one year, three years, or either of the two (any)",
        choices=("none", *TERMS, "any"),
        default="1y",
        label="Terms that may be signed",
        source="assumption: a year, the usual term",
    )
    reserved_3y_usd_per_gpu_hour: float | None = gpu_hour_price(
        "price of a GPU-hour reserved for three years, blank for the catalog's where it is not dearer than on demand",
        "GPU-hour reserved for three years",
    )
    prepay: str = quantity(
        "how much of a contract is paid at signing: none, part (half) or all; its price stays the same",
        choices=tuple(PREPAID),
        default="none",
        label="Paid at signing",
        source="neutral: paid month by month",
    )
    contracts: Any = quantity(
        "existing contracts, as rows [GPUs, first month, last month, USD per GPU-hour]; month 1 is the plan's "
        "first, 0 the one before it; or a CSV file with columns gpus, first_month, last_month, usd_per_gpu_hour",
        default=None,
        label="Existing contracts",
    )

    def together(self, others: Iterable[CommitmentTerms]) -> CommitmentTerms:
        """Return the terms of services that buy together: these terms, with the existing contracts of every service."""
        running = [each for terms in (self, *others) for each in terms.running]
        rows = [(each.gpus, each.first_month, each.last_month, each.usd_per_gpu_hour) for each in running]
        return replace(self, contracts=tuple(rows))

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms that may be signed."""
        return tuple(TERMS) if self.sign_terms == "any" else tuple(name for name in TERMS if name == self.sign_terms)

    @property
    def running(self) -> tuple[Commitment, ...]:
        """The existing contracts."""
        rows = self.contracts or ()
        if rows and _is_number(rows[0]):  # one row, as a cell gives it
            rows = (rows,)
        if isinstance(rows, str):
            raise InputError(
                f"contracts is text: got '{rows}', want rows of four numbers. Give a range of four columns."
            )
        return tuple(_contract(row, number) for number, row in enumerate(rows, 1))


@dataclass(frozen=True)
class Commitment:
    """GPUs under one contract; months of the plan count from 1. A running one has no term."""

    gpus: int
    first_month: int
    last_month: int
    term: str = ""
    usd_per_gpu_hour: float = math.nan

    @property
    def usd(self) -> float:
        """What it costs from its first month to its last."""
        return _usd_per_month(self) * (self.last_month - self.first_month + 1)

    @property
    def term_words(self) -> str:
        """Its term in words."""
        return TERM_WORDS.get(self.term, text("existing"))

    def holds(self, month: int) -> bool:
        """Return whether it is paid for in a month."""
        return self.first_month <= month <= self.last_month


def _contract(row: Any, number: int) -> Commitment:
    cells = list(row) if isinstance(row, (list, tuple)) else [row]
    if len(cells) != len(CONTRACT_COLUMNS) or not all(_is_number(cell) for cell in cells):
        raise InputError(
            f"contracts, row {number}: got [{', '.join(map(str, cells))}], want [GPUs, first month, last month, USD "
            "per GPU-hour]. Give four numbers, months counted from the plan's first."
        )
    gpus, first, last, price = cells
    if any(each != int(each) for each in (gpus, first, last)) or gpus < 1 or last < first or price < 0:
        raise RangeError(
            f"contracts, row {number}: got {gpus:g} GPUs from month {first:g} to {last:g} at {price:g} USD, want whole "
            "GPUs of 1 or more, whole months with the last not before the first, and a price of 0 or more. Correct the "
            "row."
        )
    return Commitment(int(gpus), int(first), int(last), usd_per_gpu_hour=float(price))


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell)


SignedGpus = Annotated[int, Quantity("GPUs to sign contracts for", unit="GPUs", minimum=0, label="GPUs to sign for")]
UsedGpuHours = Annotated[
    float, Quantity("GPU-hours under contract that are needed", unit="GPU-hours", label="Reserved and needed")
]
IdleGpuHours = Annotated[
    float, Quantity("GPU-hours under contract that are not needed", unit="GPU-hours", label="Reserved and idle")
]
PaidUsd = Annotated[
    float, Quantity("paid in the month, with what is prepaid of contracts", unit="USD", label="Paid, USD")
]


@section
class ContractMonth:
    """What contracts are in a month: running ones, and what to sign by term."""

    month: MonthNumber
    running_gpus: int = quantity("GPUs under existing contracts", "GPUs", minimum=0, label="Existing contracts")
    running_usd: float = quantity(
        "what the existing contracts cost in the month", "USD", label="Existing contracts, USD"
    )
    running_owed_usd: float = quantity(
        "what the existing contracts cost after the month", "USD", label="Existing contracts, later months, USD"
    )
    signed_1y_gpus: int = quantity(
        "GPUs of contracts to sign for one year", "GPUs", minimum=0, label="To sign, one year"
    )
    signed_3y_gpus: int = quantity(
        "GPUs of contracts to sign for three years", "GPUs", minimum=0, label="To sign, three years"
    )
    needed_gpu_hours: float = quantity(
        "GPU-hours that the plan needed when it chose the contracts", "GPU-hours", label="Planned need, GPU-hours"
    )


@section
class CommitmentFigures:
    """What contracts cost after the plan, and how much better ones would save if traffic differs."""

    tail_months: int = quantity(
        "months for which the last contract runs after the plan", "months", minimum=0, label="Contracts after the plan"
    )
    tail_usd: float = quantity(
        "what contracts cost after the plan's last month", "USD", label="Contracts after the plan, USD"
    )
    regret_less_usd: float = quantity(
        "what the contracts cost more than the best ones would, if traffic is a fifth lower",
        "USD",
        label="Saved by the best contracts, a fifth less traffic",
    )
    regret_more_usd: float = quantity(
        "what the contracts cost more than the best ones would, if traffic is a fifth higher",
        "USD",
        label="Saved by the best contracts, a fifth more traffic",
    )


@dataclass(frozen=True)
class Portfolio:
    """All contracts of a plan: those that run and those to sign, and how the latter are paid."""

    contracts: tuple[Commitment, ...] = ()
    prepaid: float = 0.0

    @property
    def running(self) -> Portfolio:
        """The existing ones."""
        return Portfolio(tuple(each for each in self.contracts if not each.term))

    @property
    def to_sign(self) -> tuple[Commitment, ...]:
        """What is to sign, by month and term."""
        return tuple(each for each in self.contracts if each.term)

    def gpus(self, month: int) -> int:
        """Return the GPUs under contract in a month."""
        return sum(each.gpus for each in self.contracts if each.holds(month))

    def usd(self, month: int) -> float:
        """Return what contracts cost in a month, spread evenly over theirs."""
        return math.fsum(_usd_per_month(each) for each in self.contracts if each.holds(month))

    def cash_usd(self, month: int) -> float:
        """Return what is paid for contracts in a month: of those signed what is prepaid at once, the rest spread."""
        paid = self.usd(month)
        for each in self.to_sign:
            paid -= self.prepaid * _usd_per_month(each) * each.holds(month)
            paid += self.prepaid * each.usd * (each.first_month == month)
        return paid

    def signed(self, month: int, term: str) -> int:
        """Return the GPUs to sign for in a month on a term."""
        return sum(each.gpus for each in self.to_sign if each.first_month == month and each.term == term)

    def repriced(self, prices: Mapping[str, Sequence[float]]) -> Portfolio:
        """Return the same contracts with those to sign at other prices, by term and by month of signing."""
        contracts = (
            replace(each, usd_per_gpu_hour=prices[each.term][each.first_month - 1]) if each.term else each
            for each in self.contracts
        )
        return replace(self, contracts=tuple(contracts))

    def by_month(self, needs: Sequence[Need]) -> tuple[ContractMonth, ...]:
        """Return what contracts are in each month of a plan that needs so many GPUs."""
        running = self.running
        return tuple(
            ContractMonth(
                month=month,
                running_gpus=running.gpus(month),
                running_usd=running.usd(month),
                running_owed_usd=running.tail(month)[1],
                signed_1y_gpus=self.signed(month, "1y"),
                signed_3y_gpus=self.signed(month, "3y"),
                needed_gpu_hours=math.fsum(gpus * hours for gpus, hours in need.items()) * HOURS_PER_MONTH / HOURS,
            )
            for month, need in enumerate(needs, 1)
        )

    def tail(self, months: int) -> tuple[int, float]:
        """Return how many months contracts last after the plan, and what they cost in these."""
        after = max(0, max((each.last_month for each in self.contracts), default=0) - months)
        return after, math.fsum(self.usd(months + at) for at in range(1, after + 1))


def _usd_per_month(each: Commitment) -> float:
    return each.gpus * HOURS_PER_MONTH * each.usd_per_gpu_hour


def beyond_the_plan(after: int, owed: float) -> Iterator[str]:
    """Yield the note on contracts that run so many months longer than the plan, and what they cost in these."""
    if after:
        yield plural(
            after,
            "Contracts run for {n} month after the plan and cost {owed} in it. The plan's cost leaves this out.",
            "Contracts run for up to {n} months after the plan and cost {owed} in them. "
            "The plan's cost leaves this out.",
            owed=usd(owed),
        )
