"""How the figures of a fleet plan came about, each in the first month in which it runs."""

from collections.abc import Iterator
from dataclasses import replace

from sizebook.core.derivation import Step
from sizebook.core.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from sizebook.core.texts import text
from sizebook.core.units import grouped, measure, significant
from sizebook.plans.alternatives import bought_step, owned_steps, usd_of_a_request
from sizebook.plans.fleet.alternatives import pools
from sizebook.plans.fleet.months import Bought, users_days
from sizebook.plans.fleet.node_groups import NodeGroup
from sizebook.plans.fleet.plan import FleetPlan, PlannedService
from sizebook.plans.ledgers import usd_range
from sizebook.plans.serving.month_steps import price_step, reserved_step, traffic_steps
from sizebook.plans.serving.steps import LITTLE
from sizebook.serving.traffic import SECONDS_PER_DAY
from sizebook.tables.hardware import accelerator


def derivations(plan: FleetPlan) -> tuple[Step, ...]:
    """Return the derivation of rate and replicas of each service, of what is bought for them, of nodes and racks."""
    steps: list[Step] = []
    for planned in plan.services:
        if planned.busy_months:
            steps += [_rate(planned), *_course(plan, planned), *_replicas(plan, planned)]
    for purchase in plan.purchases:
        if _first(plan, purchase) < plan.terms.months:
            steps += [*_gpus(plan, purchase), *_money(plan, purchase)]
    steps.append(usd_range(plan).step(text("Cost of all months, at most")))
    for stand in plan.node_groups:
        steps += _stand(plan, stand)
    return (*steps, *_alternatives(plan))


def _alternatives(plan: FleetPlan) -> Iterator[Step]:
    """Yield what the first month costs with GPUs bought, and that of each service at its API."""
    bought = pools(plan.loads(), plan.terms)
    for pool in bought:
        names = ", ".join(plan.services[at].service.name for at in pool.members)
        for step in owned_steps(pool.node):
            yield replace(step, label=text("{name}: {label}", name=names, label=step.label))
    if bought:
        yield bought_step(plan.alternative_months[0])
    for planned in plan.services:
        api = planned.service.api
        each = usd_of_a_request(api, planned.service.traffic.demand)
        if each is not None and planned.busy_months:
            requests = planned.months[planned.busy_months[0]].requests_per_day * DAYS_PER_MONTH
            yield Step(
                text("{name}: cost of the month at the API", name=planned.service.name),
                text("requests * price of a request"),
                f"{grouped(requests)} * {significant(each, 6)}",
                value=requests * each,
                unit="USD",
                source=f"data/api_prices.csv, {api.api_provider} {api.api_model}",
            )


def _rate(planned: PlannedService) -> Step:
    replica = planned.replica
    return Step(
        text("{name}: rate of a replica", name=planned.service.name),
        text("in flight / time of a request"),
        f"{replica.concurrency} / {significant(replica.concurrency / replica.requests_per_second, 4)}",
        value=replica.requests_per_second,
        unit="requests/s",
        source=LITTLE,
    )


def _course(plan: FleetPlan, planned: PlannedService) -> list[Step]:
    """Return how its traffic and its prices came about, under its name."""
    service, days = planned.service, users_days(planned.service, plan.terms)
    steps = [
        *traffic_steps(
            service.demand, service.traffic, days, start=plan.terms.start, at=service.running.start_month - 1
        ),
        *_moved(planned),
        *price_step(planned.rates, plan.terms.months),
    ]
    return [replace(step, label=text("{name}: {label}", name=service.name, label=step.label)) for step in steps]


def _moved(planned: PlannedService) -> list[Step]:
    """Return the requests of the first month in which those of other services come to it."""
    at = next((at for at, day in enumerate(planned.service.moved) if day), None)
    if at is None:
        return []
    day, moved = planned.months[at].requests_per_day, planned.service.moved[at]
    return [
        Step(
            text("Requests a day from month {n} on", n=at + 1),
            text("its own + those of services that it replaces"),
            f"{significant(day - moved, 6)} + {significant(moved, 6)}",
            value=day,
            unit="requests",
        )
    ]


