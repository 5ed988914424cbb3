"""What a fleet plan is asked: services, each a model on replicas of its own, and how their GPUs are bought."""

import math
from dataclasses import field
from typing import Annotated

from sizebook.core.errors import InputError
from sizebook.core.quantities import Gpu, Model
from sizebook.core.sections import DEFAULT, TABLE, TABLES, AskedBy, ReadSection, quantity, section
from sizebook.plans.commitments import CommitmentTerms
from sizebook.plans.ledgers import LONGEST_PLAN, Start
from sizebook.plans.owned import OwnedGpus
from sizebook.plans.serving.inputs import (
    Energy,
    GpusPerNode,
    Latencies,
    Margins,
    PlacedPrices,
    PlanMonths,
    PriceChanges,
)
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.plans.serving.traffic_by_month import Arrivals, DemandByMonth
from sizebook.plans.serving.users import hours_twice
from sizebook.serving.quantities import PoolLayout, Replica
from sizebook.serving.traffic_quantities import PeakFactor
from sizebook.tables.api_prices import ApiAsked

MOST_SERVICES = 20  # the columns of the workbook


@section
class ServiceTraffic(Arrivals):
    """Arrivals with the busiest hour over the mean of the day."""

    peak_factor: PeakFactor = DEFAULT


@section
class Replacement(AskedBy, key="replaced_by"):
    """Which service takes over the requests of another, and from which month of the plan on."""

    replaced_by: str | None = quantity(
        "name of the service to which its requests go from replaced_month on, each with the tokens, the busiest hour "
        "and the accelerator of that one; blank for none",
        default=None,
        label="Replaced by",
    )
    replaced_month: int | None = quantity(
        "first month in which the service in replaced_by answers the requests, counted from the plan's first month",
        minimum=2,
        maximum=LONGEST_PLAN,
        default=None,
        label="Replaced from month",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.replaced_by is not None and self.replaced_month is None:
            raise InputError(
                f"replaced without a month: got replaced_by '{self.replaced_by}' and no replaced_month, want the first "
                "month in which that service has the requests. State replaced_month."
            )


@section
class Running:
    """From which month of the plan to which a service runs."""

    # Places in the plan, not lengths, so without a unit: month 7 is not 7 months.
    start_month: int = quantity(
        "month of the plan in which the service begins; its traffic is that of this month, and grows from it on",
        minimum=1,
        maximum=LONGEST_PLAN,
        default=1,
        label="Begins in month",
        source="neutral: the plan's first month",
    )
    end_month: int | None = quantity(
        "last month of the service, blank for the plan's",
        minimum=1,
        maximum=LONGEST_PLAN,
        default=None,
        label="Ends with month",
    )
    replacement: Replacement = DEFAULT

    def last(self, months: int) -> int:
        """Return the last month of its own requests in a plan of so many."""
        moves = self.replacement.replaced_month
        ends = (months, self.end_month, moves and moves - 1)
        return min(each for each in ends if each is not None)


@section
class Service(ReadSection):
    """One model and its traffic on replicas of its own; the demand's concurrency is the load of one, where stated."""

    name: str = quantity("name of the service, for tables and charts", label="Name", source="a name: type your own")
    model: Model
    gpu: Gpu
    replica: Replica = DEFAULT
    gpus_per_node: GpusPerNode = DEFAULT
    traffic: ServiceTraffic
    latencies: Latencies = DEFAULT
    prices: PlacedPrices = DEFAULT
    requests: RequestStream = DEFAULT
    pools: PoolLayout = DEFAULT
    running: Running = DEFAULT
    demand: DemandByMonth = DEFAULT
    price_changes: PriceChanges = DEFAULT
    commitments: CommitmentTerms = DEFAULT
    owned: Annotated[OwnedGpus, TABLE] = DEFAULT
    api: Annotated[ApiAsked, TABLE] = DEFAULT
    moved: tuple[float, ...] = field(default=(), metadata={"not_a_key": True})  # requests a day of those it replaces

    def __post_init__(self) -> None:
        if self.demand.ways(self.traffic):  # it may live on the requests of those that it replaces
            self.demand.check(self.traffic)
        if self.demand.people.hours and self.traffic.peak_factor != ServiceTraffic.peak_factor:
            raise hours_twice("peak_factor")

    @property
    def peak(self) -> float:
        """The busiest hour over the mean of all days: over that of its own day, on a working day."""
        hours = self.demand.people.hours
        of_its_day = max(hours) * len(hours) / math.fsum(hours) if hours else self.traffic.peak_factor
        return of_its_day * self.demand.people.working_day_factor


@section
class BusyHours:
    """The busy hours of a day."""

    burst_hours: float = quantity(
        "busy hours a day, in which GPUs of the busiest hour run; those of the mean run in the others",
        "hours",
        minimum=0,
        maximum=24,
        default=8,
        label="Busy hours a day",
        source="assumption, to replace with your own",
    )


@section
class Racks:
    """Whether services share nodes, and what a rack holds."""

    share_nodes: bool = quantity(
        "whether services on the same accelerator, node, provider and region share nodes",
        default=False,
        label="Services share nodes",
        source="neutral: each service has its own",
    )
    nodes_per_rack: int | None = quantity(
        "nodes of a rack, blank for as many as its power and height hold; a rack-scale system is one rack",
        "nodes",
        minimum=1,
        maximum=1000,
        default=None,
        label="Nodes of a rack",
        source="data/nodes.csv",
    )
    kw_per_rack: float = quantity(
        "power that a rack gives",
        "kW",
        above=0,
        maximum=10_000,
        default=41,
        label="Power of a rack",
        source="NVIDIA DGX SuperPOD: four DGX H100 of 10.2 kW in a rack",
    )
    rack_units: int = quantity(
        "height of a rack that nodes may take",
        "U",
        minimum=1,
        maximum=100,
        default=42,
        label="Height of a rack",
        source="EIA-310: the usual height",
    )


@section
class Ceilings:
    """What there is at most of GPUs, racks and power; the plan says from which month on it is not enough."""

    gpu_ceiling: int | None = quantity(
        "GPUs that may be had at most, blank for no ceiling",
        "GPUs",
        minimum=0,
        maximum=10**9,
        default=None,
        label="GPUs, at most",
    )
    rack_ceiling: int | None = quantity(
        "racks that there is room for, blank for no ceiling",
        "racks",
        minimum=0,
        maximum=10**7,
        default=None,
        label="Racks, at most",
    )
    kw_ceiling: float | None = quantity(
        "power that the sites give, cooling included, blank for no ceiling",
        "kW",
        minimum=0,
        maximum=1e8,
        default=None,
        label="Power, at most",
    )


@section
class FleetTerms:
    """What all services share: the calendar, margins, busy hours, energy, racks and ceilings."""

    start: Start = DEFAULT
    months: PlanMonths = DEFAULT
    margins: Margins = DEFAULT
    busy: BusyHours = DEFAULT
    energy: Energy = DEFAULT
    racks: Racks = DEFAULT
    ceilings: Ceilings = DEFAULT


@section
class FleetInputs:
    """Everything that a fleet plan depends on."""

    service: Annotated[tuple[Service, ...], TABLES]
    terms: FleetTerms = DEFAULT
