"""What a training plan is asked, declared once, and the run that it becomes with everything looked up.

`TrainingInputs` holds every input: it is the arguments of the plan's functions, the keys of a scenario file, the
columns of a table of runs and the inputs of the workbook. `settled` looks up what was left blank.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.quantities import HostShare, OtherUsd, Pue
from sizebook.core.sections import DEFAULT, TABLE, ReadSection, quantity, section
from sizebook.core.texts import Figure, text
from sizebook.core.units import NOT_LISTED_USD, percent
from sizebook.formulas.energy import Covered, Embodied
from sizebook.formulas.money import Owned
from sizebook.models import catalog
from sizebook.models.architecture import Architecture
from sizebook.plans.cost_range import Ends, joint
from sizebook.plans.quantities import StatedGrams, gpu_hour_price
from sizebook.tables.grid import GridRegion, grid_of
from sizebook.tables.hardware import Accelerator, accelerator
from sizebook.tables.price_rows import TERM_NAMES
from sizebook.tables.prices import OwnPrices, PriceRegion, Provider, Term, quote
from sizebook.training.layout import Layout, with_data_parallel
from sizebook.training.number_formats import format_of, training_peak
from sizebook.training.quantities import Batches, Operations, Pace, Programme, Run
from sizebook.training.recipe import Method
from sizebook.training.tuning import Examples

# A driver keeps about a hundredth of the memory (79.19 of 80 GiB on an H100, measured).
USABLE_SHARE = 0.99
GIVEN = "given in the scenario"


@section
class Prices:
    """What a GPU-hour costs: given, owned, or where it is looked up; and whatever the run costs besides."""

    price_usd_per_gpu_hour: float | None = gpu_hour_price(
        "price of a GPU-hour, blank for the catalog's median", "GPU-hour"
    )
    provider: Provider = DEFAULT
    region: PriceRegion = DEFAULT
    term: Term = DEFAULT
    own: OwnPrices = DEFAULT
    other_usd: OtherUsd = DEFAULT
    owned: Annotated[Owned | None, TABLE] = None


@section
class Footprint:
    """What a data centre draws beyond its GPUs, and how the carbon of that energy is counted.

    Without ``covered_share`` nothing is known of contracts, and no market-based figure is stated on any surface.
    """

    pue: Pue = DEFAULT
    host_share: HostShare = DEFAULT
    covered_share: Covered | None = DEFAULT
    residual_grams_per_kwh: float | None = quantity(
        "greenhouse gases of energy without contracts, blank for the grid's",
        "gCO2e/kWh",
        minimum=0,
        maximum=1e5,
        default=None,
        label="Grams of CO2e per kWh without contracts",
        source="data/grid.csv",
    )
    kg_per_gpu: Embodied = DEFAULT


@section
class Energy:
    """The power of a GPU, what the data centre draws beyond it, and the grid that feeds both."""

    watts: float | None = quantity(
        "power of one GPU at work, blank for its limit or TDP",
        "watts",
        above=0,
        maximum=1e5,
        default=None,
        label="Power of a GPU at work",
        source="data/hardware.csv",
    )
    footprint: Footprint = DEFAULT
    grid: GridRegion = DEFAULT
    grams_per_kwh: StatedGrams = DEFAULT


@section
class TrainingInputs(ReadSection):
    """Everything that a training plan of one model on one accelerator depends on.

    A cell states which of it was given.
    """

    run: Run
    layout: Layout = DEFAULT
    method: Method = DEFAULT
    operations: Operations = DEFAULT
    prices: Prices = DEFAULT
    energy: Energy = DEFAULT
    programme: Programme = DEFAULT


# With everything looked up --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Costs:
    """The price of a GPU-hour with what it is based on, and whatever the run costs besides.

    ``range_usd_per_gpu_hour`` are the 10th and 90th percentile of providers, None for a price that is one point.
    """

    price_usd_per_gpu_hour: float
    basis: str = GIVEN
    other_usd: float = 0
    range_usd_per_gpu_hour: Ends | None = None

    @property
    def ends(self) -> Ends:
        """Both ends of the price."""
        return self.range_usd_per_gpu_hour or (self.price_usd_per_gpu_hour, self.price_usd_per_gpu_hour)

    def at_ends(self, slower: Sequence[float]) -> tuple[Costs, Costs, Costs]:
        """Return the costs of low, middle and high, which take so many times the hours of the middle one."""
        price, (low, high) = self.price_usd_per_gpu_hour, self.ends
        if not low < high:
            return self, self, self
        fast, _, slow = slower
        ends = (price * joint(fast, low / price) / fast, price * joint(slow, high / price) / slow)
        at_low, at_high = (replace(self, price_usd_per_gpu_hour=end) for end in ends)
        return at_low, self, at_high


@dataclass(frozen=True, kw_only=True)
class Power:
    """Power of one GPU at work and the grams of CO2e of a kWh, with what they are based on."""

    watts: float
    grams_per_kwh: float
    grid_basis: str = GIVEN
    footprint: Footprint = field(default_factory=Footprint)

    @property
    def residual_grams_per_kwh(self) -> float:
        """Grams of the energy that no contract covers: the grid's where nothing else was given."""
        given = self.footprint.residual_grams_per_kwh
        return self.grams_per_kwh if given is None else given


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What is trained, on what and how: all that memory and time of a step depend on, apart from the layout."""

    architecture: Architecture
    gpu: Accelerator
    gpus: int
    batches: Batches
    method: Method = field(default_factory=Method)
    reserved_bytes: float = 0  # kept free on every GPU for what is held beside training

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", native_method(self.method, self.gpu))

    @property
    def capacity_bytes(self) -> float:
        """What one accelerator leaves for training: what the driver was measured to leave, else 99 %."""
        return capacity_bytes(self.gpu) - self.reserved_bytes

    @cached_property
    def peak_flop_per_s(self) -> float:
        """The dense peak that MFU is measured against."""
        return training_peak(self.gpu, self.method.compute_dtype)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How long a setup is run, at what pace, price and power, and what interrupts it."""

    tokens: float
    costs: Costs
    power: Power
    examples: Examples = field(default_factory=Examples)
    pace: Pace = field(default_factory=Pace)
    operations: Operations = field(default_factory=Operations)
    programme: Programme = field(default_factory=Programme)


