"""What a catalog asks for tokens, as rows of ``data/api_prices.csv``: USD for a million of each kind."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from sizebook.core.tables import Row, shipped
from sizebook.market.answers import Catalog, filled_cells, reading_of

_LONG = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


def token_prices(catalog: Catalog, content: bytes, where: str, named: Mapping[str, str], day: str) -> list[Row]:
    """Return the rows of a saved answer, one for each model of a provider; ``day`` is that of reading.

    A model that was withdrawn by the day of the answer is left out, and of names that differ in case the first counts.
    Errors: an answer without the columns or the numbers of its catalog.
    """
    rows: dict[tuple[str, str], Row] = {}
    with reading_of(catalog, where):
        for reading in catalog.readings:
            for cells, record in filled_cells(catalog, reading, content, where=where, named=named):
                row = _row(catalog, reading, cells, record) | {"retrieved": day}
                if not row["ends"] or row["ends"] > row["date"]:
                    rows.setdefault((row["provider"], row["model"].casefold()), row)
    return list(rows.values())


def _row(catalog: Catalog, reading: Mapping[str, Any], cells: Mapping[str, str], record: Mapping[str, Any]) -> Row:
    model = cells["model"].removeprefix(f"{cells['provider']}/")
    prices = {name: cell for name, cell in cells.items() if name.endswith("_usd_per_mtok")} | _longer(record)
    return {
        "provider": catalog.providers.get(cells["provider"], cells["provider"]),
        "model": model,
        "catalog_model": _in_catalog().get(model.rpartition("/")[2].casefold(), ""),
        **{name: f"{float(cell) / reading['per']:.6g}" if cell else "" for name, cell in prices.items()},
        "long_from_tokens": _long_from(record),
        "context_tokens": cells["context_tokens"],
        "ends": cells["ends"],
        "date": cells["date"],
        "source": f"{catalog.name} ({catalog.licence}), of {cells['page'] or catalog.source}",
    }


def _long_from(record: Mapping[str, Any]) -> str:
    """Return from how many tokens on a prompt is dearer, at the first step that a record has; blank for none."""
    steps = [int(found[1]) for name in record if (found := _LONG.fullmatch(name))]
    return f"{min(steps)}000" if steps else ""


def _longer(record: Mapping[str, Any]) -> dict[str, str]:
    """Return what tokens cost in a prompt that is longer than that."""
    suffix = f"cost_per_token_above_{_long_from(record).removesuffix('000')}k_tokens"
    kinds = ("input", "output")
    return {f"long_{kind}_usd_per_mtok": str(record.get(f"{kind}_{suffix}", "")) for kind in kinds}


@cache
def _in_catalog() -> dict[str, str]:
    """Return the keys of the catalog's models by each of their names."""
    found: dict[str, str] = {}
    for row in shipped("models"):
        for name in (row["key"], row["hf_id"].rpartition("/")[2], *row["aliases"].split("|")):
            found.setdefault(name.strip().casefold(), row["key"])
    return found
