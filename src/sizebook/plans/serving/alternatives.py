"""Rent, buy or call, for a serving plan: what its months cost in each way, and from which traffic on one costs less.

The cost of GPUs over traffic is a stair: it stays until an hour of the day needs one replica more. The API's is a line.
Where one first meets another is found on the steps themselves. How good the answers of either model are, the reader
judges.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import field
from itertools import islice

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import flat, quantity, section
from sizebook.core.texts import Day, Text, joined, text
from sizebook.core.units import grouped
from sizebook.plans.alternatives import (
    AlternativeMonth,
    AlternativeTotals,
    Course,
    Crossing,
    first_crossing,
    said,
    side_by_side,
    totals_of,
)
from sizebook.plans.commitments import Portfolio
from sizebook.plans.owned import OwnedNode
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.last_month import LastMonth
from sizebook.plans.serving.months import Month, replicas_needed
from sizebook.plans.serving.nodes import node_facts
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.plans.serving.users import DAYS_PER_MONTH

_MANY = 2**20  # replicas that are a fleet without roundings
_ROUNDED = 1e-4  # what their cost is over that of fractions, at most
_MOST_STEPS = 5_000  # of a stair that are looked at, a second or two


@section
class Alternatives(AlternativeTotals):
    """What buying and calling cost beside renting, and from when on which costs less; blank where it is not asked.

    Traffic is that of the last month, whatever runs already.
    """

    buy_beats_rent_requests_per_day: float | None = quantity(
        "fewest requests a day at which bought GPUs cost no more than rented ones, blank if none is found",
        "requests",
        default=None,
        label="Buying costs no more than renting from",
    )
    buy_beats_api_requests_per_day: float | None = quantity(
        "fewest requests a day at which bought GPUs cost no more than the API, blank if none is found",
        "requests",
        default=None,
        label="Buying costs no more than calling from",
    )
    rent_beats_api_requests_per_day: float | None = quantity(
        "fewest requests a day at which rented GPUs cost no more than the API, blank if none is found",
        "requests",
        default=None,
        label="Renting costs no more than calling from",
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
    alternatives_said: str = quantity("which way costs less from when on", default="", label="Rent, buy or call")
    sentences: tuple[str, ...] = field(default=(), metadata={"not_a_key": True})


def alternative_months(
    replica: PlannedReplica, inputs: ServingInputs, rates: Rates, months: Sequence[Month]
) -> tuple[AlternativeMonth, ...]:
    """Return the months of a plan in each way that is asked; none where only renting is."""
    each, node = usd_per_api_request(inputs), owned_node(replica, inputs, rates)
    if each is None and node is None:
        return ()
    running = Portfolio(inputs.commitments.running)
    return side_by_side(
        months,
        [running.usd(month.month) for month in months],
        owned=node.months(*_needed(replica, inputs, months, running)) if node else (),
        called=[each * month.requests for month in months] if each is not None else (),
    )


def _needed(
    replica: PlannedReplica, inputs: ServingInputs, months: Sequence[Month], running: Portfolio
) -> tuple[list[int], list[float]]:
    """Return the nodes to own in each month beside contracts that run, and the hours that their GPUs work.

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
    price, demand = inputs.api.price, inputs.traffic.mean_demand
    if price is None:
        return None
    cached = demand.input_tokens * demand.cache_hit_ratio
    return price.usd_per_request(
        demand.input_tokens - cached, demand.output_tokens, cached, in_batches=inputs.api.in_batches
    )


