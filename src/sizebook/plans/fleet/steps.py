"""How the figures of a fleet plan's first month came about, one service after the other."""

from __future__ import annotations

from sizebook.core.derivation import Step
from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.texts import text
from sizebook.core.units import grouped, significant
from sizebook.plans.fleet.plan import FleetPlan, PlannedService
from sizebook.serving.traffic import SECONDS_PER_DAY

_LITTLE = text("Little 1961, L = lambda W")
_DEFINITION = text("definition")


def derivations(plan: FleetPlan) -> tuple[Step, ...]:
    """Return the derivation of rate, GPUs, hours and money of each service in the first month."""
    steps: list[Step] = []
    for planned in plan.services:
        steps += [*_replica(planned), *_gpus(plan, planned), *_money(plan, planned)]
    return tuple(steps)


def _replica(planned: PlannedService) -> tuple[Step, ...]:
    replica, name = planned.replica, planned.service.name
    seconds = significant(replica.concurrency / replica.requests_per_second, 4)
    return (
        Step(
            text("{name}: rate of a replica", name=name),
            text("in flight / time of a request"),
            f"{replica.concurrency} / {seconds}",
            value=replica.requests_per_second,
            unit="requests/s",
            source=_LITTLE,
        ),
    )


def _gpus(plan: FleetPlan, planned: PlannedService) -> tuple[Step, ...]:
    service, replica, month = planned.service, planned.replica, planned.months[0]
    margins, share = plan.terms.margins, plan.terms.contract.reserve_share
    packing, traffic = replica.packing, service.traffic
    together, n_gpus = packing.together(margins.whole_nodes)
    spare = margins.spare_replicas(packing)
    rate = f"({significant(replica.requests_per_second, 4)} * {margins.target_load:g})"
    mean = traffic.requests_per_day / SECONDS_PER_DAY
    formula = text("ceil((ceil(arrivals / (rate * target load)) + spare) / replicas together) * GPUs together")
    paid = (
        text("{basis}: {gpus_per_node} a node", basis=packing.basis, gpus_per_node=packing.gpus_per_node)
        if margins.whole_nodes
        else text("GPUs by the replica")
    )
    found = []
    for label, arrivals, gpus in (
        (text("busiest hour"), mean * traffic.peak_factor, month.peak_gpus),
        (text("mean of the day"), mean, month.mean_gpus),
    ):
        numbers = f"ceil((ceil({significant(arrivals, 4)} / {rate}) + {spare}) / {together}) * {n_gpus}"
        found.append(
            Step(
                text("{name}: GPUs, {label}", name=service.name, label=label),
                formula,
                numbers,
                value=gpus,
                unit="GPUs",
                source=paid,
            )
        )
    reserved = Step(
        text("{name}: GPUs reserved", name=service.name),
        text("ceil(reserve share * GPUs at the mean / GPUs together) * GPUs together"),
        f"ceil({share:g} * {month.mean_gpus} / {n_gpus}) * {n_gpus}",
        value=month.reserved_gpus,
        unit="GPUs",
        source=text("mean of the first month of the term"),
    )
    return (*found, reserved)


def _money(plan: FleetPlan, planned: PlannedService) -> tuple[Step, ...]:
    name, month, prices, busy = (
        planned.service.name,
        planned.months[0],
        planned.rates,
        plan.terms.contract.burst_hours,
    )
    over_peak, over_mean = (max(0, gpus - month.reserved_gpus) for gpus in (month.peak_gpus, month.mean_gpus))
    return (
        Step(
            text("{name}: burst GPU-hours", name=name),
            text("hours of a month / 24 * (over at peak * busy hours + over at mean * other hours)"),
            f"{HOURS_PER_MONTH:g} / 24 * ({over_peak} * {busy:g} + {over_mean} * {24 - busy:g})",
            value=month.burst_gpu_hours,
            unit="GPU-hours",
            source=_DEFINITION,
        ),
        Step(
            text("{name}: cost of the month", name=name),
            text("hours of a month * reserved * price + burst hours * price"),
            f"{HOURS_PER_MONTH:g} * {month.reserved_gpus} * {prices.reserved_usd:g} + "
            f"{grouped(round(month.burst_gpu_hours))} * {prices.on_demand_usd:g}",
            value=month.usd,
            unit="USD",
            source=prices.basis,
        ),
    )
