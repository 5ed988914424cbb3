"""The inputs of `serving_capacity.xlsx`, those of a serving scenario, and the plan staged from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.core.registry import Argument, leaves
from sizebook.functions import find
from sizebook.plans.ledgers import LONGEST_PLAN, columns
from sizebook.plans.serving.figures import ServingFigures
from sizebook.plans.serving.inputs import Energy, Margins, Prices, RequestStream, ServingInputs, Target, Traffic
from sizebook.plans.serving.months import Month
from sizebook.scenarios.files import ModelScenario
from sizebook.scenarios.serving import ServingScenario
from sizebook.serving.quantities import PoolLayout, Replica
from sizebook.workbooks.building import Book
from sizebook.workbooks.declaring import declare, declare_all
from sizebook.workbooks.page import new_page
from sizebook.workbooks.shared_lines import chosen_model, model_input, this_copy
from sizebook.workbooks.staging import Figures, Ledger, StagedRows, figures, ledger, options, stage

HEADINGS = {
    ServingScenario: "Replica",
    Replica: "Replica",
    Traffic: "Traffic",
    Target: "Targets",
    Margins: "Margins of the fleet",
    Prices: "Money",
    Energy: "Energy and carbon",
    RequestStream: "Requests one by one",
    PoolLayout: "Prefill and decode in pools of their own",
}
# What stands elsewhere on the page; and a workbook holds one plan on one accelerator, and searches no others.
SEARCH = {"plan", "gpus_compared"}
LEFT_OUT = {leaf.name for leaf in leaves(ModelScenario)} | {"gpu"} | SEARCH
_GPU = next(argument for argument in find("SERVING_LEDGER").arguments if argument.name == "gpu")
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
    page = new_page(
        book,
        "Inputs",
        "Change the pale yellow cells only. Solid border: must be set. Dashed: may stay as it is.",
        widths=(36, 30, 16, 66), portrait=True,
    )  # fmt: skip
    page.heads("Input", origin="What to enter")
    page.section("Model and accelerator")
    model_input(page)
    declare(page, _GPU, default="h100-sxm")
    declare_all(page, ServingScenario, HEADINGS, left_out=LEFT_OUT)
    page.section("An API to compare with")
    for argument in API:
        label, default = _API_LABELS.get(argument.name, ""), None if argument.required else argument.default
        declare(page, argument, required=False, default=default, label=label)
    this_copy(page, "Serving capacity")


def plan(book: Book) -> Staged:
    """Add the sheets that hold the plan: its inputs by name, its figures, its months."""
    page = new_page(
        book,
        "Plan",
        "What is asked and what comes out, as sizebook's plan gives it.",
        widths=(30, 30, 16, 66),
        portrait=True,
    )
    page.heads("Name")
    page.section("What is asked")
    chosen_model(page)
    asked = options(page, leaves(ServingInputs), rows=LONGEST_PLAN)
    page.section("Figures")
    shown = figures(page, asked.call("SERVING_FIGURES", "{chosen}", "{gpu}"), leaves(ServingFigures))
    declared = columns(Month)
    rows = stage(
        book,
        asked.call("SERVING_LEDGER", "{chosen}", "{gpu}"),
        1 + LONGEST_PLAN,
        len(declared),
        heads=[c.name for c in declared],
    )
    page.line("n_months", "Months of the plan", rows.count(), "months", "Rows of Months")
    page.finish()
    for length in ("input_tokens", "output_tokens"):
        book.instead(length, f"plan_{length}")  # where lengths come as a histogram, its mean
    return Staged(shown, _months(book, rows, declared))


def _months(book: Book, rows: StagedRows, declared: Sequence[Argument]) -> Ledger:
    page = new_page(
        book,
        "Months", "The plan month by month; rows beyond its last month are blank.", ("",) * (len(declared) - 3),
        (10, *[15] * (len(declared) - 1)),
    )  # fmt: skip
    page.section("Month by month")
    months = ledger(page, rows, declared, count="n_months")
    page.sheet.freeze_panes = f"C{months.first}"
    page.sheet.print_title_rows = f"{months.first - 2}:{months.first - 1}"
    page.finish()
    return months
