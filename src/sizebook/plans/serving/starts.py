"""Starts of replicas: how long one takes, and what a fleet that follows the hours costs beside one that does not."""

import math
from typing import Any

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import quantity, section
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.months import Month, arrivals_by_hour
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.plans.serving.scaling import Scaling
from sizebook.tables.hardware import accelerator


def cold_start(scaling: Scaling, replica: PlannedReplica) -> float:
    """Return the seconds until a new replica serves: its weights over the slower link, and what stands beside.

    Each node reads the weights of its GPUs; those of a GPU cross its PCIe link.
    """
    each = float(replica.memory.weight_bytes)
    on_node = min(replica.packing.gpus_per_replica, replica.packing.gpus_per_node)
    link = accelerator(replica.setup.gpu).pcie_bytes_per_s or math.inf
    return max(each * on_node / scaling.load_bytes_per_second, each / link) + scaling.start_seconds


@section
class Scaled:
    """The first month of a fleet that follows the hours, what starts add to it, and a fleet as large as its peak."""

    starts_a_day: int = quantity("replicas started a day, month 1", "replicas", minimum=0, label="Starts a day")
    ahead_replicas: int = quantity(
        "replicas ahead that serve the steepest rise while one starts, month 1",
        "replicas",
        minimum=0,
        label="Kept ahead of a rise",
    )
    start_gpu_hours: float = quantity(
        "GPU-hours that start and serve nothing, month 1", "GPU-hours", label="GPU-hours of starts"
    )
    scaled_usd: float = quantity(
        "cost of month 1 with the hours of starts, on demand", "USD", label="Fleet by the hour, month 1"
    )
    fixed_usd: float = quantity(
        "cost of month 1 of the peak all day, reserved", "USD", label="Fleet of the peak, month 1"
    )


def scaled_month(replica: PlannedReplica, month: Month, inputs: ServingInputs, rates: Rates) -> Scaled:
    """Return what the hours of the first month cost where every replica that is added starts in time, on demand.

    A fleet as large as the peak is reserved. So many replicas ahead serve what the steepest rise between two hours adds
    while one starts, where nobody foresees it.
    """
    fleets, seconds = month.replicas_by_hour, cold_start(inputs.scaling, replica)
    starts = sum(max(after - before, 0) for before, after in _by_hour(fleets))
    hours = starts * replica.gpus * seconds / 3600 * HOURS_PER_MONTH / 24
    rise = max(after - before for before, after in _by_hour(arrivals_by_hour(inputs, inputs.days[0]))) * seconds / 3600
    ahead = math.ceil(rise / (replica.requests_per_second * inputs.target.margins.target_load))
    return Scaled(
        starts_a_day=starts,
        ahead_replicas=ahead,
        start_gpu_hours=hours,
        scaled_usd=month.usd + hours * rates.on_demand_usd,
        fixed_usd=month.peak_gpus * HOURS_PER_MONTH * rates.reserved_usd,
    )


def _by_hour(day: tuple[Any, ...]) -> tuple[tuple[Any, Any], ...]:
    """Return each hour of a day with the one before it."""
    return tuple(zip((day[-1], *day[:-1]), day, strict=True))
