"""The result sheets of `training_budget.xlsx`: the figures to hand on, on one page; what memory and cost consist of."""

from openpyxl.styles import Alignment
from training_budget_checks import CAUSES
from training_budget_plan import FIGURES, LABELS

from sizebook.plans.training.case import NAMES
from sizebook.training.memory import COMPONENTS
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import NEEDS_ADDIN
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.cost_ranges import share_said
from sizebook.workbooks.finance import MEAN_RATE, is_unchanged, months_table
from sizebook.workbooks.line_sheet import LineSheet, new_sheet, result_sheet
from sizebook.workbooks.text_formulas import count_text, number_text, part

# What is shown of each case: Cases has all of it.
SHOWN = (
    "step_seconds",
    "tokens_per_s_per_gpu",
    "mfu",
    "hfu",
    "goodput",
    "train_days",
    "gpu_hours",
    "case_usd_per_gpu_hour",
    "cost_usd",
    "whole_run_factor",
    "programme_gpu_hours",
    "programme_days",
    "programme_cost_usd",
    "energy_kwh",
    "co2e_kg",
    "co2e_market_kg",
    "embodied_kg",
)
_LAST_COLUMN, _PRICE_LINES = 6, 3  # a median names all its providers
_SHARE = share_said("{price_share}")
USD = "[>=100]#,##0;[>=0.1]0.00;0.00##"  # cents of a small run


def result(book: Book) -> None:
    """Add the sheets."""
    said = "The figures to hand on; ranges hold eight of ten measured steps, those of cost eight of ten providers too."
    page = result_sheet(book, "Result", said, (30, *[16] * 4), chart_rows=16)
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    _tiles(page)
    by_month = page.room_for_chart(f'=IF({is_unchanged("month_usd")},{{months_message}},"")')
    _cases(page)
    page.finish()
    rows = _parts(book)
    page.chart(
        Chart("columns", "{months_message}", "cost a month", styles.WHOLE, rows, "C", of_sheet="Parts"), at=by_month
    )


def _parts(book: Book) -> tuple[int, int]:
    """Add the sheet of what memory and cost consist of; return the rows of its table of months."""
    page = new_sheet(
        book,
        "Parts",
        "What memory and cost consist of, and where prices come from.",
        ("", ""),
        (25, *[18] * 4),
        portrait=True,
    )
    _memory(page)
    _cost(page)
    _basis(page)
    page.section("Months of the chart")
    rows = months_table(page, {"month_usd": f"Cost, {MONEY}", "month_hours": "GPU-hours"})
    page.finish()
    return rows


def _tiles(page: LineSheet) -> None:
    page.tiles(
        [
            (
                f'="Steady state, "&{_unit("train_days", 1, "days", "hours")}',
                *_banded("train_days", 1, "1/24"),
            ),
            (f"Steady state, {MONEY}", *_banded("cost_usd")),
            (
                "Memory a GPU in GiB",
                "={plan_total}/2^30",
                styles.RATE,
                f'="of "&{number_text("{plan_capacity}/2^30")}&", "&'
                'ROUND(ROUND(100*{plan_total}/{plan_capacity},6),0)&" %"',
            ),
            (f'="Whole run, "&{_unit("energy_kwh", 1000, "MWh", "kWh")}', *_banded("energy_kwh", 1000, "1", "1000")),
            (f'="Whole run, "&{_unit("co2e_kg", 1000, "t CO2e", "kg CO2e")}', *_banded("co2e_kg", 1000, "1", "1000")),
        ]
    )
    page.tiles(
        [
            (f"Whole run, {MONEY}", "={month_usd.total}", styles.WHOLE, _banded("programme_cost_usd")[2]),
            ("Whole run, days", *_banded("programme_days")),
            ("Whole run, GPU-hours", *_banded("programme_gpu_hours")),
            (
                f"{MONEY} per Mtok",
                "={month_usd.total}/{month_mtok.total}",
                styles.RATE,
                '="of "&' + count_text("{month_mtok.total}") + '&" Mtok"',
            ),
            ("Power, MW", "={running_mw}", styles.RATE, "while it runs"),
        ]
    )


def _unit(name: str, least: int, large: str, small: str) -> str:
    """Return the formula of a tile's unit: the large one from so much on, in the figure's own unit."""
    return f'IF({{plan_{name}.middle}}>={least},"{large}","{small}")'


def _banded(name: str, least: int = 0, small: str = "1", large: str = "1") -> tuple[str, str, str]:
    """Return a tile's formula, number format and range, in a unit of so many of the figure's own."""
    scale = "" if small == large else f"/IF({{plan_{name}.middle}}>={least},{large},{small})"
    scale += f"*{MEAN_RATE}" if name.endswith("_usd") else ""
    low, middle, high = (f"{{plan_{name}.{case}}}{scale}" for case in NAMES)
    write = number_text
    under = f'=IF({low}={high},"at the MFU given",{write(low)}&" to "&{write(high)})'
    shown = {"cost_usd": USD, "programme_gpu_hours": styles.NUMBER}.get(name, styles.RATE)
    return f"={middle}", shown, under


