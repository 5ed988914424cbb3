"""Spreadsheet functions over whole training plans: memory, fit, time and the layout table of a published model."""

from __future__ import annotations

from bisect import bisect_left
from typing import Annotated

from sizebook.errors import TargetError, require
from sizebook.formulas.hardware import accelerator
from sizebook.formulas.training_memory import OptimizerName
from sizebook.models.flops import train_flops_per_token as flops_of
from sizebook.plans.layer_profile import profile_of
from sizebook.plans.layout import RECOMPUTE, Layout, check, micro_batches
from sizebook.plans.training import capacity_bytes, peak_flop_per_s
from sizebook.plans.training_memory import COMPONENTS, Memory, Recipe, memory, stack_keys
from sizebook.plans.training_search import Search
from sizebook.plans.training_search import search as search_layouts
from sizebook.plans.training_time import FORMATS, calibration, error_band, machine, step_time
from sizebook.quantities import (
    Batch,
    Cp,
    Dp,
    Ep,
    Gpu,
    Gpus,
    Interleave,
    MemoryBytes,
    MicroBatch,
    Model,
    Pp,
    Ratio,
    Seconds,
    Seq,
    Tp,
    ZeroStage,
)
from sizebook.registry import DEFAULT, Quantity, function

MODEL_OF_MEMORY = "data/training_stacks.csv and data/optimizers.csv; Korthikanti et al. 2022 (arXiv:2205.05198)"
MODEL_OF_TIME = "data/calibration_training.csv, fitted on published runs by calibration/training.py"
FEW_GPUS: list[int] = [2**power for power in range(7)]
MANY_GPUS: list[int] = [2**power for power in range(7, 18)]

Recomputation = Annotated[
    str, Quantity("what the backward pass recomputes", kind="choice", choices=RECOMPUTE, default="none")
]
StackName = Annotated[
    str,
    Quantity(
        "training framework, a key of data/training_stacks.csv", kind="choice", choices=stack_keys, default="megatron"
    ),
]
Component = Annotated[
    str,
    Quantity(
        "what of it: total, or one component",
        kind="choice",
        choices=("total", "allocated", *COMPONENTS),
        default="total",
    ),
]
TrainDtype = Annotated[
    str, Quantity("format that matrices multiply in", kind="choice", choices=FORMATS, default="bf16")
]
Answer = Annotated[bool, Quantity("yes or no", kind="flag")]
Layouts = Annotated[list[list[str | float]], Quantity("layouts, one a row, under a row of headings", kind="range")]
Percentile = Annotated[float, Quantity("10 or 90: which end of the band", minimum=10, maximum=90, default=90)]
Rows = Annotated[int, Quantity("how many layouts to list", kind="integer", minimum=1, maximum=100, default=10)]


def _layout(
    tp: int, pp: int, dp: int, cp: int, ep: int, zero_stage: int, micro_batch: int, recompute: str, interleave: int
) -> Layout:
    return Layout(tp, pp, dp, cp, ep, 1, interleave, zero_stage, micro_batch, True, recompute)


def _memory(model: str, seq: int, layout: Layout, recipe: Recipe, batch: int | None) -> Memory:
    profile = profile_of(model, seq)
    sequences = batch or layout.dp * layout.micro_batch * layout.pp
    check(layout, profile.architecture, layout.gpus, seq, sequences)
    return memory(profile, layout, recipe, micro_batches(layout, sequences))


