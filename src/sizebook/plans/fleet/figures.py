"""The headline figures of each service of a fleet plan, declared once: replica, prices, first and last month."""

from __future__ import annotations

import math
from typing import Annotated, Any

from sizebook.core.registry import Quantity, section
from sizebook.plans.fleet.inputs import FleetTerms
from sizebook.plans.fleet.plan import PlannedService
from sizebook.plans.serving.figures import banded

_COUNT: Any = {"kind": "integer", "minimum": 0}


@section
class ServiceFigures:
    """One replica of a service at the load planned for, what a GPU-hour of it costs and draws, and its fleet."""

    gpus_per_replica: Annotated[int, Quantity("GPUs of one replica", unit="GPUs", **_COUNT, label="GPUs of a replica")]
    concurrency: Annotated[
        int, Quantity("requests in flight on a replica", unit="requests", **_COUNT, label="In flight on a replica")
    ]
    capacity: Annotated[
        int, Quantity("requests that its cache holds", unit="requests", **_COUNT, label="Requests that the cache holds")
    ]
    ttft_seconds: Annotated[float, Quantity("time to first token", unit="seconds", label="Time to first token")]
    tpot_seconds: Annotated[float, Quantity("time per output token", unit="seconds", label="Time per output token")]
    requests_per_second: Annotated[
        float, Quantity("requests a second of a replica", unit="requests/s", label="Rate of a replica")
    ]
    requests_per_second_p10: Annotated[
        float,
        Quantity(
            "requests a second of a replica, 10th percentile of measured", unit="requests/s",
            label="Rate of a replica, p10",
        ),
    ]  # fmt: skip
    requests_per_second_p90: Annotated[
        float,
        Quantity(
            "requests a second of a replica, 90th percentile of measured", unit="requests/s",
            label="Rate of a replica, p90",
        ),
    ]  # fmt: skip
    workers: Annotated[
        str, Quantity("workers of one replica, and what they do", kind="text", label="Workers of a replica")
    ]
    spare_replicas: Annotated[
        int, Quantity("replicas kept for failures", unit="replicas", **_COUNT, label="Spare replicas")
    ]
    on_demand_usd_per_gpu_hour: Annotated[
        float, Quantity("price of a GPU-hour on demand", unit="USD/GPU-hour", label="On-demand GPU-hour")
    ]
    reserved_usd_per_gpu_hour: Annotated[
        float, Quantity("price of a reserved GPU-hour", unit="USD/GPU-hour", label="Reserved GPU-hour")
    ]
    rates_basis: Annotated[
        str,
        Quantity("rates that times are worked out with: shipped, or a file of own ones", kind="text", label="Rates"),
    ]
    price_basis: Annotated[str, Quantity("where the prices come from", kind="text", label="Price basis")]
    tdp_watts: Annotated[float, Quantity("power of one GPU: its TDP", unit="watts", label="Power of a GPU")]
    grams_per_kwh: Annotated[
        float, Quantity("greenhouse gases per energy", unit="gCO2e/kWh", label="Carbon of the grid")
    ]
    peak_gpus_first: Annotated[
        int, Quantity("GPUs in the busiest hour of the first month", unit="GPUs", **_COUNT, label="GPUs, first month")
    ]
    peak_gpus_last: Annotated[
        int, Quantity("GPUs in the busiest hour of the last month", unit="GPUs", **_COUNT, label="GPUs, last month")
    ]
    usd_last: Annotated[float, Quantity("cost of the last month", unit="USD", label="USD in the last month")]
    usd: Annotated[float, Quantity("cost of all months", unit="USD", label="USD over three years")]


def figures(planned: PlannedService, terms: FleetTerms) -> ServiceFigures:
    """Return the headline figures of one planned service."""
    replica, rates = planned.replica, planned.rates
    first, last = planned.months[0], planned.months[-1]
    return ServiceFigures(
        gpus_per_replica=replica.gpus,
        concurrency=replica.concurrency,
        capacity=replica.capacity,
        ttft_seconds=float(replica.at_knee.ttft_seconds),
        tpot_seconds=float(replica.at_knee.tpot_seconds),
        **banded("requests_per_second", replica.requests_per_second, replica.bands["throughput"]),
        workers=replica.layout,
        spare_replicas=terms.margins.spare_replicas(replica.packing),
        on_demand_usd_per_gpu_hour=rates.on_demand_usd,
        reserved_usd_per_gpu_hour=rates.reserved_usd,
        rates_basis=replica.rates_basis,
        price_basis=rates.basis,
        tdp_watts=rates.tdp_watts,
        grams_per_kwh=rates.grams_per_kwh,
        peak_gpus_first=first.peak_gpus,
        peak_gpus_last=last.peak_gpus,
        usd_last=last.usd,
        usd=math.fsum(month.usd for month in planned.months),
    )
