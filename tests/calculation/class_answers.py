"""Writes what each supported function gives for each class of argument: ``python -m tests.calculation.class_answers``.

`class_answers.csv` holds the answers of the present release. A row is one argument of one call; its columns are the
classes of value that take the argument's place. `test_class_answers` compares, so that a change of ours and an exchange
of the engine show as the cells that they change.
"""

import csv
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sizebook.calculation import ErrorCode
from sizebook.calculation.spreadsheet_functions import spreadsheet_functions
from sizebook.calculation.tokens import arguments, tokenize
from tests.calculation.grids import calculate

ANSWERS = Path(__file__).with_name("class_answers.csv")
CALLS = Path(__file__).with_name("class_calls.txt")  # one call of each supported function
# A value of each class, as cells hold it; the area is taken as one value by an ordinary formula outside its rows.
CELLS: dict[str, list[Any]] = {
    "A": [1, 2, 3, 4, 5, 7],
    "B": [2, 4, 5, 8, 11, 13],
    "C": ["apple", "pig", "Banana", "cat", "apple", None],
    "D": ["k", "a", "b", "a", "b", "a"],
    "E": ["k", "a"],
    "F": [-10000, 2750, 4250, 3250, 2750, 500],
    "G": [39448, 39508, 39751, 39859, 39904, 40000],
}
CLASSES: dict[str, Any] = {
    "negative": -2.5, "zero": 0, "fraction": 0.4, "large": 1e10, "text": "x", "digits": "3", "truth": True,
    "blank": None, "error": "=NA()",
}  # fmt: skip
COLUMNS = ["call", "argument", "as it is", *CLASSES, "area", "array"]


def calls() -> list[str]:
    """Return one call of each supported function."""
    return CALLS.read_text(encoding="utf-8").splitlines()


def variants(call: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each argument of a call, and the call with a value of each class in its place."""
    tokens = tokenize(call)
    parts = ["".join(token.text for token in part) for part in arguments(tokens, 0, len(tokens) - 1)]
    places = [f"$J${row}" for row in range(1, len(CLASSES) + 1)] + ["$A$1:$A$3", "{1,2}"]
    for number in range(len(parts)):
        yield (
            number,
            [f"{tokens[0].text}{','.join([*parts[:number], place, *parts[number + 1 :]])})" for place in places],
        )
    if not parts:
        yield 0, []


def shown(value: Any) -> str:
    """Return an answer as the table writes it: numbers in ten digits, texts in quotes."""
    if isinstance(value, ErrorCode):
        return "refused" if value == "#N/IMPL!" else str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).upper()
    return f"{value + 0:.10g}"


def answers() -> list[dict[str, str]]:
    """Return the rows of the table as this release gives them."""
    rows = [(call, number, [call, *given]) for call in calls() for number, given in variants(call)]
    given = list(dict.fromkeys(formula for _, _, formulas in rows for formula in formulas))
    worked_out = dict(zip(given, _worked_out(given), strict=True))
    return [
        dict(zip(COLUMNS, [call, str(number + 1), *(worked_out[formula] for formula in formulas)], strict=False))
        for call, number, formulas in rows
    ]


def _worked_out(formulas: list[str]) -> list[str]:
    cells = {f"A{row}": f"={_on_data(formula)}" for row, formula in enumerate(formulas, 11)}
    for column, values in {**CELLS, "J": list(CLASSES.values())}.items():
        cells |= {f"Data!{column}{row}": value for row, value in enumerate(values, 1)}
    with tempfile.TemporaryDirectory() as folder:
        found = calculate(Path(folder), cells)
    return [shown(found["Main", f"A{row}"]) for row in range(11, len(formulas) + 11)]


def _on_data(formula: str) -> str:
    return "".join(f"Data!{token.text}" if token.kind == "reference" else token.text for token in tokenize(formula))


def supported() -> list[str]:
    """Return the functions that are calculated, but for those that give another value each time."""
    changing = ("NOW", "TODAY", "RAND", "RANDARRAY", "RANDBETWEEN")
    return [
        name for name, function in spreadsheet_functions().items() if function.by != "refused" and name not in changing
    ]


if __name__ == "__main__":
    with ANSWERS.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(answers())
