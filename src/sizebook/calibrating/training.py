"""Measured training runs as the plan predicts them under factors on its seconds."""

from collections.abc import Callable, Mapping
from typing import Any

from sizebook.calibrating.runs import GROUP, MEASURED, Run, group_of, measured
from sizebook.core.errors import InputError, require_columns
from sizebook.plans.training.rows import WORK_INPUTS, work_of_row
from sizebook.plans.training.searched_layout import DEGREES
from sizebook.plans.training.work import Work
from sizebook.sweeps.published_recipes import COLUMNS, normalised
from sizebook.sweeps.training import inputs_of
from sizebook.tables.own_rates import TRAINING
from sizebook.training.bands import kind_of
from sizebook.training.machine import calibration, machine, rescaled, setup_of
from sizebook.training.time import step_time

MATMUL = "matmul"
REQUIRED = ("model", "gpu", "gpus", "batch")
READ = (*WORK_INPUTS, *MEASURED[TRAINING], GROUP)


def reader(columns: list[str]) -> Callable[[int, dict[str, Any]], Run]:
    """Return what reads a row of a table with these columns."""
    require_columns(columns, REQUIRED)
    inputs = inputs_of(columns)

    def read(line: int, row: dict[str, Any]) -> Run:
        now = {inputs.get(name, name): cell for name, cell in row.items()}
        now |= dict(zip(COLUMNS, normalised(*(str(now.get(name) or "") for name in COLUMNS)), strict=True))
        if blank := [name for name in REQUIRED if now[name] in (None, "")]:
            raise InputError(f"not stated: got no {', '.join(blank)}, want every required cell. Fill it in.")
        if not any(now.get(name) for name in DEGREES):
            now["tp"] = 1  # a measured run that states no degree was not split; searching would suppose another
        work, given = work_of_row(now), measured(TRAINING, now)
        setup, method = work.setup, work.setup.method
        return Run(
            line=line,
            setup=setup_of(setup.gpu, method),
            kind=kind_of(work.profile, method),
            group=group_of(now),
            measured={"step": _seconds(given, work)},
            predicted=_predicted(work),
        )

    return read


def _seconds(given: Mapping[str, float], work: Work) -> float:
    """Return the measured seconds of a step, from either of the columns that state it; refuses an MFU above 1."""
    tokens = work.setup.batches.tokens / work.setup.gpus
    stated = given.get("measured_step_seconds")
    seconds = tokens / given["measured_tokens_per_s_per_gpu"] if stated is None else stated
    least = tokens * work.counted(MATMUL) / work.setup.peak_flop_per_s
    if seconds < least:
        raise InputError(
            f"faster than the peak: got a step of {seconds:.4g} s, want at least the {least:.4g} s that its FLOPs take "
            f"at the dense {work.setup.method.compute_dtype} peak of {work.setup.gpu.key}. Correct what was measured, "
            "or compute_dtype."
        )
    return seconds


def _predicted(work: Work) -> Callable[[Mapping[str, float]], Mapping[str, float]]:
    shipped, layout, method = machine(work.setup.gpu, work.setup.method, calibration()), work.layout, work.setup.method

    def predicted(factors: Mapping[str, float]) -> Mapping[str, float]:
        rates = rescaled(shipped, factors)
        return {"step": step_time(work.profile, layout, method, rates=rates, n_micro=work.micro_batches).total}

    return predicted
