"""Cases of a cost in a row each, their drivers beside it, so that tornado and two-way table recalculate by formulas.

A workbook says by a few columns how its cost follows from the drivers: ``@price`` stands for the driver of the row,
``#hours`` for an earlier column. Every column has one formula.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from openpyxl.utils import get_column_letter

from sizebook.workbooks import styles
from sizebook.workbooks.book import FIRST_COLUMN, Book, Place
from sizebook.workbooks.canvas import Canvas
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.scenario_inputs import SCENARIOS, Driver, Steps
from sizebook.workbooks.tornado import ENDS

_MARK = re.compile(r"([@#])([a-z_]+)")
Cases = dict[str, tuple[str, dict[str, str]]]  # by key: label, and the drivers that are not the cover's


@dataclass(frozen=True)
class CaseColumn:
    """A column of what follows from the drivers: lines ``hours_now``, ``hours_low`` ... stand in it."""

    key: str
    head: str
    formula: str


def case_cost(case: str) -> str:
    """Return the reference to what a case costs."""
    return f"{{cost_{case}}}"


def all_cases(drivers: Sequence[Driver], down: Steps, across: Steps, in_use: Callable[[str], str]) -> Cases:
    """Return label and drivers of each case: scenarios, each driver at its ends, pairs of steps of the two-way table.

    Steps multiply their drivers.
    """
    found: Cases = {
        "now": ("The scenario of the cover", {}),
        "base": ("Scenario base", {driver.name: f"={driver.neutral}" for driver in drivers}),
    }
    for scenario in SCENARIOS[1:]:
        own = {driver.name: f"={{case_{driver.name}.{scenario}}}" for driver in drivers}
        found[scenario] = (f"Scenario {scenario}", own)
    for driver in drivers:
        for end in ENDS:
            changed = {driver.name: f"={{case_{driver.name}.{end}}}"}
            found[f"{driver.name}_{end}"] = (f"{driver.label}, {end}", changed)
    for row in down.numbers:
        for column in across.numbers:
            pair = {
                name: f"={in_use(name)}*{side.step(number)}"
                for side, number in ((down, row), (across, column))
                for name in side.drivers or (side.name,)
            }
            label = f"Two-way, {down.name} {row}, {across.name} {column}"
            found[f"two_{row}_{column}"] = (label, pair)
    return found


def what_if_page(book: Book, subtitle: str) -> LineSheet:
    """Begin the sheet of cases of a training workbook."""
    return new_sheet(book, "What-if", subtitle, cases=("",) * 6, widths=(34, *[14] * 6, 14, 28))


def case_table(
    page: Canvas,
    drivers: Sequence[Driver],
    cases: Cases,
    worked: Sequence[CaseColumn],
    in_use: Callable[[str], str],
    taken_from: Mapping[str, str] | None = None,
) -> None:
    """Add the table of cases: the drivers of each, and what follows from them.

    ``CASE`` in a formula stands for the case of the row, or for the one that ``taken_from`` names for it.
    """
    page.section("Cases")
    keys = [driver.name for driver in drivers]
    letters = {
        mark + name: get_column_letter(at)
        for at, (mark, name) in enumerate(
            [*(("@", key) for key in keys), *(("#", one.key) for one in worked)], FIRST_COLUMN
        )
    }
    first = page.row + 1
    rows = []
    for at, (key, (label, changed)) in enumerate(cases.items(), first):
        own = [changed.get(name, f"={in_use(name)}") for name in keys]
        case = (taken_from or {}).get(key, key)
        row = [
            _MARK.sub(lambda mark, at=at: f"${letters[mark[0]]}{at}", one.formula.replace("CASE", case))  # type: ignore[misc]
            for one in worked
        ]
        rows.append([label, *own, *row])
        for number, one in enumerate(worked, FIRST_COLUMN + len(keys)):
            page.book.place(f"{one.key}_{key}", Place(page.sheet.title, at, ("",), first=number))
    first, _ = page.table(
        ["Case", *(driver.label for driver in drivers), *(one.head for one in worked)],
        rows,
        [styles.GENERAL, *(driver.number_format for driver in drivers), *[styles.WHOLE] * len(worked)],
    )
    page.wrap_heads(first - 1, len(keys) + len(worked))
