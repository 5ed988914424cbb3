"""The training plan: one model, one cluster, one layout in; memory, time, money, energy and carbon out.

Time comes either from a given MFU or from the model of `sizebook.plans.training_time`; the latter carries the spread of
published runs around it, so everything that follows from time has a low, a middle and a high case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from sizebook.derivation import Step
from sizebook.errors import TargetError, require
from sizebook.formulas.energy import embodied_co2e_kg, market_co2e_kg, train_co2e_kg, train_energy_kwh
from sizebook.formulas.hardware import Accelerator
from sizebook.formulas.money import train_cost_usd
from sizebook.formulas.training_time import checkpoint_interval_seconds, cluster_mtbf_hours, goodput
from sizebook.models.architecture import Architecture
from sizebook.models.counting import Count, count
from sizebook.models.flops import CONVENTIONS, fine_tuning_flops_per_token, train_flops_per_token
from sizebook.plans.layer_profile import ModelProfile, model_profile
from sizebook.plans.layout import Layout, check, micro_batches
from sizebook.plans.training_fit import misfit
from sizebook.plans.training_memory import Memory, Recipe, memory_by_stage
from sizebook.plans.training_steps import derivations
from sizebook.plans.training_time import StepTime, calibration, error_band, machine, step_time

# A driver keeps about a hundredth of the memory (79.19 of 80 GiB on an H100, measured).
USABLE_SHARE = 0.99


@dataclass(frozen=True)
class Operations:
    """What interrupts a run. ``start_seconds`` is paid once: queueing, loading, compiling, ramping up."""

    gpu_mtbf_hours: float = 50_000
    checkpoint_seconds: float = 30
    restart_seconds: float = 600
    start_seconds: float = 0


@dataclass(frozen=True)
class Costs:
    """The price of a GPU-hour with what it is based on, and whatever the run costs besides."""

    price_usd_per_gpu_hour: float
    basis: str = "given"
    other_usd: float = 0


@dataclass(frozen=True)
class Power:
    """Electricity and its emissions. ``watts`` of one GPU at work; None where a figure is not asked for."""

    watts: float
    pue: float = 1.2
    host_share: float = 0.3
    grams_per_kwh: float = 400
    grid_basis: str = "given"
    covered_share: float | None = None
    residual_grams_per_kwh: float | None = None
    embodied_kg_per_gpu: float = 462.5


@dataclass(frozen=True)
class TrainingInputs:
    """Everything that a plan depends on. ``utilization`` is an MFU in ``convention``; None takes the model of time."""

    model: str
    architecture: Architecture
    gpu: Accelerator
    gpus: int
    tokens: float
    seq: int
    batch: int
    layout: Layout
    costs: Costs
    power: Power
    dtype: str = "bf16"
    power_limit_watts: float | None = None
    recipe: Recipe = field(default_factory=Recipe)
    convention: str = "matmul"
    utilization: float | None = None
    operations: Operations = field(default_factory=Operations)


@dataclass(frozen=True)
class Case:
    """One of three futures: everything that follows from the time of a step."""

    name: str
    step_seconds: float
    tokens_per_s_per_gpu: float
    mfu: float
    train_seconds: float
    gpu_hours: float
    cost_usd: float
    energy_kwh: float
    co2e_kg: float
    co2e_market_kg: float | None
    embodied_kg: float

    @property
    def days(self) -> float:
        return self.train_seconds / 86_400


@dataclass(frozen=True)
class TrainingPlan:
    """The finished plan. ``cases`` are low, middle and high in time; ``step`` is None where an MFU was given."""

    inputs: TrainingInputs
    flops_per_token: float
    hardware_flops_per_token: float
    peak_flop_per_s: float
    stages: tuple[Memory, ...]
    capacity_bytes: float
    micro_batches: int
    step: StepTime | None
    goodput: float
    checkpoint_interval_seconds: float
    cases: tuple[Case, Case, Case]

    @cached_property
    def count(self) -> Count:
        """The exact parameters of the model."""
        return count(self.inputs.architecture)

    @cached_property
    def conventions(self) -> dict[str, float]:
        """Training FLOPs per token under every convention."""
        return {name: train_flops_per_token(self.inputs.architecture, self.inputs.seq, name) for name in CONVENTIONS}

    @cached_property
    def figures(self) -> tuple[Step, ...]:
        """How each headline figure came about."""
        return derivations(self)

    @property
    def fullest(self) -> Memory:
        """The pipeline stage that needs most memory."""
        return max(self.stages, key=lambda each: each.total)

    @property
    def fits(self) -> bool:
        return self.fullest.total <= self.capacity_bytes

    @property
    def middle(self) -> Case:
        return self.cases[1]

    @property
    def hfu(self) -> float:
        """Hardware FLOPs utilisation of the middle case: recomputation counted."""
        return self.middle.tokens_per_s_per_gpu * self.hardware_flops_per_token / self.peak_flop_per_s


def capacity_bytes(gpu: Accelerator) -> float:
    """Return what one accelerator leaves for training: what the driver was measured to leave, else 99 %."""
    return gpu.usable_memory_bytes or gpu.memory_bytes * USABLE_SHARE


def plan_training(inputs: TrainingInputs) -> TrainingPlan:
    """Return the plan, or refuse an impossible layout and one whose fullest rank does not fit, with what would help."""
    plan = unchecked_plan(inputs)
    if not plan.fits:
        raise TargetError(misfit(inputs, plan.fullest, plan.capacity_bytes))
    return plan


def unchecked_plan(inputs: TrainingInputs) -> TrainingPlan:
    """Return the plan even where memory does not suffice; layouts that cannot exist are refused all the same."""
    require(inputs.tokens > 0, f"nothing to train: got {inputs.tokens:g} tokens, want above 0. Correct tokens.")
    require(inputs.batch > 0, f"no batch: got {inputs.batch} sequences, want above 0. Correct batch.")
    check(inputs.layout, inputs.architecture, inputs.gpus, inputs.seq, inputs.batch)
    profile = model_profile(inputs.architecture, inputs.seq)
    n_micro = micro_batches(inputs.layout, inputs.batch)
    per_token = flops_per_token(inputs)
    peak = peak_flop_per_s(inputs.gpu, inputs.dtype)
    step, seconds, band = _step_seconds(inputs, profile, n_micro, per_token, peak)
    mtbf = cluster_mtbf_hours(inputs.gpus, inputs.operations.gpu_mtbf_hours)
    checkpoint = inputs.operations.checkpoint_seconds
    interval = checkpoint_interval_seconds(checkpoint, mtbf)
    share = goodput(mtbf, checkpoint, inputs.operations.restart_seconds, interval)
    names = ("low", "middle", "high")
    cases = tuple(
        _case(inputs, name, seconds * factor, share, per_token, peak) for name, factor in zip(names, band, strict=True)
    )
    return TrainingPlan(
        inputs=inputs,
        flops_per_token=per_token,
        hardware_flops_per_token=_hardware_flops(inputs),
        peak_flop_per_s=peak,
        stages=memory_by_stage(profile, inputs.layout, inputs.recipe, n_micro),
        capacity_bytes=capacity_bytes(inputs.gpu),
        micro_batches=n_micro,
        step=step,
        goodput=share,
        checkpoint_interval_seconds=interval,
        cases=(cases[0], cases[1], cases[2]),
    )


def flops_per_token(inputs: TrainingInputs) -> float:
    """Return training FLOPs per token in the plan's convention; adapters leave out most gradients of weights."""
    if inputs.recipe.adapter_rank == 0:
        return train_flops_per_token(inputs.architecture, inputs.seq, inputs.convention)
    whole = model_profile(inputs.architecture, inputs.seq).whole
    sums = whole.adapter_attention if inputs.recipe.adapter_on == "attention" else whole.adapter_all
    adapters = round(inputs.recipe.adapter_rank * sums)
    return fine_tuning_flops_per_token(inputs.architecture, inputs.seq, 0.0, adapters)


