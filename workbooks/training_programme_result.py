"""The result sheet of `training_programme.xlsx`: the figures to hand on, on one page."""

from training_programme_inputs import PHASES
from training_programme_months import PARTS

from sizebook.core.sections import leaves
from sizebook.plans.programme.plan import Budget
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.cost_ranges import share_said
from sizebook.workbooks.finance import MEAN_RATE, is_unchanged, months_table
from sizebook.workbooks.line_sheet import LineSheet, new_sheet, result_sheet
from sizebook.workbooks.text_formulas import count_with_unit, money_text, number_text, range_text

_LABELS = {leaf.name: leaf.label for leaf in leaves(Budget)}


def result(book: Book) -> None:
    """Add the sheet."""
    said = "The figures to hand on; ranges take all phases at the same end of their bands."
    page = result_sheet(book, "Result", said, (24, *[14] * 5), chart_rows=13)
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    page.paragraph(page.resolve(f'="Prices of GPU-hours stand on Phases. "&{share_said("{price_share.middle}")}'))
    _tiles(page)
    unchanged = is_unchanged("month_usd", "{months.middle}")
    by_month, by_part = page.room_for_chart(f'=IF({unchanged},{_months_said()},"")'), page.room_for_chart()
    page.section("Phases")
    columns = (
        *((key, "") for key in ("shown", "starts_on", "days_middle", "hours_middle")),
        ("phase_usd", f"*{MEAN_RATE}"),
    )
    page.table(
        ["Phase", "Starts on day", "Days", "GPU-hours", f"Cost, {MONEY}"],
        [[f'=IF({{model.{phase}}}="","",{{{key}.{phase}}}{rate})' for key, rate in columns] for phase in PHASES],
        [styles.GENERAL, styles.RATE, styles.RATE, styles.WHOLE, styles.WHOLE],
        blanks=True,
    )
    page.finish()
    months, parts = _drawn(book)
    page.chart(
        Chart("columns", "{months_message}", "cost a month", styles.WHOLE, months, "C", of_sheet="Charts"), at=by_month
    )
    page.chart(Chart("columns", "{parts_message}", "cost", styles.WHOLE, parts, "CDE", of_sheet="Charts"), at=by_part)


def _drawn(book: Book) -> tuple[tuple[int, int], tuple[int, int]]:
    """Add the sheet of what the charts draw; return the rows of months and of parts without their total."""
    page = new_sheet(
        book,
        "Charts",
        "What Result draws.",
        ("",) * 2,
        (36, *[20] * 4),
    )
    first, last = _parts(page)
    page.section("Titles of the charts")
    phases, cost = number_text("100*{phases_usd.middle}/{usd.middle}"), money_text(f"{{usd.middle}}*{MEAN_RATE}")
    page.statement("parts_message", "Cost by part", f'="Phases take "&{phases}&" % of "&{cost}', "Budget")
    page.statement("months_message", "Cost by month", f"={_months_said()}", "Budget")
    page.section("Months of the chart")
    rows = months_table(page, {"month_usd": f"Cost, {MONEY}", "month_hours": "GPU-hours"}, "{months.middle}")
    page.finish()
    return rows, (first, last - 1)


def _months_said() -> str:
    """Return the expression of what the months cost, for the title of their chart."""
    length = f'{count_with_unit("{months.middle}", "month")}&", "&{count_with_unit("{n_phases.middle}", "phase")}'
    return f'{money_text(f"{{usd.middle}}*{MEAN_RATE}")}&" over "&{length}'


def _parts(page: LineSheet) -> tuple[int, int]:
    page.section(f"Cost by part, {MONEY}, at the mean rate")
    return page.table(
        ["Part", "Low", "Middle", "High"],
        [
            [_LABELS[part], *(f"={{{part}.{case}}}*{MEAN_RATE}" for case in ("low", "middle", "high"))]
            for part in (*PARTS, "usd")
        ],
        [styles.GENERAL, *[styles.WHOLE] * 3],
        total=True,
    )


def _tiles(page: LineSheet) -> None:
    def ends(name: str) -> str:
        return range_text(f"{{{name}.low}}", f"{{{name}.high}}")

    cost = range_text(f"{{usd.low}}*{MEAN_RATE}", f"{{usd.high}}*{MEAN_RATE}")
    page.tiles(
        [
            (f"Cost, {MONEY}", f"={{usd.middle}}*{MEAN_RATE}", styles.WHOLE, cost),
            ("Days", "={days.middle}", styles.RATE, ends("days")),
            ("GPU-hours", "={gpu_hours.middle}", styles.WHOLE, "experiments included"),
            (
                "Peak power, MW",
                "={peak_mw.middle}",
                styles.RATE,
                f'={number_text("{energy_kwh.middle}/{thousand}")}&" MWh"',
            ),
            ("CO2e, tonnes", "={co2e_kg.middle}/{thousand}", styles.WHOLE, "location-based"),
        ]
    )
