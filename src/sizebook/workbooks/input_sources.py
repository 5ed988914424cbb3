"""Where the value of an input comes from, in words: the declared source of its default, with the table's date.

A default without a declared source is refused, so that no input of a workbook can be without one.
"""

import re
from dataclasses import dataclass
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.sections import REQUIRED, Argument
from sizebook.core.tables import table
from sizebook.workbooks.data_validations import sentence

_TABLE = re.compile(r"^data/(\w+)\.csv")
_LONGEST_SOURCE = 120  # letters of a row's source that are shown


@dataclass(frozen=True)
class InputSource:
    """Where a value comes from: of the default, and of any other value."""

    of_default: str
    of_others: str


def source_of_input(argument: Argument, default: Any, *, required: bool) -> InputSource:
    """Return where the value of an input comes from; of a default that is blank, what stands in for it.

    Errors: a default that declares no source.
    """
    stated = _of_default(argument, default, required=required)
    if required or default in (REQUIRED, None, "") or str(default).startswith("="):
        own = stated if stated.startswith("Your own") else "Your own."
        return InputSource(stated, own)
    shown = ("yes" if default else "no") if isinstance(default, bool) else default
    return InputSource(stated, f"Your own; default {shown}: {stated[:1].lower()}{stated[1:]}")


def _of_default(argument: Argument, default: Any, *, required: bool) -> str:
    source = argument.quantity.source
    if required or default is REQUIRED:
        listed = _TABLE.match(source)
        return f"Your own; keys: {dated_table(listed[1])}." if listed else "Your own."
    if source:
        stated = _with_row(source, default)
        return f"{stated}." if stated.startswith("data/") else sentence(stated)
    if default is None or default == "":
        return "Your own, or blank."
    if default is False or default == 0:
        return "None assumed."
    raise InputError(
        f"default without a source: got {default!r} for {argument.name}, want where it comes from. "
        "Give its quantity a source: a table, a paper, or an assumption with its reason."
    )


def _with_row(source: str, default: Any) -> str:
    """Return a source; of a table's row that the default names with that row's own source and day."""
    listed = _TABLE.match(source)
    if listed is None:
        return source
    rows = table(listed[1])
    key = next(iter(rows[0]))
    row = next((row for row in rows if row[key] == default), None)
    if row is None:
        return f"{'blank: ' if default in (None, '') else ''}{dated_table(listed[1])}{source[listed.end() :]}"
    words = row["source"]
    shown = words if len(words) <= _LONGEST_SOURCE else words[:_LONGEST_SOURCE].rsplit(" ", 1)[0] + " ..."
    return f"{listed[0]}: {shown}, retrieved {row['retrieved']}"


def dated_table(name: str) -> str:
    """Return a table with the days of its prices, or else those on which its rows were retrieved."""
    rows = table(name)
    stated, said = sorted({row["date"] for row in rows if row.get("date")}), "prices of"
    if not stated:
        stated, said = sorted({row["retrieved"] for row in rows}), "retrieved"
    days = stated[0] if len(stated) == 1 else f"{stated[0]} to {stated[-1]}"
    return f"data/{name}.csv, {said} {days}, a source in each row"
