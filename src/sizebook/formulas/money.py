"""Money: rented and owned GPU-hours. Prices are USD at the date that their row in data/prices.csv states."""

from typing import Annotated

from sizebook.core.errors import require
from sizebook.core.quantities import MONTHS_PER_YEAR, Busy, GpuHours, OtherUsd, Price, Pue, Usd
from sizebook.core.registry import function, holding
from sizebook.core.sections import DEFAULT, Quantity, quantity, section

Capex = Annotated[
    float, Quantity("purchase of one GPU with its share of host, network and storage", unit="USD", minimum=0)
]
SystemWatts = Annotated[
    float,
    Quantity("power of one GPU with its share of host and network", unit="watts", minimum=0, default=1275),
]
RunningPrice = Annotated[
    float, Quantity("running cost of an owned GPU-hour", unit="USD/GPU-hour", minimum=0, default=0)
]
ReservedShare = Annotated[float, Quantity("share of the hours that are reserved", unit="ratio", minimum=0, maximum=1)]
Years = Annotated[
    float,
    Quantity(
        "years that a GPU is used",
        unit="years",
        above=0,
        default=4,
        label="Years of use",
        source="assumption, to replace with your own",
    ),
]
Residual = Annotated[
    float,
    Quantity(
        "share of the purchase that is left at the end",
        unit="ratio",
        minimum=0,
        maximum=1,
        default=0,
        label="Residual",
        source="neutral: nothing",
    ),
]

HOURS_PER_YEAR = 8760


@section
class Purchase:
    """What one GPU costs with its share of host and network, how long it lasts and how much of that it is used."""

    capex_usd: Capex
    years: Years = DEFAULT
    busy: Busy = DEFAULT


@section
class Running:
    """What an owned GPU costs beside its purchase, and what is left of that at the end."""

    usd_per_kwh: float = quantity(
        "price of electrical energy",
        "USD/kWh",
        minimum=0,
        maximum=100,
        default=0.1,
        label="Price of energy",
        source="assumption, to replace with your own",
    )
    colocation_usd_per_kw_month: float = quantity(
        "colocation per kilowatt of IT power and month",
        "USD/kW",
        minimum=0,
        default=0,
        label="Colocation",
        source="neutral: none",
    )
    staff_usd_per_year: float = quantity(
        "staff and upkeep of one GPU a year",
        "USD/year",
        minimum=0,
        default=0,
        label="Staff and upkeep of a GPU",
        source="neutral: none",
    )
    residual: Residual = DEFAULT


@section
class Owned:
    """Bought hardware in place of a price of GPU-hours; its power and PUE are those of the plan."""

    purchase: Purchase
    running: Running = DEFAULT

    def usd_per_gpu_hour(self, system_watts: float, pue: float) -> float:
        """Return what one used hour costs at a power that includes the share of host and network."""
        return owned_usd_per_gpu_hour(self.purchase, self.running, system_watts, pue)


@function(category="money", source="definition", formula="gpu_hours * price_usd_per_gpu_hour + other_usd")
def train_cost_usd(gpu_hours: GpuHours, price_usd_per_gpu_hour: Price, other_usd: OtherUsd = DEFAULT) -> Usd:
    """Return the cost of a run: GPU-hours x price, and whatever else it needs (storage, traffic, staff) in one sum.

    With owned hardware the price is OWNED_USD_PER_GPU_HOUR, and energy must not be added again.
    """
    return gpu_hours * price_usd_per_gpu_hour + other_usd


@function(
    category="money",
    source="straight-line depreciation; definition of total cost of ownership",
    formula="(capex_usd * (1 - residual) / years + staff_usd_per_year) / (8760 * busy) "
    "+ system_watts / 1000 * (pue * usd_per_kwh + colocation_usd_per_kw_month * 12 / 8760 / busy)",
)
def owned_usd_per_gpu_hour(
    purchase: Purchase, running: Running = DEFAULT, system_watts: SystemWatts = DEFAULT, pue: Pue = DEFAULT
) -> Price:
    """Return what one used hour of an owned GPU costs: depreciation, staff, energy with PUE, colocation.

    Depreciation and staff are spread over the hours used (busy x 8760 a year); energy is paid for those hours only;
    colocation is paid for every hour. Power includes the GPU's share of host and network. Leaves out capital cost.
    """
    used_hours = HOURS_PER_YEAR * purchase.busy
    depreciated = purchase.capex_usd * (1 - running.residual) / purchase.years
    fixed = (depreciated + running.staff_usd_per_year) / used_hours
    colocation = running.colocation_usd_per_kw_month * MONTHS_PER_YEAR / used_hours
    return fixed + system_watts / 1000 * (pue * running.usd_per_kwh + colocation)


@function(
    category="money",
    source="definition: hours at which owning and renting cost the same",
    formula="capex_usd / (rented_usd_per_gpu_hour - running_usd_per_gpu_hour)",
)
@holding("rented_usd_per_gpu_hour > running_usd_per_gpu_hour")
def break_even_gpu_hours(
    capex_usd: Capex, rented_usd_per_gpu_hour: Price, running_usd_per_gpu_hour: RunningPrice = DEFAULT
) -> GpuHours:
    """Return the hours after which a bought GPU is cheaper than a rented one: purchase / (rent - running cost).

    Errors: a running cost that reaches the rent never pays the purchase back.
    """
    require(
        rented_usd_per_gpu_hour > running_usd_per_gpu_hour,
        f"never breaks even: got {running_usd_per_gpu_hour} USD a GPU-hour to run, want less than the rent of "
        f"{rented_usd_per_gpu_hour}. Rent it.",
    )
    return capex_usd / (rented_usd_per_gpu_hour - running_usd_per_gpu_hour)


@function(
    category="money",
    source="definition: mean of the two prices by share of hours",
    formula="reserved_share * reserved_usd_per_gpu_hour + (1 - reserved_share) * on_demand_usd_per_gpu_hour",
)
def blended_usd_per_gpu_hour(
    reserved_share: ReservedShare, reserved_usd_per_gpu_hour: Price, on_demand_usd_per_gpu_hour: Price
) -> Price:
    """Return the mean price of a mix of reserved and on-demand (or spot) hours."""
    return reserved_share * reserved_usd_per_gpu_hour + (1 - reserved_share) * on_demand_usd_per_gpu_hour
