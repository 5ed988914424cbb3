"""What a fleet plan is asked: services, each a model on replicas of its own, and how their GPUs are bought."""

from __future__ import annotations

from typing import Annotated

from sizebook.core.quantities import Gpu, Model
from sizebook.core.reading import Told
from sizebook.core.registry import DEFAULT, TABLES, Quantity, section
from sizebook.plans.ledgers import Start
from sizebook.plans.serving.inputs import Arrivals, Energy, GpuPrices, GpusPerNode, Latencies, Margins
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.serving.quantities import PeakFactor, PoolLayout, Replica

MOST_SERVICES = 5  # the columns of the workbook, and colours that a chart can tell apart
MONTHS = 36

ServiceName = Annotated[str, Quantity("name of the service, for tables and charts", kind="text", label="Name")]
ReserveShare = Annotated[
    float,
    Quantity(
        "share of the mean fleet to reserve, 1 for all", unit="ratio", minimum=0, maximum=10, default=1,
        label="Share of the mean that is reserved",
    ),
]  # fmt: skip
TermMonths = Annotated[
    int,
    Quantity(
        "months of a reservation; they divide 36", unit="months", kind="integer", minimum=1, maximum=MONTHS, default=12,
        label="Length of a term",
    ),
]  # fmt: skip
BurstHours = Annotated[
    float,
    Quantity(
        "busy hours a day, in which burst GPUs run", unit="hours", minimum=0, maximum=24, default=8,
        label="Busy hours a day",
    ),
]  # fmt: skip


@section
class ServiceTraffic(Arrivals):
    """Arrivals with the busiest hour over the mean of the day."""

    peak_factor: PeakFactor = DEFAULT


@section
class Service(Told):
    """One model and its traffic on replicas of its own; the demand's concurrency is the load of one, where stated."""

    name: ServiceName
    model: Model
    gpu: Gpu
    replica: Replica = DEFAULT
    gpus_per_node: GpusPerNode = DEFAULT
    traffic: ServiceTraffic
    latencies: Latencies = DEFAULT
    prices: GpuPrices = DEFAULT
    requests: RequestStream = DEFAULT
    pools: PoolLayout = DEFAULT


@section
class Contract:
    """What is reserved: a share of the mean fleet at the start of each term; and the busy hours of a day."""

    reserve_share: ReserveShare = DEFAULT
    term_months: TermMonths = DEFAULT
    burst_hours: BurstHours = DEFAULT

    @property
    def term(self) -> str:
        """The term of the price table that it is quoted at."""
        return "reserved_3y" if self.term_months >= MONTHS else "reserved_1y"


@section
class FleetTerms:
    """What all services share: the first month, margins, the contract, energy."""

    start: Start = DEFAULT
    margins: Margins = DEFAULT
    contract: Contract = DEFAULT
    energy: Energy = DEFAULT


@section
class FleetInputs:
    """Everything that a fleet plan depends on."""

    service: Annotated[tuple[Service, ...], TABLES]
    terms: FleetTerms = DEFAULT