@dataclass(frozen=True, kw_only=True)
class Training(Setup, Terms):
    """One training run with everything looked up; ``context_tokens`` is the longest sequence that the model states."""

    model: str
    layout: Layout
    context_tokens: int | None = None

    @property
    def padding_share(self) -> float:
        """The share of a step's tokens that is padding."""
        return self.examples.padding_share(self.batches.seq)

    @property
    def padding_avoided(self) -> float:
        """The share of a step's tokens that packing keeps from being padding."""
        return self.examples.padding_unpacked(self.batches.seq) - self.padding_share

    @property
    def utilization(self) -> float | None:
        """The share of the peak that was given, None where the step time is predicted."""
        return self.pace.utilization(self.peak_flop_per_s)


def native_method(method: Method, gpu: Accelerator) -> Method:
    """Return the method as an accelerator runs it: in a format that it multiplies in, and on TPUs, whatever is asked
    for, as XLA compiles it."""
    dtype, recipe = format_of(gpu, method.compute_dtype), method.recipe
    if gpu.maker == "Google" and recipe.stack != "xla":
        recipe = replace(recipe, stack="xla")
    unchanged = dtype == method.compute_dtype and recipe is method.recipe
    return method if unchanged else replace(method, compute_dtype=dtype, recipe=recipe)


def capacity_bytes(gpu: Accelerator) -> float:
    """Return what one accelerator leaves for training: what the driver was measured to leave, else 99 %."""
    return gpu.usable_memory_bytes or gpu.memory_bytes * USABLE_SHARE


