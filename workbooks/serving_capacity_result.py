"""The result sheet of `serving_capacity.xlsx`: the figures to hand on, on one page, and the replica behind them."""

from __future__ import annotations

from serving_capacity_basis import POOLS

from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.finance import months_table
from sizebook.workbooks.line_sheet import LineSheet, result_sheet
from sizebook.workbooks.text_formulas import count_text, count_with_unit, number_text, range_text

# Pools are searched by a function, which scenarios do not reach.
_POOLS_HELD = (
    f'=IF(AND({POOLS},{{scenario}}<>"base"),"Prefill and decode workers are those of the least cost for the inputs as '
    'they stand; this scenario does not search them again.","")'
)


def result(book: Book, steps: tuple[int, int]) -> None:
    """Add the sheets; ``steps`` are the rows of the latency curve."""
    said = "The figures to hand on; ranges hold eight of ten measurements."
    page = result_sheet(book, "Result", said, (15, *[15.8] * 5), chart_rows=10)
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    page.paragraph(page.resolve(_POOLS_HELD))
    _tiles(page)
    gpus_chart, cost_chart = page.room_for_chart(), page.room_for_chart()
    page.section("Months of the charts")
    rows = months_table(
        page,
        {
            "peak_gpus_fewest": "GPUs, fewest",
            "peak_gpus": "GPUs",
            "peak_gpus_most": "GPUs, most",
            "reserved_usd": "Reserved, USD",
            "on_demand_usd": "On demand, USD",
        },
    )
    page.chart(Chart("columns", "{gpus_message}", "GPUs at peak", styles.WHOLE, rows, "CDE"), at=gpus_chart)
    page.chart(Chart("stacked", "{money_message}", "USD a month", styles.WHOLE, rows, "FG"), at=cost_chart)
    page.finish()
    _replica_page(book, steps)


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
            of_sheet="Curve",
            across="requests in flight on a replica",
        )
    )
    _memory(page)
    page.finish()


def _tiles(page: LineSheet) -> None:
    def last(name: str) -> str:
        return f"INDEX({{{name}.all}},{{months}})"

    ends = {
        "peak_gpus": ("{{peak_gpus_fewest{}}}", "{{peak_gpus_most{}}}"),
        "usd": ("{{usd_least{}}}", "{{usd_most{}}}"),
    }
    tiles = []
    for name, label, shown, write in (
        ("peak_gpus", "GPUs at peak", styles.WHOLE, count_text),
        ("usd", "USD", styles.NUMBER, number_text),
    ):
        low, high = ends[name]
        under = range_text(low.format(".1"), high.format(".1"), "", write)
        tiles.append((f'="{label}, month 1"', f"={{{name}.1}}", shown, under))
        under = range_text(*(f"INDEX({end.format('.all')},{{months}})" for end in (low, high)), "", write)
        tiles.append((f'="{label}, month "&{{months}}', f"={last(name)}", shown, under))
    full = f'={number_text("{full_price}")}&" at full load"'
    tiles.append(('="USD/Mtok out, month "&{months}', f"={last('usd_per_mtok_output')}", styles.RATE, full))
    page.tiles(tiles)
    in_currency = '=IF({currency}="USD","",{currency}&" "&' + number_text("{amount.total}") + ")"
    page.tiles(
        [
            ('="USD, all "&' + count_with_unit("{months}", "month"), "={usd.total}", styles.WHOLE, in_currency),
            (
                "Time to first token, s",
                "={plan_ttft_seconds}",
                styles.RATE,
                range_text("{plan_ttft_seconds_p10}", "{plan_ttft_seconds_p90}"),
            ),
            (
                "Time per token out, ms",
                "={plan_tpot_seconds}*{thousand}",
                styles.RATE,
                range_text("{thousand}*{plan_tpot_seconds_p10}", "{thousand}*{plan_tpot_seconds_p90}"),
            ),
            ("In flight on a replica", "={plan_concurrency}", styles.WHOLE, '="limited by: "&{plan_binding}'),
            (
                "CO2e, location-based, kg",
                "={co2e_kg.total}",
                styles.WHOLE,
                f'={number_text("{energy_kwh.total}")}&" kWh, all months"',
            ),
        ]
    )


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
