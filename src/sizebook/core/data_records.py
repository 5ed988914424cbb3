"""Tables of a TOML file of `data/` as dataclasses: what is missing or misspelt there is refused by its name."""

from dataclasses import MISSING, fields
from typing import Any, TypeVar

from sizebook.core.errors import InputError, shown
from sizebook.core.hints import want_one_of
from sizebook.core.tables import toml_tables

Record = TypeVar("Record")


def data_records(name: str, kind: type[Record]) -> tuple[Record, ...]:
    """Return the tables of ``data/<name>.toml`` as dataclasses of a kind, whose first field is a table's name.

    Errors: `InputError` for a key that is missing, and for one that the kind does not have.
    """
    made: Any = kind
    _, *known = fields(made)
    names = [each.name for each in known]
    needed = [each.name for each in known if each.default is MISSING and each.default_factory is MISSING]
    file, found = f"data/{name}.toml", []
    for title, cells in toml_tables(name).items():
        if missing := [key for key in needed if key not in cells]:
            raise InputError(f"missing key: got [{title}] without, want {' and '.join(missing)}. Add it in {file}.")
        if unknown := [key for key in cells if key not in names]:
            want = want_one_of(unknown[0], names, lists=file)
            raise InputError(f"unknown key: got {shown(unknown[0])} in [{title}] of {file}, want {want}")
        found.append(made(title, **cells))
    return tuple(found)