@function(
    category="training memory",
    source=MODEL_OF_MEMORY,
    example=({"model": "llama-3.1-8b", "seq": 4096, "dp": 8}, 85_361_326_080.0),
)
def train_memory_bytes(
    model: Model,
    seq: Seq = DEFAULT,
    tp: Tp = DEFAULT,
    pp: Pp = DEFAULT,
    dp: Dp = DEFAULT,
    cp: Cp = DEFAULT,
    ep: Ep = DEFAULT,
    zero_stage: ZeroStage = DEFAULT,
    micro_batch: MicroBatch = DEFAULT,
    recompute: Recomputation = DEFAULT,
    interleave: Interleave = DEFAULT,
    optimizer: OptimizerName = DEFAULT,
    stack: StackName = DEFAULT,
    component: Component = DEFAULT,
    batch: Batch | None = DEFAULT,
) -> MemoryBytes:
    """Return the bytes on the fullest GPU of a training run of a published model, in total or of one component.

    Weights, gradients, master weights, optimizer states, activations, loss, buffers, allocator and CUDA context, with
    flash attention and sequence parallelism. 'allocated' is what a framework reports as its peak. A blank batch gives
    every pipeline as many micro-batches as it has stages.
    """
    layout = _layout(tp, pp, dp, cp, ep, zero_stage, micro_batch, recompute, interleave)
    return float(getattr(_memory(model, seq, layout, Recipe(stack, optimizer), batch), component))


@function(
    category="training memory",
    source=f"{MODEL_OF_MEMORY}; memory: data/hardware.csv",
    example=({"model": "llama-3.1-8b", "gpu": "h100-sxm", "dp": 16}, True),
)
def fits(
    model: Model,
    gpu: Gpu,
    seq: Seq = DEFAULT,
    tp: Tp = DEFAULT,
    pp: Pp = DEFAULT,
    dp: Dp = DEFAULT,
    cp: Cp = DEFAULT,
    ep: Ep = DEFAULT,
    zero_stage: ZeroStage = DEFAULT,
    micro_batch: MicroBatch = DEFAULT,
    recompute: Recomputation = DEFAULT,
    interleave: Interleave = DEFAULT,
    optimizer: OptimizerName = DEFAULT,
    stack: StackName = DEFAULT,
) -> Answer:
    """Return whether training a published model fits on GPUs of one kind in a given layout: see TRAIN_MEMORY_BYTES.

    Compares with the memory that the driver was measured to leave, or 99 % of the label where it was not.
    """
    layout = _layout(tp, pp, dp, cp, ep, zero_stage, micro_batch, recompute, interleave)
    needed = _memory(model, seq, layout, Recipe(stack, optimizer), None).total
    return needed <= capacity_bytes(accelerator(gpu))


@function(
    category="training memory",
    source=f"{MODEL_OF_MEMORY}; every layout of PLAN_TRAINING",
    example=({"model": "llama-3.1-8b", "gpu": "h100-sxm"}, 2),
)
def min_gpus_train(
    model: Model,
    gpu: Gpu,
    seq: Seq = DEFAULT,
    optimizer: OptimizerName = DEFAULT,
    stack: StackName = DEFAULT,
) -> Gpus:
    """Return the fewest GPUs, a power of two, on which some layout trains a published model with the whole of its
    states.

    Tries every layout of PLAN_TRAINING, full recomputation included, with one sequence a GPU and step.
    """
    profile, kind = profile_of(model, seq), accelerator(gpu)

    def fits(gpus: int) -> bool:
        recipe, capacity = Recipe(stack, optimizer), capacity_bytes(kind)
        try:
            search_layouts(profile.architecture, kind, gpus, seq, gpus, capacity, recipe=recipe, top=1)
        except TargetError:
            return False
        return True

    for gpus in FEW_GPUS:
        if fits(gpus):
            return gpus
    # What fits on n GPUs fits on 2 n, each with a twin, so the rest is halved: an absurd length takes seconds.
    index = bisect_left(MANY_GPUS, True, key=fits)
    if index < len(MANY_GPUS):
        return MANY_GPUS[index]
    raise TargetError(
        f"fits on no cluster: got more than {MANY_GPUS[-1]} GPUs for '{model}', want fewer. Use GPUs with more memory."
    )


