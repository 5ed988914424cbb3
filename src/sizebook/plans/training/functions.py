"""Spreadsheet functions over whole training plans: memory, fit, time and the layout table of a published model."""

from bisect import bisect_left
from typing import Annotated

from sizebook.core.errors import TargetError, require
from sizebook.core.hints import unknown_key
from sizebook.core.quantities import Batch, Gpu, Gpus, MemoryBytes, Model, Ratio, Seconds, Seq, gpu_keys
from sizebook.core.registry import estimated, function, takes, unbanded
from sizebook.core.sections import DEFAULT, Quantity, quantity, section
from sizebook.models import catalog
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.search import HEADROOM, Search, fits_somewhere
from sizebook.plans.training.search import search as search_layouts
from sizebook.plans.training.work import Work, work_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import RatesFile
from sizebook.training.applicability import check_recipe
from sizebook.training.bands import UNMEASURED, bands, own_bands
from sizebook.training.layout import Layout, check, micro_batches
from sizebook.training.memory import COMPONENTS, memory
from sizebook.training.profile import model_profile
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Method, Recipe

MODEL_OF_MEMORY = "data/training_stacks.csv and data/optimizers.csv; Korthikanti et al. 2022 (arXiv:2205.05198)"
MODEL_OF_TIME = "data/calibration_training.csv, fitted on published runs by calibration/training.py"
ONE_END = f"only one end is known: one measured run in ten needed {HEADROOM:.0%} more memory than predicted, or more"
FEW_GPUS: list[int] = [2**power for power in range(7)]
MANY_GPUS: list[int] = [2**power for power in range(7, 18)]

Answer = Annotated[bool, Quantity("yes or no")]
Layouts = Annotated[list[list[str | float]], Quantity("layouts, one a row, under a row of headings")]
Percentile = Annotated[float, Quantity("10 or 90: which end of the band", minimum=10, maximum=90, default=90)]
RunFamily = Annotated[
    str,
    Quantity(
        "family of runs whose band is asked for, a key of data/calibration_training_bands.csv",
        kind="text",
        choices=lambda: tuple(bands()),
        default=UNMEASURED,
        label="Family of runs",
    ),
]
NLayouts = Annotated[int, Quantity("how many layouts to list", minimum=1, maximum=100, default=10)]


@section
class MemoryPart:
    """Which component of memory is asked for, and on what blanks of the recipe are to fit."""

    component: str = quantity(
        "what of it: total, or one component", choices=("total", "allocated", *COMPONENTS), default="total"
    )
    fits_on: str | None = quantity(
        "accelerator, such as h100-sxm, for whose memory blanks of the recipe are settled; blank: for none",
        kind="text",
        choices=gpu_keys,
        default=None,
        label="Settled to fit on",
    )


def _work(model: str, gpu: str, batches: Batches, layout: Layout, method: Method) -> Work:
    setup = Setup(
        architecture=catalog.architecture(model),
        gpu=accelerator(gpu),
        gpus=layout.gpus,
        batches=batches,
        method=method,
    )
    return work_of(setup, layout)


def _step_band(model: str, gpu: str, batches: Batches, layout: Layout, method: Method) -> tuple[float, float, str]:
    work = _work(model, gpu, batches, layout=layout, method=method)
    band, (low, _, high) = work.band, work.timing(None, "matmul")[1]
    return low, high, f"{band.runs} of the family '{band.family}' that no fit had seen"


def _batches(batch: int | None, seq: int, layout: Layout) -> Batches:
    """Return what a step works on; a blank batch gives every pipeline as many micro-batches as it has stages."""
    return Batches(batch=batch or layout.dp * layout.micro_batch * layout.pp, seq=seq)


@unbanded(ONE_END)
@function(category="training memory", source=MODEL_OF_MEMORY)
def train_memory_bytes(
    model: Model,
    batch: Batch | None = DEFAULT,
    seq: Seq = DEFAULT,
    layout: Layout = DEFAULT,
    method: Method = DEFAULT,
    part: MemoryPart = DEFAULT,
) -> MemoryBytes:
    """Return the bytes on the fullest GPU of a training run of a published model, in total or of one component.

    Weights, gradients, master weights, optimizer states, activations, loss, buffers, allocator and CUDA context.
    'allocated' is what a framework reports as its peak. A blank batch gives every pipeline as many micro-batches as it
    has stages; with fits_on, what the recipe leaves blank is the lightest that fits there, as plans settle it.
    """
    if part.fits_on:
        settled = _work(model, part.fits_on, _batches(batch, seq, layout), layout=layout, method=method).fullest
        return float(getattr(settled, part.component))
    batches, architecture = _batches(batch, seq, layout), catalog.architecture(model)
    check(layout, architecture, gpus=layout.gpus, batches=batches)
    check_recipe(method.recipe, architecture)
    profile, n_micro = model_profile(architecture, batches.seq), micro_batches(layout, batches.batch)
    return float(getattr(memory(profile, layout, method, n_micro=n_micro), part.component))


