"""Spreadsheet functions that give whole training plans as tables: cases, memory, figures, and many runs at once."""

from dataclasses import replace
from typing import Annotated, Any

from sizebook.core.quantities import Gpu, Model
from sizebook.core.registry import function
from sizebook.core.sections import Quantity, flat, leaves
from sizebook.core.tabular import Answers, Columns, Table, answered
from sizebook.plans.ledgers import Cases, Figures
from sizebook.plans.training.case import Case
from sizebook.plans.training.figures import MEMORY_FIGURES, figures
from sizebook.plans.training.functions import MODEL_OF_MEMORY, MODEL_OF_TIME
from sizebook.plans.training.inputs import TrainingInputs, settled
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.plans.training.rows import INPUTS, OUTPUTS, REQUIRED_INPUTS, Rows
from sizebook.plans.training.searched_layout import found_layout

Components = Annotated[list[list[str | float]], Quantity("names and bytes, one component a row")]


def ledger(plan: TrainingPlan) -> list[list[Any]]:
    """Return the ledger of a plan: names, then a row each for low, middle and high; blank where a figure is unknown."""
    rows = [["" if value is None else value for value in flat(case).values()] for case in plan.cases]
    return [[leaf.name for leaf in leaves(Case)], *rows]


def components(plan: TrainingPlan) -> list[list[str | float]]:
    """Return the memory of the fullest rank: names and bytes, the total of them, and what a GPU has."""
    found = {**flat(plan.fullest), "total": plan.fullest.total, "capacity": plan.capacity_bytes}
    return [["component", "bytes"], *([figure.name, found[figure.name]] for figure in MEMORY_FIGURES)]


def _plan(model: str, gpu: str, inputs: TrainingInputs) -> TrainingPlan:
    """Return the plan of what cells state, in the fastest layout where they leave it open and one fits."""
    run = settled(model, gpu, inputs, stated=inputs.stated)
    best = found_layout(run, run.layout, inputs.stated)
    return unchecked_plan(replace(run, layout=best) if best else run)


@function(category="training time", source=f"{MODEL_OF_TIME}; {MODEL_OF_MEMORY}")
def training_ledger(model: Model, gpu: Gpu, inputs: TrainingInputs) -> Cases:
    """Return a training plan as a table: names, then low, middle and high: time, cost, carbon, and the whole run.

    The figures of 'sizebook plan train' for the same inputs, computed by the same plan. Says nothing of whether the run
    fits (TRAINING_MEMORY). Where no degree is stated, the fastest layout that fits is searched as there, and
    TRAINING_FIGURES names it; else blank ones are 1, and dp what they leave over of the GPUs.
    """
    return ledger(_plan(model, gpu, inputs))


@function(category="training memory", source=f"{MODEL_OF_MEMORY}; memory: data/hardware.csv")
def training_memory(model: Model, gpu: Gpu, inputs: TrainingInputs) -> Components:
    """Return the memory of the fullest GPU of a training plan by component, its total and what a GPU has.

    The figures of 'sizebook plan train' for the same inputs, computed by the same plan.
    """
    return components(_plan(model, gpu, inputs))


@function(category="training time", source=f"{MODEL_OF_TIME}; prices, grids: data/*.csv")
def training_figures(model: Model, gpu: Gpu, inputs: TrainingInputs) -> Figures:
    """Return what a training plan rests on as names and values: layout, FLOPs, price, power, grid and their basis.

    What was left blank, such as a price, stands here as it was looked up. The figures of 'sizebook plan train' for the
    same inputs, computed by the same plan; cases are TRAINING_LEDGER, bytes TRAINING_MEMORY.
    """
    return [[name, value] for name, value in flat(figures(_plan(model, gpu, inputs))).items()]


RUNS = Columns(known=INPUTS, required=REQUIRED_INPUTS, results=OUTPUTS)


@function(category="training time", source=f"{MODEL_OF_TIME}; {MODEL_OF_MEMORY}")
def training_table(table: Table) -> Answers:
    """Return plans of many training runs in one call: a range whose heads are arguments, a line of results each.

    The heads are those of TRAINING_FIGURES and of the columns of 'sizebook sweep', which gives the same figures; model,
    gpu, gpus, tokens and batch are needed. A row that states no degree takes the fastest layout that fits, named in the
    last column. One that cannot be planned has errors for figures and its reason there; one that
    fits in no layout has figures and a reason.
    """
    return answered(table, RUNS, lambda heads: Rows(heads).result)
