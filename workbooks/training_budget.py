"""Describes `training_budget.xlsx`: memory, time, money, energy and carbon of one training run in three cases."""

from __future__ import annotations

from pathlib import Path

from training_budget_checks import checks
from training_budget_inputs import inputs, plan
from training_budget_lines import calculation
from training_budget_result import result

from sizebook.batch.jobs import inputs_of
from sizebook.scenarios.files import parse, read_toml
from sizebook.scenarios.training import TrainingScenario
from sizebook.workbooks.building import Book
from sizebook.workbooks.pages import checks_page, cover, notes_page

FILE, TITLE = "training_budget.xlsx", "Training budget"
_SCENARIO = Path(__file__).resolve().parents[1] / "reports" / "training-llama-3.1-70b.toml"
EXAMPLE = inputs_of(parse(TrainingScenario, read_toml(_SCENARIO), _SCENARIO.name))
FUNCTIONS = (
    "TRAINING_LEDGER",
    "TRAINING_MEMORY",
    "TRAINING_FIGURES",
    "PARAMS_MODEL",
    "FLOPS_PER_TOKEN",
    "FLOPS_PER_TOKEN_LORA",
    "TRAIN_FLOPS",
    "TRAIN_MEMORY_BYTES",
    "STEP_SECONDS",
    "TRAIN_ERROR",
    "MFU",
    "CLUSTER_MTBF_HOURS",
    "CHECKPOINT_INTERVAL_SECONDS",
    "GOODPUT",
    "TRAIN_DAYS",
    "GPU_HOURS",
    "TRAIN_COST_USD",
    "TRAIN_ENERGY_KWH",
    "TRAIN_CO2E_KG",
    "MARKET_CO2E_KG",
    "EMBODIED_CO2E_KG",
)
NOTES = (
    "Plan and Cases hold the plan itself, the one that 'sizebook plan train' prints and the report shows for the same "
    "inputs. Result shows its figures; Calculation derives the middle case by single functions, and Checks compares "
    "the two.",
    "Cases: middle is the predicted step time, low and high are the 10th and 90th percentile of measured over "
    "predicted step time on published runs that the fit had not seen. At an MFU of your own all three are alike.",
    "A price, power or carbon intensity that is left blank is looked up by the plan; Plan says what was taken, and "
    "from where. A data-parallel degree of 1 is what the other degrees leave over of the GPUs.",
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
    front = cover(book, "What one training run needs: memory a GPU, days, dollars, MWh and tonnes, in three cases.")
    inputs(book)
    staged = plan(book)
    calculation(book)
    result(book)
    checks_page(book, checks(staged))
    notes_page(book, FUNCTIONS, NOTES)
    front()