def alternatives(last: LastMonth, months: Sequence[AlternativeMonth]) -> Alternatives:
    """Return what buying and calling come to over months, and the traffic of the last from which on one costs less.

    Errors: prices of batches that the provider of the API does not list.
    """
    if not months:
        return Alternatives()
    totals = totals_of(months)
    day, of_way = last.inputs.days[-1], courses(last)
    met = {pair: _met(last, *(of_way[way] for way in pair)) for pair in _PAIRS if of_way.keys() >= set(pair)}
    from_day = {pair: day * crossing.times for pair, crossing in met.items() if crossing.times is not None}
    sentences = (*said(totals), *(_said(*pair, crossing, day=day) for pair, crossing in met.items()), *_api(last))
    requests = day * DAYS_PER_MONTH
    return Alternatives(
        **flat(totals),
        buy_beats_rent_requests_per_day=from_day.get(("buy", "rent")),
        buy_beats_api_requests_per_day=from_day.get(("buy", "call")),
        rent_beats_api_requests_per_day=from_day.get(("rent", "call")),
        api_usd_per_request=usd_per_api_request(last.inputs),
        usd_per_request=last.usd(1.0) / requests,
        marginal_usd_per_request=_marginal(last, Course(last.usd)) / requests,
        alternatives_said=joined(sentences),
        sentences=sentences,
    )


_WAYS = {"rent": text("renting"), "buy": text("buying"), "call": text("calling an API")}
_PAIRS = (("buy", "rent"), ("rent", "call"), ("buy", "call"))


def _said(one: str, other: str, crossing: Crossing, day: float) -> Text:
    """Return from which requests a day on one way costs no more than another, in words."""
    ways = {"one": _WAYS[one], "other": _WAYS[other]}
    if crossing.times:
        n = grouped(crossing.times * day)
        return text("{n} requests a day are the fewest at which {one} costs no more than {other}.", n=n, **ways)
    if crossing.times is not None:
        return text("From the first request on {one} costs no more than {other}.", **ways)
    if crossing.looked:
        n = grouped(crossing.looked * day)
        return text("Up to {n} requests a day {one} costs more than {other}; more was not searched.", n=n, **ways)
    return text("At every traffic {one} costs more than {other}.", **ways)


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
    """Return what the last month costs over its traffic in each way that is asked, where all of it is listed."""
    replica, inputs = last.replica, last.inputs
    node, each, packing = owned_node(replica, inputs, last.rates), usd_per_api_request(inputs), replica.packing
    requests, margins = inputs.days[-1] * DAYS_PER_MONTH, inputs.target.margins
    spare, by_node = margins.spare_replicas(packing), packing.together(True)[0]
    by_replica = packing.together(margins.whole_nodes)[0]
    found = {"rent": Course(last.usd, fixed=last.usd(0.0) * _filled(spare, by_replica), gpu_usd=last.usd_per_gpu)}
    if node is not None:
        a_node = node.written_off_usd + node.standing_usd
        found["buy"] = Course(
            lambda times: last.nodes(times) * a_node,
            _gpu_hours(replica, requests) * node.usd_per_work_hour,
            fixed=last.nodes(0.0) * a_node * _filled(spare, by_node),
            gpu_usd=a_node / node.gpus,
        )
    if each is not None:
        found["call"] = Course(lambda _: 0.0, each * requests)
    return {way: course for way, course in found.items() if not math.isnan(course.at(1.0))}


def _filled(replicas: int, together: int) -> float:
    """Return the share that replicas fill of what is taken for them, so many of them at a time."""
    return replicas / (together * -(-replicas // together)) if replicas else 1.0


def _met(last: LastMonth, one: Course, other: Course) -> Crossing:
    """Return the least times the traffic at which one is no higher than the other.

    Beside an API no step is looked at that a fleet without roundings cannot meet. Bought GPUs are never below rented
    ones where one of them costs more, idle, than one under the cheapest contract: whole nodes are no fewer GPUs.
    """
    before = 0.0
    if other.gpu_usd is None or one.gpu_usd is None:
        marginal = _marginal(last, one)
        if not other.slope > marginal:
            return Crossing()
        before = one.fixed / (other.slope - marginal) * (1 - _ROUNDED)
    elif one.gpu_usd > other.gpu_usd:
        return Crossing()
    return first_crossing(one, other, islice(last.ends(before), _MOST_STEPS), before=before)


def _marginal(last: LastMonth, course: Course) -> float:
    """Return what one time the traffic costs without roundings, at least."""
    times = last.times_of(_MANY, max(last.arrivals))
    return (course.stair(times) / times + course.slope) * (1 - _ROUNDED)
