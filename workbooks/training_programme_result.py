"""The result sheet of `training_programme.xlsx`: the figures to hand on, on one page."""

from __future__ import annotations

from training_programme_inputs import PHASES
from training_programme_months import PARTS

from sizebook.core.sections import leaves
from sizebook.plans.programme.plan import Budget
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.cost_ranges import share_said
from sizebook.workbooks.finance import months_table
from sizebook.workbooks.line_sheet import LineSheet, new_sheet, result_sheet
from sizebook.workbooks.text_formulas import number_text, range_text

_LABELS = {leaf.name: leaf.label for leaf in leaves(Budget)}


def result(book: Book) -> None:
    """Add the sheet."""
    said = "The figures to hand on; ranges take all phases at the same end of their bands."
    page = result_sheet(book, "Result", said, (24, *[14] * 5), chart_rows=13)
    page.banner()
    page.paragraph(page.resolve("={unlisted}"), "Banner")
    page.paragraph(page.resolve(f'="Prices of GPU-hours stand on Phases. "&{share_said("{price_share.middle}")}'))
    _tiles(page)
    by_month, by_part = page.room_for_chart(), page.room_for_chart()
    page.section("Phases")
    columns = (("shown", "@"), ("starts_on", "N"), ("days_middle", "N"), ("hours_middle", "N"), ("phase_usd", "N"))
    page.table(
        ["Phase", "Starts on day", "Days", "GPU-hours", "Cost, USD"],
        [[f'=IF({{model.{phase}}}="","",{{{key}.{phase}}})' for key, _ in columns] for phase in PHASES],
        [styles.GENERAL, styles.RATE, styles.RATE, styles.WHOLE, styles.WHOLE],
        blanks=True,
    )
    page.finish()
    months, parts = _drawn(book)
    page.chart(
        Chart("columns", "{months_message}", "USD a month", styles.WHOLE, months, "C", of_sheet="Charts"), at=by_month
    )
    page.chart(Chart("columns", "{parts_message}", "USD", styles.WHOLE, parts, "CDE", of_sheet="Charts"), at=by_part)


def _drawn(book: Book) -> tuple[tuple[int, int], tuple[int, int]]:
    """Add the sheet of what the charts draw; return the rows of months and of parts without their total."""
    page = new_sheet(
        book,
        "Charts",
        "What Result draws; months evenly spread where there are more than twelve.",
        ("",) * 2,
        (36, *[20] * 4),
    )
    first, last = _parts(page)
    page.section("Months of the chart")
    rows = months_table(page, {"month_usd": "Cost, USD", "month_hours": "GPU-hours"}, "{months.middle}")
    page.finish()
    return rows, (first, last - 1)


def _parts(page: LineSheet) -> tuple[int, int]:
    page.section("Cost by part, USD")
    return page.table(
        ["Part", "Low", "Middle", "High"],
        [[_LABELS[part], *(f"={{{part}.{case}}}" for case in ("low", "middle", "high"))] for part in (*PARTS, "usd")],
        [styles.GENERAL, *[styles.WHOLE] * 3],
        total=True,
    )


def _tiles(page: LineSheet) -> None:
    def ends(name: str) -> str:
        return range_text(f"{{{name}.low}}", f"{{{name}.high}}")

    mean = "IF({month_usd.total}=0,1,{amount.total}/{month_usd.total})"
    cost = range_text(f"{{usd.low}}*{mean}", f"{{usd.high}}*{mean}")
    page.tiles(
        [
            ('="Cost, "&{currency}', f"={{usd.middle}}*{mean}", styles.WHOLE, cost),
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
