"""What drivers do to a cost: a tornado and a two-way table of ordinary formulas, from cases that a workbook evaluates.

A workbook says where the cost of each case stands: `now`, each driver at its ends (``traffic_low``, ``traffic_high``)
and every pair of steps of the two-way table (``two_1_3``).
"""

from collections.abc import Callable

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.scenario_inputs import Driver, Steps
from sizebook.workbooks.text_formulas import part

Cost = Callable[[str], str]  # the reference, in braces, to the cost of a case
ENDS = ("low", "high")


def sensitivity_sheet(
    book: Book, drivers: tuple[Driver, ...], sides: tuple[Steps, Steps], cost: Cost, what: str
) -> None:
    """Add the sheet of what each driver does to a cost, the largest first, and of two drivers at once.

    ``what`` names the cost: cost of all months. The first of the ``sides`` goes down, the second across.
    """
    page = new_sheet(
        book,
        "Sensitivity",
        f"What each driver alone does to the {what}, in the scenario of the cover.",
        cases=("",) * 5,
        widths=(34, *[16] * 5, 14, 24),
    )
    page.chart_rows = 12  # with its tables on one page
    room = page.room_for_chart()
    now = cost("now")
    page.section("Drivers as they stand")
    first = page.row + 1
    last = first + len(drivers) - 1
    page.table(
        ["Driver", f"Low, {MONEY}", f"High, {MONEY}", f"Low, change, {MONEY}", f"High, change, {MONEY}", "Rank"],
        [
            [
                driver.label,
                *(f"={cost(f'{driver.name}_{end}')}" for end in ENDS),
                *(_change(f"{column}{first + at}", now) for column in "CD"),
                _rank((first, last), first + at, now),
            ]
            for at, driver in enumerate(drivers)
        ],
        [styles.GENERAL, *[styles.WHOLE] * 5],
    )
    page.section("Largest first")
    top = page.row + 1
    rows = page.table(
        ["Driver", f"Low, change, {MONEY}", f"High, change, {MONEY}", "Rank"],
        [
            [
                *(
                    f"=INDEX(${column}${first}:${column}${last},MATCH(E{top + at},$G${first}:$G${last},0))"
                    for column in "BEF"
                ),
                f"=ROWS($A${top}:$A{top + at})",
            ]
            for at in range(len(drivers))
        ],
        [styles.GENERAL, *[styles.WHOLE] * 3],
    )
    page.statement(
        "tornado_message",
        "Title of the chart",
        f'=B{top}&" moves the cost most: from "&{_amount(f"C{top}")}&" to "&{_amount(f"D{top}")}&" {MONEY}"',
        "The largest",
    )
    drawn = Chart(
        "tornado", "{tornado_message}", "cost over the scenario", number_format=styles.WHOLE, rows=rows, columns="CD"
    )
    page.chart(drawn, at=room)
    _two_way(page, *sides, cost, f"{what[:1].upper()}{what[1:]}")
    page.finish()


def _two_way(page: LineSheet, down: Steps, across: Steps, cost: Cost, what: str) -> None:
    """Add the table of a cost by the steps of two drivers, which stand on Scenarios."""
    page.part("Two-way", f"{what} by {down.in_a_sentence} and {across.label}, in the scenario of the cover.")
    page.section(f"{what}, {MONEY}; {across.label} across, {down.in_a_sentence} down")
    page.table(
        [down.label, *(f"={across.step(number)}" for number in across.numbers)],
        [
            [f"={down.step(row)}", *(f"={cost(f'two_{row}_{column}')}" for column in across.numbers)]
            for row in down.numbers
        ],
        [styles.NUMBER, *[styles.WHOLE] * len(across.factors)],
    )


def _amount(cell: str) -> str:
    """Return the formula of an amount's text: millions with two decimals, below that in dollars."""
    return f'IF(ABS({cell})<{{million}},FIXED({cell},0),FIXED({cell}/{{million}},2)&" million")'


def _noise(now: str) -> str:
    """Return what the order of adding leaves of a cost: spreadsheets differ in it, and equals must be equal in all."""
    return f"{{rounding}}*MAX(1,{now})"


def _change(cost: str, now: str) -> str:
    """Return the formula of a cost over that of the cover's scenario, 0 where only noise is left."""
    change = f"{cost}-{now}"
    return f"=IF(ABS({change})<={_noise(now)},0,{change})"


def _rank(rows: tuple[int, int], row: int, now: str) -> str:
    """Return the formula of a driver's place by how far it moves the cost, the first of equals first."""
    first, last = rows
    own, every, so_far = (
        f"ROUND(ABS({high}-{low})/{part(_noise(now))},0)"
        for high, low in (
            (f"F{row}", f"E{row}"),
            (f"$F${first}:$F${last}", f"$E${first}:$E${last}"),
            (f"$F${first}:$F{row}", f"$E${first}:$E{row}"),
        )
    )
    return f"=SUMPRODUCT(--({every}>{own}))+SUMPRODUCT(--({so_far}={own}))"
