"""Whether a model can be fine-tuned on one GPU, as people ask it: "does a 70B QLoRA fit in 48 GB?"

One GPU, one sequence at a time, AdamW, weights and states in bf16, cross-entropy in chunks (the stack ``torchtune``).
What has to be recomputed or moved to the host to fit is settled as plans settle it. `sizebook plan train` takes every
setting.
"""

from typing import Annotated

from sizebook.core.quantities import Model, Seq
from sizebook.core.registry import function, unbanded
from sizebook.core.sections import DEFAULT, Quantity, flat, leaves, quantity, section
from sizebook.models import catalog
from sizebook.plans.ledgers import Figures
from sizebook.plans.training.functions import Answer
from sizebook.plans.training.inputs import USABLE_SHARE
from sizebook.plans.training.work import trained_parameters
from sizebook.training.layout import Layout
from sizebook.training.memory import COMPONENTS, Memory, memory
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method, Recipe
from sizebook.training.recipe_choice import lightest_that_fits, recipe_text
from sizebook.training.tuning import LoraOn, LoraRank, Tuning

STACK = "torchtune"
SOURCE = "data/training_stacks.csv, data/training_recipes.csv; measured: docs/fine_tuning.md"

GpuMemoryGib = Annotated[
    float,
    Quantity(
        "memory of the GPU as its maker prints it, 48 for a card of 48 GB; one hundredth is the driver's",
        unit="GiB",
        above=0,
        maximum=1e6,
        label="Memory of the GPU",
    ),
]


@section
class Tuned:
    """What is trained, in a word; the rank of adapters and the matrices that carry them."""

    tuning: Tuning = DEFAULT
    lora_rank: LoraRank = DEFAULT
    lora_on: LoraOn = DEFAULT


@section
class OneGpu:
    """What fine-tuning needs on one GPU, what there is, and what was done to make it fit."""

    fits: bool = quantity("whether it fits", label="Fits")
    needed: float = quantity("what it needs in all", "bytes", minimum=0, label="Needed")
    usable: float = quantity("what the driver leaves", "bytes", minimum=0, label="There is")
    trained_parameters: int = quantity("parameters that are trained", "parameters", label="Trained parameters")
    recipe: str = quantity("what is done to save memory", label="Recipe")


def _one_gpu(model: str, gpu_memory_gib: float, seq: int, tuned: Tuned) -> tuple[OneGpu, Memory]:
    """Return what fine-tuning needs on one GPU, settled to fit where it can, one sequence at a time."""
    architecture, usable = catalog.architecture(model), USABLE_SHARE * gpu_memory_gib * 2**30
    profile, recipe = model_profile(architecture, seq), Recipe(stack=STACK, **flat(tuned))

    def needed(layout: Layout, method: Method) -> Memory:
        return memory(profile, layout, method, n_micro=1)

    found = lightest_that_fits(Layout(), Method(recipe=recipe), usable, needed=needed)
    answer = OneGpu(
        fits=found.fullest.total <= usable,
        needed=found.fullest.total,
        usable=usable,
        trained_parameters=trained_parameters(architecture, recipe),
        recipe=recipe_text(found.layout, found.method.recipe, architecture, unread=recipe.unread),
    )
    return answer, found.fullest


@unbanded("of the memory of fine-tuning no quantiles of measured over predicted are kept")
@function(category="training memory", source=SOURCE)
def fine_tuning_fits(model: Model, gpu_memory_gib: GpuMemoryGib, seq: Seq = DEFAULT, tuned: Tuned = DEFAULT) -> Answer:
    """Return whether a published model can be fine-tuned on one GPU of so much memory: full, LoRA, QLoRA or DoRA.

    One sequence at a time, AdamW in bf16, and whatever has to be recomputed or moved to the host. Measured peaks lie
    12 % off in the mean (docs/fine_tuning.md), so a margin of a tenth is no promise. Bytes: FINE_TUNING_MEMORY.
    """
    return _one_gpu(model, gpu_memory_gib, seq, tuned)[0].fits


@function(category="training memory", source=SOURCE)
def fine_tuning_memory(
    model: Model, gpu_memory_gib: GpuMemoryGib, seq: Seq = DEFAULT, tuned: Tuned = DEFAULT
) -> Figures:
    """Return what fine-tuning a published model needs on one GPU: whether it fits, bytes in all and by component.

    Names and values, one a row: fits, needed, usable, trained_parameters, recipe, then the components, which add up to
    what is needed. The answer of FINE_TUNING_FITS.
    """
    answer, fullest = _one_gpu(model, gpu_memory_gib, seq, tuned)
    parts = [[leaf.name, getattr(fullest, leaf.name)] for leaf in leaves(Memory) if leaf.name in COMPONENTS]
    return [*([name, value] for name, value in flat(answer).items()), *parts]
