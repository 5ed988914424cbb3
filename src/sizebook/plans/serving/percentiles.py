"""The percentile of what requests see at a rate, in a cell: the simulation that a plan with a percentile runs."""

from __future__ import annotations

from sizebook.core.errors import TargetError
from sizebook.core.quantities import Gpu, Model, Seconds
from sizebook.core.registry import function, takes, unbanded
from sizebook.core.sections import DEFAULT, flat, put_together, section
from sizebook.plans.serving.inputs import (
    InputHistogram,
    InputP50,
    InputP95,
    OutputHistogram,
    OutputP50,
    OutputP95,
    ServingInputs,
)
from sizebook.plans.serving.plan import as_read
from sizebook.plans.serving.replica import check_arrivals, most_running
from sizebook.plans.serving.request_stream import Dispersion, Trace
from sizebook.serving.encoding import EncodedCase, places, serving_case
from sizebook.serving.estimate import MOST_READ
from sizebook.serving.load import simulator
from sizebook.serving.memory import engine_constants, engine_memory, physical_bytes, sequences_that_fit
from sizebook.serving.quantities import (
    CacheHitRatio,
    InputTokens,
    OutputTokens,
    Replica,
    ReplicaRate,
    RequestPercentile,
    SeenLatency,
    share_of,
)
from sizebook.tables.hardware import accelerator


@section
class Coming:
    """What requests of a replica ask: lengths as means, percentiles or histograms."""

    input_tokens: InputTokens = DEFAULT
    output_tokens: OutputTokens = DEFAULT
    cache_hit_ratio: CacheHitRatio = DEFAULT
    input_tokens_p50: InputP50 = DEFAULT
    output_tokens_p50: OutputP50 = DEFAULT
    input_tokens_p95: InputP95 = DEFAULT
    output_tokens_p95: OutputP95 = DEFAULT
    input_histogram: InputHistogram = DEFAULT
    output_histogram: OutputHistogram = DEFAULT


@section
class Wanted:
    """Which percentile of which latency, and how requests arrive."""

    latency: SeenLatency = DEFAULT
    request_percentile: RequestPercentile = DEFAULT
    dispersion: Dispersion = DEFAULT
    trace: Trace = DEFAULT


@unbanded("percentiles of real servers were not compared with the simulation")
@function(
    category="serving",
    source="simulation of continuous batching, sizebook.serving.simulation; step times of sizebook.serving.time",
    example=(
        {
            "model": "llama-3.1-8b",
            "gpu": "h100-sxm",
            "replica_requests_per_second": 10,
            "input_tokens": 1500,
            "output_tokens": 300,
            "request_percentile": "p95",
            "weight_dtype": "fp8",
        },
        0.0952293093849903,
    ),
)
@takes("simulation")
def serving_percentile(
    model: Model,
    gpu: Gpu,
    replica_requests_per_second: ReplicaRate,
    coming: Coming,
    replica: Replica = DEFAULT,
    wanted: Wanted = DEFAULT,
) -> Seconds:
    """Return a percentile of the time to first token, per token or of whole requests at a rate of one replica.

    Requests are simulated one by one: Poisson arrivals, bursty ones (dispersion) or a trace; lengths all alike, or as
    percentiles or histograms say. The same requests each time. A blank percentile is the mean.
    """
    inputs = as_read(model, put_together(ServingInputs, {**flat(coming), **flat(wanted), "requests_per_day": 1.0}))
    stream, asked, longest = inputs.stream, inputs.traffic.asked, inputs.traffic.longest_tokens
    check_arrivals(stream)
    case = serving_case(model, gpu, replica)
    memory = engine_memory(case, physical_bytes(accelerator(gpu)), engine_constants(replica.engine))
    if isinstance(case, EncodedCase):
        capacity = places(case, memory, asked, longest_tokens=float(longest), most=MOST_READ) * replica.dp
    else:
        capacity = int(sequences_that_fit(case, memory, float(longest)) * replica.dp)
    if capacity < 1:
        raise TargetError(
            f"does not fit: got no room for one request of {longest} tokens on {gpu}, want some. "
            "Raise tp, pp or ep, or choose a narrower weight_dtype."
        )
    simulated = simulator(case, asked, stream, most=most_running(case, capacity))
    if replica_requests_per_second >= simulated.saturated:
        raise TargetError(
            f"too many requests: got {replica_requests_per_second:g} a second, want fewer than the "
            f"{simulated.saturated:.4g} at which waits grow without end. Lower the rate of the replica."
        )
    served = simulated.at(replica_requests_per_second)
    if wanted.request_percentile is None:
        return served.mean(wanted.latency)
    return served.seconds(wanted.latency, share_of(wanted.request_percentile))
