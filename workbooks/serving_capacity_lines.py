"""The lines of `serving_capacity.xlsx`: the latency curve of one replica, and the calculation in three cases."""

from __future__ import annotations

from sizebook.workbooks import look
from sizebook.workbooks.building import CASES, Book
from sizebook.workbooks.page import Page
from sizebook.workbooks.shared_lines import CONFIG, REPLICA, REPLICA_TIMED, chosen_model, gpus, node_lines

LOADS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
_MODEL = f'IF({{model}}="{CONFIG}",{{config_path}},{{model}})'
Rows = tuple[int, int]


def curve(book: Book) -> Rows:
    """Add the sheet of the latency curve of one replica; return the rows of its steps."""
    page = book.page(
        "Curve",
        "One replica as requests in flight grow: predicted, without the band.",
        ("",) * 3,
        (24, 20, 20, 20, 20, 40),
    )
    page.section("Latency and rate")
    first = page.row + 1
    rows = page.table(
        ["Requests in flight", "TTFT, s", "TPOT, s", "Output tokens/s", "Meets both"],
        [[load, *_step(first + n)] for n, load in enumerate(LOADS)],
        [look.WHOLE, "0.000", "0.0000", look.WHOLE, look.GENERAL],
    )
    page.row += 1
    page.paragraph("TTFT_SECONDS, TPOT_SECONDS and TOKENS_PER_SECOND of the replica on Inputs; targets as there.")
    page.finish()
    return rows


def _step(row: int) -> list[str]:
    at = f"({_MODEL},{{gpu}},{{input_tokens}},{{output_tokens}},$B{row},{REPLICA_TIMED})"
    latencies = [f"={function}{at}" for function in ("TTFT_SECONDS", "TPOT_SECONDS", "TOKENS_PER_SECOND")]
    return [*latencies, f'=IF(AND(C{row}<={{ttft_target}},D{row}<={{tpot_target}}),"yes","no")']


def calculation(book: Book, steps: Rows) -> None:
    """Add the sheet of the calculation; ``steps`` are the rows of the curve."""
    page = book.page("Calculation", "Every line is a live formula, the same in every case.", CASES)
    page.heads("Quantity")
    _memory(page)
    _latency(page, steps)
    _fleet(page)
    _money(page)
    _energy(page)
    _messages(page)
    page.finish()


def _memory(page: Page) -> None:
    page.section("Memory of one GPU")
    chosen_model(page)
    page.line(
        "capacity", "Memory of the GPU",
        '=IFERROR(GPU_SPEC({gpu},"usable_memory_bytes"),GPU_SPEC({gpu},"memory_bytes"))',
        "bytes", "GPU_SPEC: what the driver leaves, else the label",
    )  # fmt: skip
    page.line(
        "weights",
        "Weights",
        "=SERVING_WEIGHT_BYTES({chosen},{weight_dtype},{tp},{pp},{dp})",
        "bytes",
        "SERVING_WEIGHT_BYTES",
    )
    page.line(
        "cache", "Left for the cache",
        "=CACHE_BYTES_AVAILABLE({chosen},{gpu},{engine},{weight_dtype},{tp},{pp},{dp})", "bytes",
        "CACHE_BYTES_AVAILABLE: after weights, activations and what the engine keeps free",
    )  # fmt: skip
    page.line("other_memory", "Engine, and what it leaves free", "={capacity}-{weights}-{cache}", "bytes", "The rest")
    page.line(
        "per_token",
        "Cache of one token",
        "=KV_BYTES_PER_TOKEN({chosen},{kv_dtype},{tp})",
        "bytes",
        "KV_BYTES_PER_TOKEN",
    )
    page.line(
        "most", "Requests that the cache holds",
        f"=MAX_CONCURRENCY({{chosen}},{{gpu}},{{input_tokens}}+{{output_tokens}},{REPLICA})", "requests",
        "MAX_CONCURRENCY at prompt and answer",
    )  # fmt: skip


def _latency(page: Page, steps: Rows) -> None:
    page.section("Latency of one replica")
    for figure in ("ttft", "tpot"):
        band = [
            f'=SERVING_ERROR({{gpu}},{{engine}},"{figure}","p10")',
            1,
            f'=SERVING_ERROR({{gpu}},{{engine}},"{figure}","p90")',
        ]
        page.line(
            f"{figure}_band", f"Measured over predicted {figure.upper()}", tuple(band), "ratio",
            "SERVING_ERROR: 10th and 90th percentile of groups the fit had not seen", "0.000",
        )  # fmt: skip
    top, bottom = steps
    loads, ttft, tpot = (f"Curve!${c}${top}:${c}${bottom}" for c in "BCD")
    most = f'_xlfn.MAXIFS({loads},{ttft},"<="&{{ttft_target}}/{{ttft_band}},{tpot},"<="&{{tpot_target}}/{{tpot_band}})'
    page.line(
        "load", "Requests in flight on it", f'=IF({{concurrency}}="",{most},{{concurrency}})', "requests",
        "As given, else the largest step of the curve within both targets, band included",
    )  # fmt: skip
    at = f"({{chosen}},{{gpu}},{{input_tokens}},{{output_tokens}},{{load}},{REPLICA_TIMED})"
    page.line(
        "ttft", "Time to first token", f"=TTFT_SECONDS{at}*{{ttft_band}}", "seconds", "TTFT_SECONDS x band", "0.000"
    )
    page.line(
        "tpot", "Time per output token", f"=TPOT_SECONDS{at}*{{tpot_band}}", "seconds", "TPOT_SECONDS x band", "0.0000"
    )
    page.line(
        "request",
        "Time of a request",
        "={ttft}+{tpot}*({output_tokens}-1)",
        "seconds",
        "TTFT + TPOT x (answer - 1)",
        look.DECIMAL,
    )
    page.line(
        "rate",
        "Rate of a replica",
        "={load}/{request}",
        "requests/s",
        "In flight / time of a request",
        look.DECIMAL,
        total=True,
    )


