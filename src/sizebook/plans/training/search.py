"""Which layouts of a cluster fit, ranked by time: the table behind PLAN_TRAINING.

Every layout of the grid below is timed; memory decides which of them run. Cost is GPU-hours times one price, so ranking
by time is ranking by cost on a given cluster.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from sizebook.core.errors import SizebookError, TargetError, require
from sizebook.core.units import gibibytes
from sizebook.models.architecture import Experts
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.work import layout_as_run
from sizebook.training.applicability import check_recipe, implied_kind
from sizebook.training.frameworks import stack
from sizebook.training.layout import Layout, check, micro_batches
from sizebook.training.machine import rates_of
from sizebook.training.memory import Memory, least_state_bytes, memory
from sizebook.training.profile import ModelProfile, model_profile
from sizebook.training.recipe import Method
from sizebook.training.recipe_choice import LIGHTEST, Settled, lightest_recipe, lightest_that_fits
from sizebook.training.time import step_time

LARGEST_TP = 8
MICRO_BATCHES = (1, 2, 4, 8)
# Below this many tokens a rank, context parallelism only adds communication.
TOKENS_PER_CP_RANK = 4096
# Stages of unequal length wait for the longest: a pipeline that leaves more than this idle is not worth timing.
LEAST_BALANCE = 0.85
NOTHING: Mapping[str, Any] = {}
# What the grid varies beside the degrees; whatever else of a layout is stated stands in every one of it.
_VARIED = frozenset({"zero_stage", "recompute", "interleave", "micro_batch"})
# A layout is looked for that leaves this share of memory free: one in ten measured runs needs as much more than is
# predicted (measured over predicted peaks of pre-training, 90th percentile with every group weighing the same: 1.085).
HEADROOM = 0.08
# What is settled to fit changes times a little, so that this many are ranked even where fewer are asked for.
FEWEST_RANKED = 10


@dataclass(frozen=True)
class Ranked:
    """One layout with what it needs and takes; ``reason`` is blank where it fits."""

    layout: Layout
    memory_bytes: float
    step_seconds: float
    tokens_per_s_per_gpu: float
    reason: str = ""


@dataclass(frozen=True)
class Search:
    """The fastest layouts that fit, and the fastest of those that do not, with the reason."""

    best: tuple[Ranked, ...]
    failing: tuple[Ranked, ...]
    tried: int


def search(setup: Setup, held: Mapping[str, Any] = NOTHING, top: int = 10) -> Search:
    """Return the layouts of a cluster that fit, fastest first, and the faster ones that do not; refuse a model that
    fits in none and say how far off.

    ``held`` are fields of the layout that are not searched, such as ``recompute`` or ``micro_batch``.
    """
    require(setup.gpus > 0, f"no GPUs: got {setup.gpus}, want at least 1. Correct gpus.")
    check_recipe(setup.method.recipe, setup.architecture)
    setup = _as_asked(setup)
    profile = model_profile(setup.architecture, setup.batches.seq)
    return _ranked(_timed(setup, held, profile), profile, setup, top)


def _as_asked(setup: Setup) -> Setup:
    """Return a setup without settings that change what is computed and that nobody asked for."""
    recipe = setup.method.recipe
    if recipe.fp8_activation_inputs is not None:
        return setup
    return replace(setup, method=replace(setup.method, recipe=replace(recipe, fp8_activation_inputs=False)))


def fitting(setup: Setup, held: Mapping[str, Any] = NOTHING) -> int:
    """Return how many layouts of the grid fit. What fits without recomputation fits with it, and is not tried again."""
    setup = _as_asked(setup)
    profile = model_profile(setup.architecture, setup.batches.seq)
    found, lighter, barest = 0, set(), lightest_recipe(setup.method)
    for _, layout, n_micro in _timed(setup, held, profile):
        twin = replace(layout, recompute=LIGHTEST)
        if twin in lighter or _settled(profile, layout, setup, n_micro, barest).fullest.total <= setup.capacity_bytes:
            found += 1
            lighter.add(twin)
    return found


def _timed(setup: Setup, held: Mapping[str, Any], profile: ModelProfile) -> list[tuple[float, Layout, int]]:
    """Return every layout of the grid with its seconds and micro-batches, fastest first."""
    rates = rates_of(setup.gpu, setup.method)
    every = []
    for layout in layouts(setup, held):
        n_micro = micro_batches(layout, setup.batches.batch)
        seconds = step_time(profile, layout, setup.method, rates=rates, n_micro=n_micro).total
        every.append((seconds, layout, n_micro))
    if not every:
        raise _nothing(setup, held)
    every.sort(key=lambda each: each[0])
    return every


def _ranked(every: list[tuple[float, Layout, int]], profile: ModelProfile, setup: Setup, top: int) -> Search:
    """Return the fastest that fit and the faster ones that do not: memory is worked out only so far. Those that leave
    no headroom count only where nothing else fits."""
    roomy: list[Ranked] = []
    tight: list[Ranked] = []
    fails: list[tuple[Settled, int]] = []
    least: Settled | None = None
    enough, barest = max(top, FEWEST_RANKED), lightest_recipe(setup.method)
    for _, layout, n_micro in every:
        settled = _settled(profile, layout, setup, n_micro, barest)
        if settled.fullest.total <= setup.capacity_bytes:
            kept = roomy if settled.fullest.total <= (1 - HEADROOM) * setup.capacity_bytes else tight
            kept.append(_row(settled, profile, setup, n_micro))
            if len(roomy) == enough:
                break
            continue
        if least is None or settled.fullest.total < least.fullest.total:
            least = settled
        if len(fails) < top:
            fails.append((settled, n_micro))
    fits = roomy or tight
    if not fits and least is not None:
        raise _misfit(least, setup.capacity_bytes)
    fits.sort(key=lambda each: each.step_seconds)
    failing = tuple(_row(settled, profile, setup, n_micro) for settled, n_micro in fails)
    return Search(tuple(fits[:top]), failing, len(every))


def _row(settled: Settled, profile: ModelProfile, setup: Setup, n_micro: int) -> Ranked:
    """Return a layout with its memory and time: what is settled to fit, gradients in fewer bits, also moves less."""
    rates = rates_of(setup.gpu, settled.method)
    seconds = step_time(profile, settled.layout, settled.method, rates=rates, n_micro=n_micro).total
    needed, short = settled.fullest.total, settled.fullest.total - setup.capacity_bytes
    reason = f"needs {gibibytes(needed)}, {gibibytes(short)} more than a GPU has" if short > 0 else ""
    return Ranked(settled.layout, needed, seconds, setup.batches.tokens / setup.gpus / seconds, reason)


def _misfit(least: Settled, capacity: float) -> TargetError:
    needed = least.fullest.total
    return TargetError(
        f"fits in no layout: got {gibibytes(needed)} a GPU at best ({least.layout.name}), want at most "
        f"{gibibytes(capacity)}, {gibibytes(needed - capacity)} too much. "
        f"Use about {needed / capacity:.1f} times the GPUs, or GPUs with more memory."
    )


def fits_somewhere(setup: Setup) -> bool:
    """Return whether some layout of the grid fits: those that need least memory, one sequence a micro-batch and
    everything recomputed, are tried, wide ones first; what cannot fit however it is spread is not tried at all."""
    profile, capacity = model_profile(setup.architecture, setup.batches.seq), setup.capacity_bytes
    method = lightest_recipe(_as_asked(setup).method)
    if least_state_bytes(profile, method) / setup.gpus > capacity:
        return False
    for base in sorted(_bases(setup, NOTHING), key=lambda each: (-each.tp * each.ep, -each.pp, -each.cp)):
        for zero_stage in (1, 3) if base.pp == 1 else (1,):
            kind = implied_kind(setup.method.recipe) or "full"
            layout = replace(base, recompute=kind, zero_stage=zero_stage)
            try:
                check(layout, setup.architecture, gpus=setup.gpus, batches=setup.batches)
            except SizebookError:
                break
            found = memory(profile, layout, method, n_micro=micro_batches(layout, setup.batches.batch))
            if found.total - found.fragmentation <= capacity:
                return True
    return False


def _nothing(setup: Setup, held: Mapping[str, Any]) -> TargetError:
    """Return why no layout of the grid can run; the reason that excludes most layouts comes first."""
    reasons: Counter[str] = Counter()
    fixes: dict[str, Counter[str]] = {}
    varied = {name: value for name, value in held.items() if name in _VARIED}
    for base in _bases(setup, held):
        if said := _against(replace(base, **varied), setup):
            why = said.split(":")[0]
            reasons[why] += 1
            fixes.setdefault(why, Counter())[said.rpartition(". ")[2]] += 1
    fixed = f" with {', '.join(f'{name} {value}' for name, value in held.items())}" if held else ""
    got = f"got {setup.gpus} GPUs and a batch of {setup.batches.batch}{fixed}"
    why = reasons.most_common(1)[0][0] if reasons else "no degrees multiply to the GPUs"
    if why == "batch does not divide":
        return TargetError(f"no layout divides: {got}, want a batch that {_of_batch(setup, held)}")
    fix = fixes[why].most_common(1)[0][0] if reasons else "Change the GPUs, or what is held."
    return TargetError(f"no layout runs: {got}, want one that can ({why}). {fix}")


def _of_batch(setup: Setup, held: Mapping[str, Any]) -> str:
    """Return what a batch has to be, and the nearest fix: a micro-batch that is held may be all that stands against
    it."""
    micro_batch = held.get("micro_batch", 1)
    if micro_batch == 1:
        return f"dp divides. Use a batch that is a multiple of {setup.gpus}, or fewer GPUs."
    alone = any(not _against(replace(base, micro_batch=1), setup) for base in _bases(setup, held))
    other = "remove micro_batch" if alone else "fewer GPUs"
    return f"dp x micro_batch divides. Use a batch that is a multiple of {setup.gpus * micro_batch}, or {other}."


def _against(layout: Layout, setup: Setup) -> str:
    """Return why a layout cannot run, nothing where it can."""
    try:
        check(layout, setup.architecture, gpus=setup.gpus, batches=setup.batches)
    except SizebookError as error:
        return str(error)
    return ""


def _settled(profile: ModelProfile, layout: Layout, setup: Setup, n_micro: int, barest: Method) -> Settled:
    """Return a layout as stated, else with the lightest of what the setup leaves open that fits.

    ``barest`` needs least memory: what it does not bring inside, nothing does.
    """
    capacity = setup.capacity_bytes

    def needed(each: Layout, how: Method) -> Memory:
        return memory(profile, each, how, n_micro=n_micro)

    bare = needed(layout, barest)
    if bare.total - bare.fragmentation > capacity:
        return Settled(layout, barest, bare)
    stated = needed(layout, setup.method)
    if stated.total <= capacity:
        return Settled(layout, setup.method, stated)
    return lightest_that_fits(layout, setup.method, capacity, needed=needed)


def layouts(setup: Setup, held: Mapping[str, Any] = NOTHING) -> Iterator[Layout]:
    """Yield the layouts worth timing: TP inside the scale-up domain, pipelines whose stages are nearly as long."""
    # Flash attention keeps no scores, so recomputing them alone would change nothing.
    recipe = setup.method.recipe
    searched: tuple[str, ...] = ("none", "full") if recipe.flash_attention else ("none", "selective", "full")
    if kind := implied_kind(recipe):
        searched = (kind,)
    kinds = searched if held.get("recompute") == LIGHTEST else _held(held, "recompute", searched)
    for base in _bases(setup, held):
        stages = _held(held, "zero_stage", _stages(base))
        sharing = [(zero_stage, kind) for zero_stage in stages for kind in kinds]
        yield from (layout_as_run(layout, setup.gpu, recipe) for layout in _variants(base, sharing, setup, held))


def _bases(setup: Setup, held: Mapping[str, Any]) -> Iterator[Layout]:
    """Yield layouts by their degrees of parallelism, whose product is the number of GPUs."""
    architecture, gpus, seq = setup.architecture, setup.gpus, setup.batches.seq
    n_experts = min(
        (b.n_experts for layer in architecture.layers for b in layer.bricks if isinstance(b, Experts)), default=1
    )
    whole = {name: value for name, value in held.items() if name not in _VARIED}
    pipes = bool(stack(setup.method.recipe.stack).pipelines)
    for tp in _powers(min(LARGEST_TP, setup.gpu.scale_up_domain, gpus)):
        for pp in _pipelines(architecture.n_layers, gpus // tp) if pipes else (1,):
            for cp in _powers(max(1, min(seq // TOKENS_PER_CP_RANK, gpus // (tp * pp)))):
                if gpus % (tp * pp * cp):
                    continue
                dp = gpus // (tp * pp * cp)
                for ep in _powers(min(n_experts, tp * cp * dp)):
                    yield Layout(tp=tp, pp=pp, cp=cp, dp=dp, **(whole | {"ep": ep}))


def _stages(base: Layout) -> tuple[int, ...]:
    """Return the ZeRO stages worth timing: 0 where one GPU holds all data, and no stage 3 inside pipelines."""
    return (0,) if base.dp * base.cp == 1 else (1, 3) if base.pp == 1 else (1,)


def _variants(base: Layout, sharing: list[tuple[int, str]], setup: Setup, held: Mapping[str, Any]) -> Iterator[Layout]:
    """Yield every way to share, recompute, cut and feed a pipeline, where the model and the batch divide so: ZeRO stage
    and recomputation decide nothing of that, so that one of them is checked."""
    (zero_stage, kind), *others = sharing
    first = replace(base, zero_stage=zero_stage, recompute=kind)
    for interleave in _held(held, "interleave", interleaves(setup.architecture.n_layers, base.pp)):
        for micro_batch in _held(held, "micro_batch", MICRO_BATCHES):
            layout = replace(first, interleave=interleave, micro_batch=micro_batch)
            try:
                check(layout, setup.architecture, gpus=setup.gpus, batches=setup.batches)
            except SizebookError:
                continue
            yield layout
            yield from (replace(layout, zero_stage=zero_stage, recompute=kind) for zero_stage, kind in others)


def _held(held: Mapping[str, Any], name: str, searched: tuple[Any, ...]) -> tuple[Any, ...]:
    return (held[name],) if name in held else searched


def _powers(at_most: int) -> list[int]:
    return [2**power for power in range(max(at_most, 1).bit_length())]


def _pipelines(n_layers: int, at_most: int) -> list[int]:
    """Return numbers of pipeline stages that divide the GPUs: powers of two, and those that balance the layers."""
    return [pp for pp in range(1, min(n_layers, at_most) + 1) if at_most % pp == 0 and _balanced(n_layers, pp)]


def _balanced(n_layers: int, pp: int) -> bool:
    return pp & (pp - 1) == 0 or n_layers / pp / ceil(n_layers / pp) >= LEAST_BALANCE


def interleaves(n_layers: int, pp: int) -> tuple[int, ...]:
    """Return numbers of chunks of a stage: one, or two layers each."""
    most = ceil(n_layers / pp)
    return (1,) if pp == 1 else tuple(dict.fromkeys((1, max(most // 2, 1))))
