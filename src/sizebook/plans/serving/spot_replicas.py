"""Replicas on spot: what an interruption takes away, and how many more nodes hold what the traffic needs.

An alternating renewal of each node, all of them independent. Nothing of it is measured, and a provider that takes many
nodes back at once is not in it.
"""

import math

from sizebook.core.quantities import DAYS_PER_MONTH
from sizebook.core.sections import quantity, section
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.months import replicas_needed
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.plans.serving.starts import cold_start
from sizebook.tables.hardware import accelerator
from sizebook.tables.prices import listed_quotes


@section
class SpotReplicas:
    """What interruptions cost replicas on spot, how many more make up for it, and a spot fleet in month 1."""

    away_seconds: float = quantity(
        "seconds for which an interruption takes a replica out of service",
        "seconds",
        label="Replica out, an interruption",
    )
    up_share: float = quantity(
        "share of the time in which a replica on spot serves",
        "ratio",
        minimum=0,
        maximum=1,
        label="Time that a spot replica serves",
    )
    broken_share: float = quantity(
        "share of requests that interruptions break off, to be sent again",
        "ratio",
        minimum=0,
        maximum=1,
        label="Requests broken off",
    )
    spot_spares: int = quantity(
        "replicas on spot to add to those that the busiest hour of month 1 needs",
        "replicas",
        minimum=0,
        label="Extra spot replicas at the peak",
    )
    spot_usd: float | None = quantity(
        "cost of month 1 with all replicas on spot, blank where no price is listed",
        "USD",
        label="Cost of a spot fleet, month 1",
    )


def spot_replicas(replica: PlannedReplica, inputs: ServingInputs) -> SpotReplicas:
    """Return what interruptions do to replicas on spot, and the first month of a fleet of them.

    The plan pays for a node also while it is away. That is minutes too much, so the cost is an upper bound.
    """
    up = up_share(replica, inputs)
    needed = replicas_needed(replica, inputs, inputs.days[0])
    held = {each: held_by(each, replica, up, inputs.interruptions.served_share) for each in set(needed)}
    fleet = tuple(held[each] for each in needed)
    whole = inputs.target.margins.whole_nodes
    gpu_hours = sum(replica.packing.gpus(each, whole) for each in fleet) * DAYS_PER_MONTH
    per_second, price = _rate(replica, inputs), spot_usd_per_gpu_hour(replica, inputs, gpus=max(fleet) * replica.gpus)
    return SpotReplicas(
        away_seconds=away_seconds(replica, inputs),
        up_share=up,
        broken_share=min(per_second * max(replica.request_seconds - inputs.interruptions.notice_seconds, 0.0), 1.0),
        spot_spares=max(fleet) - max(needed),
        spot_usd=None if price is None else gpu_hours * price,
    )


def away_seconds(replica: PlannedReplica, inputs: ServingInputs) -> float:
    """Return the seconds that an interruption takes from a replica.

    Told of it, a replica takes new requests as long as they end in time, while another node is asked for and starts.
    """
    asked = inputs.interruptions
    drained = max(asked.notice_seconds - replica.request_seconds, 0.0)
    return max(asked.replacement_seconds + cold_start(inputs.scaling, replica) - drained, 0.0)


def _rate(replica: PlannedReplica, inputs: ServingInputs) -> float:
    """Return the interruptions of a replica a second: it is away with any node that it touches."""
    return inputs.interruptions.interruptions_per_hour / 3600 * replica.packing.nodes_per_replica


def up_share(replica: PlannedReplica, inputs: ServingInputs) -> float:
    """Return the share of the time in which a replica on spot serves: 1 / (1 + rate x seconds away)."""
    return 1 / (1 + _rate(replica, inputs) * away_seconds(replica, inputs))


def held_by(needed: int, replica: PlannedReplica, up: float, share: float) -> int:
    """Return how many replicas hold ``needed`` that share of the time; those of a node go together."""
    together = replica.packing.lost_with("node")
    units = -(-needed // together)
    return needed + together * (_units(units, up, share) - units)


def _units(needed: int, up: float, share: float) -> int:
    """Return the units of which ``needed`` are up that share of the time: each of them for itself, binomial.

    Found by halving.
    """
    if needed == 0 or up >= 1:
        return needed
    fails, holds, most = needed - 1, needed, (1 - share) * (1 + 1e-9)  # a billionth of it is left to rounding
    while _too_few(holds, needed, up) > most:
        fails, holds = holds, holds * 2
    while holds - fails > 1:
        middle = (fails + holds) // 2
        fails, holds = (middle, holds) if _too_few(middle, needed, up) > most else (fails, middle)
    return holds


def _too_few(units: int, needed: int, up: float) -> float:
    """Return the chance that fewer than ``needed`` of some units are up.

    Summed up over the numbers that are up now and then, nine deviations about their mean and 40 more: all others
    together have a chance below 1e-17, and there may be millions of them.
    """
    mean = units * up
    around = 9 * math.sqrt(mean * (1 - up)) + 40
    if needed > mean + around:
        return 1.0
    return math.fsum(
        math.exp(
            math.lgamma(units + 1) - math.lgamma(each + 1) - math.lgamma(units - each + 1)
            + each * math.log(up) + (units - each) * math.log1p(-up)
        )
        for each in range(max(math.floor(mean - around), 0), needed)
    )  # fmt: skip


def spot_usd_per_gpu_hour(replica: PlannedReplica, inputs: ServingInputs, gpus: int) -> float | None:
    """Return the price of a GPU-hour on spot: given, else listed; None where no table lists one."""
    if (given := inputs.interruptions.spot_usd_per_gpu_hour) is not None:
        return given
    prices = inputs.prices
    found = listed_quotes(
        accelerator(replica.setup.gpu).key, prices.provider, prices.region, terms=("spot",), gpus=gpus, own=prices.own
    )["spot"]
    return found.usd_per_gpu_hour if found else None
