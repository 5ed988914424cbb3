"""The inputs of `fleet_plan.xlsx`, one column a service, and the lines of one replica of each."""

from __future__ import annotations

from sizebook.fleet_scenario import COLUMNS
from sizebook.formulas.grid import grid_keys
from sizebook.formulas.hardware import accelerators
from sizebook.formulas.serving_case import ENGINES, KV_DTYPES, WEIGHT_DTYPES
from sizebook.plans.fleet import MONTHS
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.shared_lines import (
    CONFIG,
    REPLICA,
    REPLICA_DEGREES,
    REPLICA_DRAFTS,
    REPLICA_TIMED,
    failure_inputs,
    model_choices,
    node_lines,
    this_copy,
)
from sizebook.workbooks.shared_lines import gpus as paid_gpus

SERVICES = tuple(str(number) for number in range(1, COLUMNS + 1))


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = book.page(
        "Inputs",
        "Change the pale yellow cells only. One column a service; a column without a model stays out of the plan.",
        SERVICES,
        (36, *[16] * len(SERVICES), 10, 46),
    )
    page.heads("Input", origin="What to enter")
    _service_inputs(page)
    _traffic_inputs(page)
    _fleet_inputs(page)
    _money_inputs(page)
    this_copy(page, "Fleet plan")


def _others(value: object) -> tuple[object, ...]:
    """Return the values with which the columns after the first start."""
    return (value,) * (len(SERVICES) - 1)


def _service_inputs(page: Page) -> None:
    book = page.book
    names = tuple(f"Service {n}" for n in SERVICES)
    page.section("Services")
    page.input("name", "Name", names[0], "", "For tables and charts.", look.TEXT, per_case=names[1:])
    for name, label, first, others, values, origin in (
        ("model", "Model", "llama-3.1-70b", None, model_choices(), f"From the list; '{CONFIG}' takes the file below."),
        ("config_path", "Path of a config.json", None, None, (), f"A file of your own, for the choice '{CONFIG}'."),
        ("gpu", "Accelerator", "h100-sxm", "h100-sxm", tuple(accelerators()), "Choose from the list."),
        ("engine", "Serving engine", "vllm", "vllm", ENGINES, "Choose from the list."),
        ("weight_dtype", "Format of the weights", None, None, WEIGHT_DTYPES, "Blank: the checkpoint's own."),
        ("kv_dtype", "Format of the cache", None, None, KV_DTYPES, "Blank: the engine's default."),
    ):
        page.input(
            name, label, first, "", origin, look.GENERAL if values else look.TEXT, required=name in ("model", "gpu"),
            choices=book.choices(label, values) if values else "", per_case=_others(others),
        )  # fmt: skip
    for name, label, origin in REPLICA_DEGREES:
        page.input(name, label, 1, "", origin, look.WHOLE, per_case=_others(1))
    for name, label, shown, origin in REPLICA_DRAFTS:
        page.input(name, label, None, "tokens", origin, shown, per_case=_others(None))
    page.input(
        "gpus_per_node", "GPUs of a node", None, "GPUs", "Blank: the accelerator's own.", look.WHOLE,
        per_case=_others(None),
    )  # fmt: skip


def _traffic_inputs(page: Page) -> None:
    page.section("Traffic")
    for name, label, first, others, unit, origin, shown in (
        ("requests_per_day", "Requests a day, now", 400_000, 0, "requests", "Mean.", look.WHOLE),
        ("input_tokens", "Tokens of a prompt", 2000, 1000, "tokens", "Mean.", look.WHOLE),
        ("output_tokens", "Tokens of an answer", 400, 200, "tokens", "Mean.", look.WHOLE),
        ("concurrency", "In flight on a replica", 64, 32, "requests", "See the curve of serving_capacity.xlsx.",
         look.WHOLE),
        ("growth_per_month", "Growth a month", 0, 0, "ratio", "Compound.", look.PERCENT),
        ("peak_factor", "Busiest hour over the mean", 2, 2, "ratio", "1 for a flat day.", look.DECIMAL),
    ):  # fmt: skip
        required = name not in ("growth_per_month", "peak_factor")
        page.input(name, label, first, unit, origin, shown, required=required, per_case=_others(others))


def _fleet_inputs(page: Page) -> None:
    page.section("Fleet")
    page.input("start", "First month", None, "", "Any day of it. Blank: months are numbered.", look.DATE)
    page.input("target_load", "Target load", 0.8, "ratio", "The rest absorbs bursts.", look.PERCENT)
    failure_inputs(page)
    page.input(
        "reserve_share", "Share of the mean that is reserved", 1, "ratio", "At the start of a term.", look.PERCENT
    )
    page.input("term_months", "Length of a term", 12, "months", "Must divide 36.", look.WHOLE)
    page.input("burst_hours", "Busy hours a day", 8, "hours", "Burst GPUs run so long.", look.DECIMAL)


