"""The last month of a plan as if it went on for ever, at a multiple of its traffic: cost rises by whole replicas."""

from dataclasses import dataclass

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.plans.break_even import Stairs
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.months import arrivals_by_hour, replicas_needed, usd_if_kept_up
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica


@dataclass(frozen=True)
class LastMonth:
    """What the last month takes on the terms that are cheapest for a month, existing contracts left aside."""

    replica: PlannedReplica
    inputs: ServingInputs
    rates: Rates

    def usd(self, times: float) -> float:
        """Return its cost at a multiple of its traffic."""
        return usd_if_kept_up(self.replica, self.inputs, self.rates, times=times)

    @property
    def usd_per_gpu(self) -> float:
        """What a GPU costs under the cheapest contract, or on demand if that is cheaper."""
        rates = self.rates.in_month(self.inputs.traffic.months - 1)
        return HOURS_PER_MONTH * rates.cheapest_usd(self.inputs.commitments.terms)

    def nodes(self, times: float) -> int:
        """Return the nodes that its busiest hour takes at a multiple of its traffic."""
        replicas = replicas_needed(self.replica, self.inputs, times * self.inputs.days[-1])
        return self.replica.packing.nodes(max(replicas))

    @property
    def stairs(self) -> Stairs:
        """The multiples of its traffic at which an hour needs a further replica, each as full as planned."""
        rate = self.replica.requests_per_second * self.inputs.target.margins.target_load
        arrivals = arrivals_by_hour(self.inputs, self.inputs.days[-1])
        return Stairs(frozenset(rate / each for each in arrivals if each > 0))
