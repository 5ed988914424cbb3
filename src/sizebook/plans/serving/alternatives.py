"""Rent, buy or use an API, for a serving plan: what its months cost in each way, and the break-even traffic.

How good the answers of either model are, the reader judges.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import field

from sizebook.core.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from sizebook.core.sections import DEFAULT, flat, quantity, section
from sizebook.core.texts import Day, Text, joined, text
from sizebook.core.units import grouped
from sizebook.plans.alternatives import (
    AlternativeMonth,
    AlternativesSaid,
    AlternativeTotals,
    break_even_sentences,
    months_by_way,
    totals_of,
    usd_of_a_request,
)
from sizebook.plans.break_even import Course, break_even
from sizebook.plans.commitments import Portfolio
from sizebook.plans.owned import OwnedNode
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.last_month import LastMonth
from sizebook.plans.serving.months import Month, replicas_needed
from sizebook.plans.serving.nodes import node_facts
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica


@section
class Alternatives(AlternativeTotals):
    """What buying and an API cost beside renting, and from when on which costs less; blank where it is not asked.

    Traffic is that of the last month, whatever runs already.
    """

    buy_beats_rent_requests_per_day: float | None = quantity(
        "fewest requests a day at which bought GPUs cost no more than rented ones, blank if none is found",
        "requests",
        default=None,
        label="Break-even traffic: above it buying is cheaper than renting",
    )
    buy_beats_api_requests_per_day: float | None = quantity(
        "fewest requests a day at which bought GPUs cost no more than the API, blank if none is found",
        "requests",
        default=None,
        label="Break-even traffic: above it buying is cheaper than the API",
    )
    rent_beats_api_requests_per_day: float | None = quantity(
        "fewest requests a day at which rented GPUs cost no more than the API, blank if none is found",
        "requests",
        default=None,
        label="Break-even traffic: above it renting is cheaper than the API",
    )
    api_usd_per_request: float | None = quantity(
        "what the API asks for a request", "USD", default=None, label="API, request"
    )
    usd_per_request: float | None = quantity(
        "full cost of a request of rented GPUs in the last month", "USD", default=None, label="Rented, request"
    )
    marginal_usd_per_request: float | None = quantity(
        "cost of one more request of rented GPUs at very high traffic",
        "USD",
        default=None,
        label="Rented, one more request",
    )
    alternatives_said: AlternativesSaid = DEFAULT
    sentences: tuple[str, ...] = field(default=(), metadata={"not_a_key": True})


def alternative_months(
    replica: PlannedReplica, inputs: ServingInputs, rates: Rates, months: Sequence[Month]
) -> tuple[AlternativeMonth, ...]:
    """Return the months of a plan in each way that is asked; none where only renting is."""
    each, node = usd_per_api_request(inputs), owned_node(replica, inputs, rates)
    if each is None and node is None:
        return ()
    running = Portfolio(inputs.commitments.running)
    return months_by_way(
        months,
        [running.usd(month.month) for month in months],
        owned=node.months(*_needed(replica, inputs, months, running)) if node else (),
        called=[each * month.requests for month in months] if each is not None else (),
    )


def _needed(
    replica: PlannedReplica, inputs: ServingInputs, months: Sequence[Month], running: Portfolio
) -> tuple[list[int], list[float]]:
    """Return the nodes to own in each month beside existing contracts, and the hours that their GPUs work.

    Contracts and owned GPUs share the work by their numbers.
    """
    packing, whole = replica.packing, inputs.target.margins.whole_nodes
    nodes, work = [], []
    for month, day in zip(months, inputs.days, strict=True):
        held, needed = running.gpus(month.month), max(replicas_needed(replica, inputs, day))
        nodes.append(packing.nodes(max(0, needed - packing.replicas_in(held, whole))))
        gpus = nodes[-1] * packing.gpus_per_node
        hours = _gpu_hours(replica, month.requests) / (gpus + held)
        work.append(min(hours, HOURS_PER_MONTH) * gpus)
    return nodes, work


def _gpu_hours(replica: PlannedReplica, requests: float) -> float:
    """Return the hours that GPUs work for requests."""
    return requests * replica.gpus / replica.requests_per_second / 3600


def owned_node(replica: PlannedReplica, inputs: ServingInputs, rates: Rates) -> OwnedNode | None:
    """Return what a node costs that is bought, None where none is."""
    if inputs.owned.capex_usd is None:
        return None
    gpus = replica.packing.gpus_per_node
    kw = node_facts(replica.setup.gpu, gpus).kw
    return OwnedNode(inputs.owned, gpus, kw, tdp_watts=rates.tdp_watts, pue=rates.pue)


def usd_per_api_request(inputs: ServingInputs) -> float | None:
    """Return what a request of the mean lengths costs at the API, None where none is named."""
    return usd_of_a_request(inputs.api, inputs.traffic.mean_demand)


def alternatives(last: LastMonth, months: Sequence[AlternativeMonth]) -> Alternatives:
    """Return what buying and an API come to over months, and the traffic of the last from which on one costs less.

    Errors: prices of batches that the provider of the API does not list.
    """
    if not months:
        return Alternatives()
    day, stairs = last.inputs.days[-1], last.stairs
    figures, words = break_even(
        stairs,
        courses(last),
        "requests_per_day",
        of=day,
        traffic=lambda requests: text("{n} requests a day", n=grouped(requests)),
    )
    sentences = (*break_even_sentences(months), *words, *_api(last))
    requests = day * DAYS_PER_MONTH
    return Alternatives(
        **flat(totals_of(months)),
        **figures,
        api_usd_per_request=usd_per_api_request(last.inputs),
        usd_per_request=last.usd(1.0) / requests,
        marginal_usd_per_request=stairs.marginal(Course(last.usd)) / requests,
        alternatives_said=joined(sentences),
        sentences=sentences,
    )


def _api(last: LastMonth) -> Iterator[Text]:
    """Yield whose prices of an API these are, and what they do not say."""
    price = last.inputs.api.price
    if price is not None:
        yield text(
            "Prices of the API: {provider}, {model}, {date}.",
            provider=price.provider,
            model=price.model,
            date=Day(price.date),
        )
        yield text("You must judge which of the two models gives the better answers.")


def courses(last: LastMonth) -> dict[str, Course]:
    """Return the cost of the last month by traffic in each way that is asked, where every price is listed."""
    replica, inputs = last.replica, last.inputs
    node, each, packing = owned_node(replica, inputs, last.rates), usd_per_api_request(inputs), replica.packing
    requests, margins = inputs.days[-1] * DAYS_PER_MONTH, inputs.target.margins
    spare, (together, gpus) = margins.spare_replicas(packing), packing.together(margins.whole_nodes)
    found = {
        "rent": Course(last.usd, fixed=spare / together * gpus * last.usd_per_gpu, gpu_usd=(last.usd_per_gpu,)),
    }
    if node is not None:
        a_node = node.usd_per_month
        found["buy"] = Course(
            lambda times: last.nodes(times) * a_node,
            _gpu_hours(replica, requests) * node.usd_per_work_hour,
            fixed=spare * packing.node_share * a_node,
            gpu_usd=(a_node / node.gpus,),
        )
    if each is not None:
        found["api"] = Course(lambda _: 0.0, each * requests)
    return {way: course for way, course in found.items() if not math.isnan(course.at(1.0))}
