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
    """USD of a GPU-hour: on demand for bursts, reserved for what always runs. Power and grid beside, each with its
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
    change: float = 0.0  # of both prices from one month to the next

    def in_month(self, month: int) -> Rates:
        """Return the rates of a month, counted from 0."""
        if not self.change or not month:
            return self
        level = (1 + self.change) ** month
        return replace(self, on_demand_usd=self.on_demand_usd * level, reserved_usd=self.reserved_usd * level)

    def at_ends(self) -> tuple[Rates, Rates]:
        """Return the rates where providers are cheap, and where they are dear."""
        demand = self.on_demand_range_usd or (self.on_demand_usd, self.on_demand_usd)
        reserved = self.reserved_range_usd or (self.reserved_usd, self.reserved_usd)
        cheap, dear = (
            replace(self, on_demand_usd=one, reserved_usd=other) for one, other in zip(demand, reserved, strict=True)
        )
        return cheap, dear


def rates_of(gpu: str, prices: Prices, term: str = "reserved_1y") -> Rates:
    """Return the rates of an accelerator: those given, else the planner's own, else the medians of the catalogues.

    Nobody reserves above the price on demand: where the catalog has no reserved price for the term, or a dearer one
    (few providers list one, and dear ones do), the price on demand stands for both, and the basis says so.

    A price or a TDP that nobody lists is NaN, and so is all that follows from it. Errors: a provider that no table
    knows, and one that is asked for and lists no price.
    """
    chip, given = accelerator(gpu), prices.gpu_hours
    usd, reserved_usd = given.on_demand_usd_per_gpu_hour, given.reserved_usd_per_gpu_hour
    asked = [name for name, known in (("on_demand", usd), (term, reserved_usd)) if known is None]
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
    reserved = _Rate.point(reserved_usd, GIVEN) if reserved_usd is not None else _reserved(listed[term], term, demand)
    grams, grid_basis = _grams(prices.energy)
    return Rates(
        demand.usd,
        reserved.usd,
        _joint_basis(demand.basis, reserved.basis),
        watts(chip.key),
        prices.energy.pue,
        grams,
        grid_basis,
        _ends(demand),
        _ends(reserved),
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


def _joint_basis(on_demand: str, reserved: str) -> str:
    if on_demand == reserved:
        return on_demand
    return text(
        "on demand: {demand_basis}; reserved: {reserved_basis}", demand_basis=on_demand, reserved_basis=reserved
    )


def _grams(energy: Energy) -> tuple[float, str]:
    if energy.grams_per_kwh is not None:
        return energy.grams_per_kwh, GIVEN
    row = grid_of(energy.grid)
    return row.g_co2e_per_kwh, row.origin
