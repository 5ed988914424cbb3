"""Spreadsheet functions that give whole training plans as tables: cases, memory, figures, and many runs at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from sizebook.core.quantities import Gpu, Model
from sizebook.core.registry import function
from sizebook.core.sections import Quantity, flat, leaves
from sizebook.core.tabular import Answers, Columns, Table, answered
from sizebook.plans.ledgers import Cases, Figures
from sizebook.plans.training.case import NAMES, Case
from sizebook.plans.training.figures import MEMORY_FIGURES, figures
from sizebook.plans.training.functions import MODEL_OF_MEMORY, MODEL_OF_TIME
from sizebook.plans.training.inputs import TrainingInputs, settled
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.plans.training.rows import INPUTS, OUTPUTS, REQUIRED_INPUTS, Rows

Components = Annotated[list[list[str | float]], Quantity("names and bytes, one component a row", kind="range")]

_EXAMPLE = {
    "model": "gpt-2-small",
    "gpu": "a100-sxm-80gb",
    "gpus": 8,
    "tokens": 1e10,
    "batch": 64,
    "seq": 1024,
    "mfu": 0.4,
    "price_usd_per_gpu_hour": 2,
    "grams_per_kwh": 400,
}
# From the step's seconds on; an MFU of one's own has no band, so that all three cases are alike.
_CASE = (
    0.052369414301538464,
    156427.1838678811,
    0.4,
    0.4283890791685197,
    0.9983412728170897,
    7990.9384615384615,
    13.27680944785061,
    0,
    8004.215270986312,
    0.09264138045123047,
    17.787145046636248,
    35.51528205128205,
    0.05900804199044716,
    0,
    0,
    35.574290093272495,
    11.56164428031356,
    4.624657712125424,
    "",
    0.1841381185439445,
    22.159072473389635,
    0.11541183579890435,
    44.31814494677927,
)
_LEDGER = [[leaf.name for leaf in leaves(Case)], *([name, *_CASE] for name in NAMES)]
_COMPONENTS = [
    ["component", "bytes"],
    ["weights", 248879616],
    ["gradients", 497759232],
    ["master_weights", 62219904],
    ["optimizer_states", 124439808],
    ["activations", 302579712],
    ["loss", 514631680],
    ["buffers", 0],
    ["fragmentation", 0],
    ["context", 1610612736],
    ["total", 3361122688],
    ["capacity", 84986665370],
]


def ledger(plan: TrainingPlan) -> list[list[Any]]:
    """Return the ledger of a plan: names, then a row each for low, middle and high; blank where a figure is unknown."""
    rows = [["" if value is None else value for value in flat(case).values()] for case in plan.cases]
    return [[leaf.name for leaf in leaves(Case)], *rows]


def components(plan: TrainingPlan) -> list[list[str | float]]:
    """Return the memory of the fullest rank: names and bytes, the total of them, and what a GPU has."""
    found = {**flat(plan.fullest), "total": plan.fullest.total, "capacity": plan.capacity_bytes}
    return [["component", "bytes"], *([figure.name, found[figure.name]] for figure in MEMORY_FIGURES)]


@function(category="training time", source=f"{MODEL_OF_TIME}; {MODEL_OF_MEMORY}", example=(_EXAMPLE, _LEDGER))
def training_ledger(model: Model, gpu: Gpu, inputs: TrainingInputs) -> Cases:
    """Return a training plan as a table: names, then low, middle and high: time, cost, carbon, and the whole run.

    The figures of 'sizebook plan train' for the same inputs, computed by the same plan. Says nothing of whether the run
    fits (TRAINING_MEMORY). Blank degrees are 1, and dp what they leave over of the GPUs: no layout is searched.
    """
    return ledger(unchecked_plan(settled(model, gpu, inputs)))


@function(
    category="training memory", source=f"{MODEL_OF_MEMORY}; memory: data/hardware.csv", example=(_EXAMPLE, _COMPONENTS)
)
def training_memory(model: Model, gpu: Gpu, inputs: TrainingInputs) -> Components:
    """Return the memory of the fullest GPU of a training plan by component, its total and what a GPU has.

    The figures of 'sizebook plan train' for the same inputs, computed by the same plan.
    """
    return components(unchecked_plan(settled(model, gpu, inputs)))


_FIGURES = [
    ["parameters", 124439808],
    ["layout", "TP1 PP1 DP8 ZeRO-1 mb1"],
    ["dp", 8],
    ["micro_batches", 8],
    ["fullest_stage", 1],
    ["flops_per_token", 797815296.0],
    ["peak_flop_per_s", 312e12],
    ["checkpoint_interval_seconds", 36722.34886340294],
    ["price_usd_per_gpu_hour", 2],
    ["price_basis", "price given in the scenario, USD"],
    ["watts", 400.0],
    ["grams_per_kwh", 400],
    ["grid_basis", "grams per kWh given in the scenario"],
    ["residual_grams_per_kwh", 400],
    ["recomputation", "none"],
    ["recipe", "nothing recomputed"],
    ["trained", "full"],
    ["lora_rank", 0],
    ["trained_parameters", 124439808],
    ["padding_share", 0.0],
    ["padding_avoided", 0.0],
    ["run_family", "dense ampere megatron"],
    ["rates_basis", "none: the step follows from the MFU given"],
    ["programme_factor", 1.2457914080809818],
    ["programme_basis", "data/training_programmes.csv: 13 published programmes, 1.00 to 1.55"],
]


@function(category="training time", source=f"{MODEL_OF_TIME}; prices, grids: data/*.csv", example=(_EXAMPLE, _FIGURES))
def training_figures(model: Model, gpu: Gpu, inputs: TrainingInputs) -> Figures:
    """Return what a training plan rests on as names and values: layout, FLOPs, price, power, grid and their basis.

    What was left blank, such as a price, stands here as it was looked up. The figures of 'sizebook plan train' for the
    same inputs, computed by the same plan; cases are TRAINING_LEDGER, bytes TRAINING_MEMORY.
    """
    return [[name, value] for name, value in flat(figures(unchecked_plan(settled(model, gpu, inputs)))).items()]


RUNS = Columns(known=INPUTS, required=REQUIRED_INPUTS, results=OUTPUTS)


@function(
    category="training time",
    source=f"{MODEL_OF_TIME}; {MODEL_OF_MEMORY}",
    example=(
        {"table": [["model", "gpu", "gpus", "tokens", "batch"], ["llama-3.1-8b", "h100-sxm", 8, "1T", 128]]},
        [
            list(OUTPUTS),
            [
                69300803584.0,
                True,
                6.323188900875572,
                10364.390662269354,
                0.5054308771577841,
                139.8213433460633,
                26845.69792244415,
                104325.73783885826,
                30536.98138678022,
                11282.590123917847,
                33444.13981571838,
                174.18822820686657,
                129968.10784135858,
                -0.1442,
                0.16700000000000004,
                "dense hopper megatron",
                "shipped rates",
                "nothing recomputed, gradients in bf16",
                "",
            ],
        ],
    ),
)
def training_table(table: Table) -> Answers:
    """Return plans of many training runs in one call: a range whose heads are arguments, a line of results each.

    The heads are those of TRAINING_FIGURES and of the columns of 'sizebook sweep', which gives the same figures; model,
    gpu, gpus, tokens and batch are needed. A row that cannot be planned has errors for figures and its reason in the
    last column; one that does not fit has both.
    """
    return answered(table, RUNS, _answer)


def _answer(heads: Sequence[str]) -> Callable[[Sequence[Any]], Mapping[str, Any]]:
    return Rows(heads).result
