"""SERVING_TABLE: many serving estimates in one cell, with the columns of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.quantities import Gpu, Model
from sizebook.core.registry import REQUIRED, Argument, function, leaves, quantity_of
from sizebook.core.tabular import Answers, Columns, Table, answered
from sizebook.serving.band import Band, replica_band
from sizebook.serving.case import Case
from sizebook.serving.encoding import has_encoder, one_pass, serving_case
from sizebook.serving.estimate import estimate, misfit, unmeasured_band
from sizebook.serving.functions import TIME_SOURCE
from sizebook.serving.memory import Memory, engine_constants, engine_memory, physical_bytes
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.rates import setup_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import basis_of

# An estimate is not made on a load that nobody stated.
STATED = ("input_tokens", "output_tokens", "concurrency")
FIGURES = ("ttft_seconds", "tpot_seconds", "tokens_per_second")
RESULTS = (*FIGURES, "error_low", "error_high", "error_basis", "rates_basis", "fits", "reason")
_MODEL_AND_GPU = tuple(Argument(name, quantity_of(hint), REQUIRED) for name, hint in (("model", Model), ("gpu", Gpu)))
_DEMAND, _REPLICA = ({leaf.name for leaf in leaves(kind)} for kind in (Demand, Replica))
_ARGUMENTS = {leaf.name: leaf for leaf in (*_MODEL_AND_GPU, *leaves(Replica), *leaves(Demand))}
_ARGUMENTS |= {name: replace(_ARGUMENTS[name], default=REQUIRED) for name in STATED}
LOADS = Columns(known=tuple(_ARGUMENTS), required=("model", "gpu", *STATED), results=RESULTS)


@function(
    category="serving",
    source=f"{TIME_SOURCE}; data/calibration_serving_error.csv",
    example=(
        {
            "table": [
                ["model", "gpu", "weight_dtype", "input_tokens", "output_tokens", "concurrency"],
                ["llama-3.1-8b", "h100-sxm", "fp8", 1024, 1024, 1],
            ]
        },
        [
            list(RESULTS),
            [
                0.05099942571216953,
                0.005272704030916199,
                188.06328364833493,
                -0.238,
                0.4242999999999999,
                "unseen combination",
                "shipped rates",
                True,
                "",
            ],
        ],
    ),
)
def serving_table(table: Table) -> Answers:
    """Return many serving estimates in one call: a range whose heads are arguments, a line of results for each row.

    The heads are those of TPOT_SECONDS and of the columns of 'sizebook sweep', which gives the same figures; model,
    gpu, input_tokens, output_tokens and concurrency are needed. error_low and error_high bound TPOT. A row that cannot
    be estimated has errors for figures and its reason in the last column; one whose load waits has both.
    """
    return answered(table, LOADS, _answer)


def _answer(heads: Sequence[str]) -> Callable[[Sequence[Any]], Mapping[str, Any]]:
    arguments = [_ARGUMENTS[name] for name in heads]
    of_demand, of_replica = ([name for name in heads if name in kind] for kind in (_DEMAND, _REPLICA))

    def estimated(row: Sequence[Any]) -> Mapping[str, Any]:
        given = {
            argument.name: coerce(argument, cell)
            for argument, cell in zip(arguments, row, strict=True)
            if argument.required or not is_blank(cell)
        }
        # Both sections are flat; `put_together` would look into their fields again for each of 10 000 rows.
        demand = Demand(**{name: given[name] for name in of_demand if name in given})
        replica = Replica(**{name: given[name] for name in of_replica if name in given})
        return _results(given["model"], given["gpu"], demand, replica=replica)

    return estimated


@lru_cache(maxsize=10_000)
def _replica(model: str, gpu: str, replica: Replica) -> tuple[Case, Memory, Band, str]:
    """Return what is the same for every load of a replica."""
    case, chip = serving_case(model, gpu, replica), accelerator(gpu)
    memory = engine_memory(case, physical_bytes(chip), engine_constants(replica.engine))
    is_encoded = has_encoder(model)  # no server of such a model was measured
    band = unmeasured_band("tpot") if is_encoded else replica_band("tpot", chip.key, replica, shape=case.shape)
    return case, memory, band, basis_of(replica.rates_file, setup_of(chip.key, replica.engine))


def _results(model: str, gpu: str, demand: Demand, replica: Replica) -> dict[str, Any]:
    case, memory, band, rates = _replica(model, gpu, replica)
    if one_pass(model):
        demand = replace(demand, output_tokens=1)
    found = estimate(case, memory, demand)
    band_of = {"error_low": band.low - 1, "error_high": band.high - 1, "error_basis": band.basis}
    figures = {name: float(getattr(found, name)) for name in FIGURES} | band_of if found.capacity > 0 else {}
    fits = bool(found.fits)
    tokens, capacity = demand.input_tokens + demand.output_tokens, float(found.capacity)
    left = float(memory.cache_bytes)
    reason = "" if fits else misfit(demand.in_flight, tokens, capacity=capacity, free_bytes=left)
    return {**figures, "rates_basis": rates, "fits": fits if figures else None, "reason": reason}
