"""Adapters in the training report: which matrices carry them, and how many parameters that makes."""

from sizebook.core.texts import text
from sizebook.core.units import gibibytes, grouped, percent, significant
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.document import Row, Section, Table, figure_columns, headings, section
from sizebook.reports.phrases import CHOICES
from sizebook.training.adapters import targets
from sizebook.training.tuning import TUNING_NAMES


def trained_part(plan: TrainingPlan) -> str:
    """Return what is trained in words: the whole model, or adapters by kind, rank and place."""
    recipe = plan.inputs.method.recipe
    return (
        text(
            "{NAMES}, rank {lora_rank} on {lora_on}",
            NAMES=TUNING_NAMES[recipe.trained],
            lora_rank=recipe.lora_rank,
            lora_on=CHOICES.get(recipe.lora_on, recipe.lora_on),
        )
        if recipe.lora_rank
        else text("all of it")
    )


def adapters(plan: TrainingPlan) -> tuple[Section, ...]:
    """Return the matrices that carry adapters, with their parameters; nothing where the whole model is trained."""
    recipe = plan.inputs.method.recipe
    if not recipe.lora_rank:
        return ()
    found = targets(plan.inputs.architecture, recipe.lora_on)
    rows = [
        Row(
            (
                each.name,
                text("{outputs} x {inputs}", outputs=grouped(each.d_out), inputs=grouped(each.d_in)),
                grouped(each.n),
                grouped(each.parameters(recipe.lora_rank, magnitudes=recipe.magnitudes)),
            )
        )
        for each in found
    ]
    total = plan.trained_parameters
    rows.append(Row((text("Together"), "", grouped(sum(each.n for each in found)), grouped(total)), "total"))
    bits = (
        "bf16"
        if recipe.frozen_bytes == 2
        else text("{value} bits each, scales included", value=significant(8 * recipe.frozen_bytes))
    )
    magnitudes = text(", and one magnitude for each output") if recipe.magnitudes else ""
    return (
        section(
            text("Adapters"),
            text("{n} of {all} parameters are trained", n=grouped(total), all=grouped(plan.count.total)),
            Table(
                text("Matrices that carry adapters of rank {lora_rank}", lora_rank=recipe.lora_rank),
                headings(
                    text("Matrix"),
                    figure_columns(text("Outputs x inputs"), text("In the model"), text("Trained parameters")),
                ),
                tuple(rows),
                note=text(
                    "An adapter has rank x (inputs + outputs) parameters{magnitudes}. Frozen weights are "
                    "kept in {bits}; embeddings and head in bf16. {percent} of the model is trained; "
                    "weights, frozen and trained, take {gibibytes} of a GPU.",
                    magnitudes=magnitudes,
                    bits=bits,
                    percent=percent(total / plan.count.total, 2),
                    gibibytes=gibibytes(plan.fullest.weights),
                ),
            ),
        ),
    )
