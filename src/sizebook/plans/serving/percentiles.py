"""The percentile of what requests see at a rate, in a cell: the simulation that a plan with a percentile runs."""

from contextlib import suppress
from dataclasses import replace

from sizebook.core.errors import InputError, SizebookError, TargetError
from sizebook.core.quantities import Gpu, Model, Seconds
from sizebook.core.registry import function, takes, unbanded
from sizebook.core.sections import DEFAULT, ReadSection, quantity, section
from sizebook.plans.serving.inputs import Latencies
from sizebook.plans.serving.lengths import RequestLengths
from sizebook.plans.serving.refusals import NoRoomError, check_arrivals
from sizebook.plans.serving.replica import Setup, Workload, capacity_of, most_running
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.serving.layouts import DEGREES, candidates
from sizebook.serving.load import Simulator, simulator
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.traffic_quantities import ReplicaRate
from sizebook.tables.hardware import accelerator


@section
class Requests(ReadSection):
    """What each request of a replica asks: mean lengths, and how they spread."""

    demand: Demand = DEFAULT
    lengths: RequestLengths = DEFAULT


@section
class Percentile:
    """Which percentile of which latency, and how requests arrive."""

    latency: str = quantity(
        "what of a request is asked for: seconds to its first token, per token, or altogether",
        choices=("ttft", "tpot", "request"),
        default="ttft",
    )
    stream: RequestStream = DEFAULT


@unbanded("percentiles of real servers were not compared with the simulation")
@function(
    category="serving",
    source="simulation of continuous batching, sizebook.serving.simulation; step times of sizebook.serving.time",
)
@takes("simulation")
def serving_percentile(
    model: Model,
    gpu: Gpu,
    replica_requests_per_second: ReplicaRate,
    requests: Requests,
    replica: Replica = DEFAULT,
    percentile: Percentile = DEFAULT,
) -> Seconds:
    """Return a percentile of the time to first token, per token or of whole requests at a rate of one replica.

    Requests are simulated one by one: Poisson arrivals, bursty ones (dispersion) or a trace; lengths all alike, or as
    percentiles or histograms say. The same requests each time. A blank percentile is the mean. Where one GPU has
    no room and no degree is stated, it is that of the fewest whose layout takes the rate, in 8 bits if need be.
    """
    if requests.demand.concurrency is not None:
        raise InputError(
            f"load given twice: got concurrency {requests.demand.concurrency} and a rate, want the rate alone, from "
            "which the requests in flight follow. Remove concurrency."
        )
    stream = percentile.stream
    demand, lengths = stream.read(model, requests.demand, requests.lengths)
    mean = lengths.mean(demand)
    arrivals = stream.stream(*lengths.drawn(mean))
    check_arrivals(arrivals)
    workload = Workload(mean, lengths.longest(mean), arrivals, latencies=Latencies())
    setup = Setup(model, accelerator(gpu).key, replica)
    try:
        simulated = _simulated(setup, workload)
    except NoRoomError as error:
        if not requests.stated.isdisjoint(DEGREES):
            raise
        simulated = _with_room(setup, workload, replica_requests_per_second, error)
    if replica_requests_per_second >= simulated.saturated:
        raise TargetError(
            f"too many requests: got {replica_requests_per_second:g} a second, want fewer than the "
            f"{simulated.saturated:.4g} at which waits grow without end. Lower the rate of the replica."
        )
    served = simulated.at(replica_requests_per_second)
    if stream.share is None:
        return served.mean(percentile.latency)
    return served.seconds(percentile.latency, stream.share)


def _simulated(setup: Setup, workload: Workload) -> Simulator:
    case, _, capacity, _ = capacity_of(setup, workload)
    return simulator(case, workload.demand, workload.stream, most=most_running(case, capacity))


def _with_room(setup: Setup, workload: Workload, rate: float, error: NoRoomError) -> Simulator:
    """Return the simulator of the fewest GPUs whose layout takes a rate; of the one that takes most where none does."""
    found = []
    layouts = candidates(setup.model, setup.gpu, setup.replica, engine=setup.replica.engine)
    for each in sorted(layouts, key=lambda replica: replica.gpus):
        with suppress(SizebookError):
            found.append(_simulated(replace(setup, replica=each), workload))
            if found[-1].saturated > rate:
                return found[-1]
    if not found:
        raise error
    return max(found, key=lambda each: each.saturated)
