"""Latency and throughput of the replica of a plan, of one pool or two: a curve over its load, and terms at one load."""

from typing import Annotated, Any

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.errors import InputError
from sizebook.core.quantities import Gpu, Model
from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, REQUIRED, Argument, Quantity, quantity, quantity_of, section
from sizebook.plans.ledgers import as_table
from sizebook.plans.quantities import OutputRate, TimePerOutputToken, TimeToFirstToken
from sizebook.plans.serving.choice import with_room
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import replica_of
from sizebook.plans.serving.replica import MOST_IN_FLIGHT, PlannedReplica
from sizebook.serving.quantities import Concurrency
from sizebook.serving.terms import Latencies, kernels_basis, latency_terms, pooled_terms

LOADS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
MOST_LOADS = 1000  # of one curve: a load of two pools takes a millisecond
_LOAD = Argument("loads", quantity_of(Concurrency), REQUIRED)

Loads = Annotated[
    Any,
    Quantity(
        "requests in flight on a replica, a list of numbers; blank for 15 from 1 to 512",
        default=None,
        label="Loads of the curve",
    ),
]
Curve = Annotated[list[list[Any]], Quantity("a row of names, then one a load")]


@section
class CurvePoint:
    """What requests see, and what a replica yields, with so many of them always in flight."""

    concurrency: int = quantity("requests in flight on a replica", "requests", label="In flight")
    ttft_seconds: TimeToFirstToken
    tpot_seconds: TimePerOutputToken
    tokens_per_second: OutputRate
    gpu_tokens_per_second: float = quantity(
        "the same over its GPUs", "tokens/s", label="Output tokens a second and GPU"
    )
    fits: bool = quantity("whether its cache holds them all", label="Cache holds them")


def point(replica: PlannedReplica, concurrency: int) -> CurvePoint:
    """Return the estimate of a steady load; what the cache does not hold waits for its first token."""
    at = replica.at(concurrency)
    tokens = float(at.tokens_per_second)
    return CurvePoint(
        concurrency=concurrency,
        ttft_seconds=float(at.ttft_seconds),
        tpot_seconds=float(at.tpot_seconds),
        tokens_per_second=tokens,
        gpu_tokens_per_second=tokens / replica.gpus,
        fits=bool(at.fits),
    )


def latency_curve(replica: PlannedReplica) -> tuple[CurvePoint, ...]:
    """Return the curve of a replica in powers of two up to what the cache holds."""
    points, concurrency = [], 1
    while concurrency <= min(replica.capacity, MOST_IN_FLIGHT):
        points.append(point(replica, concurrency))
        concurrency *= 2
    return tuple(points)


def loads_of(given: Any) -> tuple[int, ...]:
    """Return the loads of a list, each a number of requests, blanks left out; those shown by default where none is."""
    if given is None:
        return LOADS
    words = given.split(",") if isinstance(given, str) else given
    each = [cell for row in words for cell in (row if isinstance(row, (list, tuple)) else [row])]
    filled = [cell for cell in each if not is_blank(cell)]
    if len(filled) > MOST_LOADS:
        raise InputError(f"too many loads: got {len(filled)}, want at most {MOST_LOADS}. Leave some out.")
    return tuple(coerce(_LOAD, cell) for cell in filled) or LOADS


@function(
    category="serving", source="sizebook.plans.serving.plan over data/hardware.csv and data/calibration_serving.csv"
)
@takes("search")
def serving_curve(model: Model, gpu: Gpu, inputs: ServingInputs, loads: Loads = DEFAULT) -> Curve:
    """Return latency and throughput of the replica of a serving plan, one load a row: of both its pools where there are
    two.

    The load is steady, whatever targets hold for; a percentile of requests at a rate is SERVING_PERCENTILE. Loads that
    the cache does not hold wait, which counts in the time to first token.
    """
    replica = with_room(lambda m, g, given: replica_of(m, g, given.read(m)), model, gpu, inputs=inputs)
    return as_table(CurvePoint, (point(replica, each) for each in loads_of(loads)))


def terms_of(replica: PlannedReplica) -> Latencies:
    """Return the terms of a steady load as large as the planned one.

    They add up to the estimate of that load, whether requests are simulated one by one or not.
    """
    found, kernels = replica.at(replica.concurrency), kernels_basis(replica.setup.gpu)
    if replica.pools is not None:
        return pooled_terms(replica.pools, found, replica.demand, kernels=kernels)
    return latency_terms(replica.case, found, replica.demand, kernels=kernels)