@unbanded(ONE_END)
@function(category="training memory", source=f"{MODEL_OF_MEMORY}; memory: data/hardware.csv")
def fits(
    model: Model,
    gpu: Gpu,
    batch: Batch | None = DEFAULT,
    seq: Seq = DEFAULT,
    layout: Layout = DEFAULT,
    method: Method = DEFAULT,
) -> Answer:
    """Return whether training a published model fits on GPUs of one kind in a given layout: see TRAIN_MEMORY_BYTES.

    Compares with the memory that the driver was measured to leave, or 99 % of the label where it was not.
    """
    return _work(model, gpu, _batches(batch, seq, layout), layout=layout, method=method).fits


@unbanded(ONE_END)
@function(category="training memory", source=f"{MODEL_OF_MEMORY}; every layout of PLAN_TRAINING")
@takes("search")
def min_gpus_train(model: Model, gpu: Gpu, seq: Seq = DEFAULT, recipe: Recipe = DEFAULT) -> Gpus:
    """Return the fewest GPUs, a power of two, on which some layout trains a published model with the whole of its
    states.

    Tries every layout of PLAN_TRAINING, full recomputation included, with one sequence a GPU and step.
    """
    architecture, kind = catalog.architecture(model), accelerator(gpu)

    def fits(gpus: int) -> bool:
        setup = Setup(
            architecture=architecture,
            gpu=kind,
            gpus=gpus,
            batches=Batches(batch=gpus, seq=seq),
            method=Method(recipe=recipe),
        )
        return fits_somewhere(setup)

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


@estimated(_step_band)
@function(category="training time", source=MODEL_OF_TIME)
def step_seconds(
    model: Model, gpu: Gpu, batches: Batches, layout: Layout = DEFAULT, method: Method = DEFAULT
) -> Seconds:
    """Return the predicted seconds of one optimizer step: compute, memory traffic, communication, bubble, optimizer.

    Says nothing of whether it fits (FITS). TRAIN_ERROR(10) and TRAIN_ERROR(90) are the factors of its band.
    """
    return _work(model, gpu, batches, layout=layout, method=method).step.total


@function(category="training time", source=MODEL_OF_TIME)
def train_error(
    percentile: Percentile = DEFAULT, run_family: RunFamily = DEFAULT, rates_file: RatesFile = DEFAULT
) -> Ratio:
    """Return measured over predicted step time at the 10th or 90th percentile of published runs the fit had not seen.

    A predicted duration times this factor is the end of its band. TRAINING_FIGURES names the family of a plan's runs;
    blank is the widest band, that of combinations nobody measured. Families of own runs stand in their rates_file.
    """
    require(
        percentile in (10, 90),
        f"no such end of the band: got percentile {percentile:g}, want 10 or 90. Choose one of the two.",
    )
    known = bands() | own_bands(rates_file)
    if run_family not in known:
        raise unknown_key("run_family", run_family, known)
    found = known[run_family]
    return found.low if percentile == 10 else found.high


HEADINGS = ("layout", "gib_per_gpu", "step_seconds", "tokens_per_s_per_gpu", "mfu", "reason")


@function(category="training time", source=f"{MODEL_OF_TIME}; {MODEL_OF_MEMORY}")
@takes("search")
def plan_training(
    model: Model, gpu: Gpu, gpus: Gpus, batches: Batches, method: Method = DEFAULT, n_layouts: NLayouts = DEFAULT
) -> Layouts:
    """Return the layouts of a cluster that train a published model fastest, and the faster ones that do not fit with
    why.

    TP inside the scale-up domain, PP, DP, CP, EP, ZeRO stage, micro-batch, interleaving and recomputation are searched;
    the columns are layout, GiB on the fullest GPU, seconds a step, tokens a second on a GPU, MFU and reason.
    """
    setup = Setup(
        architecture=catalog.architecture(model), gpu=accelerator(gpu), gpus=gpus, batches=batches, method=method
    )
    found = search_layouts(setup, top=n_layouts)
    per_token = work_of(setup, found.best[0].layout).counted("matmul")
    return [list(HEADINGS), *_table(found, per_token / setup.peak_flop_per_s)]


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
