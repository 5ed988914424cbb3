"""The price rule of serving and fleets: what a GPU-hour costs, and what an hour of it draws and emits."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sizebook.core.texts import Figure, text
from sizebook.core.units import NOT_LISTED_USD
from sizebook.plans.serving.inputs import Energy, Prices
from sizebook.tables.grid import grid_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.price_rows import TERM_NAMES, Price
from sizebook.tables.prices import listed_quotes, quote

GIVEN = text("given in the scenario")
Rated = tuple[float, str, tuple[str, ...]]  # USD a GPU-hour, where it comes from, what to know of it


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
    price_remarks: tuple[str, ...] = ()  # an old price, few providers, none listed: to know before signing


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
    demand: Rated
    if usd is not None:
        demand = (usd, GIVEN, ())
    elif prices.provider or prices.region:
        demand = _rated(quote(chip.key, prices.provider, prices.region))
    elif (found := listed["on_demand"]) is not None:
        demand = _rated(found)
    else:
        unlisted = text("no table lists a price of {gpu}: set on_demand_usd_per_gpu_hour", gpu=chip.key)
        demand = (NOT_LISTED_USD, unlisted, (unlisted,))
    reserved: Rated = (reserved_usd, GIVEN, ()) if reserved_usd is not None else _reserved(listed[term], term, demand)
    grams, grid_basis = _grams(prices.energy)
    return Rates(
        demand[0],
        reserved[0],
        _joint_basis(demand[1], reserved[1]),
        watts(chip.key),
        prices.energy.pue,
        grams,
        grid_basis,
        tuple(dict.fromkeys((*demand[2], *reserved[2]))),
    )


def watts(gpu: str) -> float:
    """Return the power of an accelerator: its published TDP, NaN where none is."""
    tdp = accelerator(gpu).tdp_watts
    return math.nan if tdp is None else float(tdp)


def _rated(found: Price) -> Rated:
    return found.usd_per_gpu_hour, found.basis, found.warnings


def _reserved(found: Price | None, term: str, demand: Rated) -> Rated:
    """Return the listed price of a term, or the one on demand where none is listed or it is dearer."""
    usd, name = demand[0], TERM_NAMES[term]
    if found is None:
        if math.isnan(usd):
            return demand
        return usd, text("taken as on demand, since no price of a {term} is listed", term=name), ()
    if found.usd_per_gpu_hour > usd:
        dearer = text(
            "taken as on demand, since the median of a {term} is dearer ({price} USD)",
            term=name,
            price=Figure(f"{found.usd_per_gpu_hour:.2f}"),
        )
        return usd, dearer, ()
    return _rated(found)


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
