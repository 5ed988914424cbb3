"""Describes `fleet_plan.xlsx`: several models over 36 months; GPUs reserved and burst, money, energy and carbon."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fleet_plan_lines import SERVICES, inputs, replicas
from fleet_plan_months import Sheets, months

from sizebook.fleet_scenario import FleetScenario, workbook_inputs
from sizebook.plans.fleet import MONTHS
from sizebook.scenarios import parse, read_toml
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.pages import checks_page, cover, notes_page

FILE, TITLE = "fleet_plan.xlsx", "Fleet plan"
_SCENARIO = Path(__file__).resolve().parent / "scenarios" / "three-services.toml"
EXAMPLE = workbook_inputs(parse(FleetScenario, read_toml(_SCENARIO), _SCENARIO.name))
FUNCTIONS = (
    "REQUEST_SECONDS",
    "MAX_CONCURRENCY",
    "REQUESTS_AFTER",
    "PEAK_REQUESTS_PER_SECOND",
    "REPLICAS_FOR_TRAFFIC",
    "GPU_SPEC",
    "SERVING_ERROR",
    "PRICE_USD_PER_GPU_HOUR",
    "SERVING_KWH",
    "SERVING_CO2E_KG",
    "GRID_G_PER_KWH",
)
NOTES = (
    "A service is a model on its own replicas. Its rate is the requests in flight on a replica over the time of a "
    "request.",
    "Peak GPUs take the busiest hour, mean GPUs the mean of the day, both at the target load and with spare replicas.",
    "A node is never shared: it holds replicas of one service, or part of one replica. By whole nodes all its GPUs are "
    "paid for. A spare covers the loss of a replica, or of all replicas on a node.",
    "Reserved: so large a share of the mean at the start of each term, rounded up to a replica or a node, paid around "
    "the clock until the term ends. Burst: what the busiest hours need beyond that, and growth within a term.",
    "Band: GPUs if every service's replicas are as fast, or as slow, as 1 in 10 measurements of throughput.",
    "Energy: reserved GPUs draw power around the clock, idle or busy; burst GPUs while they are rented.",
    "Left out: changes of price, newer GPUs and models within the three years, network and storage.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover(
        book, "What several models need over three years as traffic grows: GPUs reserved and burst, and money."
    )
    inputs(book)
    replicas(book)
    sheets = months(book)
    result(book, sheets)
    charts(book, sheets)
    checks_page(book, CHECKS, SERVICES)
    notes_page(book, FUNCTIONS, NOTES)
    front()


def result(book: Book, sheets: Sheets) -> None:
    page = book.page("Result", "The figures to hand on.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    first, last = sheets.rows
    totals = {name: f"Summary!${column}${first}:${column}${last}" for name, column in sheets.summary.items()}
    page.tiles(
        [
            ("USD over three years", f"=SUM({totals['cost']})", look.WHOLE, "reserved and burst"),
            ("GPUs at peak, first month", f"=Summary!$C${first}", look.WHOLE, _band(page.book, "first")),
            ("GPUs at peak, last month", f"=Summary!$C${last}", look.WHOLE, _band(page.book, "last")),
            ("Energy in MWh", f"=SUM({totals['energy']})/1000", look.WHOLE, "over three years"),
            ("Carbon in tCO2e", f"=SUM({totals['co2e']})", look.WHOLE, "location-based"),
        ]
    )
    _by_year(page, sheets, totals)
    _by_service(page, sheets)
    page.finish()


def _band(book: Book, month: str) -> str:
    """Return the formula of the range of GPUs that eight of ten measurements allow, all services together."""
    low, high = (book.every_case(f"{end}_{month}", f"{end}_{month}") for end in ("fewest", "most"))
    return f'=TEXT(SUM({low}),"#,##0")&" to "&TEXT(SUM({high}),"#,##0")&" measured"'


def _by_year(page: Page, sheets: Sheets, totals: Mapping[str, str]) -> None:
    first, _ = sheets.rows
    page.section("By year")
    money = ("reserved_usd", "burst_usd", "cost")
    rows = []
    for year in range(MONTHS // 12):
        top, bottom = first + 12 * year, first + 12 * year + 11
        part = {name: f"Summary!${column}${top}:${column}${bottom}" for name, column in sheets.summary.items()}
        rows.append([f"Year {year + 1}", f"=MAX({part['peak']})", *(f"=SUM({part[name]})" for name in money)])
    rows.append(["Together", f"=MAX({totals['peak']})", *(f"=SUM({totals[name]})" for name in money)])
    shown = page.table(
        ["Year", "GPUs at peak", "Reserved, USD", "Burst, USD", "Together, USD"], rows,
        [look.GENERAL, *[look.WHOLE] * 4], total=True,
    )  # fmt: skip
    page.chart("stacked", "{money_message.1}", "USD", look.WHOLE, (shown[0], shown[1] - 1), "DE")


def _by_service(page: Page, sheets: Sheets) -> None:
    first, last = sheets.rows
    page.section("By service")
    rows = [
        [
            f'=IF({{model.{service}}}="","",{shown})'
            for shown in (
                f"{{name.{service}}}",
                f"'Peak GPUs'!{column}{first}",
                f"'Peak GPUs'!{column}{last}",
                f"SUM(Cost!{column}{first}:{column}{last})",
                f"Cost!{column}{last}",
            )
        ]
        for column, service in zip("CDEFG", SERVICES, strict=True)
    ]
    page.table(
        ["Service", "GPUs, first month", "GPUs, last month", "USD over three years", "USD in the last month"], rows,
        [look.GENERAL, *[look.WHOLE] * 4],
    )  # fmt: skip


def charts(book: Book, sheets: Sheets) -> None:
    page = book.page("Charts", "Month by month.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    page.section("GPUs at peak")
    page.chart("stacked", "{gpus_message.1}", "GPUs", look.WHOLE, sheets.rows, "CDEFG", of_sheet="Peak GPUs")
    page.section("Reserved and burst")
    page.chart("lines", "{reserve_message.1}", "GPUs", look.WHOLE, sheets.rows, "CDE", of_sheet="Summary")
    page.section("Cost")
    page.chart("stacked", "{month_message.1}", "USD a month", look.WHOLE, sheets.rows, "FG", of_sheet="Summary")
    page.finish()


CHECKS = (
    ("The load fits in the cache", '=IF({model}="",TRUE,{concurrency}<={most})', "In flight against MAX_CONCURRENCY"),
    (
        "The context is one the model knows",
        '=IF({model}="",TRUE,IFERROR({input_tokens}+{output_tokens}<=MODEL_SPEC({chosen},"context_length"),TRUE))',
        "Prompt and answer against MODEL_SPEC(model, context_length)",
    ),
    ("Growth is below a doubling a month", "=ABS({growth_per_month})<1", "Growth a month"),
    ("Reserving costs less than burst", "={reserved_price}<={burst_price}", "Price of a GPU-hour"),
    ("A term divides three years", "=MOD(36,{term_months})=0", "36 / length of a term is whole"),
    ("Busy hours are hours of a day", "=AND({burst_hours}>=0,{burst_hours}<=24)", "0 to 24"),
)
