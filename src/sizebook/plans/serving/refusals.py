"""Why a replica cannot be planned: which limit binds, by how much, and the smallest change that helps.

Also loads, arrivals and targets that contradict each other, before anything is planned.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

from sizebook.core.errors import InputError, SizebookError, TargetError
from sizebook.plans.serving.inputs import Latencies
from sizebook.serving.case import Case
from sizebook.serving.encoding import EncodedCase, latencies, serving_case
from sizebook.serving.load import Limits, Simulator, Stream
from sizebook.serving.memory import memory_of, sequences_that_fit
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.remedies import room_made
from sizebook.serving.time import Latency, latency

WIDER = (2, 4, 8)


class NoRoomError(TargetError):
    """Not even one request fits into the memory of a layout: another one may have room."""


def no_room(model: str, gpu: str, replica: Replica, longest_tokens: int, missing_bytes: float) -> str:
    """Return that not even one request fits, by how much, and the smallest change that makes room."""
    fix = "No tp up to 8 makes room: raise pp, shorten the requests"
    for degree, wider in _wider(model, gpu, replica):
        room = memory_of(wider, gpu, replica)
        if sequences_that_fit(wider, room, float(longest_tokens)) >= 1:
            fix = f"Raise tp to {degree}"
            break
    if settings := room_made(model, gpu, replica, longest_tokens=longest_tokens):
        fix = f"Set {settings}, {fix[:1].lower()}{fix[1:]},"
    return (
        f"memory binds: got {missing_bytes / 1e9:.1f} GB too much on each {gpu} for {model} at {replica.layout}, "
        f"want room for one request. {fix} or choose a narrower weight_dtype."
    )


def _wider(model: str, gpu: str, replica: Replica) -> Iterator[tuple[int, Case]]:
    """Yield the tensor-parallel degrees of one node above the replica's own, and its case with them.

    All else stays as it is; degrees that no engine starts with it are passed over.
    """
    for degree in WIDER:
        if degree > replica.tp:
            try:
                yield degree, serving_case(model, gpu, replace(replica, tp=degree))
            except SizebookError:
                continue


def too_many(model: str, replica: Replica, concurrency: int, capacity: int) -> str:
    """Return that the cache does not hold the requests in flight, and what does."""
    larger = f"raise tp to {replica.tp * 2}" if replica.tp < max(WIDER) else f"raise pp to {replica.pp * 2}"
    return (
        f"cache binds: got {concurrency} requests in flight on a replica of {model} at {replica.layout}, want at most "
        f"{capacity}. Lower concurrency, or {larger}."
    )


def too_many_in_pools(replica: Replica, concurrency: int, workers: int, room: int) -> str:
    """Return that the caches of the decode workers do not hold the requests in flight, and what does."""
    return (
        f"cache binds: got {concurrency} requests in flight on {workers} decode workers at {replica.layout}, want at "
        f"most {room} on each. Lower concurrency, state {-(-concurrency // room)} decode_workers, or raise tp."
    )


def missed(model: str, gpu: str, replica: Replica, demand: Demand, limits: tuple[float, float]) -> str:
    """Return which limit (seconds to the first token, seconds a token) one request alone misses, and what meets it."""
    one = replace(demand, concurrency=1)
    alone = _alone(serving_case(model, gpu, replica), one)
    most_first, most_token = limits
    name, got, want = ("ttft_target_seconds", alone.ttft_seconds, most_first)
    if alone.ttft_seconds <= most_first:
        name, got, want = ("tpot_target_seconds", alone.tpot_seconds, most_token)
    said = f"{name} binds: got {got:.4g} s with one request in flight at {replica.layout}, want {want:.4g} s. "
    for degree, wider in _wider(model, gpu, replica):
        at = _alone(wider, one)
        if at.ttft_seconds <= most_first and at.tpot_seconds <= most_token:
            return f"{said}Raise tp to {degree}, or accept {got:.4g} s."
    return (
        f"{said}No tp up to {max(WIDER)} meets it; accept {got:.4g} s or choose a faster gpu or a narrower "
        "weight_dtype."
    )


def _alone(case: Case, one: Demand) -> Latency:
    """Return the latencies of a request that meets no other."""
    if isinstance(case, EncodedCase):
        return Latency(*latencies(case, one))
    return latency(case, one)


def missed_by_requests(layout: str, simulated: Simulator, limits: Limits) -> str:
    """Return which limit the percentile of requests misses even where they meet no other, and what meets it."""
    served = simulated.rare
    binding = limits.broken(served) or "ttft"
    got, want = served.seconds(binding, limits.share), getattr(limits, binding)
    name = f"p{limits.share * 100:g}"
    said = (
        f"{binding}_target_seconds binds: got {got:.4g} s at {name} of requests that meet no other at "
        f"{layout}, want {want:.4g} s. "
    )
    return f"{said}Raise tp, accept {got:.4g} s, or choose a faster gpu or a narrower weight_dtype."


def check_load(demand: Demand, latencies: Latencies) -> None:
    """Refuse a load beside the target that it would follow from: one of them would be passed over."""
    if demand.concurrency is not None and (latencies.ttft_target_seconds or latencies.tpot_target_seconds):
        raise InputError(
            "load given twice: got concurrency and a target of seconds, want one of them. The "
            "load follows from the target: remove concurrency, or keep it and remove the target."
        )


def check_stream(stream: Stream, latencies: Latencies, share: float | None) -> None:
    """Refuse a percentile without a target, arrivals without a percentile, and arrivals that are given twice."""
    if share is not None and min(latencies.limits) == math.inf:
        raise InputError(
            f"percentile without a target: got request_percentile p{share * 100:g} and no seconds, want "
            "ttft_target_seconds or tpot_target_seconds. Add one, or remove request_percentile."
        )
    check_arrivals(stream)
    if share is None and (stream.trace or stream.dispersion != 1):
        raise InputError(
            f"arrivals without a percentile: got {stream.in_words}, which the mean of a steady load does not answer "
            "to, want request_percentile with it. Add it, or remove the arrivals."
        )


def check_arrivals(stream: Stream) -> None:
    """Refuse arrivals that are given twice."""
    if stream.trace and stream.dispersion != 1:
        raise InputError(
            f"arrivals given twice: got a trace and dispersion {stream.dispersion:g}, want one of them. Remove the "
            "other."
        )


def check_encoded(model: str, case: EncodedCase, latencies: Latencies) -> None:
    """Refuse a target per token where no token follows the first."""
    if not case.decodes and latencies.tpot_target_seconds:
        raise InputError(
            f"nothing is decoded: got tpot_target_seconds for {model}, which answers with one pass, want "
            "ttft_target_seconds alone: the time to its answer. Remove tpot_target_seconds."
        )
