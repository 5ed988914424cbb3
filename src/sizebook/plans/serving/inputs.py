"""What a serving plan is asked: traffic, target, prices; each field is declared here or in the sections it takes in.

`ServingInputs` holds them all: the arguments of the plan's functions, the keys of a scenario file, the columns of a
table of plans and the inputs of the workbook.
"""

from __future__ import annotations

import math
from dataclasses import field, replace
from functools import cached_property
from typing import Annotated, Any

from sizebook.core.errors import InputError
from sizebook.core.quantities import Pue
from sizebook.core.sections import DEFAULT, TABLE, Quantity, ReadSection, quantity, section
from sizebook.plans.commitments import CommitmentTerms
from sizebook.plans.ledgers import LONGEST_PLAN, Start
from sizebook.plans.owned import OwnedGpus
from sizebook.plans.quantities import StatedGrams, gpu_hour_price
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.day import SHAPES, hours_of
from sizebook.plans.serving.interruptions import Interruptions
from sizebook.plans.serving.lengths import RequestLengths
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.pictures import Pictures
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.plans.serving.scaling import Scaling
from sizebook.plans.serving.tenants import Tenants
from sizebook.plans.serving.traffic_by_month import Arrivals, DemandByMonth
from sizebook.plans.serving.users import hours_twice
from sizebook.serving.load import Stream
from sizebook.serving.quantities import Demand, PoolLayout, Replica
from sizebook.serving.traffic_quantities import Load
from sizebook.tables.api_prices import ApiAsked
from sizebook.tables.grid import GridRegion
from sizebook.tables.prices import OwnPrices, PriceRegion, Provider

PlanMonths = Annotated[
    int,
    Quantity(
        "months to plan, the first is now",
        unit="months",
        minimum=1,
        maximum=LONGEST_PLAN,
        default=12,
        label="Months to plan",
        source="assumption: a year",
    ),
]
DayShape = Annotated[
    Any,
    Quantity(
        "how requests spread over the day: a name or 24 relative numbers from midnight",
        choices=tuple(SHAPES),
        default="flat",
        label="Shape of a day",
        source="neutral: every hour alike",
    ),
]


@section
class Traffic(Arrivals):
    """Arrivals over the hours of a day and over months; lengths as means, percentiles or histograms."""

    start: Start = DEFAULT
    months: PlanMonths = DEFAULT
    shape: DayShape = DEFAULT
    burst_factor: float = quantity(
        "bursts within an hour over that hour's mean",
        "ratio",
        minimum=1,
        maximum=1000,
        default=1,
        label="Bursts over the hour",
        source="neutral: no bursts",
    )
    lengths: RequestLengths = DEFAULT
    image_tokens: int = field(default=0, metadata={"not_a_key": True})  # of a request, where its model has read them

    @cached_property
    def hours(self) -> tuple[float, ...]:
        """Relative arrivals of the 24 hours."""
        return hours_of(self.shape)

    @cached_property
    def mean_demand(self) -> Demand:
        """What a replica is asked for: mean lengths to the nearest token, those of histograms where they came so."""
        return self.with_images(self.text)

    @cached_property
    def text(self) -> Demand:
        """The same without images."""
        return self.lengths.mean(self.demand)

    def with_images(self, demand: Demand) -> Demand:
        """Return a demand with the tokens of images on top of its prompt."""
        return replace(demand, input_tokens=demand.input_tokens + self.image_tokens)

    @cached_property
    def longest(self) -> tuple[int, int]:
        """Tokens of a prompt and of an answer to reserve cache for: the 95th percentiles, where they are known."""
        prompt, answer = self.lengths.longest(self.text)
        return prompt + self.image_tokens, answer

    @property
    def longest_tokens(self) -> int:
        """Tokens of a sequence to reserve cache for."""
        return sum(self.longest)


GpusPerNode = Annotated[
    int | None,
    Quantity(
        "GPUs of a node, blank for the accelerator's own",
        unit="GPUs",
        minimum=1,
        maximum=1_000_000,
        default=None,
        label="GPUs of a node",
        source="data/hardware.csv",
    ),
]


@section
class Margins:
    """The room that a fleet keeps: for bursts, for failures, in whole nodes."""

    target_load: Load = DEFAULT
    spare: int = quantity(
        "failure domains whose loss the fleet covers",
        minimum=0,
        maximum=10_000,
        default=1,
        label="Failures to cover",
        source="assumption: one failure at a time",
    )
    failure_domain: str = quantity(
        "what fails at once",
        choices=("replica", "node"),
        default="replica",
        label="What fails at once",
        source="assumption: a replica fails alone",
    )
    whole_nodes: bool = quantity(
        "whether GPUs are paid for by whole nodes",
        default=False,
        label="GPUs by whole nodes",
        source="neutral: GPUs are paid for one by one",
    )

    def spare_replicas(self, packing: Packing) -> int:
        """Return the replicas to keep so that the loss of ``spare`` failure domains is covered."""
        return self.spare * packing.lost_with(self.failure_domain)


@section
class Latencies:
    """What must hold: seconds to the first token and per token, at p50 or at p90 of the band of measurements."""

    ttft_target_seconds: float | None = quantity(
        "seconds to the first token at most, blank for no target",
        "seconds",
        above=0,
        default=None,
        label="TTFT, at most",
    )
    tpot_target_seconds: float | None = quantity(
        "seconds per output token at most, blank for no target", "seconds", above=0, default=None, label="TPOT, at most"
    )
    band_quantile: str = quantity(
        "where in the band of measurements targets hold: p50, the estimate, or p90 of measured over predicted",
        choices=("p50", "p90"),
        default="p50",
        label="Targets hold in the band at",
        source="convention: the estimate itself",
    )

    @property
    def limits(self) -> tuple[float, float]:
        """Seconds to the first token and per token that may not be exceeded; infinite where there is no target."""
        return self.ttft_target_seconds or math.inf, self.tpot_target_seconds or math.inf


