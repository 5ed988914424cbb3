"""Training runs for tests, built from inputs by name as every surface builds them."""

from __future__ import annotations

from typing import Any

from sizebook.core.registry import put_together
from sizebook.plans.training.inputs import Training, TrainingInputs, settled


def run_of(model: str, gpu: str, **given: Any) -> Training:
    """Return the run of a model on an accelerator with the given inputs; the others take their defaults."""
    return settled(model, gpu, put_together(TrainingInputs, given))