def _cases(page: LineSheet) -> None:
    page.section("Three cases of time and price")
    units = {leaf.name: leaf.quantity.unit for leaf in FIGURES}
    shares, own = (
        {"mfu", "hfu", "goodput"},
        {"train_days": styles.RATE, "cost_usd": USD, "programme_days": styles.RATE, "programme_cost_usd": USD},
    )
    rows, formats = [], []
    for name in SHOWN:
        rate = f"*{MEAN_RATE}" if units[name].startswith("USD") else ""
        figures = [f"={{plan_{name}.{case}}}{rate}" for case in NAMES]
        if name == "co2e_market_kg":
            figures = [f'=IF({{covered_share}}="","not stated",{{plan_{name}.{case}}})' for case in NAMES]
        rows.append([LABELS[name], *figures, "" if name in shares else units[name].replace("USD", MONEY)])
        shown = styles.PERCENT if name in shares else own.get(name, styles.NUMBER)
        formats.append([styles.GENERAL, *[shown] * 3, styles.GENERAL])
    page.table(["Figure", "Low", "Middle", "High", "Unit"], rows, formats)


def _memory(page: LineSheet) -> None:
    page.section("Memory of the fullest GPU")
    rows = page.table(
        ["Component", "Bytes", "GiB", "Share of the need", "Share of the GPU"],
        [
            [
                LABELS[name],
                f"={{plan_{name}}}",
                f"={{plan_{name}}}/2^30",
                f"={{plan_{name}}}/{{plan_total}}",
                f"={{plan_{name}}}/{{plan_capacity}}",
            ]
            for name in (*COMPONENTS, "total")
        ],
        [styles.GENERAL, styles.WHOLE, styles.DECIMAL, styles.PERCENT, styles.PERCENT],
        total=True,
    )
    page.chart(Chart("bars", "{memory_message}", "GiB", styles.DECIMAL, (rows[0], rows[1] - 1), "D"))


def _cost(page: LineSheet) -> None:
    page.section("Cost by cause")
    rows = page.table(
        ["Cause", *(f"{case.capitalize()}, {MONEY}" for case in NAMES), "Share of the middle"],
        [
            [
                LABELS[name],
                *(f"={{plan_{name}.{case}}}*{MEAN_RATE}" for case in NAMES),
                f"=IF({{plan_cost_usd.middle}}=0,0,{{plan_{name}.middle}}/{{plan_cost_usd.middle}})",
            ]
            for name in (*CAUSES, "cost_usd")
        ],
        [styles.GENERAL, *[USD] * 3, styles.PERCENT],
        total=True,
    )
    page.chart(Chart("columns", "{cost_message}", "cost", styles.WHOLE, (rows[0], rows[1] - 1), "CDE"))


def _basis(page: LineSheet) -> None:
    page.section("What it rests on")
    price = (
        f'IF({{plan_price_basis}}="{NEEDS_ADDIN}","{NEEDS_ADDIN}",'
        f'{number_text("{price_now}")}&" USD: "&{{plan_price_basis}}&{part(_dearer())}&". "&{part(_SHARE)})'
    )
    watts = f'={number_text("{power}")}&" W, "&ROUND(ROUND(100*{{host_share}},6),0)&" % host, PUE "&{{pue}}'
    for label, formula, n_lines in (
        ("Layout", "={plan_layout}", 1),
        ("Price of a GPU-hour", f"={price}", _PRICE_LINES),
        ("Whole run", f'="steady state x "&{number_text("{factor_now}")}&": "&{{plan_programme_basis}}', 1),
        ("Power of a GPU", watts, 1),
        ("Carbon intensity", f'={number_text("{grams}")}&" g/kWh: "&{{plan_grid_basis}}', 1),
    ):
        cell = page.fact(label, formula)
        page.sheet.merge_cells(start_row=cell.row, end_row=cell.row, start_column=cell.column, end_column=_LAST_COLUMN)
        cell.alignment = Alignment(wrap_text=True, vertical="center")
        page.sheet.row_dimensions[cell.row].height = 15 * n_lines


def _dearer() -> str:
    """Return the expression of what to say where a term costs more than on demand."""
    over = (
        'IF({listed_price_on_demand}<{price},"; on demand "&' + number_text("{listed_price_on_demand}") + '&" USD","")'
    )
    return (
        f'IF(AND({{price_usd_per_gpu_hour}}="",{{term}}<>"on_demand",ISNUMBER({{listed_price_on_demand}})),{over},"")'
    )
