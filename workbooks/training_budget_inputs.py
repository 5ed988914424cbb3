"""The inputs of `training_budget.xlsx`, those of a training scenario, and the plan staged from them."""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.core.registry import leaves
from sizebook.functions import find
from sizebook.plans.training.case import NAMES, Case
from sizebook.plans.training.figures import MEMORY_FIGURES, TrainingFigures
from sizebook.plans.training.inputs import Energy, Footprint, Prices, TrainingInputs
from sizebook.scenarios.files import ModelScenario
from sizebook.scenarios.training import TrainingScenario
from sizebook.training.layout import Layout
from sizebook.training.quantities import Operations, Pace, Programme, Run
from sizebook.training.recipe import Method, Recipe
from sizebook.training.tuning import Examples
from sizebook.workbooks import look
from sizebook.workbooks.building import FIRST_COLUMN, Book
from sizebook.workbooks.declaring import declare, declare_all
from sizebook.workbooks.page import new_page
from sizebook.workbooks.shared_lines import chosen_model, model_input, this_copy
from sizebook.workbooks.staging import Figures, Options, cases, figures, options, stage

HEADINGS = {
    TrainingScenario: "Run",
    Run: "Run",
    Examples: "Run",
    Pace: "FLOPs and rate",
    Layout: "Layout",
    Method: "Formats and power",
    Recipe: "Recipe and adapters",
    Operations: "Operations",
    Prices: "Money",
    Energy: "Energy and carbon",
    Footprint: "Energy and carbon",
    Programme: "Whole run",
}
# What stands elsewhere on the page; a workbook holds one kind of plan.
LEFT_OUT = {leaf.name for leaf in leaves(ModelScenario)} | {"gpu", "plan"}
_GPU = next(argument for argument in find("TRAINING_LEDGER").arguments if argument.name == "gpu")
FIGURES = tuple(leaf for leaf in leaves(Case) if leaf.name != "name")
_WIDTHS = (40, 30, 16, 66)
# The longest texts: a layout with recomputation, a median of many providers, a region with its year.
_LETTERS = {"layout": 60, "price_basis": 210, "grid_basis": 60, "programme_basis": 110}


@dataclass(frozen=True)
class Staged:
    """The plan as it is staged: what it rests on, its memory, and its cases."""

    figures: Figures
    memory: Figures
    cases: Figures


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = new_page(
        book,
        "Inputs",
        "Change the pale yellow cells only. Solid border: must be set. Dashed: may stay as it is.",
        widths=_WIDTHS, portrait=True,
    )  # fmt: skip
    page.heads("Input", origin="What to enter")
    page.section("Model and accelerator")
    model_input(page)
    declare(page, _GPU, default="h100-sxm")
    declare_all(page, TrainingScenario, HEADINGS, left_out=LEFT_OUT)
    this_copy(page, "Training budget")


def plan(book: Book) -> Staged:
    """Add the sheets that hold the plan: its inputs by name, what it rests on, its memory, its three cases."""
    page = new_page(
        book, "Plan", "What is asked and what comes out, as sizebook's plan gives it.", widths=_WIDTHS, portrait=True
    )
    page.heads("Name")
    page.section("What is asked")
    chosen_model(page)
    asked = options(page, leaves(TrainingInputs))
    page.section("What it rests on")
    rests_on = figures(page, _call(asked, "TRAINING_FIGURES"), leaves(TrainingFigures))
    for name, n_letters in _LETTERS.items():
        page.wrap(book.find(f"plan_{name}").row, n_letters)
    for name in ("flops_per_token", "peak_flop_per_s"):
        page.sheet.cell(book.find(f"plan_{name}").row, FIRST_COLUMN).number_format = look.WHOLE
    page.section("Memory of the fullest GPU")
    memory = figures(page, _call(asked, "TRAINING_MEMORY"), MEMORY_FIGURES, heads=1)
    page.finish()
    book.instead("dp", "plan_dp")  # a blank one is what the other degrees leave over of the GPUs
    return Staged(rests_on, memory, _cases(book, asked))


def _call(asked: Options, function: str) -> str:
    return asked.call(function, "{chosen}", "{gpu}")


def _cases(book: Book, asked: Options) -> Figures:
    page = new_page(book, "Cases", "The plan in three cases: a step as predicted, and at both ends of its band.", NAMES)
    page.heads("Figure", origin="What it is")
    page.section("Low, middle and high in time")
    heads = [leaf.name for leaf in leaves(Case)]
    rows = stage(book, _call(asked, "TRAINING_LEDGER"), (1 + len(NAMES), len(heads)), heads=heads)
    shown = cases(page, rows, FIGURES, blank_where={"co2e_market_kg": '{covered_share}=""'})
    page.finish()
    return shown
