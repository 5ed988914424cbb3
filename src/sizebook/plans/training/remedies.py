"""What makes a run fit that does not: of the changes that suffice, the one that costs least time."""

from collections.abc import Iterator
from dataclasses import replace

from sizebook.core.errors import SizebookError
from sizebook.core.units import gibibytes
from sizebook.plans.training.inputs import Training
from sizebook.plans.training.work import work_of
from sizebook.training.applicability import implied_kind, without_sequence_parallel
from sizebook.training.layout import Layout
from sizebook.training.memory import Memory
from sizebook.training.recipe import Recipe

Change = tuple[str, Layout, Recipe]


def misfit(inputs: Training, fullest: Memory) -> str:
    """Return the message for a run that does not fit: by how much, and the cheapest change that would make it fit."""
    capacity = inputs.capacity_bytes
    short = fullest.total - capacity
    stage = f" on stage {fullest.stage + 1} of {inputs.layout.pp}" if inputs.layout.pp > 1 else ""
    return (
        f"does not fit: got {gibibytes(fullest.total)} a GPU{stage}, want at most {gibibytes(capacity)} "
        f"({inputs.gpu.key}), {gibibytes(short)} too much. {cheapest_change(inputs)}"
    )


def cheapest_change(inputs: Training) -> str:
    """Return a sentence with the single change (or pair) that fits and costs least time, or what to do when none
    does."""
    single = list(_changes(inputs.layout, inputs.method.recipe))
    pairs = [(f"{a} and {b}", l2, r2) for a, l1, r1 in single for b, l2, r2 in _changes(l1, r1)]
    for changes in (single, pairs):
        found = [
            (seconds, name)
            for name, layout, recipe in changes
            if (seconds := _seconds_if_fits(inputs, layout, recipe)) is not None
        ]
        if found:
            return f"Cheapest change: {min(found)[1]}."
    return "No single or double change of the layout makes it fit: use more GPUs, or GPUs with more memory."


def _seconds_if_fits(inputs: Training, layout: Layout, recipe: Recipe) -> float | None:
    changed = replace(inputs, method=replace(inputs.method, recipe=recipe))
    try:
        work = work_of(changed, layout)
    except SizebookError:
        return None
    return work.step.total if work.fits else None


def _changes(layout: Layout, recipe: Recipe) -> Iterator[Change]:
    """Yield single changes that save memory and keep the number of GPUs."""
    if not recipe.flash_attention:
        yield "use flash attention", layout, replace(recipe, flash_attention=True)
    if layout.micro_batch > 1:
        smaller = layout.micro_batch // 2
        yield f"micro_batch {smaller}", replace(layout, micro_batch=smaller), recipe
    if layout.tp > 1 and not (layout.sequence_parallel or without_sequence_parallel(recipe, layout)):
        yield "sequence parallelism", replace(layout, sequence_parallel=True), recipe
    for stage in range(layout.zero_stage + 1, 4):
        yield f"zero_stage {stage}", replace(layout, zero_stage=stage), recipe
    for kind in ("selective", "full"):
        # Words that say what is recomputed would hold beside either, so that they give way.
        said = implied_kind(recipe)
        if said or layout.recompute not in (kind, "full"):
            plain = replace(recipe, recompute_modules="") if said else recipe
            yield f"{kind} recomputation", replace(layout, recompute=kind), plain
    for degree in ("tp", "pp", "cp"):
        for factor in (2, 4, 8):
            if layout.dp % factor == 0:
                grown = {degree: getattr(layout, degree) * factor, "dp": layout.dp // factor}
                yield f"{degree} {grown[degree]} with dp {grown['dp']}", replace(layout, **grown), recipe
    for factor in (2, 4, 8):
        grown_ep = layout.ep * factor
        yield f"ep {grown_ep}", replace(layout, ep=grown_ep), recipe
