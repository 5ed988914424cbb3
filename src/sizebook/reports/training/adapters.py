"""Adapters in the training report: which matrices carry them, and how many parameters that makes."""

from __future__ import annotations

from sizebook.core.units import gibibytes, grouped, percent
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.training.words import NAMES
from sizebook.reports.view import Column, Row, Section, Table
from sizebook.training.adapters import targets


def in_words(plan: TrainingPlan) -> str:
    """Return what is trained in words: the whole model, or adapters by kind, rank and place."""
    recipe = plan.inputs.method.recipe
    return f"{NAMES[recipe.trained]}, rank {recipe.lora_rank} on {recipe.lora_on}" if recipe.lora_rank else "all of it"


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
                f"{grouped(each.d_out)} x {grouped(each.d_in)}",
                grouped(each.n),
                grouped(each.parameters(recipe.lora_rank, magnitudes=recipe.magnitudes)),
            )
        )
        for each in found
    ]
    total = plan.trained_parameters
    rows.append(Row(("Together", "", grouped(sum(each.n for each in found)), grouped(total)), "total"))
    bits = "bf16" if recipe.frozen_bytes == 2 else f"{8 * recipe.frozen_bytes:.3g} bits each, scales included"
    magnitudes = ", and one magnitude for each output" if recipe.magnitudes else ""
    return (
        Section(
            "Adapters",
            f"{grouped(total)} of {grouped(plan.count.total)} parameters are trained",
            (
                Table(
                    f"Matrices that carry adapters of rank {recipe.lora_rank}",
                    (
                        Column("Matrix"),
                        Column("Outputs x inputs", figures=True),
                        Column("In the model", figures=True),
                        Column("Trained parameters", figures=True),
                    ),
                    tuple(rows),
                    note=f"An adapter has rank x (inputs + outputs) parameters{magnitudes}. Frozen weights are kept in "
                    f"{bits}; embeddings and head in bf16. {percent(total / plan.count.total, 2)} of the model is "
                    f"trained; weights, frozen and trained, take {gibibytes(plan.fullest.weights)} of a GPU.",
                ),
            ),
        ),
    )
