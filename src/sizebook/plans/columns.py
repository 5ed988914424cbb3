"""Reads sections from a range of cells: names of inputs in the first column, then one section a column.

Services of a fleet and phases of a programme are given this way. A column without a model is ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sizebook.core.cells import named_rows
from sizebook.core.coercion import Cell, as_rows, as_text, coerce, is_blank
from sizebook.core.errors import InputError, named
from sizebook.core.sections import ReadSection, flat, leaves, put_together

Read = TypeVar("Read", bound=ReadSection)


def sections_of(kind: type[Read], cells: Any, noun: str) -> dict[int, Read]:
    """Return the sections of a range by their columns, counted from 1 behind the names; none at all is refused.

    ``noun`` is what one of them is called in messages. What a column leaves blank is not stated.
    """
    rows = as_rows(cells) or [[None]]
    named = _named(kind, rows, noun)
    found = {
        column: _section(kind, {name: row[column] for name, row in named.items()}, f"{noun} {column}")
        for column in range(1, len(rows[0]))
        if not is_blank(named["model"][column])
    }
    if not found:
        raise InputError(f"no {noun}: got a range without a model, want one or more columns with one. Fill a column.")
    return found


def width_of(cells: Any) -> int:
    """Return the columns of a range behind the names."""
    return len((as_rows(cells) or [[None]])[0]) - 1


def side_by_side(named: Mapping[int, Any], shown: Sequence[Any], width: int) -> list[list[Any]]:
    """Return figures of what stands in columns: a row of its names, then a figure a row; blank where nothing stands."""
    columns = {at: {"name": each.name} | flat(of) for (at, each), of in zip(named.items(), shown, strict=True)}
    cells = {name: [columns.get(at, {}).get(name) for at in range(1, width + 1)] for name in ["name", *flat(shown[0])]}
    return [[name, *("" if cell is None else cell for cell in row)] for name, row in cells.items()]


def _named(kind: type[Read], rows: list[list[Cell]], noun: str) -> dict[str, list[Cell]]:
    """Return the rows by the names in their first column."""
    known = [leaf.name for leaf in leaves(kind)]
    named = named_rows(rows, known)
    if "model" not in named:
        raise InputError(
            f"{noun}s without a model: got the rows {', '.join(named) or 'none'}, want one called 'model' among them. "
            "Name the inputs in the first column of the range."
        )
    return named


def _section(kind: type[Read], cells: Mapping[str, Cell], place: str) -> Read:
    label = cells.get("name")
    with named(place if is_blank(label) else as_text(label)[:80]):
        values = {leaf.name: coerce(leaf, cells.get(leaf.name)) for leaf in leaves(kind)}
        stated = frozenset(name for name, cell in cells.items() if not is_blank(cell))
        return replace(put_together(kind, values), stated=stated)
