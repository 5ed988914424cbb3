"""SERVING_TABLE: many serving estimates in one cell, with the columns of a sweep.

A row is one replica at a stated load, of one pool or, with the keys of `[pools]`, of two.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.quantities import Gpu, Model
from sizebook.core.registry import function
from sizebook.core.sections import REQUIRED, Argument, leaves, quantity_of
from sizebook.core.tabular import Answers, Columns, Table, answered
from sizebook.plans.serving.inputs import Latencies
from sizebook.plans.serving.pools import pooled_replica
from sizebook.plans.serving.replica import PlannedReplica, Setup, Workload
from sizebook.serving.arrivals import Lengths
from sizebook.serving.band import STRAINS, Band, band_setting, setting_band, strain_of
from sizebook.serving.case import Case
from sizebook.serving.encoding import as_answered, has_encoder, serving_case
from sizebook.serving.estimate import Estimate, estimate, misfit, unmeasured_band
from sizebook.serving.functions import TIME_SOURCE
from sizebook.serving.layouts import DEGREES, searched_in_words, with_room
from sizebook.serving.load import Stream
from sizebook.serving.memory import Memory, memory_of
from sizebook.serving.quantities import Demand, PoolLayout, Replica
from sizebook.serving.rates import setup_of
from sizebook.serving.releases import said_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import basis_of

# An estimate is not made on a load that nobody stated.
STATED = ("input_tokens", "output_tokens", "concurrency")
FIGURES = ("ttft_seconds", "tpot_seconds", "tokens_per_second")
RESULTS = (*FIGURES, "error_low", "error_high", "error_basis", "rates_basis", "fits", "reason")
POOLS = tuple(leaf.name for leaf in leaves(PoolLayout))
RELEASE_RESULTS = ("release_basis",)
POOL_RESULTS = ("workers", "gpus_per_replica", "transfer_seconds")
_MODEL_AND_GPU = tuple(Argument(name, quantity_of(hint), REQUIRED) for name, hint in (("model", Model), ("gpu", Gpu)))
_SECTIONS = [{leaf.name for leaf in leaves(kind)} for kind in (Demand, Replica, PoolLayout)]
ARGUMENTS = {leaf.name: leaf for kind in (Replica, Demand, PoolLayout) for leaf in leaves(kind)}
ARGUMENTS = {leaf.name: leaf for leaf in _MODEL_AND_GPU} | ARGUMENTS
ARGUMENTS |= {name: replace(ARGUMENTS[name], default=REQUIRED) for name in STATED}
COLUMNS = Columns(
    known=tuple(ARGUMENTS),
    required=("model", "gpu", *STATED),
    results=RESULTS,
    further={"separate_prefill": POOL_RESULTS, "release": RELEASE_RESULTS},
)


@function(category="serving", source=f"{TIME_SOURCE}; data/calibration_serving_error.csv")
def serving_table(table: Table) -> Answers:
    """Return many serving estimates in one call: a range whose heads are arguments, a line of results for each row.

    The heads are those of TPOT_SECONDS and of the columns of 'sizebook sweep', which gives the same figures; model,
    gpu, input_tokens, output_tokens and concurrency are needed. error_low and error_high bound TPOT. A row that cannot
    be estimated has errors for figures and its reason in the last column; one whose load waits has both. Where one
    accelerator has no room and no degree is stated, layouts and formats are searched, and the last column says which.

    With separate_prefill a row is served by two pools: those stated, or of all searched those with the fewest GPUs for
    their rate. Its workers, GPUs and seconds of sending the cache stand beside the figures.
    """
    return answered(table, COLUMNS, answer)


def answer(heads: Sequence[str]) -> Callable[[Sequence[Any]], Mapping[str, Any]]:
    """Return what answers the cells of one row under these heads."""
    arguments = [ARGUMENTS[name] for name in heads]
    of = [[name for name in heads if name in names] for names in _SECTIONS]

    def estimated(row: Sequence[Any]) -> Mapping[str, Any]:
        given = {
            argument.name: coerce(argument, cell)
            for argument, cell in zip(arguments, row, strict=True)
            if argument.required or not is_blank(cell)
        }
        # The sections are flat; `put_together` would look into their fields again for each of 10 000 rows.
        of_each = [{name: given[name] for name in names if name in given} for names in of]
        demand, replica, pools = Demand(**of_each[0]), Replica(**of_each[1]), PoolLayout(**of_each[2])
        if pools.separate_prefill:
            return _pooled(given["model"], given["gpu"], demand, replica=replica, pools=pools)
        found = _one_pool(given["model"], given["gpu"], demand, replica=replica)
        if FIGURES[0] in found or any(name in given for name in DEGREES):
            return found
        return _searched(given["model"], given["gpu"], demand, replica=replica) or found

    return estimated


@lru_cache(maxsize=10_000)
def _replica(model: str, gpu: str, replica: Replica) -> tuple[Case, Memory, tuple[Band, ...], dict[str, str]]:
    """Return what is the same for every load of a replica, with the bands of loads within and beyond the fit."""
    case, chip = serving_case(model, gpu, replica), accelerator(gpu)
    memory = memory_of(case, gpu, replica)
    is_encoded = has_encoder(model)  # no server of such a model was measured
    setting = band_setting(case, replica)
    bands = tuple(
        unmeasured_band("tpot")
        if is_encoded
        else setting_band("tpot", chip.key, replica, shape=case.shape, setting=replace(setting, strains=strains))
        for strains in STRAINS
    )
    said = {
        "rates_basis": basis_of(replica.rates_file, setup_of(chip.key, replica.engine)),
        "release_basis": said_of(replica, chip, drafting=case.draft_tokens > 0),
    }
    return case, memory, bands, said


def _one_pool(model: str, gpu: str, demand: Demand, replica: Replica) -> dict[str, Any]:
    case, memory, bands, said = _replica(model, gpu, replica)
    demand = as_answered(model, demand)
    found = estimate(case, memory, demand)
    tokens, capacity = demand.input_tokens + demand.output_tokens, float(found.capacity)
    left = float(memory.cache_bytes)
    reason = "" if found.fits else misfit(demand.in_flight, tokens, capacity=capacity, free_bytes=left)
    if capacity <= 0:
        return {**said, "reason": reason}
    return {
        **_figures(found, bands[strain_of(demand, replica.dp)]),
        **said,
        "fits": bool(found.fits),
        "workers": replica.layout,
        "gpus_per_replica": replica.gpus,
        "transfer_seconds": 0.0,
        "reason": reason,
    }


def _searched(model: str, gpu: str, demand: Demand, replica: Replica) -> dict[str, Any]:
    """Return the answer of the layout and format that are searched, named in its reason; empty where none has room."""
    found = with_room(model, gpu, demand, stated=replica, given=())
    if found is None:
        return {}
    best, _ = found
    answer = _one_pool(model, gpu, demand, replica=best)
    return answer | {"reason": "; ".join(filter(None, (searched_in_words(best), answer["reason"])))}


def _pooled(model: str, gpu: str, demand: Demand, replica: Replica, pools: PoolLayout) -> dict[str, Any]:
    found = _pools(Setup(model, accelerator(gpu).key, replica), demand, pools)
    return {
        **_figures(found.at_knee, found.bands["tpot"]),
        "rates_basis": found.rates_basis,
        "release_basis": found.release_basis,
        "fits": bool(found.at_knee.fits),
        "workers": found.layout,
        "gpus_per_replica": found.gpus,
        "transfer_seconds": found.transfer_seconds,
        "reason": "",
    }


@lru_cache(maxsize=10_000)
def _pools(setup: Setup, demand: Demand, pools: PoolLayout) -> PlannedReplica:
    """Return the replica of a plan at a stated load, whatever GPUs cost: with the fewest of them for its rate."""
    lengths = Stream(Lengths(demand.input_tokens), Lengths(demand.output_tokens))
    workload = Workload(demand, (demand.input_tokens, demand.output_tokens), lengths, latencies=Latencies())
    return pooled_replica(setup, workload, pools, cost=lambda each: each.gpus / each.requests_per_second)


def _figures(found: Estimate, band: Band) -> dict[str, Any]:
    band_of = {"error_low": band.low - 1, "error_high": band.high - 1, "error_basis": band.basis}
    return {name: float(getattr(found, name)) for name in FIGURES} | band_of