def peak_flop_per_s(gpu: Accelerator, dtype: str) -> float:
    """Return the dense peak that MFU is measured against: of the format that the matrices multiply in."""
    formats = {"mxfp8": "fp8", "nvfp4": "fp4"}
    if dtype == "bf16" and "bf16" not in gpu.peaks:
        return gpu.peak_flop_per_s("fp16")
    return gpu.peak_flop_per_s(formats.get(dtype, dtype))


def _hardware_flops(inputs: TrainingInputs) -> float:
    recompute = {"every-other-matmul": "none"}.get(inputs.layout.recompute, inputs.layout.recompute)
    if recompute == "selective" and inputs.recipe.flash_attention:
        recompute = "none"
    return train_flops_per_token(inputs.architecture, inputs.seq, "hardware", recompute)


def _step_seconds(
    inputs: TrainingInputs, profile: ModelProfile, n_micro: int, per_token: float, peak: float
) -> tuple[StepTime | None, float, tuple[float, float, float]]:
    if inputs.utilization is not None:
        require(
            0 < inputs.utilization <= 1,
            f"utilization is out of range: got {inputs.utilization:g}, want above 0 and at most 1. Give 0.4 for 40 %.",
        )
        tokens = inputs.batch * inputs.seq
        return None, tokens * per_token / (inputs.gpus * peak * inputs.utilization), (1.0, 1.0, 1.0)
    rates = machine(inputs.gpu, inputs.dtype, inputs.recipe.stack, calibration(), inputs.power_limit_watts)
    step = step_time(profile, inputs.layout, inputs.recipe, rates, n_micro)
    low, high = error_band()
    return step, step.total, (low, 1.0, high)


def _case(inputs: TrainingInputs, name: str, step_seconds: float, share: float, per_token: float, peak: float) -> Case:
    tokens_per_step = inputs.batch * inputs.seq
    rate = tokens_per_step / inputs.gpus / step_seconds
    seconds = inputs.tokens / tokens_per_step * step_seconds / share + inputs.operations.start_seconds
    hours = inputs.gpus * seconds / 3600
    power = inputs.power
    energy = train_energy_kwh(hours, power.watts, power.pue, power.host_share)
    market = None
    if power.covered_share is not None:
        market = market_co2e_kg(energy, power.covered_share, power.residual_grams_per_kwh or power.grams_per_kwh)
    return Case(
        name=name,
        step_seconds=step_seconds,
        tokens_per_s_per_gpu=rate,
        mfu=rate * per_token / peak,
        train_seconds=seconds,
        gpu_hours=hours,
        cost_usd=train_cost_usd(hours, inputs.costs.price_usd_per_gpu_hour, inputs.costs.other_usd),
        energy_kwh=energy,
        co2e_kg=train_co2e_kg(energy, power.grams_per_kwh),
        co2e_market_kg=market,
        embodied_kg=embodied_co2e_kg(hours, power.embodied_kg_per_gpu),
    )
