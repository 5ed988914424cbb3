"""The last month of a plan again and again, at so many times its traffic: a stair of whole replicas."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.months import arrivals_by_hour, replicas_needed, usd_if_kept_up
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica


@dataclass(frozen=True)
class LastMonth:
    """What the last month of a plan takes if it is bought as is cheapest for a month, whatever runs already."""

    replica: PlannedReplica
    inputs: ServingInputs
    rates: Rates

    def usd(self, times: float) -> float:
        """Return what it costs at so many times its traffic."""
        return usd_if_kept_up(self.replica, self.inputs, self.rates, times=times)

    @property
    def usd_per_gpu(self) -> float:
        """What a GPU costs under the cheapest contract, or on demand if that is cheaper."""
        rates = self.rates.in_month(self.inputs.traffic.months - 1)
        return HOURS_PER_MONTH * rates.cheapest_usd(self.inputs.commitments.terms)

    def nodes(self, times: float) -> int:
        """Return the nodes that its busiest hour takes at so many times its traffic."""
        replicas = replicas_needed(self.replica, self.inputs, times * self.inputs.days[-1])
        return self.replica.packing.nodes(max(replicas))

    @cached_property
    def arrivals(self) -> tuple[float, ...]:
        """Requests a second in each of its hours."""
        return arrivals_by_hour(self.inputs, self.inputs.days[-1])

    def times_of(self, replicas: int, arrivals: float) -> float:
        """Return how many times an hour's arrivals replicas take, as full as is planned."""
        return replicas * self.replica.requests_per_second * self.inputs.target.margins.target_load / arrivals

    def ends(self, beyond: float) -> Iterator[float]:
        """Yield the ends of steps, the times at which an hour's replicas are full, from one beyond on."""
        hours = {each for each in self.arrivals if each > 0}
        at = {each: math.floor(beyond / self.times_of(1, each)) + 1 for each in hours}
        while True:
            end = min(self.times_of(n, each) for each, n in at.items())
            yield end
            at = {each: n + (self.times_of(n, each) <= end * (1 + 1e-12)) for each, n in at.items()}
