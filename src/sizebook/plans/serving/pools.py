"""A replica of two pools: prefill workers and decode workers searched together, as many of each as serve the traffic
within the target for the least."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from sizebook.core.errors import InputError, SizebookError, TargetError
from sizebook.core.registry import flat
from sizebook.plans.serving.layouts import layouts
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.replica import (
    MOST_IN_FLIGHT,
    Asked,
    PlannedReplica,
    Setup,
    check_load,
    knee,
    limits_of,
    packing_of,
)
from sizebook.serving.band import pooled_band
from sizebook.serving.case import Case
from sizebook.serving.encoding import EncodedCase, serving_case
from sizebook.serving.estimate import Estimate
from sizebook.serving.memory import Memory, engine_constants, engine_memory, physical_bytes, sequences_that_fit
from sizebook.serving.pools import Pool, Pools, decode_rate, pooled, prefill_rate
from sizebook.serving.quantities import Demand, PoolLayout
from sizebook.serving.shape import shape_of
from sizebook.tables.hardware import accelerator

MOST_SEARCHED = 4  # decode workers of a replica; beyond them proportions repeat
MOST_PREFILL = 16


def pooled_replica(
    setup: Setup, asked: Asked, layout: PoolLayout, gpus_per_node: int | None, cost: Callable[[PlannedReplica], float]
) -> PlannedReplica:
    """Return the replica of prefill and decode workers within the target whose fleet costs the least.

    What the layout leaves blank is searched: how a prefill worker is laid out within a node, and how many workers of
    each kind stand together; of equal cost the one with the fewest GPUs for its rate. Errors: models and targets that
    pools do not serve; no pools meet the target.
    """
    check_load(asked.demand, asked.latencies)
    _check(setup, asked)
    case = serving_case(setup.model, setup.gpu, setup.replica)
    memory = _memory(case, setup)
    room = int(sequences_that_fit(case, memory, float(asked.longest_tokens)) * setup.replica.dp)
    bands = {name: pooled_band(name, setup.replica.engine, setup.gpu) for name in ("ttft", "tpot", "throughput")}
    limits = limits_of(asked.latencies, bands)
    found: list[PlannedReplica] = []
    nearest: Estimate | None = None
    for pools in _candidates(setup, asked, layout, case=case, room=room, limits=limits):
        at_load, binding = _loaded(pools, asked.demand, limits)
        if at_load is None:
            alone = pooled(pools, replace(asked.demand, concurrency=1))
            nearest = min((each for each in (nearest, alone) if each), key=lambda each: float(each.ttft_seconds))
            continue
        at_knee, packing = pooled(pools, at_load), _packing(setup, pools, gpus_per_node)
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
                pools=pools,
            )
        )
    if not found:
        raise TargetError(_none_meets(setup, nearest, limits))
    return min(found, key=lambda each: (cost(each), each.gpus / each.requests_per_second))


def check_pools(layout: PoolLayout) -> None:
    """Refuse what is said of pools where there are none."""
    said = [name for name, value in flat(layout).items() if value is not None and name != "separate_prefill"]
    if said and not layout.separate_prefill:
        raise InputError(
            f"pools without separate_prefill: got {', '.join(said)}, want separate_prefill with it. Set it to true, or "
            "remove the others."
        )


def _check(setup: Setup, asked: Asked) -> None:
    """Refuse what is not planned in pools."""
    said = ""
    if asked.share is not None:
        said = f"request_percentile p{asked.share * 100:g}, want targets for the mean. Remove request_percentile"
    elif asked.demand.output_tokens < 2:
        said = f"answers of {asked.demand.output_tokens} token, want two or more, which are decoded. Lengthen them"
    elif setup.replica.pp > 1:
        said = f"pp {setup.replica.pp}, want workers of one stage. Use tp or dp"
    elif isinstance(serving_case(setup.model, setup.gpu, setup.replica), EncodedCase):
        said = f"{setup.model}, which has an encoder, want a model that only decodes. Remove separate_prefill"
    if said:
        raise InputError(f"not planned in pools: got {said}.")


def _memory(case: Case, setup: Setup) -> Memory:
    return engine_memory(case, physical_bytes(accelerator(setup.gpu)), engine_constants(setup.replica.engine))


def _candidates(
    setup: Setup, asked: Asked, layout: PoolLayout, case: Case, room: int, limits: tuple[float, float]
) -> Iterator[Pools]:
    """Yield pools to compare: of each prefill layout, decode workers with as many prefill workers as feed them."""
    demand = asked.demand
    most = _most_decoding(case, demand, limits[1], room)
    for prefill in _prefill_cases(setup, asked, layout):
        fed = prefill_rate(prefill, demand)
        for decoding in (layout.decode_workers,) if layout.decode_workers else range(1, MOST_SEARCHED + 1):
            needed = math.ceil(decoding * decode_rate(case, replace(demand, concurrency=most)) / fed)
            workers = layout.prefill_workers or min(max(needed, 1), MOST_PREFILL)
            rate = transfer_rate(setup, layout)
            yield Pools(Pool(prefill, workers), Pool(case, decoding), decoding * room, transfer_bytes_per_second=rate)


def transfer_rate(setup: Setup, layout: PoolLayout) -> float:
    """Return the bytes a second that a GPU of a prefill worker sends: as stated, else those of its network."""
    chip = accelerator(setup.gpu)
    published = chip.scale_out_bytes_per_s or chip.pcie_bytes_per_s
    if layout.transfer_bytes_per_second is None and published is None:
        raise InputError(
            f"no network: got {setup.gpu} without a published one, want transfer_bytes_per_second. Add it."
        )
    return float(layout.transfer_bytes_per_second or published or 0)


def _most_decoding(case: Case, demand: Demand, limit: float, room: int) -> int:
    """Return the requests that a decode worker takes within the time per token, one at least."""

    def estimated(at: Demand) -> Estimate:
        token = at.in_flight / decode_rate(case, at) / (at.output_tokens - 1)
        return Estimate(0.0, token, at.in_flight / token, capacity=room, fits=True)

    found, _ = knee(estimated, demand, (math.inf, limit), ceiling=max(1, min(room, MOST_IN_FLIGHT)))
    return 1 if found is None else found.in_flight


def _prefill_cases(setup: Setup, asked: Asked, layout: PoolLayout) -> Iterator[Case]:
    """Yield the cases of a prefill worker that hold one prompt: the stated layout, or those within one node."""
    stated = layout.prefill_tp or layout.prefill_dp
    tp, dp = layout.prefill_tp or 1, layout.prefill_dp or 1
    shared = dp if shape_of(setup.model).n_experts else 1
    degrees = [{"tp": tp, "dp": dp, "ep": shared}] if stated else list(layouts(setup.model, setup.gpu))
    for each in degrees:
        alone = replace(setup.replica, tp=1, dp=1, ep=1, draft_tokens=0, tokens_per_step=None)
        replica = replace(alone, **each)  # type: ignore[arg-type]
        try:
            case = serving_case(setup.model, setup.gpu, replica)
        except SizebookError:
            if stated:
                raise
            continue
        if sequences_that_fit(case, _memory(case, setup), float(asked.longest_tokens)) >= 1:
            yield case


def _loaded(pools: Pools, demand: Demand, limits: tuple[float, float]) -> tuple[Demand | None, str]:
    """Return the load of a replica within the limits, and what binds; the load given where it is."""
    if demand.concurrency is not None:
        return demand, "given"
    if pools.capacity < 1:
        return None, "cache"
    ceiling = min(pools.capacity, MOST_IN_FLIGHT * pools.decode.workers)
    found, binding = knee(lambda at: pooled(pools, at), demand, limits, ceiling=ceiling)
    return found, binding


def _packing(setup: Setup, pools: Pools, gpus_per_node: int | None) -> Packing:
    packing = packing_of(setup.gpu, setup.replica, gpus_per_node)
    return replace(packing, gpus_per_replica=pools.gpus)


def _none_meets(setup: Setup, nearest: Estimate | None, limits: tuple[float, float]) -> str:
    """Return why no pools can be planned: no room, or the limit that one request alone misses."""
    gpu, decode = setup.gpu, setup.replica.layout
    if nearest is None:
        return (
            f"memory binds: got no prefill layout on {gpu} and {decode} to decode that hold one request of "
            f"{setup.model}, want room for one in both. Raise tp or choose a narrower weight_dtype."
        )
    name, got, want = "tpot_target_seconds", nearest.tpot_seconds, limits[1]
    if got <= want:
        name, got, want = "ttft_target_seconds", nearest.ttft_seconds, limits[0]
    return (
        f"{name} binds: got {got:.4g} s with one request in flight in separate pools that decode at {decode}, want "
        f"{want:.4g} s. Raise tp, accept {got:.4g} s, or choose a faster gpu or a narrower weight_dtype."
    )