@section
class Target:
    """The latencies to meet and the margins of the fleet."""

    latencies: Latencies = DEFAULT
    margins: Margins = DEFAULT
    gpus_per_node: GpusPerNode = DEFAULT


@section
class GpuPrices:
    """What a GPU-hour costs on demand and reserved; blank for the price table's."""

    reserved_usd_per_gpu_hour: float | None = gpu_hour_price(
        "price of a GPU-hour reserved for a year, blank for the catalog's median where it is not dearer than on demand",
        "Reserved GPU-hour",
    )
    on_demand_usd_per_gpu_hour: float | None = gpu_hour_price(
        "price of a GPU-hour on demand, blank for the catalog's median", "On-demand GPU-hour"
    )


@section
class PriceChanges:
    """How prices of GPU-hours change from month to month, those of providers and those given alike."""

    price_change_per_month: float = quantity(
        "change of GPU-hour prices a month (-0.03: each month 3 % below the one before), from the first month on",
        "ratio",
        above=-1,
        maximum=1,
        default=0,
        label="Change of prices a month",
        source="neutral: prices stay",
    )
    price_change_per_year: float | None = quantity(
        "the same a year, spread evenly over its months; blank for the change a month",
        "ratio",
        above=-1,
        maximum=1,
        default=None,
        label="Change of prices a year",
    )

    def __post_init__(self) -> None:
        if self.price_change_per_month and self.price_change_per_year is not None:
            raise InputError(
                "change given twice: got price_change_per_month and price_change_per_year, want one of them. Remove "
                "the other."
            )

    @property
    def change(self) -> float:
        """The change of prices from one month to the next."""
        if self.price_change_per_year is None:
            return self.price_change_per_month
        return float((1 + self.price_change_per_year) ** (1 / 12) - 1)


@section
class Energy:
    """What a data centre draws beyond its GPUs, and how much carbon a kilowatt-hour carries."""

    pue: Pue = DEFAULT
    grid: GridRegion = DEFAULT
    grams_per_kwh: StatedGrams = DEFAULT


@section
class PlacedPrices:
    """Prices of GPU-hours, and where they are looked up, which is also where nodes stand."""

    gpu_hours: GpuPrices = DEFAULT
    provider: Provider = DEFAULT
    region: PriceRegion = DEFAULT
    own: OwnPrices = DEFAULT

    def with_energy(self, energy: Energy) -> Prices:
        """Return them with energy beside them."""
        return Prices(gpu_hours=self.gpu_hours, provider=self.provider, region=self.region, own=self.own, energy=energy)


@section
class Prices(PlacedPrices):
    """Prices of GPU-hours, where they are looked up, and energy."""

    energy: Energy = DEFAULT


@section
class ServingInputs(ReadSection):
    """Everything that a serving plan of one model on one accelerator depends on.

    A cell states which of it was given.
    """

    traffic: Annotated[Traffic, TABLE]
    target: Annotated[Target, TABLE] = DEFAULT
    replica: Replica = DEFAULT
    owned: Annotated[OwnedGpus, TABLE] = DEFAULT
    prices: Prices = DEFAULT
    requests: Annotated[RequestStream, TABLE] = DEFAULT
    pools: Annotated[PoolLayout, TABLE] = DEFAULT
    demand: Annotated[DemandByMonth, TABLE] = DEFAULT
    price_changes: PriceChanges = DEFAULT
    conversation: Annotated[Conversation, TABLE] = DEFAULT
    scaling: Annotated[Scaling, TABLE] = DEFAULT
    interruptions: Annotated[Interruptions, TABLE] = DEFAULT
    api: Annotated[ApiAsked, TABLE] = DEFAULT
    pictures: Annotated[Pictures, TABLE] = DEFAULT
    commitments: Annotated[CommitmentTerms, TABLE] = DEFAULT
    tenants: Tenants = DEFAULT

    def __post_init__(self) -> None:
        self.demand.check(self.traffic)
        if self.demand.people.hours and self.traffic.shape != "flat":
            raise hours_twice("shape")

    @cached_property
    def days(self) -> tuple[float, ...]:
        """Requests a day, month by month."""
        return tuple(
            self.demand.requests_in(month, self.traffic, self.traffic.start) for month in range(self.traffic.months)
        )

    @property
    def hours(self) -> tuple[float, ...]:
        """Relative arrivals of the 24 hours."""
        return self.demand.people.hours or self.traffic.hours

    @property
    def bursts(self) -> float:
        """What rates are planned for over the mean of their hour: bursts, on a working day."""
        return self.traffic.burst_factor * self.demand.people.working_day_factor

    @cached_property
    def stream(self) -> Stream:
        """The requests of a replica as they come."""
        return self.requests.stream(*self.traffic.lengths.drawn(self.traffic.text))

    def read(self, model: str) -> ServingInputs:
        """Return the same inputs as the model reads them: `RequestStream.read`, tokens of images, all turns."""
        demand, lengths = self.requests.read(model, self.traffic.demand, self.traffic.lengths)
        lengths, images = self.conversation.read(demand, lengths), self.pictures.tokens(model)
        return replace(self, traffic=replace(self.traffic, demand=demand, lengths=lengths, image_tokens=images))
