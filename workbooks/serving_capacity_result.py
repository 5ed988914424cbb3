"""The result sheet of `serving_capacity.xlsx`: the figures to hand on, on one page, and the replica behind them."""

from serving_capacity_basis import POOLS

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.cost_ranges import share_said
from sizebook.workbooks.finance import is_unchanged, months_tiles
from sizebook.workbooks.gpu_hour_lines import CONTRACTS_WAIT, KINDS
from sizebook.workbooks.line_sheet import LineSheet, result_sheet
from sizebook.workbooks.text_formulas import count_text, count_with_unit, number_text, part, range_text

# Pools are searched by a function, which scenarios do not reach.
_POOLS_HELD = (
    f'=IF(AND({POOLS},{{scenario}}<>"base"),"Prefill and decode workers are those of the least cost for the inputs as '
    'they stand; this scenario does not search them again.","")'
)


def result(book: Book, months: tuple[int, int], steps: tuple[int, int]) -> None:
    """Add the sheets; on Basis stand ``months`` to draw, and ``steps`` of the latency curve."""
    said = "The figures to hand on; ranges hold eight of ten measurements."
    page = result_sheet(book, "Result", said, (15, *[15.8] * 5), chart_rows=15)
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    page.paragraph(page.resolve(_POOLS_HELD))
    page.paragraph(page.resolve(CONTRACTS_WAIT.format(hold="{contracts_hold.1}")), "Banner")
    page.paragraph(page.resolve(_price_said()), height=45)
    _tiles(page)
    for name, chart in (
        (
            "peak_gpus",
            Chart("columns", "{gpus_message}", "GPUs at peak", styles.WHOLE, months, "C", "Basis", limits="DE"),
        ),
        ("usd", Chart("stacked", "{money_message}", "cost a month", styles.WHOLE, months, "FG", "Basis")),
    ):
        page.chart(chart, at=page.room_for_chart(f'=IF({is_unchanged(name)},{chart.title},"")'))
    page.finish()
    _replica_page(book, steps)


def _price_said() -> str:
    """Return the formula of where prices come from, and what they make of the range of cost."""
    said = []
    for kind, (term, _) in KINDS.items():
        given, listed = f"{{{kind}_usd_per_gpu_hour}}", f"{{plan_listed_{term}_usd_per_gpu_hour}}"
        basis = f"{{plan_listed_{term}_basis}}"
        if kind == "reserved":
            basis = f'IF(AND(ISNUMBER({listed}),{{reserved_price}}={listed}),{basis},"as on demand")'
        said.append(f'IF({given}="",{basis},"given on Inputs")')
    shown = '"GPU-hour on demand: "&{}&"; reserved: "&{}&". "&'.format(*said)
    return f"={shown}{part(share_said('{price_share.total}'))}"


def _replica_page(book: Book, steps: tuple[int, int]) -> None:
    page = result_sheet(book, "Replica", "One replica: latency, rate, memory.", (23, 17.2, *[13.4] * 4), 15)
    page.banner()
    _replica(page)
    page.section("Latency as load grows, predicted")
    page.chart(
        Chart(
            "lines",
            "{curve_message}",
            "seconds per output token",
            "0.00",
            steps,
            "DI",
            of_sheet="Basis",
            across="requests in flight on a replica",
        )
    )
    _memory(page)
    page.finish()


def _tiles(page: LineSheet) -> None:
    page.tiles(
        [
            *months_tiles("peak_gpus", "GPUs at peak", "fewest most", styles.WHOLE, count_text),
            *months_tiles("usd", MONEY, "least most", styles.NUMBER, number_text),
        ]
    )
    every_month = f'="{MONEY}, all "&{count_with_unit("{months}", "month")}'
    all_months = range_text("{usd_least.total}", "{usd_most.total}")
    full = f'={number_text("{full_price}*INDEX({currency_rate.all},{months})")}&" at full load"'
    tokens = "({requests.total}*{plan_output_tokens})*{million}"
    page.tiles(
        [
            (every_month, "={usd.total}", styles.WHOLE, all_months),
            (f"{MONEY}/Mtok out, all months", "={usd.total}/" + tokens, styles.RATE, full),
            _seconds("Time to first token", "ttft", "s"),
            _seconds("Time per token out", "tpot", "ms"),
            ("In flight on a replica", "={plan_concurrency}", styles.WHOLE, '="limited by: "&{plan_binding}'),
            (
                "CO2e, location-based, kg",
                "={co2e_kg.total}",
                styles.WHOLE,
                f'={number_text("{energy_kwh.total}")}&" kWh, all months"',
            ),
        ]
    )


def _seconds(label: str, latency: str, unit: str) -> tuple[str, str, str, str]:
    """Return the tile of a latency as its target is held against it, at the percentile that is asked."""
    held, scale = f"{{plan_{latency}_seconds_held}}", "" if unit == "s" else "*{thousand}"
    mean = f"{{plan_{latency}_seconds}}"
    ends = (f"IF({mean}=0,0,{held}*{{plan_{latency}_seconds_{end}}}/{mean}){scale}" for end in ("p10", "p90"))
    asked = f'="{label}, "&IF({{request_percentile}}="","",{{request_percentile}}&", ")&"{unit}"'
    return asked, f"={held}{scale}", styles.RATE, range_text(*ends)


def _replica(page: LineSheet) -> None:
    page.section("One replica at the load planned for")
    page.table(
        ["Figure", "Predicted", "1 in 10 below", "1 in 10 above", "Unit"],
        [
            [label, *(f"={{plan_{name}{end}}}" for end in ("", "_p10", "_p90")), unit]
            for label, name, unit in (
                ("Time to first token", "ttft_seconds", "seconds"),
                ("Time per output token", "tpot_seconds", "seconds"),
                ("Output tokens a second", "tokens_per_second", "tokens/s"),
            )
        ],
        [styles.GENERAL, *["[>=100]#,##0;0.000#"] * 3, styles.GENERAL],
    )


def _memory(page: LineSheet) -> None:
    page.section("Memory of one GPU")
    parts = [
        ("Weights", "weight_bytes"),
        ("Cache", "cache_bytes"),
        ("Activation peak", "activation_bytes"),
        ("Driver and communication", "non_torch_bytes"),
        ("Left free by the engine", "left_bytes"),
    ]
    rows = page.table(
        ["Part", "Bytes", "GiB", "Share"],
        [
            [label, f"={{plan_{name}}}", f"={{plan_{name}}}/2^30", f"={{plan_{name}}}/{{plan_physical_bytes}}"]
            for label, name in [*parts, ("Physical memory", "physical_bytes")]
        ],
        [styles.GENERAL, styles.WHOLE, styles.DECIMAL, styles.PERCENT],
        total=True,
    )
    page.chart(Chart("bars", "{memory_message}", "GiB", "#,##0.0", (rows[0], rows[1] - 1), "D"))
