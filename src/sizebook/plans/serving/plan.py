"""The serving plan: traffic, a latency target and one machine in; replicas, GPUs, money, energy and carbon out.

One replica takes as many requests as meet the target (`replica`, `pools`); a fleet follows the hours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sizebook.core.errors import InputError
from sizebook.core.texts import text
from sizebook.core.units import grouped
from sizebook.models import catalog
from sizebook.plans.serving.inputs import ServingInputs, Traffic
from sizebook.plans.serving.months import Month, fleet_month
from sizebook.plans.serving.pools import Around, replica_in
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.plans.serving.replica import Asked, PlannedReplica, Setup, at_speed
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.serving.encoding import EncodedCase, as_answered, no_answers, one_pass, positions_heard
from sizebook.serving.quantities import Demand
from sizebook.serving.traffic import usd_per_mtok
from sizebook.tables.hardware import accelerator


@dataclass(frozen=True)
class ServingPlan:
    """What every surface shows of a serving plan; ``context_tokens`` is the longest context that the model states.

    ``notes`` are those of the model's count.

    ``fewest`` and ``most`` are the same months if replicas are as fast, or as slow, as 1 in 10 measurements.
    """

    model: str
    inputs: ServingInputs
    rates: Rates
    replica: PlannedReplica
    months: tuple[Month, ...]
    fewest: tuple[Month, ...]
    most: tuple[Month, ...]
    usd_per_mtok_saturated: float
    context_tokens: int | None
    notes: tuple[str, ...] = ()

    @property
    def traffic(self) -> Traffic:
        """The traffic that it serves."""
        return self.inputs.traffic

    @property
    def arrivals(self) -> str:
        """In words, how requests come at a replica."""
        return in_words(self.inputs, self.replica)

    @property
    def beyond_context(self) -> str:
        """What to know where requests are longer than the model states, empty where they are not."""
        longest, stated = self.traffic.longest_tokens, self.context_tokens
        if isinstance(self.replica.case, EncodedCase):  # what is read and what is written stand in places of their own
            longest = self.traffic.longest_output_tokens if self.replica.decodes else self.traffic.longest_input_tokens
        if stated is None or longest <= stated:
            return ""
        return text(
            "{longest} tokens a request are more than the {stated} that the model states",
            longest=grouped(longest),
            stated=grouped(stated),
        )


def plan_serving(model: str, gpu: str, inputs: ServingInputs) -> ServingPlan:
    """Return the plan of one setup over the months of the traffic."""
    inputs = as_read(model, inputs)
    rates, replica, traffic = (
        rates_of(accelerator(gpu).key, inputs.prices),
        replica_of(model, gpu, inputs),
        inputs.traffic,
    )
    saturated = usd_per_mtok(
        replica.gpus, rates.reserved_usd, replica.requests_per_second * traffic.asked.output_tokens
    )
    band = replica.bands["throughput"]
    middle, fewest, most = (_months(at_speed(replica, speed), inputs, rates) for speed in (1.0, band.high, band.low))
    return ServingPlan(
        model,
        inputs,
        rates,
        replica,
        middle,
        fewest,
        most,
        saturated,
        catalog.context_tokens(model),
        catalog.notes(model),
    )


def in_words(inputs: ServingInputs, replica: PlannedReplica) -> str:
    """Return in words how requests come at a replica."""
    return text("steady") if replica.loaded is None else inputs.stream.in_words


def replica_of(model: str, gpu: str, inputs: ServingInputs) -> PlannedReplica:
    """Return the replica of a plan whose inputs are `as_read`; pools are those of the least cost in the last month."""
    traffic, target = inputs.traffic, inputs.target
    setup = Setup(model, accelerator(gpu).key, inputs.replica)
    asked = Asked(
        traffic.asked,
        traffic.longest_tokens,
        inputs.stream,
        latencies=target.latencies,
        share=inputs.requests.share,
    )
    rates = rates_of(setup.gpu, inputs.prices)
    around = Around(target.gpus_per_node, lambda each: _months(each, inputs, rates)[-1].usd)
    return replica_in(setup, asked, inputs.pools, around=around)


def as_read(model: str, inputs: ServingInputs) -> ServingInputs:
    """Return the inputs as the model reads them: a trace's lengths, seconds of sound as positions, one answer a pass.

    What was said of lengths otherwise gives way to what is known.
    """
    settled = inputs.settled
    traffic = settled.traffic
    if settled.requests.input_seconds is not None:
        traffic = replace(traffic, input_histogram=None, input_tokens_p50=None, input_tokens_p95=None)
    if one_pass(model):
        if traffic.output_histogram is not None:
            raise InputError(no_answers(traffic.asked.output_tokens))
        traffic = replace(traffic, output_tokens_p50=None, output_tokens_p95=None)
    return replace(settled, traffic=replace(traffic, demand=demand_read(model, traffic.demand, settled.requests)))


def demand_read(model: str, demand: Demand, requests: RequestStream) -> Demand:
    """Return a demand with the positions of a model that hears for seconds, and one answer where one pass gives it."""
    if requests.input_seconds is not None:
        demand = replace(demand, input_tokens=positions_heard(model, requests.input_seconds))
    return as_answered(model, demand)


def _months(replica: PlannedReplica, inputs: ServingInputs, rates: Rates) -> tuple[Month, ...]:
    rate, packing = replica.requests_per_second, replica.packing
    traffic, margins = inputs.traffic, inputs.target.margins
    return tuple(
        fleet_month(month, rate, traffic, margins=margins, packing=packing, rates=rates)
        for month in range(traffic.months)
    )
