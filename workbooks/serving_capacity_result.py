"""The result sheet of `serving_capacity.xlsx`: the plan's figures, its months, the replica behind them."""

from __future__ import annotations

from serving_capacity_inputs import Staged

from sizebook.plans.ledgers import ENDS
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.page import Page, new_page
from sizebook.workbooks.wording import between, counted, worded

SHOWN_MONTHS = 12  # a longer plan is shown by so many months, evenly spread from the first to the last


def result(book: Book, staged: Staged, steps: tuple[int, int]) -> None:
    """Add the sheet; ``steps`` are the rows of the latency curve."""
    page = new_page(book, "Result", "The figures to hand on.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    _tiles(page, staged)
    page.section("Month by month")
    gpus_chart, cost_chart = page.room_for_chart(), page.room_for_chart()
    page.section("Latency as load grows, predicted")
    page.chart(
        Chart(
            "lines",
            "{curve_message}",
            "seconds per output token",
            "0.00",
            steps,
            "D",
            of_sheet="Curve",
            across="requests in flight on a replica",
        )
    )
    _replica(page)
    _memory(page)
    page.section("Months of the charts")
    rows = _months(page, staged, ("peak_gpus_fewest", "peak_gpus", "peak_gpus_most", "reserved_gpus"), look.WHOLE)
    page.chart(Chart("lines", "{gpus_message}", "GPUs", look.WHOLE, rows, "CDE", across="month"), at=gpus_chart)
    page.row += 1
    rows = _months(
        page, staged, ("reserved_usd", "on_demand_usd", "usd", "usd_per_mtok_output"), look.NUMBER, look.RATE
    )
    page.chart(
        Chart("stacked", "{money_message}", "USD a month", look.WHOLE, rows, "CD", across="month"), at=cost_chart
    )
    page.finish()


def _tiles(page: Page, staged: Staged) -> None:
    months = staged.months
    first = {name: months.month(name, 1) for name in months.letters}
    last = {name: f"INDEX({months.months(name)},{{n_months}})" for name in months.letters}
    (_, fewest, most), (_, least, dearest) = ENDS
    tiles = []
    for name, label, ends in (
        ("peak_gpus", "GPUs at peak", (f"peak_gpus_{fewest}", f"peak_gpus_{most}")),
        ("usd", "USD", (f"usd_{least}", f"usd_{dearest}")),
    ):
        text = counted if name == "peak_gpus" else worded
        for at, month in ((first, '"1"'), (last, "{n_months}")):
            under = between(at[ends[0]], at[ends[1]], " measured", text)
            shown = look.WHOLE if name == "peak_gpus" else look.NUMBER
            tiles.append((f'="{label}, month "&{month}', f"={at[name]}", shown, under))
    full = f'={worded("{plan_usd_per_mtok_saturated}")}&" at full load"'
    tiles.append(
        ('="USD per Mtok out, month "&{n_months}', f"={last['usd_per_mtok_output']}", look.RATE, full)
    )  # fmt: skip
    page.tiles(tiles)
    low, high = "{{plan_{}_p10}}", "{{plan_{}_p90}}"
    page.tiles(
        [
            ("Time to first token, s", "={plan_ttft_seconds}", look.RATE,
             between(low.format("ttft_seconds"), high.format("ttft_seconds"), " measured")),
            ("Time per output token, ms", "={plan_tpot_seconds}*1000", look.RATE,
             between(f"1000*{low.format('tpot_seconds')}", f"1000*{high.format('tpot_seconds')}", " measured")),
            ("In flight on a replica", "={plan_concurrency}", look.WHOLE, '="limited by: "&{plan_binding}'),
            ("Requests a second of a replica", "={plan_requests_per_second}", look.RATE,
             '={plan_gpus_per_replica}&" GPUs each"'),
            ('="CO2e in kg, month "&{n_months}', f"={last['co2e_kg']}", look.NUMBER,
             f'={worded(last["energy_kwh"])}&" kWh, location-based"'),
        ]
    )  # fmt: skip


def _replica(page: Page) -> None:
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
        [look.GENERAL, *["[>=100]#,##0;0.000#"] * 3, look.GENERAL],
    )


def _memory(page: Page) -> None:
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
        [look.GENERAL, look.WHOLE, look.DECIMAL, look.PERCENT],
        total=True,
    )
    page.chart(Chart("bars", "{memory_message}", "GiB", "#,##0.0", (rows[0], rows[1] - 1), "D"))


def _months(page: Page, staged: Staged, names: tuple[str, ...], shown: str, last: str = look.WHOLE) -> tuple[int, int]:
    """Add a table of some figures of the months shown, blank beyond the last month; return its rows."""
    months, rows = staged.months, []
    first = page.row + 1
    for number in range(SHOWN_MONTHS):
        spread = f"ROUND(1+({{n_months}}-1)*{number}/{SHOWN_MONTHS - 1},0)"
        every = f'IF({{n_months}}>{number},{number + 1},"")'
        at = f"$B{first + number}"
        figures = [f'=IF({at}="","",INDEX({months.months(name)},{at}))' for name in names]
        rows.append([f"=IF({{n_months}}>{SHOWN_MONTHS},{spread},{every})", *figures])
    heads = ["Month", *(f"={months.label(name)}" for name in names)]
    return page.table(heads, rows, [look.GENERAL, *[shown] * (len(names) - 1), last], blanks=True)
