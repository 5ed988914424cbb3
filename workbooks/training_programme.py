"""Describes `training_programme.xlsx`: phases one after another, and what they cost together, month by month."""

from pathlib import Path

from training_programme_checks import checks
from training_programme_inputs import DRIVERS, inputs
from training_programme_months import PERIODS, budget, months
from training_programme_phases import phases
from training_programme_result import result
from training_programme_whatif import HOURS, PRICES, what_if

from sizebook.batch.plan_kinds import workbook_inputs_of
from sizebook.scenarios.programme import ProgrammeScenario
from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.workbooks.book import Book
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.finance import years_sheet
from sizebook.workbooks.scenario_inputs import SCENARIO, scenarios_sheet
from sizebook.workbooks.tornado import sensitivity_sheet
from sizebook.workbooks.what_if import case_cost

FILE, TITLE = "training_programme.xlsx", "Training programme"
_SCENARIO = Path(__file__).resolve().parents[1] / "reports" / "programme-llama-3.1-405b.toml"
EXAMPLE = workbook_inputs_of(parse(ProgrammeScenario, read_toml(_SCENARIO), _SCENARIO.name))
FUNCTIONS = ("PROGRAMME_FIGURES", "PROGRAMME_BUDGET", "PRICE_USD_PER_GPU_HOUR", "GPU_SPEC", "GRID_G_PER_KWH")
NOTES = (
    "Functions of sizebook say how many GPU-hours and days a phase takes and whether it fits. Prices, other costs, "
    "gaps, experiments, data, storage, egress, power, grid and months are ordinary formulas, which need no add-in.",
    "With the scenario base and no dated prices the budget is that of 'sizebook plan programme' and of its report for "
    "the same inputs; Checks compares every part in low, middle and high.",
    "Low and high take every phase at the same end of its band. Months are those of the middle case, 730 hours each.",
    "Ablations, failed runs and evaluation run beside the phases, in proportion to their GPU-hours. Data are paid in "
    "the first month, kept checkpoints when their phase ends, egress in the last month.",
    "What-if, Sensitivity and Two-way are of the middle case; they take dated prices at their mean over the months as "
    "the scenario of the cover lays them out.",
    "Left out: staff, and whatever is not named on Inputs.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover_sheet(
        book, "What the phases of a training programme take and cost together, month by month.", SCENARIO
    )
    inputs(book)
    scenarios_sheet(book, DRIVERS, HOURS, PRICES)
    staged = phases(book)
    budget(book)
    months(book)
    years_sheet(book, PERIODS)
    what_if(book)
    sensitivity_sheet(book, DRIVERS, (HOURS, PRICES), case_cost, "cost of the whole programme")
    result(book)
    checks_sheet(book, checks(staged))
    notes_sheet(book, FUNCTIONS, NOTES)
    front()
