"""What the cost of a training run consists of, and which input moves it most."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sizebook.core.sections import leaves
from sizebook.core.texts import text
from sizebook.formulas.money import train_cost_usd
from sizebook.plans.contents import Sensitivity
from sizebook.plans.training.case import Case
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.training.time import StepTime
from sizebook.training.whole_run import ends_of

# What each cause of a step's time is called, and the terms of `StepTime` that it adds up.
STEP_PARTS: dict[str, tuple[str, ...]] = {
    text("Matrix products"): ("matmul",),
    text("Attention scores"): ("attention",),
    text("Memory traffic and launches"): ("traffic", "overhead"),
    text("Expanding frozen weights"): ("dequantize",),
    text("Recomputation"): ("recompute",),
    text("Communication"): ("tensor_parallel", "expert_parallel", "context_parallel", "pipeline", "data_parallel"),
    text("Pipeline bubble"): ("bubble",),
    text("Optimizer step"): ("optimizer",),
}
BEYOND = text("Restarts, ramp and evaluation")
"""What a whole run has over its steady state."""
VARIED = 0.2
"""Share by which a given input (price, tokens) is varied; the step time varies as published runs do."""


@dataclass(frozen=True)
class Part:
    """One part of a sum in its unit, seconds or USD."""

    label: str
    value: float


def step_parts(step: StepTime) -> tuple[Part, ...]:
    """Return the seconds of one step by cause; causes that take no time are left out. They add up to the step."""
    sums = (Part(label, sum(getattr(step, term) for term in terms)) for label, terms in STEP_PARTS.items())
    return tuple(part for part in sums if part.value > 0)


def time_parts(case: Case) -> tuple[Part, ...]:
    """Return the seconds of a whole run as start-up, productive steps and time lost to failures."""
    return _parts(case, "start_seconds", "productive_seconds", "lost_seconds")


def _parts(case: Case, *names: str) -> tuple[Part, ...]:
    """Return figures of a case as parts, under what their declarations call them."""
    labels = {leaf.name: leaf.quantity.label for leaf in leaves(Case)}
    return tuple(Part(text(labels[name]), getattr(case, name)) for name in names)


def cost_parts(plan: TrainingPlan) -> tuple[Part, ...]:
    """Return the cost of the middle case's whole run by cause: the step's parts, failures, start-up, what was given
    besides, and what a whole run has over its steady state.

    GPU-hours are paid alike whatever the GPU does, so each cause costs its share of the time.
    """
    middle, step = plan.middle, plan.step
    start, productive, lost = time_parts(middle)
    if step is None:
        parts = [Part(productive.label, middle.productive_usd)]
    else:
        usd_per_second = middle.productive_usd / step.total
        parts = [Part(part.label, part.value * usd_per_second) for part in step_parts(step)]
    parts += [Part(lost.label, middle.lost_usd), Part(start.label, middle.start_usd)]
    parts += _parts(middle, "other_usd")
    parts.append(Part(BEYOND, middle.programme_cost_usd - middle.cost_usd))
    least = 1e-9 * middle.programme_cost_usd  # what rounding leaves of a difference
    # A part that is not listed is not left out: each cause stands there without its amount.
    return tuple(part for part in parts if not part.value <= least) or (Part(productive.label, 0.0),)


def sensitivities(plan: TrainingPlan) -> tuple[Sensitivity, ...]:
    """Return the cost of the whole run at both ends of each input, widest first.

    The step time moves between the cases of the plan, or by a fifth where an MFU was given; price and tokens move by a
    fifth, failures of a GPU between half and twice as often.
    """
    inputs = plan.inputs
    price, mtbf = inputs.costs.price_usd_per_gpu_hour, inputs.operations.gpu_mtbf_hours

    def cost(**changed: Any) -> float:
        return unchecked_plan(replace(inputs, **changed)).middle.programme_cost_usd

    prices = (cost(costs=replace(inputs.costs, price_usd_per_gpu_hour=price * f)) for f in (1 - VARIED, 1 + VARIED))
    tokens = (cost(tokens=inputs.tokens * f) for f in (1 - VARIED, 1 + VARIED))
    failures = (cost(operations=replace(inputs.operations, gpu_mtbf_hours=mtbf * f)) for f in (2, 0.5))
    found = [
        _step_sensitivity(plan),
        *_whole_run_sensitivity(plan),
        Sensitivity(text("Price per GPU-hour \u00b120\u00a0%"), *prices),
        Sensitivity(text("Tokens \u00b120\u00a0%"), *tokens),
        Sensitivity(text("Failures half or twice as often"), *failures),
    ]
    return tuple(sorted(found, key=lambda each: -each.width_usd))


def _step_sensitivity(plan: TrainingPlan) -> Sensitivity:
    if plan.step is not None:
        band = plan.work.band
        return _in_steps(plan, text("Step time, as {runs} spread", runs=band.runs), (band.low, band.high))
    given, pace = plan.inputs.utilization or 0, replace(plan.inputs.pace, achieved_tflops=None)
    costs = [
        unchecked_plan(replace(plan.inputs, pace=replace(pace, mfu=min(1, given * factor)))).middle.programme_cost_usd
        for factor in (1 + VARIED, 1 - VARIED)
    ]
    return Sensitivity(text("MFU \u00b120\u00a0% of itself"), *costs)


def _whole_run_sensitivity(plan: TrainingPlan) -> Iterator[Sensitivity]:
    """Yield what the factor of whole runs moves, unless it was given."""
    low, high = ends_of(plan.inputs.programme)
    if low < high:
        yield _in_steps(plan, text("Whole run over steady state, as programmes spread"), (low, high))


def _in_steps(plan: TrainingPlan, label: str, ends: tuple[float, float]) -> Sensitivity:
    """Return the cost of the whole run where all of its steps take so many times as long."""
    middle, costs = plan.middle, plan.inputs.costs
    start = plan.inputs.gpus * middle.start_seconds / 3600
    steps = middle.programme_gpu_hours - start
    low, high = (train_cost_usd(steps * end + start, costs.price_usd_per_gpu_hour, costs.other_usd) for end in ends)
    return Sensitivity(label, low, high)