def _replicas(plan: FleetPlan, planned: PlannedService) -> list[Step]:
    service, replica, margins = planned.service, planned.replica, plan.terms.margins
    month = planned.months[planned.busy_months[0]]
    spare, mean = margins.spare_replicas(replica.packing), month.requests_per_day / SECONDS_PER_DAY
    rate = f"({significant(replica.requests_per_second, 4)} * {margins.target_load:g})"
    return [
        Step(
            text("{name}: replicas, {label}", name=service.name, label=label),
            text("ceil(arrivals / (rate * target load)) + spare"),
            f"ceil({significant(arrivals, 4)} / {rate}) + {spare}",
            value=replicas,
            unit="replicas",
        )
        for label, arrivals, replicas in (
            (text("busiest hour"), mean * service.peak, month.peak_replicas),
            (text("mean of the day"), mean, month.mean_replicas),
        )
    ]


def _first(plan: FleetPlan, purchase: Bought) -> int:
    busy = [plan.services[at].busy_months for at in purchase.members]
    return min((months[0] for months in busy if months), default=plan.terms.months)


def _gpus(plan: FleetPlan, purchase: Bought) -> list[Step]:
    """Return the GPUs at peak, at the mean and reserved."""
    members, at = [plan.services[each] for each in purchase.members], _first(plan, purchase)
    month, packing, whole = purchase.months[at], members[0].replica.packing, plan.terms.margins.whole_nodes
    together, unit = packing.together(whole)
    paid = text("{basis}: {gpus_per_node} a node", basis=packing.basis, gpus_per_node=packing.gpus_per_node)
    names, found = plan.names(purchase), []
    for label, key, gpus in (
        (text("busiest hour"), "peak_replicas", month.peak),
        (text("mean of the day"), "mean_replicas", month.mean),
    ):
        counts = [getattr(each.months[at], key) for each in members]
        formula, numbers = text("ceil(replicas / replicas together) * GPUs together"), f"ceil({counts[0]} / {together})"
        if len(members) > 1:
            formula = text("ceil(sum of replicas * part of a node) * GPUs of a node")
            parts = zip(counts, members, strict=True)
            numbers = f"ceil({' + '.join(f'{n} * {each.replica.packing.node_share:g}' for n, each in parts)})"
        found.append(
            Step(
                text("{name}: GPUs, {label}", name=names, label=label),
                formula,
                f"{numbers} * {unit}",
                value=gpus,
                unit="GPUs",
                source=paid if whole else text("GPUs by the replica"),
            )
        )
    return [*found, reserved_step(text("{name}: GPUs reserved", name=names), month.reserved, month.signed)]


def _money(plan: FleetPlan, purchase: Bought) -> tuple[Step, ...]:
    at = _first(plan, purchase)
    name, month = plan.names(purchase), purchase.months[at]
    prices, busy = plan.services[purchase.members[0]].rates.in_month(at), plan.terms.busy.burst_hours
    over_peak, over_mean = (max(0, gpus - month.reserved) for gpus in (month.peak, month.mean))
    return (
        Step(
            text("{name}: burst GPU-hours", name=name),
            text("hours of a month / 24 * (over at peak * busy hours + over at mean * other hours)"),
            f"{HOURS_PER_MONTH:g} / 24 * ({over_peak} * {busy:g} + {over_mean} * {24 - busy:g})",
            value=month.burst_hours,
            unit="GPU-hours",
        ),
        Step(
            text("{name}: cost of the month", name=name),
            text("contracts + other GPU-hours * price"),
            f"{measure(month.reserved_usd)} + {grouped(round(month.burst_hours))} * {measure(prices.on_demand_usd)}",
            value=month.usd,
            unit="USD",
            source=prices.basis,
        ),
    )


def _stand(plan: FleetPlan, stand: NodeGroup) -> tuple[Step, ...]:
    """Return the racks and the power of nodes of one kind, in the last month of the plan."""
    name, nodes = (
        text("{gpu} ({names})", gpu=accelerator(stand.gpu).name, names=", ".join(stand.names)),
        stand.nodes[-1],
    )
    return (
        Step(
            text("{name}: racks, last month", name=name),
            text("ceil(nodes / nodes of a rack)"),
            f"ceil({nodes} / {stand.nodes_per_rack})",
            value=stand.racks[-1],
            unit="racks",
            source=stand.node.source,
        ),
        Step(
            text("{name}: power, last month", name=name),
            text("nodes * kW of a node * PUE"),
            f"{nodes} * {measure(stand.node.kw)} * {plan.terms.energy.pue:g}",
            value=stand.site_kw[-1],
            unit="kW",
            source=stand.node.source,
        ),
    )
