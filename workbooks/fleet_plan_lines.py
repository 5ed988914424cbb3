"""The inputs of `fleet_plan.xlsx`, one column a service, the plan staged from them, and one replica of each service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.core.registry import Argument, leaves
from sizebook.plans.fleet.figures import ServiceFigures
from sizebook.plans.fleet.inputs import MONTHS, MOST_SERVICES, Contract, FleetTerms, Service, ServiceTraffic
from sizebook.plans.fleet.plan import FleetMonth
from sizebook.plans.ledgers import columns
from sizebook.plans.serving.inputs import Energy, GpuPrices, Latencies
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.serving.quantities import PoolLayout
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.declaring import declare, declare_all
from sizebook.workbooks.page import Page, new_page
from sizebook.workbooks.references import text
from sizebook.workbooks.shared_lines import CONFIG, model_input, node_lines, this_copy
from sizebook.workbooks.shared_lines import gpus as paid_gpus
from sizebook.workbooks.staging import Figures, Ledger, StagedRows, figures, ledger, options, stage

SERVICES = tuple(str(number) for number in range(1, MOST_SERVICES + 1))
HEADINGS = {
    Service: "Services",
    ServiceTraffic: "Traffic",
    Latencies: "Targets, in place of requests in flight",
    GpuPrices: "Prices",
    RequestStream: "Requests one by one",
    PoolLayout: "Prefill and decode in pools of their own",
    FleetTerms: "Fleet",
    Contract: "Contract",
    Energy: "Energy and carbon",
}
_WIDTHS = (36, *[18] * len(SERVICES), 16, 46)


@dataclass(frozen=True)
class Staged:
    """The plan as it is staged: the figures of its services, and its months."""

    figures: Figures
    months: Ledger


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = new_page(
        book,
        "Inputs",
        "Change the pale yellow cells only. One column a service; a column without a model stays out of the plan.",
        SERVICES,
        _WIDTHS,
    )
    page.heads("Input", origin="What to enter")
    page.section("Models")
    named = next(leaf for leaf in leaves(Service) if leaf.name == "name")
    first, *others = (f"Service {number}" for number in SERVICES)
    declare(page, named, default=first, required=False, per_case=tuple(others))
    model_input(page, per_case=True)
    declare_all(page, Service, HEADINGS, left_out={"name", "model"}, per_case=True)
    declare_all(page, FleetTerms, HEADINGS)
    this_copy(page, "Fleet plan")


def plan(book: Book) -> Staged:
    """Add the sheets that hold the plan: its inputs by name, figures of its services, its months."""
    page = new_page(book, "Plan", "What is asked and what comes out, as sizebook's plan gives it.", SERVICES, _WIDTHS)
    page.heads("Name")
    page.section("Services")
    chosen = f'=IF({{model}}="","",IF({{model}}="{CONFIG}",{{config_path}},{{model}}))'
    services = options(page, leaves(Service), model=chosen).area()
    page.section("What they share")
    terms = options(page, leaves(FleetTerms), per_case=False).area()
    page.section("Figures of each service")
    call = f"FLEET_FIGURES({services},{terms})"
    shown = figures(page, call, leaves(ServiceFigures), heads=1, blank_where='{model}=""')
    page.finish()
    declared = columns(FleetMonth)
    rows = stage(
        book, f"FLEET_LEDGER({services},{terms})", (1 + MONTHS, len(declared)), heads=[c.name for c in declared]
    )
    return Staged(shown, _months(book, rows, declared))


def _months(book: Book, rows: StagedRows, declared: Sequence[Argument]) -> Ledger:
    page = new_page(
        book,
        "Months", "The plan month by month, all services together.", ("",) * (len(declared) - 2),
        (12, *[15] * len(declared)),
    )  # fmt: skip
    page.section("Month by month")
    months = ledger(page, rows, declared, labels=[month_label(month) for month in range(MONTHS)])
    page.sheet.freeze_panes = f"C{months.first}"
    page.sheet.print_title_rows = f"{months.first - 2}:{months.first - 1}"
    page.finish()
    return months


def month_label(month: int) -> str:
    """Return the formula of a month's name, counted from 0."""
    return f'=IF({{start}}="","Month {month + 1}",TEXT(EDATE({{start}},{month}),"yyyy-mm"))'


def used(formula: str) -> str:
    """Return a formula that shows 0 in the column of a service without a model."""
    return f'=IF({{model}}="",0,{formula})'


