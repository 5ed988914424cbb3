"""The replica of each service and what its GPU-hours cost: of pools and layouts those whose fleet costs the least."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sizebook.core.errors import InputError, named
from sizebook.plans.fleet.inputs import FleetTerms, Service
from sizebook.plans.fleet.months import ServiceLoad, gpus_needed, peak_gpus, service_load
from sizebook.plans.purchases import least_usd_of_month
from sizebook.plans.serving.choice import dearness, replicas_with_room
from sizebook.plans.serving.pools import replica_in
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.plans.serving.refusals import NoRoomError
from sizebook.plans.serving.replica import PlannedReplica, Setup, Workload
from sizebook.serving.arrivals import Lengths
from sizebook.tables.hardware import accelerator


def chosen(services: Sequence[Service], terms: FleetTerms) -> list[ServiceLoad]:
    """Return services on their replicas, with their prices: volume tiers count all GPUs of one offer."""
    found = []
    for each in services:
        with named(each.name):
            found.append(replica_of(each, terms))
    months: dict[tuple[Any, ...], list[tuple[int, ...]]] = {}
    for service, replica in found:
        months.setdefault(_offer(service, replica), []).append(peak_gpus(service, replica, terms))
    loads = []
    for service, replica in found:
        gpus = max(map(sum, zip(*months[_offer(service, replica)], strict=True)))
        with named(service.name):
            rates = _rates(service, terms, gpus)
        own = service.prices.own
        if rates.rented_gpus is not None:
            service = replace(service, prices=replace(service.prices, own=replace(own, rented_gpus=rates.rented_gpus)))
        loads.append(service_load(service, replica, rates, terms=terms))
    return loads


def _offer(service: Service, replica: PlannedReplica) -> tuple[Any, ...]:
    prices = service.prices
    return replica.setup.gpu, prices.provider, prices.region, prices.own.price_book


def replica_of(service: Service, terms: FleetTerms) -> tuple[Service, PlannedReplica]:
    """Return a service as it is read, and its replica; of pools, those whose fleet alone costs the least at its end."""
    demand = service.requests.heard(service.model, service.traffic.demand)
    service = replace(service, traffic=replace(service.traffic, demand=demand))
    last = max(0, service.running.last(terms.months) - 1)

    def cost(replica: PlannedReplica) -> float:
        rates = _rates(service, terms, max(peak_gpus(service, replica, terms)))
        need = gpus_needed([service_load(service, replica, rates, terms=terms)], terms)[last]
        rates = rates.in_month(last)
        return least_usd_of_month(need, rates.on_demand_usd, rates.cheapest_usd(service.commitments.terms))

    setup = Setup(service.model, accelerator(service.gpu).key, service.replica, gpus_per_node=service.gpus_per_node)
    workload = _workload(service)
    try:
        return service, replica_in(setup, workload, service.pools, cost=cost)
    except NoRoomError as error:
        found = replicas_with_room(setup, workload, service.pools, stated=service.stated, error=error)
    best = min(found, key=lambda each: (dearness(cost(each)), each.gpus / each.requests_per_second))
    return replace(service, replica=best.setup.replica), best


def _rates(service: Service, terms: FleetTerms, gpus: int) -> Rates:
    prices = service.prices.with_energy(terms.energy)
    found = rates_of(accelerator(service.gpu).key, prices, service.commitments, gpus=gpus)
    return replace(found, change=service.price_changes.change)


def _workload(service: Service) -> Workload:
    if service.requests.has_lengths:
        raise InputError(
            "trace with lengths: got seconds and tokens, want seconds alone in a fleet. Plan the service by itself, or "
            "remove the tokens."
        )
    demand = service.traffic.demand
    stream = service.requests.stream(Lengths(demand.input_tokens), Lengths(demand.output_tokens))
    longest = demand.input_tokens, demand.output_tokens
    return Workload(demand, longest, stream, latencies=service.latencies, share=service.requests.share)
