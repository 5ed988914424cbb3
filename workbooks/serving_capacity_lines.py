"""The lines of `serving_capacity.xlsx`: the first month by single functions, and the latency curve of a replica."""

from serving_capacity_basis import PLANNED, POOLS, Staged
from serving_capacity_inputs import API

from sizebook.plans.serving.curves import LOADS
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY
from sizebook.workbooks.finance import course_said, months_table
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.references import text
from sizebook.workbooks.text_formulas import count_text, money_text, number_text, part

Rows = tuple[int, int]


def calculation(page: LineSheet) -> None:
    """Add the calculation to what it starts from."""
    page.part("Calculation", "The replica derived again by single functions, and the plan against an API.")
    page.heads("Quantity")
    _memory(page)
    _latency(page)
    _api(page)
    _messages(page)


def _memory(page: LineSheet) -> None:
    book = page.book
    page.section("Memory of one GPU")
    usable, label = (book.call("GPU_SPEC", field=text(name)) for name in ("usable_memory_bytes", "memory_bytes"))
    page.line(
        "gpu_memory",
        "Memory of the GPU",
        f"=IFERROR({usable},{label})",
        "bytes",
        "GPU_SPEC: what the driver leaves, else the label",
    )
    for key, name, function in (
        ("weights", "Weights", "SERVING_WEIGHT_BYTES"),
        ("cache", "Left for the cache", "CACHE_BYTES_AVAILABLE"),
        ("per_token", "Cache of one more token", "KV_BYTES_PER_TOKEN"),
    ):
        # Of a single pass nothing is kept, and MAX_CONCURRENCY knows no encoder: what the plan says stands in.
        call = book.call(function)
        call = f"IF({{adapters}}>0,{{plan_weight_bytes}},{call})" if key == "weights" else call
        page.line(key, name, f'=IFERROR({call},"none kept")' if key == "per_token" else f"={call}", "bytes", function)
    most = book.call("MAX_CONCURRENCY", context_tokens="{plan_held_tokens}")
    page.line(
        "most",
        "Requests that the cache holds",
        f"=IF({POOLS},{{plan_capacity}},IFERROR({most},{{plan_capacity}}))",
        "requests",
        "MAX_CONCURRENCY at the cache kept for one; with an encoder, and of two pools, the plan's",
    )


def _latency(page: LineSheet) -> None:
    book = page.book
    page.section("Latency of one replica")
    page.line(
        "in_flight",
        "Requests in flight on it",
        "={plan_concurrency}",
        "requests",
        "Basis: most within both targets",
    )
    page.line("in_flight_more", "One more", "={in_flight}+1", "requests", "Must miss a target, or exceed the cache")
    for figure, words in (("ttft", "Time to first token"), ("tpot", "Time per output token")):
        function = f"{figure.upper()}_SECONDS"
        worst = f"{{plan_{figure}_seconds_p90}}/{{plan_{figure}_seconds}}"
        target = f"{{{figure}_target_seconds}}"
        page.line(
            f"{figure}_limit",
            f"{words}, at most",
            f'=IF({target}="","none",{target}/IF({{band_quantile}}="p90",{worst},1))',
            "seconds",
            "Target, over the band of the estimate (Basis) where it must hold at p90 of it",
            styles.NUMBER,
        )
        steady = book.call(function, concurrency="{in_flight}")
        seen = book.call(
            "SERVING_PERCENTILE",
            replica_requests_per_second="{plan_requests_per_second}",
            latency=text(figure),
        )
        seen_only = f'IF(OR({PLANNED},{{request_percentile}}=""),"none",{seen})'
        page.line(
            figure,
            words,
            f'=IF(OR({PLANNED}),{{plan_{figure}_seconds_held}},IF({{request_percentile}}="",{steady},{part(seen_only)}))',
            "seconds",
            f"{function}, or SERVING_PERCENTILE where one is named; of pools, conversations and images the plan's",
            styles.NUMBER,
        )
        more = book.call(function, concurrency="{in_flight_more}")
        page.line(
            f"{figure}_more",
            f"{words}, with one more",
            f'=IF(OR({PLANNED},{{request_percentile}}<>""),"none",{more})',
            "seconds",
            f"{function}; not of a simulation, pools, conversations or images",
            styles.NUMBER,
        )
    page.line(
        "request",
        "Time of a request",
        '=IF({request_percentile}="",{ttft}+{tpot}*({plan_output_tokens}-1),{in_flight}/{plan_requests_per_second})',
        "seconds",
        "TTFT + TPOT x (answer - 1), or in flight / rate of the simulation",
        styles.NUMBER,
    )
    page.total(
        "rate_again",
        "Rate of a replica",
        "={in_flight}/{request}",
        "requests/s",
        "In flight / time of a request",
        styles.RATE,
    )


