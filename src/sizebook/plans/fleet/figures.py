"""The figures of each service of a fleet plan, declared once: replica and node, prices, first and last month."""

import math
from typing import Annotated, Any

from sizebook.core.sections import quantity, section
from sizebook.models import catalog
from sizebook.plans.commitments import CommitmentFigures
from sizebook.plans.fleet.choice import replica_of
from sizebook.plans.fleet.inputs import FleetTerms, Service
from sizebook.plans.fleet.months import peak_gpus
from sizebook.plans.fleet.plan import FleetPlan, PlannedService, longest_tokens
from sizebook.plans.ledgers import GpusFirstMonth, GpusLastMonth
from sizebook.plans.quantities import (
    CacheCapacity,
    GpusPerNode,
    GpusPerReplica,
    InFlight,
    OnDemandRate,
    PricesBasis,
    RatesBasis,
    ReleaseBasis,
    RequestRate,
    ReservedLongRate,
    ReservedRate,
    SpareReplicas,
    TdpWatts,
    TimePerOutputToken,
    TimeToFirstToken,
    Workers,
    band_end,
)
from sizebook.plans.serving.figures import LongestTokens
from sizebook.plans.serving.listed_prices import ListedPrices, listed_prices
from sizebook.plans.serving.nodes import node_facts
from sizebook.plans.serving.rates import watts
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.band import banded
from sizebook.tables.grid import grid_of


@section
class ReplicaOnNode:
    """One replica of a service at the load planned for, and the node that it stands on."""

    gpus_per_replica: GpusPerReplica
    concurrency: InFlight
    capacity: CacheCapacity
    ttft_seconds: TimeToFirstToken
    tpot_seconds: TimePerOutputToken
    requests_per_second: RequestRate
    requests_per_second_p10: Annotated[
        float, band_end("requests a second of a replica", 10, unit="requests/s", label="Rate of a replica")
    ]
    requests_per_second_p90: Annotated[
        float, band_end("requests a second of a replica", 90, unit="requests/s", label="Rate of a replica")
    ]
    workers: Workers
    rates_basis: RatesBasis
    release_basis: ReleaseBasis
    tdp_watts: TdpWatts
    gpus_per_node: GpusPerNode
    node_kw: float = quantity("power of a node at most", "kW", label="Power of a node")
    node_units: int = quantity("height of a node", "U", minimum=0, label="Height of a node")
    rack_nodes: int | None = quantity(
        "nodes of a rack-scale system, blank for a node that goes into any rack",
        "nodes",
        minimum=0,
        label="Nodes of a rack-scale system",
    )


@section
class ServiceBasis(ReplicaOnNode):
    """What formulas of traffic, nodes and money start from: a replica on its node, and what tables list beside it."""

    listed: ListedPrices
    listed_grams_per_kwh: float = quantity(
        "greenhouse gases per energy of the grid", "gCO2e/kWh", label="Carbon of the grid, listed"
    )
    longest_tokens: LongestTokens
    context_tokens: int | None = quantity(
        "context that the model states, blank for none", "tokens", minimum=0, label="Context of the model"
    )
    accelerator: str = quantity("accelerator by its key, however it was spelled", label="Accelerator, by its key")
    model_notes: str = quantity("notes on the count of the model", label="Notes on its count")


@section
class ServiceFigures(ReplicaOnNode):
    """One replica of a service on its node, what a GPU-hour of it costs, and its fleet."""

    spare_replicas: SpareReplicas
    on_demand_usd_per_gpu_hour: OnDemandRate
    reserved_usd_per_gpu_hour: ReservedRate
    reserved_3y_usd_per_gpu_hour: ReservedLongRate
    price_basis: PricesBasis
    grams_per_kwh: float = quantity("greenhouse gases per energy", "gCO2e/kWh", label="Carbon of the grid")
    peak_gpus_first: GpusFirstMonth
    peak_gpus_last: GpusLastMonth
    usd_last: float = quantity("cost of the last month", "USD", label="USD in the last month")
    usd: float = quantity("cost of all months", "USD", label="Cost of all months")


def contracts(plan: FleetPlan) -> CommitmentFigures:
    """Return what the contracts of a plan leave after it, and how far they are from the best if traffic differs."""
    after, owed = contract_tail(plan)
    less, more = plan.regrets
    return CommitmentFigures(tail_months=after, tail_usd=owed, regret_less_usd=less, regret_more_usd=more)


def contract_tail(plan: FleetPlan) -> tuple[int, float]:
    """Return how many months the contracts of a fleet last after it, and what they cost in them."""
    tails = [each.portfolio.tail(plan.terms.months) for each in plan.purchases]
    return max(after for after, _ in tails), math.fsum(owed for _, owed in tails)


def figures(planned: PlannedService, terms: FleetTerms) -> ServiceFigures:
    """Return the headline figures of one planned service."""
    rates, first, last = planned.rates, planned.months[0], planned.months[-1]
    return ServiceFigures(
        **_on_node(planned.replica),
        spare_replicas=terms.margins.spare_replicas(planned.replica.packing),
        on_demand_usd_per_gpu_hour=rates.on_demand_usd,
        reserved_usd_per_gpu_hour=rates.reserved_usd,
        reserved_3y_usd_per_gpu_hour=rates.long_usd,
        price_basis=rates.basis,
        grams_per_kwh=rates.grams_per_kwh,
        peak_gpus_first=first.peak_gpus,
        peak_gpus_last=last.peak_gpus,
        usd_last=last.usd,
        usd=math.fsum(month.usd for month in planned.months),
    )


def basis(service: Service, terms: FleetTerms) -> ServiceBasis:
    """Return what formulas start from, of one service; traffic and prices matter to it only where pools are searched.

    Errors: an accelerator without a published TDP.
    """
    service, replica = replica_of(service, terms)
    gpu, prices = replica.setup.gpu, service.prices.with_energy(terms.energy)
    return ServiceBasis(
        **_on_node(replica),
        listed=listed_prices(gpu, prices, gpus=max(peak_gpus(service, replica, terms))),
        listed_grams_per_kwh=grid_of(terms.energy.grid).g_co2e_per_kwh,
        longest_tokens=longest_tokens(service, replica),
        context_tokens=catalog.context_tokens(service.model),
        accelerator=gpu,
        model_notes="; ".join(catalog.notes(service.model)),
    )


def _on_node(replica: PlannedReplica) -> dict[str, Any]:
    node = node_facts(replica.setup.gpu, replica.packing.gpus_per_node)
    return {
        "gpus_per_replica": replica.gpus,
        "concurrency": replica.concurrency,
        "capacity": replica.capacity,
        "ttft_seconds": float(replica.at_knee.ttft_seconds),
        "tpot_seconds": float(replica.at_knee.tpot_seconds),
        **banded("requests_per_second", replica.requests_per_second, replica.bands["throughput"]),
        "workers": replica.layout,
        "rates_basis": replica.rates_basis,
        "release_basis": replica.release_basis,
        "tdp_watts": watts(replica.setup.gpu),
        "gpus_per_node": node.gpus,
        "node_kw": node.kw,
        "node_units": node.rack_units,
        "rack_nodes": node.rack_nodes,
    }
