"""Pools to compare: layouts of a prefill worker, and how many workers of each kind stand together."""

import math
from collections.abc import Iterator
from dataclasses import replace

from sizebook.core.errors import InputError, SizebookError
from sizebook.plans.serving.replica import MOST_IN_FLIGHT, Setup, Workload, knee
from sizebook.serving.case import Case
from sizebook.serving.costs import costs_of
from sizebook.serving.encoding import serving_case
from sizebook.serving.estimate import Estimate
from sizebook.serving.layouts import layouts
from sizebook.serving.memory import memory_of, sequences_that_fit
from sizebook.serving.pools import Pool, Pools, decode_rate, fed_rate
from sizebook.serving.quantities import Demand, PoolLayout
from sizebook.serving.shape import shape_of
from sizebook.tables.hardware import accelerator

MOST_SEARCHED = 4  # decode workers of a replica; beyond them proportions repeat
MOST_PREFILL = 16


def candidates(
    setup: Setup, workload: Workload, layout: PoolLayout, case: Case, room: int, limits: tuple[float, float]
) -> Iterator[Pools]:
    """Yield pools to compare: of each prefill layout, decode workers with as many prefill workers as feed them.

    One fewer may make up a cheaper fleet, and one more spares prompts that come together their wait.
    """
    demand, rate = workload.demand, transfer_rate(setup, layout)
    most = _most_decoding(case, demand, limits[1], room)
    for prefill in _prefill_cases(setup, workload, layout):
        fed = fed_rate(prefill, demand, rate)
        for decoding in (layout.decode_workers,) if layout.decode_workers else range(1, MOST_SEARCHED + 1):
            needed = math.ceil(decoding * decode_rate(case, replace(demand, concurrency=most)) / fed)
            searched = {min(max(n, 1), MOST_PREFILL) for n in (needed - 1, needed, needed + 1)}
            for workers in (layout.prefill_workers,) if layout.prefill_workers else sorted(searched):
                pair = Pool(prefill, workers), Pool(case, decoding)
                yield Pools(*pair, capacity=decoding * room, transfer_bytes_per_second=rate)


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

    most = min(room, MOST_IN_FLIGHT, int(costs_of(case).max_running) or MOST_IN_FLIGHT)
    found, _ = knee(estimated, demand, lambda _: (math.inf, limit), ceiling=max(1, most))
    return 1 if found is None else found.in_flight


def _prefill_cases(setup: Setup, workload: Workload, layout: PoolLayout) -> Iterator[Case]:
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
        if sequences_that_fit(case, memory_of(case, setup.gpu, setup.replica), float(workload.longest_tokens)) >= 1:
            yield case