def _money_inputs(page: Page) -> None:
    page.section("Money, energy and carbon")
    for name, label, origin in (
        ("reserved_usd", "Reserved GPU-hour", "Blank: median of one-year terms; three years for 36 months."),
        ("burst_usd", "On-demand GPU-hour", "Blank: median, on demand."),
    ):
        page.input(name, label, None, "USD", origin, look.DECIMAL, per_case=_others(None))
    page.input("pue", "PUE", 1.25, "ratio", "Facility power over IT power.", look.DECIMAL)
    grids = page.book.choices("Grids", grid_keys())
    page.input("grid", "Region of the grid", "usa", "", "Choose from the list.", choices=grids)
    page.input("grams_per_kwh", "Grams of CO2e per kWh", None, "g/kWh", "Blank: that region's.", look.WHOLE)


def used(formula: str) -> str:
    """Return a formula that shows 0 in the column of a service without a model."""
    return f'=IF({{model}}="",0,{formula})'


def replicas(book: Book) -> None:
    """Add the sheet of one replica of each service, its nodes, prices and error band."""
    page = book.page("Replicas", "One replica of each service. A service without a model shows 0.", SERVICES)
    page.heads("Quantity")
    _replica(page)
    page.section("Nodes")
    node_lines(page, used)
    _prices(page)
    _band(page)
    page.finish()


def _replica(page: Page) -> None:
    page.section("Replica")
    page.line(
        "chosen", "Model", f'=IF({{model}}="","none",IF({{model}}="{CONFIG}",{{config_path}},{{model}}))', "",
        "Inputs: the key, or the path of the file", look.GENERAL,
    )  # fmt: skip
    page.line(
        "most", "Requests that the cache holds",
        used(f"MAX_CONCURRENCY({{chosen}},{{gpu}},{{input_tokens}}+{{output_tokens}},{REPLICA})"), "requests",
        "MAX_CONCURRENCY at prompt and answer",
    )  # fmt: skip
    page.line(
        "request", "Time of a request",
        used(f"REQUEST_SECONDS({{chosen}},{{gpu}},{{input_tokens}},{{output_tokens}},{{concurrency}},{REPLICA_TIMED})"),
        "seconds", "REQUEST_SECONDS at the load given", look.DECIMAL,
    )  # fmt: skip
    page.line(
        "rate", "Rate of a replica", "=IF({request}=0,0,{concurrency}/{request})", "requests/s",
        "In flight / time of a request", look.DECIMAL, total=True,
    )  # fmt: skip


def _prices(page: Page) -> None:
    page.section("Prices and power")
    terms = (
        ("reserved", "Reserved GPU-hour", f'IF({{term_months}}<{MONTHS},"reserved_1y","reserved_3y")'),
        ("burst", "On-demand GPU-hour", '"on_demand"'),
    )
    for key, label, term in terms:
        found = f'IF({{{key}_usd}}="",PRICE_USD_PER_GPU_HOUR({{gpu}},,,{term}),{{{key}_usd}})'
        page.line(
            f"{key}_price", label, used(found), "USD", "As given, else PRICE_USD_PER_GPU_HOUR", look.DECIMAL
        )  # fmt: skip
    page.line("watts", "Power of a GPU", used('GPU_SPEC({gpu},"tdp_watts")'), "watts", "GPU_SPEC: its TDP")
    page.line(
        "grams", "Carbon of the grid", '=IF({grams_per_kwh}="",GRID_G_PER_KWH({grid}),{grams_per_kwh})', "g/kWh",
        "As given, else GRID_G_PER_KWH(region)",
    )  # fmt: skip


def gpus(requests_per_second: str, rate: str = "{rate}") -> str:
    """Return the formula of the GPUs to pay for at a rate of arrivals."""
    return paid_gpus(f"REPLICAS_FOR_TRAFFIC({requests_per_second},{rate},{{target_load}},{{spare_replicas}})")


def requests_a_day(month: int) -> str:
    """Return the formula of the requests a day in a month, counted from 0."""
    return f"REQUESTS_AFTER({{requests_per_day}},{{growth_per_month}},{month})"


def peak_rate(month: int) -> str:
    """Return the formula of the arrivals a second in the busiest hour of a month."""
    return f"PEAK_REQUESTS_PER_SECOND({requests_a_day(month)},{{peak_factor}})"


def _band(page: Page) -> None:
    """Write the GPUs at peak if replicas are as fast, or as slow, as 1 in 10 measurements."""
    page.section("Error band: GPUs at peak if replicas are as fast, or as slow, as 1 in 10 measurements")
    for end, quantile, speed in (("fewest", "p90", "Fast"), ("most", "p10", "Slow")):
        page.line(
            f"rate_{end}", f"{speed} rate of a replica",
            used(f'{{rate}}*SERVING_ERROR({{gpu}},{{engine}},"throughput","{quantile}")'), "requests/s",
            f"Rate x SERVING_ERROR: throughput, {quantile}", look.DECIMAL,
        )  # fmt: skip
        for name, month in (("first", 0), ("last", MONTHS - 1)):
            page.line(
                f"{end}_{name}", f"GPUs, {name} month, {end}", used(gpus(peak_rate(month), f"{{rate_{end}}}")),
                "GPUs", f"As on Peak GPUs, at the {speed.lower()} rate",
            )  # fmt: skip