def replicas(book: Book) -> None:
    """Add the sheet of one replica of each service, its nodes, prices and error band."""
    page = new_page(book, "Replicas", "One replica of each service. A service without a model shows 0.", SERVICES)
    page.heads("Quantity")
    _replica(page)
    page.section("Nodes")
    node_lines(page, used, each='IF({model}="",0,{plan_gpus_per_replica})')
    _prices(page)
    _band(page)
    page.finish()


def _replica(page: Page) -> None:
    book = page.book
    page.section("Replica")
    page.line(
        "chosen", "Model", f'=IF({{model}}="","none",IF({{model}}="{CONFIG}",{{config_path}},{{model}}))', "",
        "Inputs: the key, or the path of the file", look.GENERAL,
    )  # fmt: skip
    book.instead("model", "chosen")
    page.line("model_notes", "Notes on its count", used("MODEL_NOTES({chosen})"), "", "MODEL_NOTES", look.GENERAL)
    most = book.call("MAX_CONCURRENCY", context_tokens="{input_tokens}+{output_tokens}")
    page.line(
        "most", "Requests that the cache holds",
        used(f'IF({{separate_prefill}}="yes",{{plan_capacity}},IFERROR({most},{{plan_capacity}}))'), "requests",
        "MAX_CONCURRENCY at prompt and answer; with an encoder, and of two pools, the plan's",
    )  # fmt: skip
    page.line(
        "load", "In flight on a replica", used("{plan_concurrency}"), "requests", "Plan: given, or within targets"
    )
    steady = book.call("REQUEST_SECONDS", concurrency="{load}")
    page.line(
        "request", "Time of a request",
        used(f'IF({{request_percentile}}&{{input_seconds}}&IF({{separate_prefill}}="yes",1,"")="",{steady},'
             "{load}/{plan_requests_per_second})"),
        "seconds", "REQUEST_SECONDS at that load; of simulated requests, of sound and of two pools the plan's",
        look.NUMBER,
    )  # fmt: skip
    page.total(
        "rate", "Rate of a replica", "=IF({request}=0,0,{load}/{request})", "requests/s",
        "In flight / time of a request", look.RATE,
    )  # fmt: skip


def _prices(page: Page) -> None:
    page.section("Prices and power")
    for key, label, name, unit in (
        ("reserved_price", "Reserved GPU-hour", "reserved_usd_per_gpu_hour", "USD"),
        ("burst_price", "On-demand GPU-hour", "on_demand_usd_per_gpu_hour", "USD"),
        ("watts", "Power of a GPU", "tdp_watts", "watts"),
        ("grams", "Carbon of the grid", "grams_per_kwh", "g/kWh"),
    ):
        page.line(key, label, used(f"{{plan_{name}}}"), unit, "Plan: as given, else looked up", look.RATE)


def gpus(book: Book, requests_per_second: str, rate: str = "{rate}") -> str:
    """Return the formula of the GPUs to pay for at a rate of arrivals."""
    call = book.call(
        "REPLICAS_FOR_TRAFFIC", requests_per_second=requests_per_second, replica_requests_per_second=rate
    )  # fmt: skip
    return paid_gpus(call)


def requests_a_day(book: Book, month: int) -> str:
    """Return the formula of the requests a day in a month, counted from 0."""
    return book.call("REQUESTS_AFTER", months=month)


def peak_rate(book: Book, month: int) -> str:
    """Return the formula of the arrivals a second in the busiest hour of a month."""
    return book.call("PEAK_REQUESTS_PER_SECOND", requests_per_day=requests_a_day(book, month))


def _band(page: Page) -> None:
    """Write the GPUs at peak if replicas are as fast, or as slow, as 1 in 10 measurements."""
    book = page.book
    page.section("Error band: GPUs at peak if replicas are as fast, or as slow, as 1 in 10 measurements")
    for end, quantile, speed in (("fewest", "p90", "Fast"), ("most", "p10", "Slow")):
        error = book.call("SERVING_ERROR", figure=text("throughput"), quantile=text(quantile), measured_model="{model}")
        page.line(
            f"rate_{end}", f"{speed} rate of a replica",
            used(f'IF({{separate_prefill}}="yes",{{plan_requests_per_second_{quantile}}},{{rate}}*{error})'),
            "requests/s", f"Rate x SERVING_ERROR: throughput, {quantile}; of two pools the plan's", look.RATE,
        )  # fmt: skip
        for name, month in (("first", 0), ("last", MONTHS - 1)):
            paid = gpus(book, peak_rate(book, month), f"{{rate_{end}}}")
            page.line(
                f"{end}_{name}", f"GPUs, {name} month, {end}", used(paid), "GPUs",
                f"As on Peak GPUs, at the {speed.lower()} rate",
            )  # fmt: skip
