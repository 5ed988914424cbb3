"""Training runs for tests, built from inputs by name as every surface builds them."""

from collections.abc import Mapping
from typing import Any

from sizebook.core.sections import put_together
from sizebook.plans.training.inputs import Training, TrainingInputs, settled
from sizebook.plans.training.rows import REQUIRED_INPUTS, Rows


def run_of(model: str, gpu: str, **given: Any) -> Training:
    """Return the run of a model on an accelerator with the given inputs; the others take their defaults."""
    return settled(model, gpu, put_together(TrainingInputs, given), stated=given.keys())


def training_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result columns of one row of a table of runs, given by name."""
    whole = {**dict.fromkeys(REQUIRED_INPUTS), **row}
    return Rows(tuple(whole)).result(tuple(whole.values()))
