"""Describes `training_budget.xlsx`: memory, time, money, energy and carbon of one training run in three cases."""

from pathlib import Path

from training_budget_cases import cases
from training_budget_checks import checks
from training_budget_inputs import DRIVERS, inputs
from training_budget_lines import calculation
from training_budget_months import PERIODS, months
from training_budget_plan import plan
from training_budget_result import result
from training_budget_whatif import PRICES, TOKENS, what_if

from sizebook.batch.plan_kinds import workbook_inputs_of
from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.scenarios.training import TrainingScenario
from sizebook.workbooks.book import Book
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.finance import years_sheet
from sizebook.workbooks.scenario_inputs import SCENARIO, scenarios_sheet
from sizebook.workbooks.tornado import sensitivity_sheet
from sizebook.workbooks.what_if import case_cost

FILE, TITLE = "training_budget.xlsx", "Training budget"
_SCENARIO = Path(__file__).resolve().parents[1] / "reports" / "training-llama-3.1-70b.toml"
EXAMPLE = workbook_inputs_of(parse(TrainingScenario, read_toml(_SCENARIO), _SCENARIO.name))
FUNCTIONS = (
    "TRAINING_LEDGER",
    "TRAINING_MEMORY",
    "TRAINING_FIGURES",
    "PARAMS_MODEL",
    "FLOPS_PER_TOKEN",
    "FLOPS_PER_TOKEN_LORA",
    "TRAIN_MEMORY_BYTES",
    "STEP_SECONDS",
    "TRAIN_ERROR",
    "CLUSTER_MTBF_HOURS",
    "CHECKPOINT_INTERVAL_SECONDS",
    "GOODPUT",
    "PRICE_USD_PER_GPU_HOUR",
    "GPU_SPEC",
    "GRID_G_PER_KWH",
)
NOTES = (
    "Functions of sizebook say what one step takes in memory and time, each called once on a hidden sheet, its value "
    "held beside it. Tokens, prices, the whole run, energy and carbon are ordinary formulas, which need no add-in.",
    "With the scenario base and no dated prices Cases holds the plan that 'sizebook plan train' prints and the report "
    "shows for the same inputs; Checks compares every figure, and Calculation derives a step by single functions.",
    "Cases: middle is the predicted step time, low and high are the 10th and 90th percentile of measured over "
    "predicted step time on published runs that the fit had not seen; at an MFU of your own times are alike. "
    "Costs take both ends of the price as well, the 10th and 90th percentile of providers, which differ independently.",
    "A price, power or carbon intensity that is left blank is looked up, and said to be missing where none is listed; "
    "Plan says what was taken, and from where. A blank data-parallel degree is what the other degrees leave over.",
    "Months, What-if, Sensitivity and Two-way are of the whole run in the middle case, spread evenly over its days; "
    "What-if takes dated prices at their mean over these months.",
    "Memory: the fullest GPU. The allowance for CUDA and communication is part of it; what other processes hold on "
    "the GPU is not.",
    "FLOPs per token: the convention named on Inputs; Calculation shows what the others give.",
    "Energy: GPU power at work x (1 + host share) x PUE. Carbon is location-based; the market-based figure stands "
    "apart, and is stated only where the energy under contracts is.",
    "Whole run: steady state times a factor for restarts, ramp, evaluation, warm-up and slow nodes, by default the "
    "one that published GPU-hours show at so many GPUs (data/training_programmes.csv). Energy and carbon are of steady "
    "state.",
    "Left out: failed experiments, data preparation and staff, unless typed under other costs.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover_sheet(
        book,
        "What one training run needs: memory a GPU, days, dollars by month, MWh and tonnes, in three cases.",
        SCENARIO,
    )
    inputs(book)
    scenarios_sheet(book, DRIVERS, TOKENS, PRICES)
    page, staged = plan(book)
    cases(book, staged)
    months(book)
    years_sheet(book, PERIODS)
    what_if(book)
    sensitivity_sheet(book, DRIVERS, (TOKENS, PRICES), case_cost, "cost of the whole run")
    calculation(page)
    result(book)
    checks_sheet(book, checks(staged))
    notes_sheet(book, FUNCTIONS, NOTES)
    front()
