"""The inputs of `serving_capacity.xlsx`, those of a serving scenario, and the plan staged from them."""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.formulas.serving_quantities import Replica
from sizebook.functions import find
from sizebook.plans.ledgers import LONGEST_PLAN, columns
from sizebook.plans.serving_figures import ServingFigures
from sizebook.plans.serving_inputs import Energy, Margins, Prices, ServingInputs, Target, Traffic
from sizebook.plans.serving_months import Month
from sizebook.registry import leaves
from sizebook.scenarios import ModelScenario
from sizebook.serving_scenario import ServingScenario
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.declaring import declare, declare_all
from sizebook.workbooks.shared_lines import chosen_model, model_input, this_copy
from sizebook.workbooks.staging import Figures, Ledger, figures, ledger, options

HEADINGS = {
    ServingScenario: "Replica",
    Replica: "Replica",
    Traffic: "Traffic",
    Target: "Targets",
    Margins: "Margins of the fleet",
    Prices: "Money",
    Energy: "Energy and carbon",
}
# Inputs of their own stand elsewhere on the page; a workbook holds one plan and searches no others.
LEFT_OUT = {leaf.name for leaf in leaves(ModelScenario)} | {"plan", "gpus_compared"}
# What an API asks, to compare with: no part of the scenario.
API = tuple(
    argument
    for argument in find("API_USD_PER_REQUEST").arguments
    if argument.name not in {leaf.name for leaf in leaves(ServingInputs)}
)
_API_LABELS = {"usd_per_mtok_in": "An API's price for input", "usd_per_mtok_out": "An API's price for output"}


@dataclass(frozen=True)
class Staged:
    """The plan as it is staged: its figures and its months."""

    figures: Figures
    months: Ledger


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = book.page(
        "Inputs",
        "Change the pale yellow cells only. Solid border: must be set. Dashed: may stay as it is.",
        widths=(36, 30, 16, 66),
    )
    page.heads("Input", origin="What to enter")
    page.section("Model")
    model_input(page)
    declare_all(page, ServingScenario, HEADINGS, left_out=LEFT_OUT, defaults={"gpu": "h100-sxm"})
    page.section("An API to compare with")
    for argument in API:
        label, default = _API_LABELS.get(argument.name, ""), None if argument.required else argument.default
        declare(page, argument, required=False, default=default, label=label)
    this_copy(page, "Serving capacity")


def plan(book: Book) -> Staged:
    """Add the sheets that hold the plan: its inputs by name, its figures, its months."""
    page = book.page(
        "Plan", "What is asked and what comes out, as sizebook's plan gives it.", widths=(30, 30, 16, 66)
    )
    page.heads("Name")
    page.section("What is asked")
    chosen_model(page)
    asked = options(page, leaves(ServingInputs), rows=LONGEST_PLAN)
    page.section("Figures")
    shown = figures(page, asked.call("SERVING_FIGURES", "{chosen}", "{gpu}"), leaves(ServingFigures))
    page.finish()
    for length in ("input_tokens", "output_tokens"):
        book.instead(length, f"plan_{length}")  # where lengths come as a histogram, its mean
    return Staged(shown, _months(book, asked.call("SERVING_LEDGER", "{chosen}", "{gpu}")))


def _months(book: Book, call: str) -> Ledger:
    declared = columns(Month)
    page = book.page(
        "Months", "The plan month by month; rows beyond its last month are blank.", ("",) * (len(declared) - 3),
        (10, *[15] * (len(declared) - 1)),
    )  # fmt: skip
    page.section("Month by month")
    months = ledger(page, call, declared, LONGEST_PLAN)
    page.sheet.freeze_panes = f"C{months.head + 1}"
    page.sheet.print_title_rows = f"{months.head - 2}:{months.head}"
    page.finish()
    return months
