"""What a catalog says of accelerators: it fills blank cells of ``data/hardware.csv``, and where it differs is named.

How many are joined in a node, and by what, no catalog says; so an accelerator that the table lacks is named, not added.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sizebook.core.tables import Row, shipped
from sizebook.market.answers import Catalog, filled, reading_of

_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")


@dataclass
class Compared:
    """Rows of the table whose blanks an answer fills, whole, and what was left out and why."""

    filled: list[Row] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def compared(
    catalog: Catalog, content: bytes, where: str, named: Mapping[str, str], known: Sequence[Row], day: str
) -> Compared:
    """Return what a saved answer gives the known rows; ``day`` is that of reading.

    Errors: an answer without the columns of its catalog.
    """
    keys = {row["listed_model"]: row["gpu"] for row in shipped("market_offers") if row["catalog"] == catalog.name}
    found, listed = Compared(), _listed(catalog, content, where, named=named)
    if unnamed := sorted(listed.keys() - keys.keys()):
        found.left.append(f"not in data/market_offers.csv: {', '.join(unnamed)}")
    if (lost := len(keys.keys() - listed.keys())) > catalog.most_rows_lost * len(keys):
        found.left.append(f"{lost} of {len(keys)} accelerators are missing")
        return found
    rows = {row["key"]: row for row in known}
    for name in listed.keys() & keys.keys():
        _compare(found, rows[keys[name]], listed[name], catalog=catalog, day=day)
    found.filled.sort(key=lambda row: row["key"])
    found.left.sort()
    return found


def _listed(catalog: Catalog, content: bytes, where: str, named: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the figures of an answer by the catalog's name of the accelerator."""
    listed = {}
    with reading_of(catalog, where):
        for reading in catalog.readings:
            for cells, _ in filled(catalog, reading, content, where=where, named=named):
                name = cells.pop("name")
                listed[name] = {column: _figure(cell) for column, cell in cells.items()}
    return listed


def _figure(cell: str) -> str:
    return f"{float(cell):.0f}" if _NUMBER.fullmatch(cell) else cell


def _compare(found: Compared, row: Row, figures: Mapping[str, str], *, catalog: Catalog, day: str) -> None:
    stated = {column: cell for column, cell in figures.items() if cell}
    blanks = {column: cell for column, cell in stated.items() if not row[column]}
    found.left += [
        f"{row['key']} {column}: {row[column]} in the table, {cell} in the answer"
        for column, cell in stated.items()
        if column not in blanks and _differs(row[column], cell, catalog.most_drift)
    ]
    if blanks:
        source = f"{row['source']}; {', '.join(blanks)}: {catalog.cited}"
        found.filled.append({**row, **blanks, "source": source, "retrieved": day})


def _differs(known: str, told: str, most: float) -> bool:
    if _NUMBER.fullmatch(known) and _NUMBER.fullmatch(told):
        return abs(float(told) / float(known) - 1) > most
    return known != told
