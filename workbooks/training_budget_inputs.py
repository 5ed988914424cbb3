"""The inputs of `training_budget.xlsx`: those of a training scenario, and the workbook's own."""

from sizebook.core.sections import leaves
from sizebook.plans.training.inputs import Energy, Footprint, Prices
from sizebook.scenarios.money import Money
from sizebook.scenarios.scenario_files import ModelScenario
from sizebook.scenarios.training import TrainingScenario
from sizebook.training.layout import Layout
from sizebook.training.quantities import Operations, Pace, Programme, Run
from sizebook.training.recipe import Method, Recipe
from sizebook.training.tuning import Examples
from sizebook.workbooks.book import Book
from sizebook.workbooks.declared_inputs import declare, declare_all
from sizebook.workbooks.finance import CURRENCY, FIRST_DAY, constant_lines
from sizebook.workbooks.scenario_inputs import Driver
from sizebook.workbooks.shared_lines import copy_section, input_page

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
LEFT_OUT = {leaf.name for kind in (ModelScenario, Money) for leaf in leaves(kind)} | {"gpu", "plan"}
LEFT_OPEN = {"dp"}  # what the other degrees leave over of the GPUs
DRIVERS = (
    Driver("tokens", "Tokens", 1, 0.9, 1.2, "tokens over those of Inputs"),
    Driver("speed", "Speed of a step", 1, 1.1, 0.85, "rate of a step over the predicted one"),
    Driver("price", "GPU price", 1, 0.9, 1.15, "price of a GPU-hour over that of Inputs"),
    Driver(
        "whole", "Whole run, added", 0, -0.1, 0.3, "added to the whole run over its steady state, at least 1 in all"
    ),
    Driver("other", "Other costs", 1, 0.8, 1.5, "other costs over those of Inputs"),
)


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = input_page(book, "TRAINING_LEDGER")
    declare_all(page, TrainingScenario, HEADINGS, left_out=LEFT_OUT, blank=LEFT_OPEN)
    page.section("Calendar and currency")
    declare(page, FIRST_DAY)
    declare(page, CURRENCY)
    constant_lines(
        page,
        "hours_a_month",
        "hours_a_day",
        "seconds_a_day",
        "seconds_an_hour",
        "months_a_quarter",
        "months_a_year",
        "thousand",
        "million",
        "life_hours",
        "rounding",
    )
    copy_section(page, "Training budget")