def _api(page: LineSheet) -> None:
    page.section("An API instead, last month")
    for key, label, name, unit in (
        ("last_usd", "Cost of the last month", "usd", MONEY),
        ("last_requests", "Requests of the last month", "requests", "requests"),
    ):
        page.line(key, label, f"=INDEX({{{name}.all}},{{months}})", unit, "Months", styles.NUMBER)
    prices = "&".join(f"{{{argument.name}}}" for argument in API if argument.required)
    billed = "{plan_input_tokens}*(1-{cached_share}*{cached_discount})*{usd_per_mtok_in}"
    page.line(
        "api_usd_per_request",
        "A request at the API",
        f'=IF({prices}="","none",({billed}+{{plan_output_tokens}}*{{usd_per_mtok_out}})/{{million}}*INDEX({{currency_rate.all}},{{months}}))',
        MONEY,
        "As API_USD_PER_REQUEST",
        "0.000000",
    )
    page.line(
        "break_even",
        "Break-even requests a month",
        '=IF(ISTEXT({api_usd_per_request}),"none",{last_usd}/{api_usd_per_request})',
        "requests",
        "As BREAK_EVEN_REQUESTS: beyond so many the plan costs less than the API",
    )


def _messages(page: LineSheet) -> None:
    page.section("Titles of the charts")
    first, last = (part(f"FIXED({each},0)") for each in ("{requests_day.1}", "INDEX({requests_day.all},{months})"))
    requests = f'", for "&IF({first}={last},"",{first}&" to ")&{last}&" requests a day"'
    reserved = f'", "&{number_text("100*{reserved_usd.total}/{usd.total}")}&" % of it for reserved GPUs"'
    for key, label, said in (
        ("gpus_message", "GPUs by month", f"{course_said('peak_gpus', count_text, ' GPUs at peak')}&{requests}"),
        ("money_message", "Cost by month", f"{course_said('usd', money_text, ' a month')}&{reserved}"),
    ):
        page.statement(key, label, f"={said}", "Months")
    limit = 'IF(ISNUMBER({ttft_limit})+ISNUMBER({tpot_limit})>0," within its targets","")'
    page.statement(
        "curve_message",
        "Latency",
        f'="A replica takes "&{count_text("{plan_concurrency}")}&" requests in flight"&{limit}',
        "Basis",
    )
    page.statement(
        "memory_message",
        "Memory",
        f'="The cache holds "&{count_text("{plan_capacity}")}&" requests in "&{number_text("{plan_cache_bytes}/2^30")}'
        '&" GiB a GPU"',
        "Basis",
    )


def drawn(page: LineSheet, staged: Staged) -> tuple[Rows, Rows]:
    """Add what the charts draw, months and the latency curve of one replica; return their rows."""
    page.part("Charts", "The months that the charts of Result draw, and the curve of Replica.")
    page.section("Months of the charts")
    rows = months_table(
        page,
        {
            "peak_gpus": "GPUs",
            "peak_gpus_fewest": "GPUs, fewest",
            "peak_gpus_most": "GPUs, most",
            "reserved_usd": f"Reserved, {MONEY}",
            "on_demand_usd": f"On demand, {MONEY}",
        },
    )
    return rows, _curve(page, staged)


def _curve(page: LineSheet, staged: Staged) -> Rows:
    """Add the latency curve of one replica; return the rows of its steps."""
    page.part("Curve", "One replica as requests in flight grow: predicted, without the band.")
    page.section("Latency and rate")
    first = page.row + 1
    rows = page.table(
        [*_HEADS, "Meets the targets", '=IF(ISNUMBER({tpot_limit}),"TPOT at most, s","no target")'],
        [_step(staged, first + n, 2 + n) for n in range(len(LOADS))],
        [styles.WHOLE, styles.RATE, "0.0000", styles.WHOLE, styles.WHOLE, styles.GENERAL, styles.GENERAL, "0.0000"],
    )
    page.row += 1
    page.paragraph(
        "SERVING_CURVE of the replica on Inputs, of both its pools where prompts have one of their own. The load is "
        "steady, whatever the targets hold for. Loads that the cache does not hold wait, which counts in the time to "
        "first token."
    )
    page.finish()
    return rows


_HEADS = ("Requests in flight", "TTFT, s", "TPOT, s", "Output tokens/s", "Output tokens/s a GPU", "Cache holds them")


def _step(staged: Staged, row: int, place: int) -> list[str]:
    *figures, held = (staged.curve.cell(place, column) for column in range(1, 1 + len(_HEADS)))
    missed = [
        f"AND(ISNUMBER({{{limit}}}),{column}{row}>{{{limit}}})"
        for column, limit in (("C", "ttft_limit"), ("D", "tpot_limit"))
    ]
    return [
        *(f"={each}" for each in figures),
        f'=IF({held},"yes","no")',
        f'=IF(OR({",".join(missed)}),"no","yes")',
        f"=IF(ISNUMBER({{tpot_limit}}),{{tpot_limit}},D{row})",
    ]
