"""The serving plan: traffic, a latency target and one machine in; replicas, GPUs, money, energy and carbon out.

One replica takes as many requests as meet the target (`replica`, `pools`); a fleet follows the hours.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from sizebook.core.errors import InputError
from sizebook.core.texts import text
from sizebook.core.units import grouped
from sizebook.models import catalog
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.plans.commitments import Portfolio
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.alternatives import Alternatives, alternative_months, alternatives
from sizebook.plans.serving.inputs import ServingInputs, Traffic
from sizebook.plans.serving.last_month import LastMonth
from sizebook.plans.serving.months import Month, fleet_months, most_gpus, purchase_of_months, usd_if_kept_up
from sizebook.plans.serving.pools import replica_in
from sizebook.plans.serving.prefixes import replica_of_conversations
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.plans.serving.replica import PlannedReplica, Setup, Workload, at_speed
from sizebook.plans.serving.spot_replicas import SpotReplicas, spot_replicas
from sizebook.plans.serving.starts import Scaled, scaled_month
from sizebook.plans.serving.volumes import Volume, volumes
from sizebook.serving.encoding import has_encoder, tokens_in_context
from sizebook.serving.images import Read
from sizebook.serving.quantities import Demand
from sizebook.serving.traffic import usd_per_mtok
from sizebook.tables.hardware import accelerator

STEP = 0.2  # how far an input is moved either way, to see what a plan hangs on


@dataclass(frozen=True)
class ServingPlan:
    """What every surface shows of a serving plan; ``context_tokens`` is the longest context that the model states.

    ``notes`` are those of the model's count.

    ``fewest`` and ``most`` are the same months, under the same contracts, if replicas are as fast, or as slow, as 1 in
    10 measurements.
    """

    model: str
    inputs: ServingInputs
    rates: Rates
    replica: PlannedReplica
    portfolio: Portfolio
    months: tuple[Month, ...]
    fewest: tuple[Month, ...]
    most: tuple[Month, ...]
    context_tokens: int | None
    notes: tuple[str, ...] = ()

    @cached_property
    def cheap(self) -> tuple[Month, ...]:
        """The same months where providers are as cheap as 1 in 10."""
        return self._months_at(self.rates.at_ends()[0])

    @cached_property
    def dear(self) -> tuple[Month, ...]:
        """The same months where providers are as dear as 1 in 10."""
        return self._months_at(self.rates.at_ends()[1])

    def _months_at(self, rates: Rates) -> tuple[Month, ...]:
        portfolio = self.portfolio.repriced(rates.by_term(self.traffic.months))
        return fleet_months(self.replica, self.inputs, rates, portfolio=portfolio)

    @cached_property
    def last_month(self) -> LastMonth:
        """The last month as if it went on for ever."""
        return LastMonth(self.replica, self.inputs, self.rates)

    @cached_property
    def usd_if_kept_up(self) -> float:
        """What the last month costs if it goes on for ever, existing contracts left aside."""
        return self.last_month.usd(1.0)

    @cached_property
    def regrets(self) -> tuple[float, float]:
        """What the contracts cost more than the best ones would, if traffic is a fifth lower, and a fifth higher."""
        less, more = (self._regret(1 - STEP), self._regret(1 + STEP))
        return less, more

    def _regret(self, factor: float) -> float:
        """Return what the contracts cost more than the best ones would at a multiple of the traffic."""
        return purchase_of_months(self.replica, self.inputs, self.rates, times=factor).regret(self.portfolio)

    @property
    def traffic(self) -> Traffic:
        """The traffic that it serves."""
        return self.inputs.traffic

    @property
    def usd_per_mtok(self) -> float:
        """What a million tokens cost over all months."""
        requests = sum(month.requests for month in self.months)
        return total_usd(self.months) / (requests * self.priced_tokens) * 1e6

    @property
    def priced_tokens(self) -> float:
        """The tokens of a request by which its cost is said: output tokens, or input tokens where one pass answers."""
        mean = self.traffic.mean_demand
        return mean.output_tokens if self.replica.decodes else mean.input_tokens

    @property
    def usd_per_mtok_saturated(self) -> float:
        """What a million output tokens cost at full load, on the cheapest contract that may be signed."""
        price = self.rates.cheapest_usd(self.inputs.commitments.terms)
        tokens_per_second = self.replica.requests_per_second * self.traffic.mean_demand.output_tokens
        return usd_per_mtok(self.replica.gpus, price, tokens_per_second)

    @cached_property
    def scaled(self) -> Scaled:
        """What starts of replicas add to the first month, and what a fleet as large as the peak costs."""
        return scaled_month(self.replica, self.months[0], self.inputs, rates=self.rates.in_month(0))

    @cached_property
    def alternative_months(self) -> tuple[AlternativeMonth, ...]:
        """The months with GPUs rented, bought, and at an API; none where neither is asked."""
        return alternative_months(self.replica, self.inputs, self.rates, months=self.months)

    @cached_property
    def alternatives(self) -> Alternatives:
        """What buying and an API cost beside renting, and from when on one of them costs less."""
        return alternatives(self.last_month, self.alternative_months)

    @cached_property
    def volumes(self) -> tuple[Volume, ...]:
        """What the last month costs at a tenth to four times its traffic."""
        return volumes(self.last_month, self.priced_tokens)

    @cached_property
    def on_spot(self) -> SpotReplicas:
        """What interruptions take from replicas on spot, and what a fleet of them costs in the first month."""
        return spot_replicas(self.replica, self.inputs)

    @property
    def arrivals(self) -> str:
        """How requests arrive at a replica, in words."""
        return in_words(self.inputs, self.replica)

    @property
    def beyond_context(self) -> str:
        """What to know where requests are longer than the model states, empty where they are not."""
        longest, stated = tokens_in_context(self.replica.case, self.traffic.longest), self.context_tokens
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
    replica = replica_of(model, gpu, inputs)
    rates = replace(rates_for(replica, inputs), change=inputs.price_changes.change)
    inputs = with_counted_gpus(inputs, rates)
    band = replica.bands["throughput"]
    portfolio = purchase_of_months(replica, inputs, rates).cheapest()
    middle, fewest, most = (
        fleet_months(at_speed(replica, speed), inputs, rates, portfolio=portfolio)
        for speed in (1.0, band.high, band.low)
    )
    return ServingPlan(
        model,
        inputs,
        rates,
        replica,
        portfolio,
        middle,
        fewest,
        most,
        context_tokens=catalog.context_tokens(model),
        notes=catalog.notes(model),
    )


def in_words(inputs: ServingInputs, replica: PlannedReplica) -> str:
    """Return how requests arrive at a replica, in words."""
    return text("steady") if replica.loaded is None else inputs.stream.in_words


def images_of(model: str, inputs: ServingInputs) -> tuple[Read, float] | None:
    """Return an image as the model reads it and how many a request has, None where there are none.

    Errors: requests one by one, pools and encoders, which know no encoder of images.
    """
    pictures = inputs.pictures
    if not pictures.images:
        return None
    if inputs.requests.share is not None or inputs.pools.separate_prefill or has_encoder(model):
        raise InputError(
            f"images not supported here: got {pictures.images} images with a percentile of requests, two pools or an "
            "encoder, want one pool of a decoder and the mean of a steady load. Add their tokens to input_tokens."
        )
    return pictures.each(model), pictures.images / inputs.conversation.turns


def rates_for(replica: PlannedReplica, inputs: ServingInputs) -> Rates:
    """Return the rates of a fleet of replicas: volume tiers count its GPUs at its most."""
    return rates_of(replica.setup.gpu, inputs.prices, inputs.commitments, gpus=most_gpus(replica, inputs))


def with_counted_gpus(inputs: ServingInputs, rates: Rates) -> ServingInputs:
    """Return the inputs with the GPUs that volume tiers counted, where the prices have any."""
    if rates.rented_gpus is None:
        return inputs
    own = replace(inputs.prices.own, rented_gpus=rates.rented_gpus)
    return replace(inputs, prices=replace(inputs.prices, own=own))


def replica_of(model: str, gpu: str, inputs: ServingInputs) -> PlannedReplica:
    """Return the replica of a plan for inputs as the model reads them; pools cost the least in the last month."""
    setup = Setup(model, accelerator(gpu).key, inputs.replica, gpus_per_node=inputs.target.gpus_per_node)
    traffic, latencies = inputs.traffic, inputs.target.latencies
    workload = Workload(
        traffic.mean_demand,
        traffic.longest,
        inputs.stream,
        latencies=latencies,
        share=inputs.requests.share,
        image=images_of(model, inputs),
    )

    def cost(replica: PlannedReplica) -> float:
        return usd_if_kept_up(replica, inputs, rates_for(replica, inputs))

    def planned(demand: Demand, restore_seconds: float) -> PlannedReplica:
        asked = replace(workload, demand=demand, restore_seconds=restore_seconds)
        return replica_in(setup, asked, inputs.pools, cost=cost)

    return replica_of_conversations(model, inputs, planned)
