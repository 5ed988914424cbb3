"""The serving plan: traffic, a latency target and one machine in; replicas, GPUs, money, energy and carbon out.

One replica takes as many requests as meet the target (`replica`, `pools`); a fleet follows the hours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from sizebook.core.texts import text
from sizebook.core.units import grouped
from sizebook.models import catalog
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.inputs import ServingInputs, Traffic
from sizebook.plans.serving.months import Month, fleet_months
from sizebook.plans.serving.pools import replica_in
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.plans.serving.replica import PlannedReplica, Setup, Workload, at_speed
from sizebook.serving.encoding import EncodedCase
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
    context_tokens: int | None
    notes: tuple[str, ...] = ()

    @cached_property
    def cheap(self) -> tuple[Month, ...]:
        """The same months where providers are as cheap as 1 in 10."""
        return fleet_months(self.replica, self.inputs, self.rates.at_ends()[0])

    @cached_property
    def dear(self) -> tuple[Month, ...]:
        """The same months where providers are as dear as 1 in 10."""
        return fleet_months(self.replica, self.inputs, self.rates.at_ends()[1])

    @property
    def traffic(self) -> Traffic:
        """The traffic that it serves."""
        return self.inputs.traffic

    @property
    def usd_per_mtok(self) -> float:
        """What a million tokens cost over all months: those put out, or put in where one pass answers."""
        mean, requests = self.traffic.mean_demand, sum(month.requests for month in self.months)
        tokens = mean.output_tokens if self.replica.decodes else mean.input_tokens
        return total_usd(self.months) / (requests * tokens) * 1e6

    @property
    def usd_per_mtok_saturated(self) -> float:
        """What a million output tokens cost at full load, on reserved GPUs."""
        tokens_per_second = self.replica.requests_per_second * self.traffic.mean_demand.output_tokens
        return usd_per_mtok(self.replica.gpus, self.rates.reserved_usd, tokens_per_second)

    @property
    def arrivals(self) -> str:
        """How requests arrive at a replica, in words."""
        return in_words(self.inputs, self.replica)

    @property
    def beyond_context(self) -> str:
        """What to know where requests are longer than the model states, empty where they are not."""
        (prompt, answer), stated = self.traffic.longest, self.context_tokens
        longest = prompt + answer
        if isinstance(self.replica.case, EncodedCase):  # what is read and what is written stand in places of their own
            longest = answer if self.replica.decodes else prompt
        if stated is None or longest <= stated:
            return ""
        return text(
            "{longest} tokens a request are more than the {stated} that the model states",
            longest=grouped(longest),
            stated=grouped(stated),
        )


def plan_serving(model: str, gpu: str, inputs: ServingInputs) -> ServingPlan:
    """Return the plan of one setup over the months of the traffic."""
    inputs = inputs.read(model)
    rates = replace(rates_of(accelerator(gpu).key, inputs.prices), change=inputs.price_changes.change)
    replica = replica_of(model, gpu, inputs, rates)
    band = replica.bands["throughput"]
    middle, fewest, most = (
        fleet_months(at_speed(replica, speed), inputs, rates) for speed in (1.0, band.high, band.low)
    )
    return ServingPlan(
        model,
        inputs,
        rates,
        replica,
        middle,
        fewest,
        most,
        context_tokens=catalog.context_tokens(model),
        notes=catalog.notes(model),
    )


def in_words(inputs: ServingInputs, replica: PlannedReplica) -> str:
    """Return how requests arrive at a replica, in words."""
    return text("steady") if replica.loaded is None else inputs.stream.in_words


def replica_of(model: str, gpu: str, inputs: ServingInputs, rates: Rates) -> PlannedReplica:
    """Return the replica of a plan for inputs as the model reads them; pools cost the least in the last month."""
    setup = Setup(model, accelerator(gpu).key, inputs.replica, gpus_per_node=inputs.target.gpus_per_node)
    traffic, latencies = inputs.traffic, inputs.target.latencies
    workload = Workload(
        traffic.mean_demand, traffic.longest, inputs.stream, latencies=latencies, share=inputs.requests.share
    )
    return replica_in(setup, workload, inputs.pools, cost=lambda each: fleet_months(each, inputs, rates)[-1].usd)