@function(
    category="training time",
    source=MODEL_OF_TIME,
    example=({"model": "llama-3.1-8b", "gpu": "h100-sxm", "batch": 128, "dp": 8}, 6.560130442210442),
)
def step_seconds(
    model: Model,
    gpu: Gpu,
    batch: Batch,
    seq: Seq = DEFAULT,
    tp: Tp = DEFAULT,
    pp: Pp = DEFAULT,
    dp: Dp = DEFAULT,
    cp: Cp = DEFAULT,
    ep: Ep = DEFAULT,
    zero_stage: ZeroStage = DEFAULT,
    micro_batch: MicroBatch = DEFAULT,
    recompute: Recomputation = DEFAULT,
    interleave: Interleave = DEFAULT,
    dtype: TrainDtype = DEFAULT,
    stack: StackName = DEFAULT,
) -> Seconds:
    """Return the predicted seconds of one optimizer step: compute, memory traffic, communication, bubble, optimizer.

    Says nothing of whether it fits (FITS). TRAIN_ERROR(10) and TRAIN_ERROR(90) are the factors of its band.
    """
    layout = _layout(tp, pp, dp, cp, ep, zero_stage, micro_batch, recompute, interleave)
    profile = profile_of(model, seq)
    check(layout, profile.architecture, layout.gpus, seq, batch)
    rates = machine(accelerator(gpu), dtype, stack, calibration())
    return step_time(profile, layout, Recipe(stack), rates, micro_batches(layout, batch)).total


@function(
    category="training time",
    source=MODEL_OF_TIME,
    example=({"percentile": 90}, 1.201),
)
def train_error(percentile: Percentile = DEFAULT) -> Ratio:
    """Return measured over predicted step time at the 10th or 90th percentile of published runs the fit had not seen.

    A predicted duration times this factor is the end of its band.
    """
    require(
        percentile in (10, 90),
        f"no such end of the band: got percentile {percentile:g}, want 10 or 90. Choose one of the two.",
    )
    return error_band()[percentile == 90]


HEADINGS = ("layout", "gib_per_gpu", "step_seconds", "tokens_per_s_per_gpu", "mfu", "reason")


@function(
    category="training time",
    source=f"{MODEL_OF_TIME}; {MODEL_OF_MEMORY}",
    example=(
        {"model": "gpt-2-small", "gpu": "a100-sxm-80gb", "gpus": 1, "batch": 8, "seq": 1024, "rows": 1},
        [
            ["layout", "gib_per_gpu", "step_seconds", "tokens_per_s_per_gpu", "mfu", "reason"],
            ["TP1 PP1 DP1 ZeRO-0 mb8", 9.67, 0.0479, 171149.5, 0.4376, ""],
        ],
    ),
)
def plan_training(
    model: Model,
    gpu: Gpu,
    gpus: Gpus,
    batch: Batch,
    seq: Seq = DEFAULT,
    dtype: TrainDtype = DEFAULT,
    optimizer: OptimizerName = DEFAULT,
    stack: StackName = DEFAULT,
    rows: Rows = DEFAULT,
) -> Layouts:
    """Return the layouts of a cluster that train a published model fastest, and the faster ones that do not fit with
    why.

    TP inside the scale-up domain, PP, DP, CP, EP, ZeRO stage, micro-batch, interleaving and recomputation are searched;
    the columns are layout, GiB on the fullest GPU, seconds a step, tokens a second on a GPU, MFU and reason.
    """
    profile, kind = profile_of(model, seq), accelerator(gpu)
    recipe = Recipe(stack, optimizer)
    found = search_layouts(profile.architecture, kind, gpus, seq, batch, capacity_bytes(kind), dtype, recipe, rows)
    per_token = flops_of(profile.architecture, seq)
    return [list(HEADINGS), *_table(found, per_token / peak_flop_per_s(kind, dtype))]


def _table(found: Search, flops_over_peak: float) -> list[list[str | float]]:
    return [
        [
            each.layout.name,
            round(each.memory_bytes / 2**30, 2),
            round(each.step_seconds, 4),
            round(each.tokens_per_s_per_gpu, 1),
            round(each.tokens_per_s_per_gpu * flops_over_peak, 4),
            each.reason,
        ]
        for each in (*found.best, *found.failing)
    ]
