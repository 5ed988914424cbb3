"""The price rule of serving and fleets: what a GPU-hour costs, and what an hour of it draws and emits."""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.core.errors import InputError, UnknownKeyError, unknown_key
from sizebook.core.texts import Figure, text
from sizebook.plans.serving.inputs import Energy, GpuPrices, Prices
from sizebook.tables.grid import basis_of, grid_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.prices import TERM_NAMES, Price, providers, quote

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
    chip = accelerator(gpu)
    check_provider(prices.provider)
    power = watts(chip.key)
    demand, demand_basis = _on_demand(chip.key, prices)
    reserved, reserved_basis = _reserved(chip.key, prices, term, demand)
    same = reserved_basis == demand_basis
    basis = (
        demand_basis
        if same
        else text(
            "on demand: {demand_basis}; reserved: {reserved_basis}",
            demand_basis=demand_basis,
            reserved_basis=reserved_basis,
        )
    )
    grams, where = _grams(prices.energy)
    return Rates(demand, reserved, basis, power, prices.energy.pue, grams, where)


def check_provider(provider: str | None) -> None:
    """Raise for a provider that no table knows."""
    if provider is not None and provider.casefold() not in map(str.casefold, providers()):
        raise unknown_key("provider", provider, providers(), where=f"one of {', '.join(providers())}")


def watts(gpu: str) -> float:
    """Return the power of an accelerator: its published TDP."""
    chip = accelerator(gpu)
    if chip.tdp_watts is None:
        raise InputError(f"no power: got '{chip.key}' without a TDP, want one that is published. Choose another gpu.")
    return float(chip.tdp_watts)


def _on_demand(gpu: str, prices: Prices) -> tuple[float, str]:
    given = prices.gpu_hours.on_demand_usd_per_gpu_hour
    if given is not None:
        return given, GIVEN
    found = quote(gpu, prices.provider, prices.region)
    return found.usd_per_gpu_hour, found.basis


def _reserved(gpu: str, prices: Prices, term: str, demand: float) -> tuple[float, str]:
    given: GpuPrices = prices.gpu_hours
    if given.reserved_usd_per_gpu_hour is not None:
        return given.reserved_usd_per_gpu_hour, GIVEN
    found = listed(gpu, prices, term)
    if found is None:
        return demand, text("taken as on demand, since no price of a {term} is listed", term=TERM_NAMES[term])
    median = found.usd_per_gpu_hour
    if median > demand:
        return demand, text(
            "taken as on demand, since the median of a {term} is dearer ({price} USD)",
            term=TERM_NAMES[term],
            price=Figure(f"{median:.2f}"),
        )
    return median, found.basis


def listed(gpu: str, prices: Prices, term: str) -> Price | None:
    """Return the price that the tables hold for a term, None where they hold none."""
    try:
        return quote(gpu, prices.provider, prices.region, term=term)
    except UnknownKeyError:
        return None


def _grams(energy: Energy) -> tuple[float, str]:
    if energy.grams_per_kwh is not None:
        return energy.grams_per_kwh, GIVEN
    row = grid_of(energy.grid)
    return row.g_co2e_per_kwh, basis_of(row)
