"""What a catalog says of accelerators: it fills blank cells of ``data/hardware.csv``, and where it differs is named.

How many are joined in a node, and by what, no catalog says; so an accelerator that the table lacks is named, not added.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from sizebook.core.tables import Row, shipped
from sizebook.market.answers import Catalog, filled_cells, reading_of

_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")


def compared(
    catalog: Catalog, content: bytes, where: str, named: Mapping[str, str], known: Sequence[Row], day: str
) -> tuple[list[Row], list[str]]:
    """Return the known rows whose blanks a saved answer fills, whole, and what was left out and why.

    ``day`` is that of reading. Errors: an answer without the columns of its catalog.
    """
    keys = {row["listed_model"]: row["gpu"] for row in shipped("market_offers") if row["catalog"] == catalog.name}
    listed = _listed(catalog, content, where, named=named)
    unnamed = ", ".join(sorted(listed.keys() - keys.keys()))
    left = [f"not in data/market_offers.csv: {unnamed}"] if unnamed else []
    if (lost := len(keys.keys() - listed.keys())) > catalog.most_rows_lost * len(keys):
        return [], [*left, f"{lost} of {len(keys)} accelerators are missing"]
    rows = {row["key"]: row for row in known}
    pairs = [(rows[keys[name]], listed[name]) for name in listed.keys() & keys.keys()]
    left += [line for row, stated in pairs for line in _differences(row, stated, catalog.most_drift)]
    whole = (_filled(row, stated, catalog, day) for row, stated in pairs if any(not row[column] for column in stated))
    return sorted(whole, key=lambda row: row["key"]), sorted(left)


def _listed(catalog: Catalog, content: bytes, where: str, named: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the figures that an answer states, by the catalog's name of the accelerator."""
    listed = {}
    with reading_of(catalog, where):
        for reading in catalog.readings:
            for cells, _ in filled_cells(catalog, reading, content, where=where, named=named):
                name = cells.pop("name")
                listed[name] = {column: _figure(cell) for column, cell in cells.items() if cell}
    return listed


def _figure(cell: str) -> str:
    return f"{float(cell):.0f}" if _NUMBER.fullmatch(cell) else cell


def _differences(row: Row, stated: Mapping[str, str], most: float) -> Iterator[str]:
    for column, cell in stated.items():
        if row[column] and _differs(row[column], cell, most):
            yield f"{row['key']} {column}: {row[column]} in the table, {cell} in the answer"


def _differs(known: str, told: str, most: float) -> bool:
    if _NUMBER.fullmatch(known) and _NUMBER.fullmatch(told):
        return abs(float(told) / float(known) - 1) > most
    return known != told


def _filled(row: Row, stated: Mapping[str, str], catalog: Catalog, day: str) -> Row:
    blanks = {column: cell for column, cell in stated.items() if not row[column]}
    source = f"{row['source']}; {', '.join(blanks)}: {catalog.cited}"
    return {**row, **blanks, "source": source, "retrieved": day}
