"""What the formulas of `training_budget.xlsx` start from: one step as functions give it, and the plan beside it."""

from collections.abc import Mapping
from dataclasses import dataclass

from training_budget_inputs import DRIVERS

from sizebook.core.sections import leaves
from sizebook.plans.training.case import NAMES, Case
from sizebook.plans.training.figures import MEMORY_FIGURES, TrainingFigures
from sizebook.plans.training.inputs import TrainingInputs
from sizebook.tables.price_rows import TERM_NAMES
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import NEEDS_ADDIN
from sizebook.workbooks.book import FIRST_COLUMN, Book
from sizebook.workbooks.catalog_lookups import power_lines, price_lines, unlisted_statement
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.scenario_inputs import drivers_in_use
from sizebook.workbooks.shared_lines import INPUT_WIDTHS, chosen_model_line, gpu_name_line
from sizebook.workbooks.staged_tables import (
    Options,
    StagedFigures,
    StagedRows,
    stage_figures,
    stage_options,
    stage_rows,
    watch_lines,
)
from sizebook.workbooks.text_formulas import part

FIGURES = tuple(leaf for leaf in leaves(Case) if leaf.name != "name")
HEADS = tuple(leaf.name for leaf in leaves(Case))
LABELS = {leaf.name: leaf.label for leaf in (*FIGURES, *MEMORY_FIGURES, *leaves(TrainingFigures))}
# What the workbook's own formulas follow: functions are asked for one step, at a price, a power and a factor of 1.
_BLANK = (
    "start_hours",
    "provider",
    "region",
    "term",
    "price_book",
    "rented_gpus",
    "other_usd",
    "pue",
    "host_share",
    "covered_share",
    "residual_grams_per_kwh",
    "kg_per_gpu",
    "grams_per_kwh",
)
_ONES = ("price_usd_per_gpu_hour", "watts")
NATIVE = {
    "tokens": "={batch}*{seq}",
    "programme_factor": '=""',
    **dict.fromkeys(_BLANK, '=""'),
    **dict.fromkeys(_ONES, "=1"),
}
_OWN_LINES = (
    "price_usd_per_gpu_hour",
    "price_low_usd_per_gpu_hour",
    "price_high_usd_per_gpu_hour",
    "price_share_of_range",
    "price_basis",
    "watts",
    "grams_per_kwh",
    "grid_basis",
    "residual_grams_per_kwh",
    "programme_factor",
    "programme_basis",
)
# The longest texts: a layout with recomputation, a median of many providers, a region with its year.
_LETTERS = {"layout": 60, "price_basis": 210, "grid_basis": 60, "programme_basis": 110}


@dataclass(frozen=True)
class Staged:
    """What functions give: what a step rests on, its memory, its three cases; and the plan to compare with."""

    figures: StagedFigures
    memory: StagedFigures
    steps: StagedRows
    plan: StagedRows


def plan(book: Book) -> tuple[LineSheet, Staged]:
    """Begin the sheet of what functions are asked and give, each once, and of prices, power and carbon."""
    page = new_sheet(
        book,
        "Plan",
        "What functions are asked and give of one step; prices, power and carbon beside it.",
        widths=INPUT_WIDTHS,
        portrait=True,
    )
    page.heads("Name")
    page.section("What functions are asked")
    chosen_model_line(page)
    gpu_name_line(page)
    watch_lines(book, "chosen", "gpu")
    asked = stage_options(page, leaves(TrainingInputs), **NATIVE)
    page.section("What it rests on")
    rests_on = stage_figures(page, _call(asked, "TRAINING_FIGURES"), leaves(TrainingFigures), left_out=_OWN_LINES)
    for name in ("flops_per_token", "peak_flop_per_s"):
        page.sheet.cell(book.find(f"plan_{name}").row, FIRST_COLUMN).number_format = styles.WHOLE
    page.section("Memory of the fullest GPU")
    memory = stage_figures(page, _call(asked, "TRAINING_MEMORY"), MEMORY_FIGURES, heads=1)
    size = (1 + len(NAMES), len(HEADS))
    steps = stage_rows(book, _call(asked, "TRAINING_LEDGER"), size, heads=HEADS)
    drivers_in_use(page, DRIVERS)
    price_basis, ledger = _compared(page, size)
    _rates(page, {**rests_on.cells, "price_basis": price_basis})
    book.replace_argument("dp", "plan_dp")  # a blank one is what the other degrees leave over of the GPUs
    return page, Staged(rests_on, memory, steps, ledger)


