"""The layouts that a run could take, as figures declared once: the fastest that fit, and faster ones with why not."""

from collections.abc import Iterator

from sizebook.core.sections import quantity, section
from sizebook.plans.quantities import LayoutName, TokensPerGpu
from sizebook.plans.training.plan import TrainingPlan
from sizebook.plans.training.search import Search


@section
class LayoutFigures:
    """One layout of a search: what its fullest GPU needs, how fast a step is, and why it does not run."""

    layout: LayoutName
    chosen: bool = quantity("whether it is the plan's own", label="Chosen")
    memory_bytes: float = quantity("what its fullest GPU needs", "bytes", minimum=0, label="Memory of the fullest GPU")
    step_seconds: float = quantity("one step, predicted", "seconds", minimum=0, label="Step time")
    step_over_fastest: float = quantity(
        "one step over that of the fastest layout that fits", "ratio", minimum=0, label="Step over the fastest"
    )
    tokens_per_s_per_gpu: TokensPerGpu
    mfu: float = quantity("MFU in the plan's convention", "ratio", minimum=0, label="MFU")
    reason: str = quantity("why it does not run, blank where it does", label="Reason")


def alternatives(plan: TrainingPlan, found: Search) -> Iterator[LayoutFigures]:
    """Yield the layouts of a search beside the plan that was asked for: those that fit, fastest first, then those that
    do not."""
    per_flop = plan.flops_per_token / plan.inputs.peak_flop_per_s
    for each in (*found.best, *found.failing):
        yield LayoutFigures(
            layout=each.layout.name,
            chosen=each.layout == plan.inputs.layout,
            memory_bytes=each.memory_bytes,
            step_seconds=each.step_seconds,
            step_over_fastest=each.step_seconds / found.best[0].step_seconds,
            tokens_per_s_per_gpu=each.tokens_per_s_per_gpu,
            mfu=each.tokens_per_s_per_gpu * per_flop,
            reason=each.reason,
        )
