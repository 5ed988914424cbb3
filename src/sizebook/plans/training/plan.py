"""The training plan: one model, one cluster, one layout in; memory, time, money, energy and carbon out.

Time comes either from a given MFU or from the model of `sizebook.training.time`; the latter carries the spread of
published runs around it, so everything that follows from time has a low, a middle and a high case. Every surface prints
from the plan: its `Case`s, its `Memory` and its `StepTime` declare what each figure is called and its unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sizebook.core.errors import RangeError, TargetError
from sizebook.models.counting import Count, count
from sizebook.plans.cost_range import CostRange, cost_range
from sizebook.plans.training.case import Case, cases_of, reliability
from sizebook.plans.training.inputs import Costs, Training
from sizebook.plans.training.remedies import misfit
from sizebook.plans.training.work import Work, settled_work, trained_parameters
from sizebook.training.memory import Memory
from sizebook.training.recipe_choice import KEPT_FREE
from sizebook.training.time import StepTime


@dataclass(frozen=True)
class TrainingPlan:
    """The finished plan. ``cases`` are low, middle and high in time and price; an MFU that was given is one time."""

    inputs: Training
    work: Work
    cases: tuple[Case, Case, Case]

    @property
    def step(self) -> StepTime | None:
        """The seconds of a step by cause; None where an MFU was given, for then they are not known."""
        return self.work.step if self.inputs.utilization is None else None

    @property
    def fullest(self) -> Memory:
        """The pipeline stage that needs most memory."""
        return self.work.fullest

    @property
    def fits(self) -> bool:
        return self.work.fits

    @property
    def capacity_bytes(self) -> float:
        """What one accelerator leaves for training."""
        return self.inputs.capacity_bytes

    @property
    def room_bytes(self) -> float:
        """What the fullest GPU has left, negative where it lacks something, 0 where the allocator's cache fills it."""
        room = self.capacity_bytes - self.fullest.total
        return 0.0 if 0 < room <= 2 * KEPT_FREE else room

    @property
    def flops_per_token(self) -> float:
        """Training FLOPs of one token in the plan's convention: those that its MFU counts."""
        return self.work.counted(self.inputs.pace.flops_convention)

    @property
    def trained_parameters(self) -> int:
        """The parameters that are trained: those of the adapters, or all."""
        return trained_parameters(self.inputs.architecture, self.inputs.method.recipe)

    @property
    def checkpoint_interval_seconds(self) -> float:
        """Seconds of work between checkpoints."""
        return reliability(self.inputs.operations, self.inputs.gpus)[1]

    @property
    def middle(self) -> Case:
        return self.cases[1]

    @property
    def shown_cases(self) -> tuple[Case, ...]:
        """The cases that differ: the middle one alone where time, factor and price are one point each."""
        low, middle, high = self.cases
        differ = low.programme_gpu_hours < high.programme_gpu_hours or low.cost_usd < high.cost_usd
        return self.cases if differ else (middle,)

    @property
    def paid_range(self) -> CostRange:
        """The range of what the GPU-hours of the whole run cost: all that time and price move."""
        return paid_range(self.inputs.costs, [case.programme_gpu_hours for case in self.cases])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the model's count must know."""
        return self.inputs.architecture.notes

    @cached_property
    def count(self) -> Count:
        """The exact parameters of the model."""
        return count(self.inputs.architecture)


def paid_range(costs: Costs, gpu_hours: Sequence[float]) -> CostRange:
    """Return the range of what GPU-hours cost, of which low, middle and high are given."""
    (fast, middle, slow), price, (cheap, dear) = gpu_hours, costs.price_usd_per_gpu_hour, costs.ends
    return cost_range(middle * price, (fast * price, slow * price), (middle * cheap, middle * dear))


def plan_training(inputs: Training) -> TrainingPlan:
    """Return the plan, or refuse an impossible layout and one whose fullest rank does not fit, with what would help."""
    plan = unchecked_plan(inputs)
    if not plan.fits:
        raise TargetError(misfit(inputs, plan.fullest))
    return plan


def unchecked_plan(inputs: Training) -> TrainingPlan:
    """Return the plan even where memory does not suffice; layouts that cannot exist are refused all the same."""
    if not inputs.tokens > 0:
        raise RangeError(f"nothing to train: got {inputs.tokens:g} tokens, want above 0. Correct tokens.")
    if not inputs.batches.batch > 0:
        raise RangeError(f"no batch: got {inputs.batches.batch} sequences, want above 0. Correct batch.")
    stated, found = inputs.method.recipe, settled_work(inputs, inputs.layout)
    inputs = replace(inputs, layout=found.layout, method=found.method)
    work = Work(inputs, found.layout, found.fullest, stated=stated)
    seconds, band = work.timing(inputs.utilization, inputs.pace.flops_convention)
    return TrainingPlan(inputs, work, cases_of(inputs, work, seconds, band=band))
