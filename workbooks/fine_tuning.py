"""Describes `fine_tuning.xlsx`: which way of fine-tuning fits a GPU, how long it takes and what it costs."""

from __future__ import annotations

from pathlib import Path

from fine_tuning_checks import checks
from fine_tuning_inputs import DRIVERS, inputs
from fine_tuning_lines import WORDS, money, ways
from fine_tuning_months import PERIODS
from fine_tuning_whatif import EXAMPLES, PRICES, what_if

from sizebook.scenarios.files import read_toml
from sizebook.training.tuning import TUNINGS
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.finance import SCENARIO, dated_rates, periods, scenarios
from sizebook.workbooks.page import Page, result_page
from sizebook.workbooks.pages import checks_page, cover, notes_page
from sizebook.workbooks.sensitivity import tornado, two_way
from sizebook.workbooks.what_if import cost
from sizebook.workbooks.wording import between, several, worded

FILE, TITLE = "fine_tuning.xlsx", "Fine-tuning"
EXAMPLE = read_toml(Path(__file__).resolve().parent / "scenarios" / "fine-tuning.toml")
FUNCTIONS = ("TRAINING_TABLE", "ADAPTER_PARAMS", "PARAMS_MODEL", "GPU_SPEC", "PRICE_USD_PER_GPU_HOUR", "GRID_G_PER_KWH")
NOTES = (
    "Functions of sizebook say whether each way fits and how long one step takes; examples, passes, runs, prices, "
    "energy and carbon are ordinary formulas, which need no add-in.",
    "With the scenario base, one run and no evaluation, GPU-hours, cost, energy and carbon are those of "
    "'sizebook plan train' for the same inputs in steady state; Checks compares them.",
    "What fits is settled as plans settle it: what has to be recomputed or moved to the host is. A way that does not "
    "fit still shows what it would take.",
    "Ranges: hours and cost if steps are as fast, or as slow, as 1 in 10 measurements of runs that the fit had not "
    "seen.",
    "Energy: GPU power at work x (1 + host share) x PUE. Carbon is location-based.",
    "Runs are spread evenly over the months, as many as they take one after another where none are given; examples "
    "are paid in the first. Ways are compared at the same months, those of the way chosen; dated prices at their mean.",
    "Left out: storage, what the tuned model costs to serve (serving_capacity.xlsx), and people.",
)  # fmt: skip


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover(
        book, "Which way of fine-tuning fits, how many hours it takes, for how much, month by month.", SCENARIO
    )
    inputs(book)
    scenarios(book, DRIVERS)
    dated_rates(book)
    runs, plan = ways(book)
    money(book)
    periods(book, PERIODS)
    table = two_way(book, EXAMPLES, PRICES, "Cost of the way chosen")
    what_if(book)
    table(cost)
    tornado(book, DRIVERS, cost, "cost of the way chosen")
    result(book)
    checks_page(book, checks(runs, plan))
    notes_page(book, FUNCTIONS, NOTES)
    front()


# Of each way on Result: head, formula, number format.
_SHOWN = (
    ("Needed, GiB", "={memory_bytes.@}/2^30", look.RATE),
    ("There is, GiB", "={usable.@}/2^30", look.RATE),
    ("Fits", "={fits.@}", look.GENERAL),
    ("Hours of a run", "={hours.@}", look.RATE),
    ("GPUs, USD", '=IF(ISNUMBER({usd.@}),{run_usd.@}+{evaluation_usd.@},"")', look.NUMBER),
    ("In all, USD", "={usd.@}", look.NUMBER),
)


def result(book: Book) -> None:
    """Add the page to hand on."""
    page = result_page(
        book,
        "Result",
        "The figures to hand on; ranges hold eight of ten measurements.",
        (13, *[13.5] * 6),
        chart_rows=17,
    )
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    _tiles(page)
    rooms = [page.room_for_chart() for _ in range(2)]
    page.section("Ways side by side")
    ways_shown = [
        [word, *(formula.replace("@", way) for _, formula, _ in _SHOWN)]
        for word, way in zip(WORDS, TUNINGS, strict=True)
    ]
    formats = [look.GENERAL, *(shown for *_, shown in _SHOWN)]
    rows = page.table(["Way", *(head for head, *_ in _SHOWN)], ways_shown, formats)
    page.chart(Chart("columns", "{memory_message}", "GiB", "#,##0.0", rows, "C", limits="D"), at=rooms[0])
    page.chart(Chart("columns", "{cost_message}", "USD of GPUs", look.WHOLE, rows, "G"), at=rooms[1])
    page.finish()


def _of(name: str) -> str:
    """Return the expression of a figure of the way chosen."""
    return f"INDEX({{{name}.all}},{{at.full}})"


def _tiles(page: Page) -> None:
    within = between(_of("usd_low"), _of("usd_high")).removeprefix("=")
    memory, energy = worded(f"{_of('memory_bytes')}/2^30"), worded(_of("energy_kwh"))
    in_currency = f'{{currency}}&" "&{worded(_of("amount"))}'

    def where_known(text: str) -> str:
        return f'=IF(ISNUMBER({_of("usd")}),{text},"")'

    page.tiles(
        [
            (f'={_of("way_name")}&" fits"', f"={_of('fits')}", look.GENERAL, f'={memory}&" GiB needed"'),
            ("Days of a run", f"={_of('days')}", look.RATE, '="on "&{gpus}&" "&{gpu_name.full}'),
            ('="USD, all "&' + several("{months_now.full}", "month"), f"={_of('usd')}", look.NUMBER,
             where_known(within)),
            ("USD an example", f"={_of('usd_per_example_seen')}", look.RATE, where_known(in_currency)),
            ("CO2e, kg", f"={_of('co2e_kg')}", look.NUMBER, where_known(f'{energy}&" kWh"')),
            ("Cheapest that fits", "={cheapest.full}", look.GENERAL,
             '={n_fit.full}&" of "&COUNTA({way.all})&" ways fit"'),
        ]
    )  # fmt: skip
