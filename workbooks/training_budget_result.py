"""The result sheet of `training_budget.xlsx`: the plan's figures, its cases, its memory, what its cost consists of."""

from __future__ import annotations

from openpyxl.styles import Alignment
from training_budget_checks import CAUSES
from training_budget_inputs import FIGURES

from sizebook.plans.training.case import NAMES
from sizebook.plans.training.figures import MEMORY_FIGURES
from sizebook.training.memory import COMPONENTS
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.page import Page, new_page
from sizebook.workbooks.wording import worded

# What is shown of each case: Cases has all of it.
SHOWN = (
    "step_seconds",
    "tokens_per_s_per_gpu",
    "mfu",
    "hfu",
    "goodput",
    "train_days",
    "gpu_hours",
    "cost_usd",
    "energy_kwh",
    "co2e_kg",
    "co2e_market_kg",
    "embodied_kg",
    "programme_gpu_hours",
    "programme_days",
    "programme_cost_usd",
)
LABELS = {leaf.name: leaf.label for leaf in (*FIGURES, *MEMORY_FIGURES)}
_LAST_COLUMN, _PRICE_LINES = 6, 3  # a median names all its providers
USD = "[>=100]#,##0;[>=0.1]0.00;0.00##"  # cents of a small run
GIVEN = "ISNUMBER({given_share})"  # then there is no band


def result(book: Book) -> None:
    """Add the sheet."""
    page = new_page(book, "Result", "The figures to hand on.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    _tiles(page)
    _cases(page)
    _memory(page)
    _cost(page)
    _basis(page)
    page.finish()


def _tiles(page: Page) -> None:
    page.tiles(
        [
            (f'={_unit("train_days", 1, "Days", "Hours")}&" on "&TEXT({{gpus}},"#,##0")&" "&{{gpu}}',
             *_banded("train_days", 1, "1/24")),
            ("Cost in USD", *_banded("cost_usd")),
            ("Memory a GPU in GiB", "={plan_total}/2^30", look.RATE,
             f'="of "&{worded("{plan_capacity}/2^30")}&", "&'
             'ROUND(ROUND(100*{plan_total}/{plan_capacity},6),0)&" %"'),
            (f'="Energy in "&{_unit("energy_kwh", 1000, "MWh", "kWh")}', *_banded("energy_kwh", 1000, "1", "1000")),
            (f'="CO2e in "&{_unit("co2e_kg", 1000, "tonnes", "kg")}', *_banded("co2e_kg", 1000, "1", "1000")),
        ]
    )  # fmt: skip


def _unit(name: str, least: int, large: str, small: str) -> str:
    """Return the formula of a tile's unit: the large one from so much on, in the figure's own unit."""
    return f'IF({{plan_{name}.middle}}>={least},"{large}","{small}")'


def _banded(name: str, least: int = 0, small: str = "1", large: str = "1") -> tuple[str, str, str]:
    """Return a tile's formula, number format and range, in a unit of so many of the figure's own."""
    scale = "" if small == large else f"/IF({{plan_{name}.middle}}>={least},{large},{small})"
    low, middle, high = (f"{{plan_{name}.{case}}}{scale}" for case in NAMES)
    under = f'=IF({GIVEN},"at the MFU given",{worded(low)}&" to "&{worded(high)})'
    return f"={middle}", USD if name == "cost_usd" else look.RATE, under


def _cases(page: Page) -> None:
    page.section("Three cases of the step's time")
    units = {leaf.name: leaf.quantity.unit for leaf in FIGURES}
    shares, own = (
        {"mfu", "hfu", "goodput"},
        {"train_days": look.RATE, "cost_usd": USD, "programme_days": look.RATE, "programme_cost_usd": USD},
    )
    rows, formats = [], []
    for name in SHOWN:
        figures = [f"={{plan_{name}.{case}}}" for case in NAMES]
        if name == "co2e_market_kg":
            figures = [f'=IF({{covered_share}}="","not stated",{{plan_{name}.{case}}})' for case in NAMES]
        rows.append([LABELS[name], *figures, "" if name in shares else units[name]])
        shown = look.PERCENT if name in shares else own.get(name, look.NUMBER)
        formats.append([look.GENERAL, *[shown] * 3, look.GENERAL])
    page.table(["Figure", "Low", "Middle", "High", "Unit"], rows, formats)


def _memory(page: Page) -> None:
    page.section("Memory of the fullest GPU")
    rows = page.table(
        ["Component", "Bytes", "GiB", "Share of the need", "Share of the GPU"],
        [
            [LABELS[name], f"={{plan_{name}}}", f"={{plan_{name}}}/2^30", f"={{plan_{name}}}/{{plan_total}}",
             f"={{plan_{name}}}/{{plan_capacity}}"]
            for name in (*COMPONENTS, "total")
        ],
        [look.GENERAL, look.WHOLE, look.DECIMAL, look.PERCENT, look.PERCENT],
        total=True,
    )  # fmt: skip
    page.chart(Chart("bars", "{memory_message}", "GiB", look.DECIMAL, (rows[0], rows[1] - 1), "D"))


def _cost(page: Page) -> None:
    page.section("Cost by cause")
    rows = page.table(
        ["Cause", "Low, USD", "Middle, USD", "High, USD", "Share of the middle"],
        [
            [LABELS[name], *(f"={{plan_{name}.{case}}}" for case in NAMES),
             f"=IF({{plan_cost_usd.middle}}=0,0,{{plan_{name}.middle}}/{{plan_cost_usd.middle}})"]
            for name in (*CAUSES, "cost_usd")
        ],
        [look.GENERAL, *[USD] * 3, look.PERCENT],
        total=True,
    )  # fmt: skip
    page.chart(Chart("columns", "{cost_message}", "USD", look.WHOLE, (rows[0], rows[1] - 1), "CDE"))


def _basis(page: Page) -> None:
    page.section("What it rests on")
    for label, formula in (
        ("Layout", "={plan_layout}"),
        ("Price of a GPU-hour", '=TEXT({plan_price_usd_per_gpu_hour},"0.00##")&" USD: "&{plan_price_basis}'),
        ("Whole run", '="steady state x "&TEXT({plan_programme_factor},"0.00")&": "&{plan_programme_basis}'),
        (
            "Power of a GPU",
            f'={worded("{plan_watts}")}&" W, "&ROUND(ROUND(100*{{host_share}},6),0)&" % host, PUE "&{{pue}}',
        ),
        ("Carbon intensity", f'={worded("{plan_grams_per_kwh}")}&" g/kWh: "&{{plan_grid_basis}}'),
    ):
        cell = page.fact(label, formula)
        page.sheet.merge_cells(start_row=cell.row, end_row=cell.row, start_column=cell.column, end_column=_LAST_COLUMN)
        if label.startswith("Price"):
            cell.alignment = Alignment(wrap_text=True, vertical="center")
            page.sheet.row_dimensions[cell.row].height = 15 * _PRICE_LINES
