"""A replica of two pools: prefill workers and decode workers searched together, as many of each as serve the traffic
within the target for the least."""

import math
from collections.abc import Callable
from dataclasses import replace

from sizebook.core.errors import InputError, TargetError
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.pool_candidates import MOST_SEARCHED, candidates
from sizebook.plans.serving.refusals import check_load, check_stream, missed_by_requests, too_many_in_pools
from sizebook.plans.serving.replica import (
    MOST_IN_FLIGHT,
    PlannedReplica,
    Setup,
    Workload,
    check_room,
    knee,
    limits_of,
    mean_of,
    packing_of,
    replica_for,
)
from sizebook.serving.band import Band, pooled_band
from sizebook.serving.encoding import EncodedCase, serving_case
from sizebook.serving.estimate import Estimate
from sizebook.serving.load import Limits, Simulator, largest_load, pooled_simulator
from sizebook.serving.memory import held_tokens, memory_of, requests_kept
from sizebook.serving.pool_simulation import PoolTimes
from sizebook.serving.pools import Pools, pooled
from sizebook.serving.quantities import Demand, PoolLayout
from sizebook.serving.shape import shape_of
from sizebook.tables.hardware import accelerator

MOST_SIMULATED = 6
FIGURES = ("ttft", "tpot", "throughput")


Cost = Callable[[PlannedReplica], float]  # what a fleet of a replica costs


def replica_in(setup: Setup, workload: Workload, layout: PoolLayout, cost: Cost) -> PlannedReplica:
    """Return one replica, of one pool or of two, at the largest load that meets the target. Errors: none does."""
    if layout.separate_prefill:
        return pooled_replica(setup, workload, layout, cost=cost)
    return replica_for(setup, workload)


def pooled_replica(setup: Setup, workload: Workload, layout: PoolLayout, cost: Cost) -> PlannedReplica:
    """Return the replica of prefill and decode workers within the target whose fleet costs the least.

    What the layout leaves blank is searched: how a prefill worker is laid out within a node, and how many workers of
    each kind stand together; of equal cost the one with the fewest GPUs for its rate. A percentile of requests is
    simulated from the pools that cost the least on average. Errors: models and targets that pools do not serve; no
    pools meet the target.
    """
    check_load(workload.demand, workload.latencies)
    check_stream(workload.stream, workload.latencies, workload.share)
    _check(setup, workload)
    steady = sorted(
        _steady(setup, workload, layout),
        key=lambda each: (cost(each), each.gpus / each.requests_per_second),
    )
    return steady[0] if workload.share is None else _by_requests(steady, workload, cost)


def _bands(setup: Setup, decode_workers: int) -> dict[str, Band]:
    """Return the bands of latency and throughput of a replica with so many decode workers."""
    gpu, shape, replica = accelerator(setup.gpu).key, shape_of(setup.model), setup.replica
    return {name: pooled_band(name, gpu, replica, shape=shape, decode_workers=decode_workers) for name in FIGURES}


def _steady(setup: Setup, workload: Workload, layout: PoolLayout) -> list[PlannedReplica]:
    """Return every pair of pools that meets the target on average, at its load. Errors: none does."""
    case = serving_case(setup.model, setup.gpu, setup.replica)
    memory = memory_of(case, setup.gpu, setup.replica)
    kept = requests_kept(case, memory, *workload.longest)
    room = kept * setup.replica.dp
    check_room(setup, workload.longest_tokens, room, case=case, memory=memory)
    _check_held(setup, workload.demand, layout, room=room)
    limits = limits_of(workload.latencies, _bands(setup, layout.decode_workers or 1))
    found: list[PlannedReplica] = []
    nearest: Estimate | None = None
    for pools in candidates(setup, workload, layout, case=case, room=room, limits=limits):
        bands = _bands(setup, pools.decode.workers)
        at_load, binding = _loaded(pools, workload.demand, limits_of(workload.latencies, bands))
        if at_load is None:
            alone = pooled(pools, replace(workload.demand, concurrency=1))
            nearest = min((each for each in (nearest, alone) if each), key=lambda each: float(each.ttft_seconds))
            continue
        at_knee, packing = pooled(pools, at_load), _packing(setup, pools)
        found.append(
            PlannedReplica(
                setup,
                at_load,
                case,
                memory=memory,
                capacity=pools.capacity,
                at_knee=at_knee,
                bands=bands,
                binding=binding,
                packing=packing,
                held_tokens=held_tokens(memory, *workload.longest, requests=kept),
                pools=pools,
            )
        )
    if not found:
        raise TargetError(_none_meets(setup, nearest, limits))
    return found