def _call(asked: Options, function: str) -> str:
    return asked.call(function, "{chosen}", "{gpu}")


def _rates(page: LineSheet, cells: Mapping[str, str]) -> None:
    """Add what tokens, GPU-hours and energy are taken times: given, else looked up, in the scenario of the cover."""
    page.section("Prices, power and carbon")
    watch_lines(page.book, "provider", "region", "price_book", "rented_gpus")
    price_lines(page)
    power_lines(page, limited=True)
    page.line(
        "residual",
        LABELS["residual_grams_per_kwh"],
        '=IF({residual_grams_per_kwh}="",{grams},{residual_grams_per_kwh})',
        "gCO2e/kWh",
        "As given, else the grid's",
        styles.NUMBER,
    )
    unlisted_statement(page)
    page.section("The run")
    page.line("tokens_now", "Tokens, scenario", "={tokens}*{use_tokens}", "tokens", "Inputs x the scenario's")
    page.line(
        "tokens_a_step",
        "Tokens of a step, padding apart",
        "={batch}*{seq}*(1-{plan_padding_share})",
        "tokens",
        "batch x seq x (1 - padding)",
    )
    given = f'IF({{programme_factor}}="",{cells["programme_factor"]},{{programme_factor}})'
    page.line(
        "factor",
        LABELS["programme_factor"],
        f"={given}",
        "ratio",
        "As given, else of published programmes",
        styles.NUMBER,
    )
    page.line(
        "factor_now",
        f"{LABELS['programme_factor']}, scenario",
        "=MAX(1,{factor}+{use_whole})",
        "ratio",
        "+ the scenario's",
        styles.NUMBER,
    )
    page.section("Where they come from")
    for name, formula in _bases(cells):
        page.line(f"plan_{name}", LABELS[name], formula, "", "Inputs, or the catalog", styles.TEXT)
        page.wrap(page.row - 1, _LETTERS[name])
    page.wrap(page.book.find("plan_layout").row, _LETTERS["layout"])


def _bases(cells: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the formulas of where price, grid and factor come from.

    The basis of a price names its term: one that was stored for another term does not stand in for this one's.
    """
    price = cells["price_basis"]
    term = "{term}"
    for key, name in TERM_NAMES.items():
        term = f'IF({{term}}="{key}","{name}",{term})'
    looked_up = f'IF(ISNUMBER(SEARCH(": "&{part(term)}&",",{price})),{price},"{NEEDS_ADDIN}")'
    return (
        ("price_basis", f'=IF({{price_usd_per_gpu_hour}}<>"","price given in the scenario, USD",{looked_up})'),
        ("grid_basis", f'=IF({{grams_per_kwh}}<>"","grams per kWh given in the scenario",{cells["grid_basis"]})'),
        ("programme_basis", f'=IF({{programme_factor}}<>"","factor given in the scenario",{cells["programme_basis"]})'),
    )


def _compared(page: LineSheet, size: tuple[int, int]) -> tuple[str, StagedRows]:
    """Stage the plan itself, for checks to compare with; return where its price comes from, too."""
    book = page.book
    page.section("What the plan is asked, to compare the workbook with")
    asked = stage_options(page, leaves(TrainingInputs), per_case=False, compared=True)
    names = [leaf.name for leaf in leaves(TrainingFigures)]
    rests_on = stage_rows(book, _call(asked, "TRAINING_FIGURES"), (len(names), 2), names=names)
    ledger = stage_rows(book, _call(asked, "TRAINING_LEDGER"), size, heads=HEADS, kept="compared")
    return rests_on.cell(1 + names.index("price_basis"), 2), ledger
