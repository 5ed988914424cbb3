"""Every money cell of every workbook with months: in EUR at half a EUR for 1 USD it is half, and says EUR.

The whole workbook is walked, cell by cell, beside the same one in USD. What stays in USD says so, on sheets of what
functions are asked and give, and of prices as they are listed.
"""

import re
from datetime import date
from typing import Any

import pytest

from tests.workbooks.filled import FilledOnce
from tests.workbooks.shipped import opened
from tests.workbooks.sittings import SITTINGS, Sitting

EUR = {"currency": "EUR", "rate_date_1": date(2000, 1, 1), "rate_per_usd_1": 0.5}
# Sheets with money in USD: inputs and their sources, what functions give and the cases they are compared with.
IN_USD = {
    "fine_tuning.xlsx": {"Money"},
    "training_budget.xlsx": {"Inputs", "Plan", "Cases", "Months"},
    "training_programme.xlsx": {"Inputs", "Phases", "Budget", "Months"},
    # Contracts that run already are stated in USD, in Months of serving and Buying of fleets; so are the energy of GPUs
    # bought, and what a unit costs an hour in What-if.
    "serving_capacity.xlsx": {"Basis", "Cases", "Inputs", "Months"},
    "fleet_plan.xlsx": {"Inputs", "Services", "Buying", "What-if"},
}
of_every_book = pytest.mark.parametrize(
    "sitting",
    [
        pytest.param(each, id=each.file, marks=pytest.mark.ci if each.file == "fleet_plan.xlsx" else ())  # it is long
        for each in SITTINGS
        if each.file in IN_USD
    ],
)


class Words:
    """The texts of a sheet, to say what a cell is called: texts of its row, and the nearest above it."""

    def __init__(self, sheet: Any) -> None:
        self.texts = {(c.row, c.column): c.value for row in sheet.iter_rows() for c in row if isinstance(c.value, str)}
        self.sections = {c.row: str(c.value) for c in sheet["B"] if c.style == "Section"}
        self.of_rows: dict[int, list[str]] = {}
        for (row, _), text in sorted(self.texts.items()):
            self.of_rows.setdefault(row, []).append(text)

    def around(self, row: int, column: int) -> str:
        """Return the texts that say what a cell is: those of its row, its column's head, its section's head."""
        above = range(row - 1, 0, -1)
        head = next((self.texts[at, column] for at in above if (at, column) in self.texts), "")
        section = next((self.sections[at] for at in above if at in self.sections), "")
        return "; ".join([*self.of_rows.get(row, []), head, section])


@of_every_book
def test_what_halves_says_eur_and_what_says_eur_halves(sitting: Sitting, filled_once: FilledOnce) -> None:
    found = [filled_once(sitting.path, {**sitting.given, **extra}) for extra in ({}, EUR)]
    assert [each.problems for each in found] == [[], []]
    usd, eur = (opened(each.path, data_only=True) for each in found)
    halved, in_usd, wrong = 0, set(), []
    for sheet in (sheet for sheet in eur.worksheets if sheet.sheet_state == "visible"):
        words = Words(sheet)
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            before, now = usd[sheet.title][cell.coordinate].value, cell.value
            if not isinstance(now, (int, float)) or isinstance(now, bool) or (sheet.title == "Scenarios"):
                continue
            said = words.around(cell.row, cell.column)
            if now != before:
                halved += 1
                if not (now == pytest.approx(before / 2, rel=1e-9) and re.search(r"\bEUR\b", said)):
                    wrong.append((sheet.title, cell.coordinate, before, now, said))
            elif now and re.search(r"\bUSD\b", said):
                in_usd.add(sheet.title)
    assert wrong == []
    assert in_usd == IN_USD[sitting.file]
    assert halved > 100
    texts = [(s.title, c.coordinate, c.value) for s in eur.worksheets if s.sheet_state == "visible"
             for row in s.iter_rows() for c in row if isinstance(c.value, str)]  # fmt: skip
    assert [text for text in texts if "$" in text[2]] == []
