"""Describes `serving_capacity.xlsx`: traffic and latency targets in; replicas, GPUs, money, energy and carbon out."""

from __future__ import annotations

from serving_capacity_lines import Rows, calculation, curve

from sizebook.formulas.grid import grid_keys
from sizebook.formulas.hardware import accelerators
from sizebook.formulas.serving_case import ENGINES, KV_DTYPES, WEIGHT_DTYPES
from sizebook.workbooks import look
from sizebook.workbooks.building import CASES, Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.pages import checks_page, cover, notes_page
from sizebook.workbooks.shared_lines import (
    REPLICA_DEGREES,
    REPLICA_DRAFTS,
    failure_inputs,
    model_input,
    price_inputs,
    this_copy,
)

FILE, TITLE = "serving_capacity.xlsx", "Serving capacity"
EXAMPLE = {
    "title": "Llama 3.1 70B, 500 000 requests a day",
    "model": "llama-3.1-70b",
    "gpu": "h100-sxm",
    "requests_per_day": 500_000,
    "input_tokens": 2000,
    "output_tokens": 400,
    "weight_dtype": "fp8",
    "tp": 4,
}
FUNCTIONS = (
    "SERVING_WEIGHT_BYTES",
    "CACHE_BYTES_AVAILABLE",
    "KV_BYTES_PER_TOKEN",
    "MAX_CONCURRENCY",
    "MAX_CONTEXT",
    "TTFT_SECONDS",
    "TPOT_SECONDS",
    "SERVING_ERROR",
    "REQUESTS_AFTER",
    "PEAK_REQUESTS_PER_SECOND",
    "REPLICAS_FOR_TRAFFIC",
    "REQUESTS_IN_FLIGHT",
    "REPLICA_UTILIZATION",
    "PRICE_USD_PER_GPU_HOUR",
    "SERVING_COST_USD_PER_MONTH",
    "USD_PER_MTOK",
    "API_USD_PER_REQUEST",
    "BREAK_EVEN_REQUESTS",
    "SERVING_KWH",
    "SERVING_CO2E_KG",
)
NOTES = (
    "Low is the case of least cost: latencies at the 10th percentile of measured over predicted, traffic as given for "
    "low. High takes the 90th. Base takes the prediction as it is.",
    "The load of a replica is the largest of the curve's steps at which both targets hold in that case, or the one "
    "given.",
    "Latencies are those of a closed loop: a finished request is replaced at once. Requests beyond what the cache "
    "holds wait, which counts in the time to first token.",
    "Replicas are sized for the busiest hour, at the target load, and so many spare ones. All of them are paid for "
    "around the clock; by whole nodes, all GPUs of the nodes that they stand on.",
    "Left out: network and storage, the gateway, engineers, and prompts that share a prefix.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover(book, "How many GPUs a traffic needs at the latency that was promised, for how much a month.")
    inputs(book)
    steps = curve(book)
    calculation(book, steps)
    result(book, steps)
    checks_page(book, CHECKS, CASES)
    notes_page(book, FUNCTIONS, NOTES)
    front()


def inputs(book: Book) -> None:
    page = book.page(
        "Inputs",
        "Change the pale yellow cells only. Solid border: must be set. Low is the case of least cost, high of most.",
        CASES,
    )
    page.heads("Input", origin="What to enter")
    _replica_inputs(page)
    _traffic_inputs(page)
    _money_inputs(page)
    this_copy(page, "Serving capacity")


def _replica_inputs(page: Page) -> None:
    book = page.book
    page.section("Replica")
    model_input(page)
    for name, label, value, values, origin, required in (
        ("gpu", "Accelerator", "h100-sxm", tuple(accelerators()), "Choose from the list; form factor included.", True),
        ("engine", "Serving engine", "vllm", ENGINES, "Choose from the list.", False),
        ("weight_dtype", "Format of the weights", None, WEIGHT_DTYPES, "Blank: the checkpoint's own.", False),
        ("kv_dtype", "Format of the cache", None, KV_DTYPES, "Blank: the engine's default.", False),
    ):
        page.input(name, label, value, "", origin, required=required, choices=book.choices(label, values))
    for name, label, origin in REPLICA_DEGREES:
        page.input(name, label, 1, "", origin, look.WHOLE)
    for name, label, shown, origin in REPLICA_DRAFTS:
        page.input(name, label, None, "tokens", origin, shown)
    page.input("gpus_per_node", "GPUs of a node", None, "GPUs", "Blank: the accelerator's own.", look.WHOLE)


def _traffic_inputs(page: Page) -> None:
    page.section("Traffic and targets")
    page.input(
        "requests_per_day", "Requests a day", 500_000, "requests", "Now.", look.WHOLE, required=True, per_case=True
    )
    page.input("input_tokens", "Tokens of a prompt", 2000, "tokens", "Mean.", look.WHOLE, required=True)
    page.input("output_tokens", "Tokens of an answer", 400, "tokens", "Mean.", look.WHOLE, required=True)
    page.input("growth_per_month", "Growth a month", 0, "ratio", "Compound.", look.PERCENT, per_case=True)
    page.input("months", "Months to plan ahead", 0, "months", "Traffic is that of this month.", look.WHOLE)
    page.input(
        "peak_factor", "Busiest hour over the mean", 2, "ratio", "1 for a flat day.", look.DECIMAL, per_case=True
    )
    page.input("ttft_target", "Time to first token, at most", 2, "seconds", "The promise.", look.DECIMAL)
    page.input("tpot_target", "Time per output token, at most", 0.05, "seconds", "0.05 is 20 tokens a second.", "0.000")
    page.input(
        "concurrency",
        "Requests in flight on a replica",
        None,
        "requests",
        "Blank: the most that meets both.",
        look.WHOLE,
    )
    page.input("target_load", "Target load", 0.8, "ratio", "The rest absorbs bursts.", look.PERCENT)
    failure_inputs(page)


def _money_inputs(page: Page) -> None:
    book = page.book
    page.section("Money")
    price_inputs(page)
    page.input("api_in", "An API's price for input", None, "USD/Mtok", "To compare with. Blank: none.", look.DECIMAL)
    page.input("api_out", "An API's price for output", None, "USD/Mtok", "To compare with. Blank: none.", look.DECIMAL)
    page.input("cached_share", "Input that an API has cached", 0, "ratio", "Share of the prompt.", look.PERCENT)
    page.input("cached_discount", "Its discount on that", 0.9, "ratio", "0.9: a tenth of the price.", look.PERCENT)
    page.section("Energy and carbon")
    page.input("pue", "PUE", 1.25, "ratio", "Facility power over IT power.", look.DECIMAL, per_case=True)
    page.input(
        "grid", "Region of the grid", "usa", "", "Country code or aws:, gcp:, azure: region.",
        choices=book.choices("Grids", grid_keys()),
    )  # fmt: skip
    page.input(
        "grams_per_kwh", "Grams of CO2e per kWh", None, "g/kWh", "Blank: that region's.", look.WHOLE, per_case=True
    )


def result(book: Book, steps: Rows) -> None:
    page = book.page("Result", "The figures to hand on.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    page.tiles(
        [
            ('="GPUs ("&{gpu}&")"', "={gpus}", look.WHOLE, _between("gpus", "#,##0")),
            ("USD a month", "={cost}", look.WHOLE, _between("cost", "#,##0")),
            ("Time to first token, s", "={ttft}", look.DECIMAL, _banded("ttft", "0.00", 1)),
            ("Time per output token, ms", "={tpot}*1000", "0.0", _banded("tpot", "0.0", 1000)),
            ("USD per million output tokens", "={usd_used}", look.DECIMAL, _between("usd_used", "0.00")),
        ]
    )
    _cases(page)
    page.section("Latency as load grows, predicted")
    page.chart(
        "lines", "{curve_message}", "seconds per output token", "0.00", steps, "D", of_sheet="Curve",
        across="requests in flight on a replica",
    )  # fmt: skip
    _cost(page)
    _memory(page)
    page.finish()


def _cases(page: Page) -> None:
    page.section("Three cases")
    lines = (
        ("Requests in flight on a replica", "load", "", look.WHOLE, "requests"),
        ("Time to first token", "ttft", "", "0.000", "seconds"),
        ("Time per output token", "tpot", "*1000", "0.0", "ms"),
        ("Requests a second of a replica", "rate", "", look.DECIMAL, "requests/s"),
        ("Requests a second, busiest hour", "peak", "", look.DECIMAL, "requests/s"),
        ("Replicas, spare ones included", "replicas", "", look.WHOLE, "replicas"),
        ("Share of the fleet in use, mean", "used", "", look.PERCENT, "ratio"),
        ("Energy a month", "energy", "/1000", "#,##0.0", "MWh"),
        ("Carbon a month", "co2e", "", "#,##0.0", "tCO2e"),
        ("GPUs", "gpus", "", look.WHOLE, "GPUs"),
        ("Cost a month", "cost", "", look.WHOLE, "USD"),
    )
    page.table(
        ["Quantity", "Low", "Base", "High", "Unit"],
        [[label, *(f"={{{key}.{case}}}{scale}" for case in CASES), unit] for label, key, scale, _, unit in lines],
        [[look.GENERAL, *[shown] * 3, look.GENERAL] for _, _, _, shown, _ in lines],
        total=True,
    )


def _cost(page: Page) -> None:
    page.section("Cost by case")
    rows = page.table(
        ["Case", "USD a month", "GPUs", "USD/Mtok saturated", "USD/Mtok as used"],
        [
            [case.capitalize(), *(f"={{{key}.{case}}}" for key in ("cost", "gpus", "usd_best", "usd_used"))]
            for case in CASES
        ],
        [look.GENERAL, look.WHOLE, look.WHOLE, look.DECIMAL, look.DECIMAL],
    )
    page.chart("columns", "{money_message}", "USD a month", look.WHOLE, rows, "C")


def _memory(page: Page) -> None:
    page.section("Memory of one GPU, base")
    parts = [["Weights", "={weights}"], ["Cache", "={cache}"], ["Engine and what it leaves", "={other_memory}"]]
    rows = page.table(
        ["Part", "Bytes", "GiB", "Share"],
        [[label, f, f"{f}/2^30", f"{f}/{{capacity}}"] for label, f in parts],
        [look.GENERAL, look.WHOLE, look.DECIMAL, look.PERCENT],
    )
    page.chart("bars", "{memory_message}", "GiB", "#,##0.0", rows, "D")


def _between(key: str, shown: str) -> str:
    return f'=TEXT({{{key}.low}},"{shown}")&" to "&TEXT({{{key}.high}},"{shown}")'


def _banded(key: str, shown: str, scale: int) -> str:
    """Return the band around the base figure; low and high have loads of their own, and so other latencies."""
    low, high = (f'TEXT({scale}*{{{key}.base}}*{{{key}_band.{case}}},"{shown}")' for case in ("low", "high"))
    return f'={low}&" to "&{high}&" measured"'


CHECKS = (
    ("One request fits", "={most}>=1", "MAX_CONCURRENCY at full context"),
    ("The load fits in the cache", "={load}<={most}", "Requests in flight against MAX_CONCURRENCY"),
    ("Time to first token meets its target", "={ttft}<={ttft_target}", "In this case, band included"),
    ("Time per output token meets its target", "={tpot}<={tpot_target}", "In this case, band included"),
    ("The fleet takes the busiest hour", "={peak}<={replicas}*{rate}", "Requests a second against replicas x rate"),
    (
        "The context is one the model knows",
        '=IFERROR({input_tokens}+{output_tokens}<=MODEL_SPEC({chosen},"context_length"),TRUE)',
        "Prompt and answer against MODEL_SPEC(model, context_length)",
    ),
    ("Low costs no more than base, high no less", "=AND({cost.low}<={cost.base},{cost.base}<={cost.high})", "Order"),
)
