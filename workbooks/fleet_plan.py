"""Describes `fleet_plan.xlsx`: several models over 36 months; GPUs reserved and burst, money, energy and carbon."""

from __future__ import annotations

from collections.abc import Mapping

from fleet_plan_months import MONTHS, SERVICES, Sheets, months

from sizebook.formulas.grid import grid_keys
from sizebook.formulas.hardware import accelerators
from sizebook.formulas.serving_case import ENGINES, KV_DTYPES, WEIGHT_DTYPES
from sizebook.models import catalog
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.pages import checks_page, cover, notes_page

FILE, TITLE = "fleet_plan.xlsx", "Fleet plan"
EXAMPLE = {
    "title": "Three services over three years",
    "name_1": "Chat",
    "model_1": "llama-3.1-70b",
    "gpu_1": "h100-sxm",
    "weight_dtype_1": "fp8",
    "tp_1": 4,
    "requests_per_day_1": 400_000,
    "input_tokens_1": 2000,
    "output_tokens_1": 400,
    "concurrency_1": 64,
    "growth_per_month_1": 0.04,
    "reserved_usd_1": 2.2,
    "name_2": "Search",
    "model_2": "llama-3.1-8b",
    "gpu_2": "h100-sxm",
    "requests_per_day_2": 2_000_000,
    "input_tokens_2": 1500,
    "output_tokens_2": 100,
    "concurrency_2": 64,
    "growth_per_month_2": 0.02,
    "reserved_usd_2": 2.2,
    "name_3": "Coding",
    "model_3": "mixtral-8x7b",
    "gpu_3": "h200-sxm",
    "weight_dtype_3": "fp8",
    "tp_3": 2,
    "requests_per_day_3": 150_000,
    "input_tokens_3": 6000,
    "output_tokens_3": 600,
    "concurrency_3": 48,
    "growth_per_month_3": 0.06,
    "reserved_usd_3": 2.6,
}
FUNCTIONS = (
    "REQUEST_SECONDS",
    "MAX_CONCURRENCY",
    "REQUESTS_AFTER",
    "PEAK_REQUESTS_PER_SECOND",
    "GPUS_FOR_TRAFFIC",
    "PRICE_USD_PER_GPU_HOUR",
    "SERVING_KWH",
    "SERVING_CO2E_KG",
    "GRID_G_PER_KWH",
)
NOTES = (
    "A service is a model on its own replicas. Its rate is the requests in flight on a replica over the time of a "
    "request.",
    "Peak GPUs take the busiest hour, mean GPUs the mean of the day, both at the target load and with spare replicas.",
    "Reserved: so large a share of the mean at the start of each term, paid around the clock until its end. Burst: "
    "what the busiest hours need beyond that, and what growth within a term adds, on demand.",
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


def inputs(book: Book) -> None:
    page = book.page(
        "Inputs",
        "Change the pale yellow cells only. One column a service; a column without a model stays out of the plan.",
        SERVICES,
    )
    page.heads("Input", origin="What to enter")
    _service_inputs(page)
    _traffic_inputs(page)
    _fleet_inputs(page)
    page.section("This copy")
    page.input("title", "Title", "Fleet plan", "", "Stands on the cover.", look.TEXT)
    page.input("as_of", "Date", None, "", "The day for which the figures are given. Blank: not stated.", look.DATE)
    page.finish()


def _each(first: object, others: object) -> dict[str, object]:
    return {"value": first, "per_case": (others,) * (len(SERVICES) - 1)}


def _service_inputs(page: Page) -> None:
    book = page.book
    models = [key for key in catalog.model_keys() if catalog.facts(key)["architecture"]]
    page.section("Services")
    page.input(
        "name",
        "Name",
        "Service 1",
        "",
        "For tables and charts.",
        look.TEXT,
        per_case=tuple(f"Service {n}" for n in SERVICES[1:]),
    )
    for name, label, first, others, values, origin in (
        ("model", "Model", "llama-3.1-70b", None, models, "Choose from the list."),
        ("gpu", "Accelerator", "h100-sxm", "h100-sxm", tuple(accelerators()), "Choose from the list."),
        ("engine", "Serving engine", "vllm", "vllm", ENGINES, "Choose from the list."),
        ("weight_dtype", "Format of the weights", None, None, WEIGHT_DTYPES, "Blank: the checkpoint's own."),
        ("kv_dtype", "Format of the cache", None, None, KV_DTYPES, "Blank: the engine's default."),
    ):
        choices = book.choices(label, values)
        required = name in ("model", "gpu")
        page.input(name, label, unit="", origin=origin, choices=choices, required=required, **_each(first, others))
    for name, label, origin in (
        ("tp", "Tensor parallel", "GPUs that share every matrix."),
        ("pp", "Pipeline stages", "Groups of layers."),
        ("dp", "Attention data parallel", "Inside one replica."),
        ("ep", "Expert parallel", "GPUs that share the experts."),
    ):
        page.input(name, label, unit="", origin=origin, number_format=look.WHOLE, **_each(1, 1))


def _traffic_inputs(page: Page) -> None:
    page.section("Traffic")
    for name, label, first, others, unit, origin, shown in (
        ("requests_per_day", "Requests a day, now", 400_000, 0, "requests", "Mean.", look.WHOLE),
        ("input_tokens", "Tokens of a prompt", 2000, 1000, "tokens", "Mean.", look.WHOLE),
        ("output_tokens", "Tokens of an answer", 400, 200, "tokens", "Mean.", look.WHOLE),
        (
            "concurrency",
            "In flight on a replica",
            64,
            32,
            "requests",
            "See the curve of serving_capacity.xlsx.",
            look.WHOLE,
        ),
        ("growth_per_month", "Growth a month", 0, 0, "ratio", "Compound.", look.PERCENT),
        ("peak_factor", "Busiest hour over the mean", 2, 2, "ratio", "1 for a flat day.", look.DECIMAL),
    ):
        required = name not in ("growth_per_month", "peak_factor")
        page.input(
            name, label, unit=unit, origin=origin, number_format=shown, required=required, **_each(first, others)
        )


def _fleet_inputs(page: Page) -> None:
    book = page.book
    page.section("Fleet")
    page.input("start", "First month", None, "", "Any day of it. Blank: months are numbered.", look.DATE)
    page.input("target_load", "Target load", 0.8, "ratio", "The rest absorbs bursts.", look.PERCENT)
    page.input("spare", "Spare replicas of a service", 1, "replicas", "k of N + k.", look.WHOLE)
    page.input(
        "reserve_share", "Share of the mean that is reserved", 1, "ratio", "At the start of a term.", look.PERCENT
    )
    page.input("term_months", "Length of a term", 12, "months", "12 or 36.", look.WHOLE)
    page.input("burst_hours", "Busy hours a day", 8, "hours", "Burst GPUs run so long.", look.DECIMAL)
    page.section("Money, energy and carbon")
    page.input(
        "reserved_usd",
        "Reserved GPU-hour",
        None,
        "USD",
        "Blank: median, one-year terms.",
        look.DECIMAL,
        per_case=(None,) * 4,
    )
    page.input(
        "burst_usd", "On-demand GPU-hour", None, "USD", "Blank: median, on demand.", look.DECIMAL, per_case=(None,) * 4
    )
    page.input("pue", "PUE", 1.25, "ratio", "Facility power over IT power.", look.DECIMAL)
    page.input(
        "grid", "Region of the grid", "usa", "", "Choose from the list.", choices=book.choices("Grids", grid_keys())
    )
    page.input("grams_per_kwh", "Grams of CO2e per kWh", None, "g/kWh", "Blank: that region's.", look.WHOLE)


def replicas(book: Book) -> None:
    page = book.page("Replicas", "One replica of each service. A service without a model shows 0.", SERVICES)
    page.heads("Quantity")
    page.section("Replica")
    how = "{engine},{weight_dtype},{kv_dtype},{tp},{pp},{dp}"
    page.line("gpus_each", "GPUs of a replica", "={tp}*{pp}*{dp}", "GPUs", "Layout")
    page.line(
        "most", "Requests that the cache holds",
        f'=IF({{model}}="",0,MAX_CONCURRENCY({{model}},{{gpu}},{{input_tokens}}+{{output_tokens}},{how}))', "requests",
        "MAX_CONCURRENCY at prompt and answer",
    )  # fmt: skip
    page.line(
        "request", "Time of a request",
        '=IF({model}="",0,REQUEST_SECONDS({model},{gpu},{input_tokens},{output_tokens},{concurrency},'
        f"{how},{{ep}}))",
        "seconds", "REQUEST_SECONDS at the load given", look.DECIMAL,
    )  # fmt: skip
    page.line(
        "rate", "Rate of a replica", "=IF({request}=0,0,{concurrency}/{request})", "requests/s",
        "In flight / time of a request", look.DECIMAL, total=True,
    )  # fmt: skip
    page.section("Prices and power")
    prices = (("reserved", "Reserved GPU-hour", "reserved_1y"), ("burst", "On-demand GPU-hour", "on_demand"))
    for key, label, term in prices:
        found = f'IF({{{key}_usd}}="",PRICE_USD_PER_GPU_HOUR({{gpu}},,,"{term}"),{{{key}_usd}})'
        formula = f'=IF({{model}}="",0,{found})'
        page.line(f"{key}_price", label, formula, "USD", "As given, else PRICE_USD_PER_GPU_HOUR", look.DECIMAL)
    page.line("watts", "Power of a GPU", '=IF({model}="",0,GPU_SPEC({gpu},"tdp_watts"))', "watts", "GPU_SPEC: its TDP")
    page.section("Grid")
    page.line(
        "grams", "Carbon of the grid", '=IF({grams_per_kwh}="",GRID_G_PER_KWH({grid}),{grams_per_kwh})', "g/kWh",
        "As given, else GRID_G_PER_KWH(region)",
    )  # fmt: skip
    page.finish()


def result(book: Book, sheets: Sheets) -> None:
    page = book.page("Result", "The figures to hand on.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    first, last = sheets.rows
    totals = {name: f"Summary!${column}${first}:${column}${last}" for name, column in sheets.summary.items()}
    page.tiles(
        [
            ("USD over three years", f"=SUM({totals['cost']})", look.WHOLE, "reserved and burst"),
            ("GPUs at peak, first month", f"=Summary!$C${first}", look.WHOLE, "all services"),
            ("GPUs at peak, last month", f"=Summary!$C${last}", look.WHOLE, "all services"),
            ("Energy in MWh", f"=SUM({totals['energy']})/1000", look.WHOLE, "over three years"),
            ("Carbon in tCO2e", f"=SUM({totals['co2e']})", look.WHOLE, "location-based"),
        ]
    )
    _by_year(page, sheets, totals)
    _by_service(page, sheets)
    page.finish()


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
            f"={{name.{service}}}",
            f"='Peak GPUs'!{column}{first}",
            f"='Peak GPUs'!{column}{last}",
            f"=SUM(Cost!{column}{first}:{column}{last})",
            f"=Cost!{column}{last}",
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
    ("Growth is below a doubling a month", "=ABS({growth_per_month})<1", "Growth a month"),
    ("Reserving costs less than burst", "={reserved_price}<={burst_price}", "Price of a GPU-hour"),
    ("A term divides three years", "=MOD(36,{term_months})=0", "36 / length of a term is whole"),
    ("Busy hours are hours of a day", "=AND({burst_hours}>=0,{burst_hours}<=24)", "0 to 24"),
)