def settled(model: str, gpu: str, inputs: TrainingInputs, *, stated: Collection[str]) -> Training:
    """Return the run with everything looked up: accelerator, price, power, grid.

    A data-parallel degree that is not ``stated`` is what the other degrees leave over of the GPUs. Errors: a time or a
    price that is given twice, and whatever a table does not hold.
    """
    kind, run, layout = accelerator(gpu), inputs.run, inputs.layout
    check_pace(run.pace)
    power = power_of(kind, inputs.energy, inputs.method.power_limit_watts)
    return Training(
        model=model,
        architecture=catalog.architecture(model),
        gpu=kind,
        gpus=run.gpus,
        batches=run.batches,
        method=inputs.method,
        tokens=run.tokens,
        layout=layout if "dp" in stated else with_data_parallel(layout, run.gpus),
        context_tokens=catalog.context_tokens(model),
        costs=costs_of(kind, inputs.prices, power, gpus=run.gpus),
        power=power,
        examples=run.examples,
        pace=run.pace,
        operations=inputs.operations,
        programme=inputs.programme,
    )


def check_pace(pace: Pace) -> None:
    """Refuse a rate that is given in both of its spellings."""
    if pace.mfu is not None and pace.achieved_tflops is not None:
        raise InputError(
            f"time is given twice: got mfu {pace.mfu:g} and achieved_tflops {pace.achieved_tflops:g}, want one. "
            "Remove one of the two."
        )


def costs_of(gpu: Accelerator, prices: Prices, power: Power, gpus: int) -> Costs:
    """Return the price of a GPU-hour: given, worked out of what is owned, or the median of the price table."""
    price, own = prices.price_usd_per_gpu_hour, prices.owned
    if own is not None and price is not None:
        raise InputError(
            f"price is given twice: got price_usd_per_gpu_hour {price:g} and a table [owned], want one. "
            "Remove one of the two."
        )
    if own is not None:
        bought, shares = own.purchase, power.footprint
        hourly = own.usd_per_gpu_hour(power.watts * (1 + shares.host_share), shares.pue)
        return Costs(
            price_usd_per_gpu_hour=hourly,
            basis=text(
                "owned: {usd} USD a GPU over {years} years, {busy} busy, energy included",
                usd=Figure(f"{bought.capex_usd:g}"),
                years=Figure(f"{bought.years:g}"),
                busy=percent(bought.busy, 2),
            ),
            other_usd=prices.other_usd,
        )
    if price is not None:
        return Costs(
            price_usd_per_gpu_hour=price, basis=text("price given in the scenario, USD"), other_usd=prices.other_usd
        )
    return _quoted(gpu, prices, gpus)


def _quoted(gpu: Accelerator, prices: Prices, gpus: int) -> Costs:
    try:
        found = quote(gpu.key, prices.provider, prices.region, term=prices.term, gpus=gpus, own=prices.own)
    except UnknownKeyError:
        if prices.provider or prices.region:
            raise
        missing = text(
            "no table lists a price of {gpu} {term}: set price_usd_per_gpu_hour",
            gpu=gpu.key,
            term=TERM_NAMES[prices.term],
        )
        return Costs(price_usd_per_gpu_hour=NOT_LISTED_USD, basis=missing, other_usd=prices.other_usd)
    basis = found.basis
    if prices.term != "on_demand" and found.on_demand_beside is not None:
        asked = Figure(f"{found.on_demand_beside:.2f}")
        basis = text("{basis}; on demand the same providers ask {price}", basis=basis, price=asked)
    return Costs(
        price_usd_per_gpu_hour=found.usd_per_gpu_hour,
        basis=basis,
        other_usd=prices.other_usd,
        range_usd_per_gpu_hour=(found.low_usd_per_gpu_hour, found.high_usd_per_gpu_hour),
    )


def power_of(gpu: Accelerator, energy: Energy, power_limit_watts: float | None) -> Power:
    """Return the power of a GPU at work, given or its limit or TDP, and the grams of the grid it comes from."""
    watts = energy.watts or power_limit_watts or gpu.tdp_watts or math.nan
    grams, basis = energy.grams_per_kwh, text("grams per kWh given in the scenario")
    if grams is None:
        row = grid_of(energy.grid)
        grams, basis = row.g_co2e_per_kwh, row.origin
    return Power(watts=float(watts), grams_per_kwh=grams, grid_basis=basis, footprint=energy.footprint)
