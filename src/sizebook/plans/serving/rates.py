"""The price rule of serving and fleets: what a GPU-hour costs, and what an hour of it draws and emits."""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.core.errors import InputError
from sizebook.core.texts import Figure, text
from sizebook.plans.serving.inputs import Energy, Prices
from sizebook.tables.grid import grid_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.prices import TERM_NAMES, Price, listed_quotes, quote

GIVEN = text("given in the scenario")


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


def rates_of(gpu: str, prices: Prices, term: str = "reserved_1y") -> Rates:
    """Return the rates of an accelerator: those given, else the medians of data/prices.csv.

    Nobody reserves above the price on demand: where the catalog has no reserved price for the term, or a dearer one
    (few providers list one, and dear ones do), the price on demand stands for both, and the basis says so.

    Errors: a provider that no table knows, an accelerator without a price or a published TDP.
    """
    chip, given = accelerator(gpu), prices.gpu_hours
    power = watts(chip.key)
    usd, reserved_usd = given.on_demand_usd_per_gpu_hour, given.reserved_usd_per_gpu_hour
    listed = listed_quotes(chip.key, prices.provider, prices.region, () if reserved_usd is not None else (term,))
    basis: str = GIVEN
    reserved_basis: str = GIVEN
    if usd is None:
        found = quote(chip.key, prices.provider, prices.region)
        usd, basis = found.usd_per_gpu_hour, found.basis
    if reserved_usd is None:
        reserved_usd, reserved_basis = _reserved(listed[term], term, usd)
    if reserved_basis != basis:
        basis = text(
            "on demand: {demand_basis}; reserved: {reserved_basis}", demand_basis=basis, reserved_basis=reserved_basis
        )
    grams, grid_basis = _grams(prices.energy)
    return Rates(usd, reserved_usd, basis, power, prices.energy.pue, grams, grid_basis)


def watts(gpu: str) -> float:
    """Return the power of an accelerator: its published TDP."""
    chip = accelerator(gpu)
    if chip.tdp_watts is None:
        raise InputError(f"no power: got '{chip.key}' without a TDP, want one that is published. Choose another gpu.")
    return float(chip.tdp_watts)


def _reserved(found: Price | None, term: str, on_demand: float) -> tuple[float, str]:
    """Return the listed price of a term, or the one on demand where none is listed or it is dearer."""
    if found is None:
        return on_demand, text("taken as on demand, since no price of a {term} is listed", term=TERM_NAMES[term])
    median = found.usd_per_gpu_hour
    if median > on_demand:
        return on_demand, text(
            "taken as on demand, since the median of a {term} is dearer ({price} USD)",
            term=TERM_NAMES[term],
            price=Figure(f"{median:.2f}"),
        )
    return median, found.basis


def _grams(energy: Energy) -> tuple[float, str]:
    if energy.grams_per_kwh is not None:
        return energy.grams_per_kwh, GIVEN
    row = grid_of(energy.grid)
    return row.g_co2e_per_kwh, row.origin
