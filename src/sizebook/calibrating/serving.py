"""Measured servers as an estimate predicts them under factors on its seconds."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sizebook.calibrating.runs import GROUP, MEASURED, Run, group_of, measured
from sizebook.core.coercion import coerce, is_blank
from sizebook.core.errors import InputError, require_columns
from sizebook.core.sections import REQUIRED as MUST_BE_GIVEN
from sizebook.core.sections import leaves, put_together
from sizebook.plans.serving.tables import STATED
from sizebook.serving.band import kind_of
from sizebook.serving.case import Case
from sizebook.serving.encoding import halves, serving_case
from sizebook.serving.estimate import estimate
from sizebook.serving.memory import Memory, memory_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.rates import rescaled, setup_of
from sizebook.sweeps.cases import INPUTS, REQUIRED
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import SERVING

_ARGUMENTS = {
    leaf.name: replace(leaf, default=MUST_BE_GIVEN) if leaf.name in STATED else leaf
    for leaf in (*leaves(Demand), *leaves(Replica))
}
READ = (*INPUTS, *MEASURED[SERVING], GROUP)


def reader(columns: list[str]) -> Callable[[int, dict[str, Any]], Run]:
    """Return what reads a row of a table with these columns."""
    require_columns(columns, REQUIRED)
    return _run


def _run(line: int, row: dict[str, Any]) -> Run:
    given = {
        name: coerce(argument, row[name])
        for name, argument in _ARGUMENTS.items()
        if name in row and (argument.required or not is_blank(row[name]))
    }
    model, gpu = (str(row[name] or "").strip() for name in ("model", "gpu"))
    if halves(model) is not None:
        raise InputError(f"not a decoder: got {model}, which has an encoder, want a model that only decodes. Leave it.")
    replica, demand = put_together(Replica, given), put_together(Demand, given)
    case, chip = serving_case(model, gpu, replica), accelerator(gpu)
    return Run(
        line=line,
        setup=setup_of(chip.key, replica.engine),
        kind=kind_of(case.shape),
        group=group_of(row),
        measured={MEASURED[SERVING][name][0]: value for name, value in measured(SERVING, row).items()},
        predicted=_predicted(case, memory_of(case, chip.key, replica), demand),
    )


def _predicted(case: Case, memory: Memory, demand: Demand) -> Callable[[Mapping[str, float]], Mapping[str, float]]:
    def predicted(factors: Mapping[str, float]) -> Mapping[str, float]:
        found = estimate(replace(case, rates=rescaled(case.rates, factors)), memory, demand)
        return {
            "tpot": float(found.tpot_seconds),
            "ttft": float(found.ttft_seconds),
            "throughput": float(found.tokens_per_second),
        }

    return predicted
