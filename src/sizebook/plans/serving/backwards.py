"""Serving backwards: the most traffic, the best latency and the largest model of a sum a month, GPUs, power or a price.

Traffic is found over whole replicas, those of the busiest hour of the last month, and only what they all take is said;
one replica more would take more than is given. GPUs are paid for on the terms that are cheapest for a month.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from sizebook.core.errors import InputError, RangeError, SizebookError
from sizebook.core.quantities import DAYS_PER_MONTH, Gpu, Model
from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, Quantity, quantity, section
from sizebook.models import catalog
from sizebook.plans.ledgers import Figures, named_values
from sizebook.plans.serving.choice import with_mean_targets, with_room
from sizebook.plans.serving.inputs import Latencies, ServingInputs
from sizebook.plans.serving.months import gpus_needed
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.traffic import serving_kwh

MOST_REPLICAS = 2**24
GIVEN = {
    "usd_per_month": "USD a month",
    "gpus": "GPUs",
    "kw": "kW",
    "usd_per_mtok": "USD per million output tokens",
}

GivenKind = Annotated[
    str,
    Quantity(
        "what is given: usd_per_month, gpus at peak, kw (busy GPUs x PUE) or usd_per_mtok (of output tokens)",
        choices=tuple(GIVEN),
        label="What is given",
    ),
]
Limit = Annotated[float, Quantity("amount that is given", above=0, maximum=1e15, label="Amount given")]
ModelList = Annotated[
    Any,
    Quantity(
        "models of which the largest is asked for, as a list or with commas between; blank for none",
        default=None,
        label="Models compared",
    ),
]


@section
class MostServed:
    """What is had of what is given: traffic, latency at the traffic asked for, the largest of some models."""

    requests_per_day: float = quantity(
        "most requests a day; for a price of tokens the fewest at which tokens cost no more",
        "requests",
        label="Requests",
    )
    replicas: int = quantity("replicas of the busiest hour", minimum=0, label="Replicas")
    taken: float = quantity("what these replicas take or cost", label="Taken")
    taken_with_one_more: float | None = quantity(
        "what one replica more would take or cost; for a price of tokens one replica fewer",
        label="Taken by the next number of replicas",
    )
    concurrency: int | None = quantity(
        "requests that each replica then works on at once, blank if too little is given", minimum=0, label="In flight"
    )
    ttft_seconds: float | None = quantity(
        "best time to first token for the traffic asked for, blank if too little is given", "seconds", label="Best TTFT"
    )
    tpot_seconds: float | None = quantity(
        "best time per output token for the traffic asked for, blank if too little is given",
        "seconds",
        label="Best TPOT",
    )
    largest_model: str = quantity(
        "largest of the models that fits what is given, blank for none", label="Largest model"
    )
    reason: str = quantity("why there is no best latency", label="Reason")


@dataclass(frozen=True)
class _Asked:
    """A plan and what is given."""

    plan: ServingPlan
    kind: str
    limit: float

    @property
    def spare(self) -> int:
        return self.plan.inputs.target.margins.spare_replicas(self.plan.replica.packing)

    def times(self, replicas: int) -> float:
        """Return the times of the traffic that so many replicas take in the busiest hour, spare ones among them."""
        return (replicas - self.spare) * min(self.plan.last_month.stairs.once)

    def taken(self, times: float) -> float:
        """Return what so many times the traffic takes of what is given."""
        plan, rates = self.plan, self.plan.rates
        peak = max(gpus_needed(plan.replica, plan.inputs, times)[-1])
        if self.kind == "gpus":
            return peak
        if self.kind == "kw":
            return serving_kwh(peak, rates.tdp_watts, 1.0, pue=rates.pue, hours=1.0)
        usd = plan.last_month.usd(times)
        if self.kind == "usd_per_month":
            return usd
        tokens = plan.traffic.mean_demand.output_tokens
        return usd / (times * plan.inputs.days[-1] * DAYS_PER_MONTH * tokens) * 1e6

    def of_replicas(self, replicas: int) -> float:
        """Return what so many replicas of the busiest hour take, fully used."""
        return self.taken(self.times(replicas))


def most_served(plan: ServingPlan, given: str, limit: float, models: Sequence[str] = ()) -> MostServed:
    """Return the most that is had of what is given, by the plan's own setup.

    Errors: a price or a power that is not listed; too little for one replica; a price of tokens that no traffic meets.
    """
    asked = _Asked(plan, given, limit)
    replicas, step = _most_replicas(asked), -1 if given == "usd_per_mtok" else 1
    fewest, reason = _fewest_in_flight(plan, given, limit)
    knee = fewest.at_knee if fewest else None
    return MostServed(
        requests_per_day=asked.times(replicas) * plan.inputs.days[-1],
        replicas=replicas,
        taken=asked.of_replicas(replicas),
        taken_with_one_more=asked.of_replicas(replicas + step) if replicas + step > asked.spare else None,
        concurrency=fewest.concurrency if fewest else None,
        ttft_seconds=float(knee.ttft_seconds) if knee else None,
        tpot_seconds=float(knee.tpot_seconds) if knee else None,
        largest_model=_largest(plan, given, limit, models),
        reason=reason,
    )


def _most_replicas(asked: _Asked) -> int:
    """Return the replicas to have: the most within a limit, or the fewest from which on tokens cost no more."""
    least, given = asked.spare + 1, f"{asked.limit:g} {GIVEN[asked.kind]}"
    first = asked.of_replicas(least)
    if math.isnan(first):
        raise InputError(
            f"not listed: got {given} and no price or power of {asked.plan.replica.setup.gpu}, want one. "
            "State its price."
        )
    if asked.kind == "usd_per_mtok":
        if (best := asked.of_replicas(MOST_REPLICAS)) > asked.limit:
            raise RangeError(
                f"too low a price: got {given}, want {best:.4g} or more, the least at any traffic. Raise it."
            )
        return _first(lambda n: asked.of_replicas(n) <= asked.limit, least, MOST_REPLICAS)
    if first > asked.limit:
        raise RangeError(f"too little: got {given}, want {first:.4g} or more, for {least} replicas. Raise it.")
    if asked.of_replicas(MOST_REPLICAS) <= asked.limit:
        raise RangeError(f"too much: got {given}, want less than {MOST_REPLICAS} replicas take. Give less.")
    return _first(lambda n: asked.of_replicas(n + 1) > asked.limit, least, MOST_REPLICAS)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first number from low to high at which something holds that holds from there on."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _fewest_in_flight(plan: ServingPlan, given: str, limit: float) -> tuple[PlannedReplica | None, str]:
    """Return the replica with the fewest requests in flight whose fleet is within the limit, else why there is none."""
    if plan.inputs.pools.separate_prefill:
        return None, "no best latency: the workers of separate pools are chosen for the least cost alone"

    def at(concurrency: int) -> _Asked:
        traffic = plan.inputs.traffic
        demand = replace(traffic.demand, concurrency=concurrency)
        target = replace(plan.inputs.target, latencies=Latencies())
        inputs = with_mean_targets(replace(plan.inputs, traffic=replace(traffic, demand=demand), target=target))
        return _Asked(plan_serving(plan.model, plan.replica.setup.gpu, inputs), given, limit)

    most = plan.replica.concurrency
    if at(most).taken(1.0) > limit:
        return None, f"no best latency: {limit:g} {GIVEN[given]} are too little for the traffic asked for"
    return at(_first(lambda n: at(n).taken(1.0) <= limit, 1, most)).plan.replica, ""


def _largest(plan: ServingPlan, given: str, limit: float, models: Sequence[str]) -> str:
    """Return the largest model whose plan for the traffic asked for is within the limit, empty for none."""

    def within() -> Iterator[tuple[int, str]]:
        for model in models:
            try:
                found = plan_serving(model, plan.replica.setup.gpu, plan.inputs)
            except SizebookError:
                continue
            if _Asked(found, given, limit).taken(1.0) <= limit:
                yield catalog.counted(model).total, model

    return max(within(), default=(0, ""))[1]


@function(category="serving", source="sizebook.plans.serving.backwards over plans of the same inputs")
@takes("simulation")
def serving_backwards(
    model: Model, gpu: Gpu, given: GivenKind, limit: Limit, inputs: ServingInputs, models: ModelList = DEFAULT
) -> Figures:
    """Return the most that a sum a month, GPUs, kW or a price of tokens buys: traffic, latency, the largest model.

    Names and values. Traffic is what whole replicas carry, at the lengths, hours and targets of the inputs. Latency and
    model are for the traffic of the inputs, and blank where what is given is too little for it.
    """
    plan = with_room(plan_serving, model, gpu, inputs=inputs)
    return named_values(most_served(plan, given, limit, models=as_models(models)))


def as_models(models: Any) -> tuple[str, ...]:
    """Return the models of a list or of a text with commas."""
    words = models.split(",") if isinstance(models, str) else models or ()
    return tuple(catalog.resolve(str(word).strip()) for word in words if str(word).strip())
