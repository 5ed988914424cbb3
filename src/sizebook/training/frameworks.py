"""What a training framework and an optimizer keep of each parameter, from data/training_stacks.csv and
data/optimizers.csv."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from sizebook.core.hints import unknown_key
from sizebook.core.tables import by_key, record
from sizebook.training.recipe import Method, Recipe

STATE_BYTES = {"fp32": 4.0, "bf16": 2.0, "fp8": 1.0}


@dataclass(frozen=True)
class Stack:
    """What a training framework keeps: bytes per parameter and per logit, see data/training_stacks.csv."""

    stack: str
    weight_bytes: float
    gradient_bytes: float
    piped_gradient_bytes: float
    master_bytes: float
    gathered_bytes: float
    logit_bytes: float
    logit_bytes_tp: float
    logit_bytes_fused: float
    reserved_over_allocated: float
    context_bytes: float
    context_bytes_alone: float
    narrow_inputs: float
    fp8_activation_inputs: float
    unfused: float
    step_bytes: float
    gathered_layers: float
    gathered_outside: float
    whole_gradients: float
    pipelines: float
    reduces_last: float
    sequence_parallel: float
    state_dtype: str
    timed_as: str
    tuned_as: str


@dataclass(frozen=True)
class Optimizer:
    """Bytes of optimizer state per parameter, see data/optimizers.csv."""

    matrix_bytes: float
    other_bytes: float
    factored_bytes: float


@cache
def stack(name: str) -> Stack:
    """Return a framework of data/training_stacks.csv."""
    rows = by_key("training_stacks", "stack")
    if name not in rows:
        raise unknown_key("training stack", name, rows)
    return record(Stack, rows[name])


def keeps(recipe: Recipe) -> Stack:
    """Return the rules of a run's framework, or its rules of fine-tuning where adapters are trained or weights and
    states are in bf16 throughout."""
    named = stack(recipe.stack)
    narrow = named.master_bytes == 0 and recipe.optimizer_dtype in ("bf16", "fp8")
    return stack(named.tuned_as) if recipe.lora_rank or narrow else named


@cache
def optimizer(name: str) -> Optimizer:
    """Return an optimizer of data/optimizers.csv."""
    rows = by_key("optimizers", "optimizer")
    if name not in rows:
        raise unknown_key("optimizer", name, rows)
    return record(Optimizer, rows[name])


class Each(NamedTuple):
    """Bytes of one trained parameter: as it is computed with, its gradient, its master copy."""

    weight: float
    gradient: float
    master: float


def bytes_each(method: Method, kept: Stack, pp: int = 1) -> Each:
    """Return what a framework keeps of a trained parameter under a method.

    Gradients may accumulate in another format under a pipeline, unless they are in fp16. Where shards are their own
    master copies, gradients and states take their format: bf16 states mean bf16 throughout.
    """
    recipe, piped = method.recipe, pp > 1 and method.compute_dtype != "fp16"
    stated = STATE_BYTES.get(recipe.gradient_dtype or "")
    weight, gradient = kept.weight_bytes, stated or (kept.piped_gradient_bytes if piped else kept.gradient_bytes)
    if kept.master_bytes == 0 and recipe.optimizer_dtype in ("bf16", "fp8"):
        weight, gradient = 2.0, stated or 2.0
    return Each(weight, gradient, kept.master_bytes)


def state_width(recipe: Recipe) -> float:
    """Return what a stated format leaves of an optimizer's states, which are counted in fp32 unless they are packed."""
    rule = optimizer(recipe.optimizer)
    packed = rule.matrix_bytes % 4 != 0 or "bf16" in recipe.optimizer
    return 1.0 if packed else STATE_BYTES[recipe.optimizer_dtype or keeps(recipe).state_dtype] / 4
