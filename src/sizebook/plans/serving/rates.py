"""The price rule of serving and fleets: what a GPU-hour costs, and what an hour of it draws and emits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sizebook.core.texts import Figure, text
from sizebook.core.units import NOT_LISTED_USD
from sizebook.plans.commitments import CommitmentTerms
from sizebook.plans.cost_range import Ends
from sizebook.plans.serving.inputs import Energy, Prices
from sizebook.tables.grid import grid_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.price_rows import TERM_NAMES, Price
from sizebook.tables.prices import listed_quotes, quote

GIVEN = text("given in the scenario")
A_YEAR = CommitmentTerms()


@dataclass(frozen=True)
class _Rate:
    """USD of a GPU-hour by one term, where it comes from, and the 10th and 90th percentile of providers."""

    usd: float
    basis: str
    low: float
    high: float

    @classmethod
    def point(cls, usd: float, basis: str) -> _Rate:
        return cls(usd, basis, usd, usd)


@dataclass(frozen=True)
class Rates:
    """USD of a GPU-hour: on demand, and under contracts of one year and of three. Power and grid beside, each with its
    basis."""

    on_demand_usd: float
    reserved_usd: float  # on the shortest term that may be signed; of a year where none may
    on_demand_basis: str = "given"
    reserved_basis: str = "given"
    tdp_watts: float = 700.0
    pue: float = 1.25
    grams_per_kwh: float = 400.0
    grid_basis: str = "given"
    rented_gpus: int | None = None  # what volume tiers counted, None where the prices have none
    on_demand_range_usd: Ends | None = None  # 10th and 90th percentile of providers, None for a point
    reserved_range_usd: Ends | None = None
    reserved_3y_usd: float = math.nan  # NaN where no such contract may be signed
    reserved_3y_range_usd: Ends | None = None
    reserved_3y_basis: str = ""  # blank where no such contract may be signed
    change: float = 0.0  # of all prices from one month to the next

    @property
    def basis(self) -> str:
        """Where all prices come from, in one sentence."""
        on_demand, reserved, longest = self.on_demand_basis, self.reserved_basis, self.reserved_3y_basis
        if on_demand == reserved and longest in ("", reserved):
            return on_demand
        # Where a price is listed, its own words name the term.
        demand = text("on demand: {basis}", basis=on_demand) if on_demand == GIVEN else on_demand
        both = text("{demand_basis}; reserved: {reserved_basis}", demand_basis=demand, reserved_basis=reserved)
        if longest in ("", reserved):
            return both
        return text("{prices}; reserved for three years: {basis}", prices=both, basis=longest)

    @property
    def long_usd(self) -> float | None:
        """The price of a GPU-hour reserved for three years; None where no such contract may be signed."""
        return None if math.isnan(self.reserved_3y_usd) else self.reserved_3y_usd

    def in_month(self, month: int) -> Rates:
        """Return the rates of a month, counted from 0."""
        if not self.change or not month:
            return self
        kinds, level = ("on_demand_usd", "reserved_usd", "reserved_3y_usd"), (1 + self.change) ** month
        return replace(self, **{kind: level * getattr(self, kind) for kind in kinds})

    def at_ends(self) -> tuple[Rates, Rates]:
        """Return the rates where providers are cheap, and where they are dear."""
        kinds = ("on_demand", "reserved", "reserved_3y")
        ends = [getattr(self, f"{kind}_range_usd") or (getattr(self, f"{kind}_usd"),) * 2 for kind in kinds]
        cheap, dear = (
            replace(self, **{f"{kind}_usd": end for kind, end in zip(kinds, each, strict=True)})
            for each in zip(*ends, strict=True)
        )
        return cheap, dear

    def by_term(self, months: int) -> dict[str, tuple[float, ...]]:
        """Return the price of a GPU-hour under a contract by its term and by the month of signing."""
        found = [self.in_month(month) for month in range(months)]
        return {"1y": tuple(each.reserved_usd for each in found), "3y": tuple(each.reserved_3y_usd for each in found)}

    def by_month(self, months: int) -> tuple[float, ...]:
        """Return the price of a GPU-hour on demand month by month."""
        return tuple(self.in_month(month).on_demand_usd for month in range(months))

    def cheapest_usd(self, terms: Sequence[str]) -> float:
        """Return the least that a GPU-hour costs, on demand or on one of the terms; NaN where it is not listed."""
        return min([self.on_demand_usd, *(self.by_term(1)[term][0] for term in terms)])


def rates_of(gpu: str, prices: Prices, commitments: CommitmentTerms = A_YEAR, *, gpus: int) -> Rates:
    """Return the rates of an accelerator: those given, else the planner's own, else the medians of the catalogues.

    Nobody reserves above the price on demand: where the catalog has no reserved price for the term, or a dearer one
    (few providers list one, and dear ones do), the price on demand stands for both, and the basis says so.

    ``gpus`` are those of the plan at its most, which volume tiers count where nothing else is stated.

    A price or a TDP that nobody lists is NaN, and so is all that follows from it. Errors: a provider that no table
    knows, and one that is asked for and lists no price.
    """
    chip, given, terms = accelerator(gpu), prices.gpu_hours, commitments.terms
    stated = {"1y": given.reserved_usd_per_gpu_hour, "3y": commitments.reserved_3y_usd_per_gpu_hour}
    known = {f"reserved_{term}": stated[term] for term in terms or ("1y",)}
    wanted = {"on_demand": given.on_demand_usd_per_gpu_hour, **known}
    asked = [name for name, price in wanted.items() if price is None]
    listed = listed_quotes(chip.key, prices.provider, prices.region, terms=asked, gpus=gpus, own=prices.own)
    if "on_demand" in asked and (prices.provider or prices.region):
        listed["on_demand"] = quote(chip.key, prices.provider, prices.region, gpus=gpus, own=prices.own)
    demand = _on_demand(chip.key, given.on_demand_usd_per_gpu_hour, listed.get("on_demand"))
    reserved = [
        _Rate.point(price, GIVEN) if price is not None else _reserved(listed[name], name, demand)
        for name, price in known.items()
    ]
    shortest, longest = reserved[0], reserved[-1]
    grams, grid_basis = _grams(prices.energy)
    tiered = any(found.tiers for found in listed.values() if found is not None)
    found = Rates(
        demand.usd,
        shortest.usd,
        demand.basis,
        shortest.basis,
        watts(chip.key),
        prices.energy.pue,
        grams,
        grid_basis,
        int(prices.own.counted(gpus)) if tiered else None,
        _ends(demand),
        _ends(shortest),
    )
    if "3y" not in terms:
        return found
    return replace(
        found,
        reserved_3y_usd=longest.usd,
        reserved_3y_range_usd=_ends(longest),
        reserved_3y_basis=longest.basis,
    )


def _on_demand(gpu: str, given: float | None, found: Price | None) -> _Rate:
    """Return the rate on demand: given, else listed."""
    if given is not None:
        return _Rate.point(given, GIVEN)
    if found is not None:
        return _rated(found)
    unlisted = text("no table lists a price of {gpu}: set on_demand_usd_per_gpu_hour", gpu=gpu)
    return _Rate.point(NOT_LISTED_USD, unlisted)


def _ends(rate: _Rate) -> Ends | None:
    return (rate.low, rate.high) if rate.low < rate.high else None


def watts(gpu: str) -> float:
    """Return the power of an accelerator: its published TDP, NaN where none is."""
    tdp = accelerator(gpu).tdp_watts
    return math.nan if tdp is None else float(tdp)


def _rated(found: Price) -> _Rate:
    return _Rate(found.usd_per_gpu_hour, found.basis, found.low_usd_per_gpu_hour, found.high_usd_per_gpu_hour)


def _reserved(found: Price | None, term: str, demand: _Rate) -> _Rate:
    """Return the listed price of a term, or the one on demand where none is listed or it is dearer; at its ends too."""
    name = TERM_NAMES[term]
    if found is None:
        if math.isnan(demand.usd):
            return demand
        return replace(demand, basis=text("taken as on demand, since no price of a {term} is listed", term=name))
    if found.usd_per_gpu_hour > demand.usd:
        dearer = text(
            "taken as on demand, since the median of a {term} is dearer ({price} USD)",
            term=name,
            price=Figure(f"{found.usd_per_gpu_hour:.2f}"),
        )
        return replace(demand, basis=dearer)
    listed = _rated(found)
    return replace(listed, low=min(listed.low, demand.low), high=min(listed.high, demand.high))


def _grams(energy: Energy) -> tuple[float, str]:
    if energy.grams_per_kwh is not None:
        return energy.grams_per_kwh, GIVEN
    row = grid_of(energy.grid)
    return row.g_co2e_per_kwh, row.origin
