"""Describes `fine_tuning.xlsx`: which way of fine-tuning fits a GPU, how long it takes and what it costs."""

from pathlib import Path

from fine_tuning_charts import GPUS_USD, WORDS, Drawn
from fine_tuning_checks import checks
from fine_tuning_inputs import DRIVERS, inputs
from fine_tuning_lines import money, ways
from fine_tuning_months import PERIODS
from fine_tuning_whatif import EXAMPLES, PRICES, what_if

from sizebook.scenarios.scenario_files import read_toml
from sizebook.training.tuning import TUNINGS
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.finance import years_sheet
from sizebook.workbooks.line_sheet import LineSheet, result_sheet
from sizebook.workbooks.scenario_inputs import SCENARIO, scenarios_sheet
from sizebook.workbooks.text_formulas import count_with_unit, number_text, range_text
from sizebook.workbooks.tornado import sensitivity_sheet
from sizebook.workbooks.what_if import case_cost

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
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover_sheet(
        book, "Which way of fine-tuning fits, how many hours it takes, for how much, month by month.", SCENARIO
    )
    inputs(book)
    scenarios_sheet(book, DRIVERS, EXAMPLES, PRICES)
    runs, plan = ways(book)
    drawn = money(book)
    years_sheet(book, PERIODS)
    what_if(book)
    sensitivity_sheet(book, DRIVERS, (EXAMPLES, PRICES), case_cost, "cost of the way chosen")
    result(book, drawn)
    checks_sheet(book, checks(runs, plan))
    notes_sheet(book, FUNCTIONS, NOTES)
    front()


# Of each way on Result: head, formula, number format.
_SHOWN = (
    ("Needed, GiB", "={memory_bytes.@}/2^30", styles.RATE),
    ("There is, GiB", "={usable.@}/2^30", styles.RATE),
    ("Fits", "={fits.@}", styles.GENERAL),
    ("Hours of a run", "={hours.@}", styles.RATE),
    (f"GPUs, {MONEY}", f"={GPUS_USD}", styles.NUMBER),
    (f"In all, {MONEY}", "={usd.@}", styles.NUMBER),
)


def result(book: Book, drawn: Drawn) -> None:
    """Add the page to hand on; ``drawn`` are the rows of Money that its charts draw."""
    page = result_sheet(
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
    formats = [styles.GENERAL, *(shown for *_, shown in _SHOWN)]
    page.table(["Way", *(head for head, *_ in _SHOWN)], ways_shown, formats)
    for room, title, unit, shown, table, limits in (
        (rooms[0], "{memory_message}", "GiB", "#,##0.0", drawn[0], "E"),
        (rooms[1], "{cost_message}", "cost of GPUs", styles.WHOLE, drawn[1], ""),
    ):
        page.chart(Chart("columns", title, unit, shown, table, "C", of_sheet="Money", hatched="D", limits=limits), room)
    page.finish()


def _of(name: str) -> str:
    """Return the expression of a figure of the way chosen."""
    return f"INDEX({{{name}.all}},{{at.full}})"


def _tiles(page: LineSheet) -> None:
    within = range_text(_of("usd_low"), _of("usd_high")).removeprefix("=")
    memory, energy = number_text(f"{_of('memory_bytes')}/2^30"), number_text(_of("energy_kwh"))
    per_mtok = f'{number_text(_of("usd_per_mtok"))}&" a million tokens"'

    def where_known(text: str) -> str:
        return f'=IF(ISTEXT({_of("usd")}),"",{text})'

    page.tiles(
        [
            (f'={_of("way_name")}&" fits"', f"={_of('fits')}", styles.GENERAL, f'={memory}&" GiB needed"'),
            ("Days of a run", f"={_of('days')}", styles.RATE, '="on "&{gpus}&" "&{gpu_name.full}'),
            (
                f'="{MONEY}, all "&{count_with_unit("{months_now.full}", "month")}',
                f"={_of('usd')}",
                styles.NUMBER,
                where_known(within),
            ),
            (f"{MONEY} an example", f"={_of('usd_per_example_seen')}", styles.RATE, where_known(per_mtok)),
            ("CO2e, kg", f"={_of('co2e_kg')}", styles.NUMBER, where_known(f'{energy}&" kWh"')),
            (
                "Cheapest that fits",
                "={cheapest.full}",
                styles.GENERAL,
                '={n_fit.full}&" of "&COUNTA({way.all})&" ways fit"',
            ),
        ]
    )