def _by_requests(steady: list[PlannedReplica], workload: Workload, cost: Cost) -> PlannedReplica:
    """Return the cheapest replica whose percentile of requests meets the target, simulated from the cheapest on.

    Pools that even on average cost more than the cheapest one found are left out, and so are those after
    `MOST_SIMULATED`. Errors: none of those simulated meets it.
    """
    best, least = None, math.inf
    missing: Simulator | None = None
    for each in steady[:MOST_SIMULATED]:
        if cost(each) >= least:
            break
        simulated, limits = _simulator(each, workload), _limits(each, workload)
        found = _at_requests(each, simulated, limits)
        if found is None:
            missing = missing or simulated
        elif cost(found) < least:
            best, least = found, cost(found)
    if best is None:
        first = steady[0]
        raise TargetError(
            missed_by_requests(first.layout, missing or _simulator(first, workload), _limits(first, workload))
        )
    return best


def _limits(replica: PlannedReplica, workload: Workload) -> Limits:
    return Limits(*limits_of(workload.latencies, replica.bands), workload.share or 0.0)


def _simulator(replica: PlannedReplica, workload: Workload) -> Simulator:
    if replica.pools is None:
        raise InputError(f"not two pools: got {replica.layout}, want two. Simulate it by itself.")
    return pooled_simulator(replica.pools, workload.demand, workload.stream, most=MOST_IN_FLIGHT)


def _at_requests(replica: PlannedReplica, simulated: Simulator, limits: Limits) -> PlannedReplica | None:
    """Return the replica at the largest rate at which its requests meet the limits, None where none does."""
    loaded = largest_load(simulated, lambda _: limits)
    if loaded is None:
        return None
    mean, found = mean_of(loaded.served, replica.demand, replica.capacity)
    return replace(replica, demand=mean, at_knee=found, binding=loaded.binding or _slower(simulated), loaded=loaded)


def _slower(simulated: Simulator) -> str:
    """Return what limits pools whose targets do not: the prefill pool, the caches or the batch of decode workers."""
    times, requests = simulated.server, simulated.requests
    if isinstance(times, PoolTimes) and times.most_read(requests) < times.most_decoded(requests):
        return "prefill"
    return "batch" if isinstance(times, PoolTimes) and times.places == MOST_IN_FLIGHT else "cache"


def _check(setup: Setup, workload: Workload) -> None:
    """Refuse what is not planned in pools."""
    said = ""
    if workload.demand.output_tokens < 2:
        said = f"answers of {workload.demand.output_tokens} token, want two or more, which are decoded. Lengthen them"
    elif setup.replica.pp > 1:
        said = f"pp {setup.replica.pp}, want workers of one stage. Use tp or dp"
    elif isinstance(serving_case(setup.model, setup.gpu, setup.replica), EncodedCase):
        said = f"{setup.model}, which has an encoder, want a model that only decodes. Remove separate_prefill"
    if said:
        raise InputError(f"not planned in pools: got {said}.")


def _check_held(setup: Setup, demand: Demand, layout: PoolLayout, room: int) -> None:
    """Refuse a stated load that the caches of the decode workers do not hold, as that of one pool is."""
    workers = layout.decode_workers or MOST_SEARCHED
    if demand.concurrency is not None and demand.concurrency > room * workers:
        raise TargetError(too_many_in_pools(setup.replica, demand.concurrency, workers, room=room))


def _loaded(pools: Pools, demand: Demand, limits: tuple[float, float]) -> tuple[Demand | None, str]:
    """Return the load of a replica within the limits, and what binds; the load given where its caches hold it."""
    if demand.concurrency is not None:
        return (demand if demand.concurrency <= pools.capacity else None), "given"
    batched = MOST_IN_FLIGHT * pools.decode.workers
    found, binding = knee(lambda at: pooled(pools, at), demand, lambda _: limits, ceiling=min(pools.capacity, batched))
    if binding == "batch" and pools.capacity < batched:
        binding = "cache"
    return found, binding


def _packing(setup: Setup, pools: Pools) -> Packing:
    return replace(packing_of(setup), gpus_per_replica=pools.gpus)


def _none_meets(setup: Setup, nearest: Estimate | None, limits: tuple[float, float]) -> str:
    """Return why no pools can be planned: no room, or the limit that one request alone misses."""
    if nearest is None:
        return (
            f"memory binds: got no prefill layout on {setup.gpu} that holds one request of {setup.model}, want room "
            "for one. Raise prefill_tp, shorten the requests or choose a narrower weight_dtype."
        )
    name, got, want = "tpot_target_seconds", nearest.tpot_seconds, limits[1]
    if got <= want:
        name, got, want = "ttft_target_seconds", nearest.ttft_seconds, limits[0]
    return (
        f"{name} binds: got {got:.4g} s with one request in flight in separate pools that decode at "
        f"{setup.replica.layout}, want {want:.4g} s. Raise tp, accept {got:.4g} s, or choose a faster gpu or "
        "a narrower weight_dtype."
    )