def _fleet(page: Page) -> None:
    page.section("Fleet")
    page.line(
        "requests", "Requests a day, then", "=REQUESTS_AFTER({requests_per_day},{growth_per_month},{months})",
        "requests",
        "REQUESTS_AFTER: compound growth",
    )  # fmt: skip
    page.line(
        "peak", "Busiest hour", "=PEAK_REQUESTS_PER_SECOND({requests},{peak_factor})", "requests/s",
        "PEAK_REQUESTS_PER_SECOND: requests a day / 86 400 x peak factor", look.DECIMAL,
    )  # fmt: skip
    node_lines(page)
    page.line(
        "replicas", "Replicas", "=REPLICAS_FOR_TRAFFIC({peak},{rate},{target_load},{spare_replicas})", "replicas",
        "REPLICAS_FOR_TRAFFIC: at the target load, and spare ones",
    )  # fmt: skip
    page.line("gpus", "GPUs", f"={gpus('{replicas}')}", "GPUs", "Replicas, by so many paid for together", total=True)
    page.line(
        "in_flight", "In flight, busiest hour", "=REQUESTS_IN_FLIGHT({peak},{request})", "requests",
        "REQUESTS_IN_FLIGHT: Little's law", look.DECIMAL,
    )  # fmt: skip
    page.line(
        "used", "Share of the fleet in use, mean", "=REPLICA_UTILIZATION({requests}/86400,{replicas},{rate})", "ratio",
        "REPLICA_UTILIZATION at the mean of the day", look.PERCENT,
    )  # fmt: skip


def _money(page: Page) -> None:
    page.section("Money")
    page.line(
        "price", "Price of a GPU-hour", '=IF({price_usd}="",PRICE_USD_PER_GPU_HOUR({gpu},,,{term}),{price_usd})', "USD",
        "As given, else PRICE_USD_PER_GPU_HOUR: median of the catalog", look.DECIMAL,
    )  # fmt: skip
    page.line(
        "cost",
        "Cost a month",
        "=SERVING_COST_USD_PER_MONTH({gpus},{price})",
        "USD",
        "SERVING_COST_USD_PER_MONTH",
        total=True,
    )
    page.line(
        "usd_best", "A million output tokens, saturated",
        "=USD_PER_MTOK({tp}*{pp}*{dp},{price},{rate}*{output_tokens})", "USD",
        "USD_PER_MTOK of one replica at full load",
        look.DECIMAL,
    )  # fmt: skip
    page.line(
        "usd_used", "the same at the fleet's own use", "=USD_PER_MTOK({gpus},{price},{requests}/86400*{output_tokens})",
        "USD", "USD_PER_MTOK over the tokens of a mean day", look.DECIMAL,
    )  # fmt: skip
    page.line(
        "api_request", "A request at the API",
        '=IF({api_in}&{api_out}="","none",API_USD_PER_REQUEST({input_tokens},{output_tokens},{api_in},{api_out},'
        "{cached_share},{cached_discount}))",
        "USD", "API_USD_PER_REQUEST", "0.000000",
    )  # fmt: skip
    page.line(
        "break_even", "Break-even requests a day",
        '=IF(ISNUMBER({api_request}),BREAK_EVEN_REQUESTS({cost},{api_request})*12/365,"none")', "requests",
        "BREAK_EVEN_REQUESTS a month x 12 / 365",
    )  # fmt: skip


def _energy(page: Page) -> None:
    page.section("Energy and carbon, a month")
    page.line(
        "energy", "Energy",
        '=SERVING_KWH({gpus},GPU_SPEC({gpu},"tdp_watts"),MIN(1,{used})*{replicas}*{gpus_each}/{gpus},{pue})', "kWh",
        "SERVING_KWH: busy and idle share of the wall power, PUE",
    )  # fmt: skip
    page.line(
        "grams", "Carbon of the grid", '=IF({grams_per_kwh}="",GRID_G_PER_KWH({grid}),{grams_per_kwh})', "g/kWh",
        "As given, else GRID_G_PER_KWH(region)",
    )  # fmt: skip
    page.line(
        "co2e",
        "Carbon",
        "=SERVING_CO2E_KG({energy},{grams})/1000",
        "tCO2e",
        "SERVING_CO2E_KG, location-based",
        look.DECIMAL,
    )


def _messages(page: Page) -> None:
    page.section("Titles of the charts")
    page.statement(
        "curve_message", "Latency",
        '="A replica takes "&TEXT({load.base},"#,##0")&" requests in flight within both targets"', "Load, base",
    )  # fmt: skip
    page.statement(
        "memory_message", "Memory",
        '="The cache holds "&TEXT({most.base},"#,##0")&" requests in "&TEXT({cache.base}/2^30,"0.0")&" GiB a GPU"',
        "MAX_CONCURRENCY and cache, base",
    )  # fmt: skip
    page.statement(
        "money_message", "Cost",
        '="$"&TEXT({cost.base},"#,##0")&" a month for "&TEXT({gpus.base},"#,##0")&" GPUs"', "Cost, base",
    )  # fmt: skip
