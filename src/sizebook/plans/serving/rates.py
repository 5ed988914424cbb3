"""The price rule of serving and fleets: what a GPU-hour costs, and what an hour of it draws and emits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sizebook.core.texts import Figure, text
from sizebook.core.units import NOT_LISTED_USD
from sizebook.plans.cost_range import Ends
from sizebook.plans.serving.inputs import Energy, Prices
from sizebook.tables.grid import grid_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.price_rows import TERM_NAMES, Price
from sizebook.tables.prices import listed_quotes, quote

GIVEN = text("given in the scenario")


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
    reserved_usd: float
    basis: str = "given"
    tdp_watts: float = 700.0
    pue: float = 1.25
    grams_per_kwh: float = 400.0
    grid_basis: str = "given"
    on_demand_range_usd: Ends | None = None  # 10th and 90th percentile of providers, None for a point
    reserved_range_usd: Ends | None = None
    reserved_3y_usd: float = math.nan  # NaN where no such contract may be signed
    reserved_3y_range_usd: Ends | None = None
    change: float = 0.0  # of all prices from one month to the next

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
        return min(self.on_demand_usd, *(self.by_term(1)[term][0] for term in terms))


def rates_of(gpu: str, prices: Prices, terms: Sequence[str] = ("1y",)) -> Rates:
    """Return the rates of an accelerator: those given, else the planner's own, else the medians of the catalogues.

    Nobody reserves above the price on demand: where the catalog has no reserved price for the term, or a dearer one
    (few providers list one, and dear ones do), the price on demand stands for both, and the basis says so.

    A price or a TDP that nobody lists is NaN, and so is all that follows from it. Errors: a provider that no table
    knows, and one that is asked for and lists no price.
    """
    chip, given = accelerator(gpu), prices.gpu_hours
    usd = given.on_demand_usd_per_gpu_hour
    stated = {"1y": given.reserved_usd_per_gpu_hour, "3y": given.reserved_3y_usd_per_gpu_hour}
    known = {"on_demand": usd} | {f"reserved_{term}": stated[term] for term in dict.fromkeys(("1y", *terms))}
    asked = [name for name, price in known.items() if price is None]
    listed = listed_quotes(chip.key, prices.provider, prices.region, terms=asked)
    if usd is not None:
        demand = _Rate.point(usd, GIVEN)
    elif prices.provider or prices.region:
        demand = _rated(quote(chip.key, prices.provider, prices.region))
    elif (found := listed["on_demand"]) is not None:
        demand = _rated(found)
    else:
        unlisted = text("no table lists a price of {gpu}: set on_demand_usd_per_gpu_hour", gpu=chip.key)
        demand = _Rate.point(NOT_LISTED_USD, unlisted)
    reserved = {
        name: _Rate.point(price, GIVEN) if price is not None else _reserved(listed[name], name, demand)
        for name, price in known.items()
        if name != "on_demand"
    }
    one, three = reserved["reserved_1y"], reserved.get("reserved_3y")
    grams, grid_basis = _grams(prices.energy)
    return Rates(
        demand.usd,
        one.usd,
        _joint_basis(demand.basis, one.basis, three.basis if three else ""),
        watts(chip.key),
        prices.energy.pue,
        grams,
        grid_basis,
        _ends(demand),
        _ends(one),
        three.usd if three else math.nan,
        _ends(three) if three else None,
    )


def _ends(rate: _Rate) -> Ends | None:
    return (rate.low, rate.high) if rate.low < rate.high else None


def listed_rates(gpu: str, provider: str | None, region: str | None, terms: Sequence[str]) -> dict[str, Any]:
    """Return what tables list of each term, by the names of a workbook's figures: median, both ends and basis.

    A term that no table lists is blank.
    """
    found: dict[str, Any] = {}
    for term, quoted in listed_quotes(gpu, provider, region, terms=terms).items():
        rate = None if quoted is None else _rated(quoted)
        found |= {
            f"listed_{term}_usd_per_gpu_hour": rate and rate.usd,
            f"listed_{term}_low_usd_per_gpu_hour": rate and rate.low,
            f"listed_{term}_high_usd_per_gpu_hour": rate and rate.high,
            f"listed_{term}_basis": "not listed" if rate is None else rate.basis,
        }
    return found


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


def _joint_basis(on_demand: str, one_year: str, three_years: str) -> str:
    if on_demand == one_year and three_years in ("", on_demand):
        return on_demand
    both = text(
        "on demand: {demand_basis}; reserved: {reserved_basis}", demand_basis=on_demand, reserved_basis=one_year
    )
    if not three_years:
        return both
    return text("{prices}; reserved for three years: {basis}", prices=both, basis=three_years)


def _grams(energy: Energy) -> tuple[float, str]:
    if energy.grams_per_kwh is not None:
        return energy.grams_per_kwh, GIVEN
    row = grid_of(energy.grid)
    return row.g_co2e_per_kwh, row.origin
