"""What two states of a data table differ in: rows that came, went, or changed a cell."""

from collections.abc import Iterator, Sequence

from sizebook.core.tables import Row
from sizebook.validation.data_checks import KINDS, Kind

# Where and when a figure was read is no difference in the figure.
_PROVENANCE = ("source", "retrieved")


def differences(kind: str, before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """Return the differences of two states of one kind of table, a line each: rows gone, rows changed, rows new."""
    checks = KINDS[kind]
    old, new = _by_identity(checks, before), _by_identity(checks, after)
    return [
        *(f"- {_name(key)}" for key in old if key not in new),
        *(f"~ {_name(key)}: {said}" for key in old if key in new and (said := _cells(old[key], new[key]))),
        *(f"+ {_name(key)}" for key in new if key not in old),
    ]


def _by_identity(checks: Kind, rows: Sequence[Row]) -> dict[tuple[str, ...], Row]:
    return {tuple(filter(None, (row.get(column) for column in checks.identity))): row for row in rows}


def _name(key: tuple[str, ...]) -> str:
    return " ".join(key)


def _cells(old: Row, new: Row) -> str:
    return ", ".join(_changed(old, new))


def _changed(old: Row, new: Row) -> Iterator[str]:
    for column, cell in new.items():
        if column not in _PROVENANCE and cell != old.get(column, ""):
            yield f"{column} {old.get(column) or 'blank'} -> {cell or 'blank'}"
