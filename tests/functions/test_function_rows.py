"""Every spreadsheet function gives the figures of its rows, and none is without one; nothing outside the checkout."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.cells import evaluate
from sizebook.core.registry import Function
from sizebook.functions import load
from tests.csv_files import rows_of
from tests.functions.function_rows import given

FOLDER = Path(given.__file__).parent
FUNCTIONS = load()
EXACT = 1e-12


@dataclass(frozen=True)
class Row:
    """A row of `rows.csv`: ``how`` says how ``expected`` was worked out without the code (by hand, a paper, measured).

    Arguments and the figure are written over the names of `given`. Every argument is named, those at their default too,
    so that neither their order nor a default matters. ``relative`` is how near the function must come. Of a table that
    spills, ``at`` names one figure: under that heading in its first row, or beside that name.
    """

    function: str
    arguments: Mapping[str, Any]
    expected: Any
    how: str
    relative: float
    at: str

    def value(self, function: Function) -> Any:
        """Return what the function gives for this row."""
        unknown = self.arguments.keys() - {argument.name for argument in function.arguments}
        assert not unknown, f"{self.function} has no argument {', '.join(sorted(unknown))}"
        found = evaluate(function, [self.arguments.get(argument.name) for argument in function.arguments])
        return named(found, self.at) if self.at else found


def named(table: list[list[Any]], name: str) -> Any:
    """Return the first figure under a heading of a table, or the one beside a name."""
    if name in table[0]:
        return table[1][table[0].index(name)]
    return next(line[1] for line in table if line[0] == name)


def arguments(*shared: Mapping[str, Any], **own: Any) -> dict[str, Any]:
    return {name: value for each in (*shared, own) for name, value in each.items()}


def rows() -> dict[str, list[Row]]:
    names, found = {**vars(given), "arguments": arguments}, defaultdict(list)
    for row in rows_of(FOLDER / "rows.csv"):
        stated, expected = (eval(text, names) for text in (f"arguments({row['arguments']})", row["expected"]))
        relative = float(row["relative"] or EXACT)
        found[row["function"]].append(Row(row["function"], stated, expected, row["how"], relative, row["at"]))
    return dict(found)


BY_FUNCTION = rows()


@pytest.mark.parametrize("name", sorted(BY_FUNCTION))
def test_a_function_gives_the_figures_of_its_rows(name: str) -> None:
    for row in BY_FUNCTION[name]:
        wanted = row.expected
        if isinstance(wanted, int | float) and not isinstance(wanted, bool):
            wanted = pytest.approx(wanted, rel=row.relative, abs=0)
        assert row.value(FUNCTIONS[name]) == wanted, row.how


def test_every_function_has_a_row() -> None:
    assert sorted(FUNCTIONS.keys() - BY_FUNCTION.keys()) == []
    assert sorted(BY_FUNCTION.keys() - FUNCTIONS.keys()) == []


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_row_is_not_the_example_and_would_notice_five_per_cent(name: str) -> None:
    example = FUNCTIONS[name].example[1]
    assert any(row.expected != example and row.relative < 0.05 for row in BY_FUNCTION[name])
    assert all(row.how for row in BY_FUNCTION[name])


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda f: f.stem)
def test_rows_are_worked_out_without_the_functions(file: Path) -> None:
    """Tables hold inputs: whatever computes may not work out what it is checked against."""
    imported = re.findall(r"^(?:from|import) (sizebook[\w.]*)", file.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(imported) <= {"sizebook.core.tables"}
