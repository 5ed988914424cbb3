"""What a catalog says of the electricity of countries, as rows of ``data/grid.csv``: grams of CO2e a kWh in a year."""

from collections.abc import Mapping

from sizebook.core.tables import Row
from sizebook.market.answers import Catalog, filled_cells, reading_of


def grid_rows(catalog: Catalog, content: bytes, where: str, named: Mapping[str, str], day: str) -> list[Row]:
    """Return the rows of a saved answer, of each country its newest year; ``day`` is that of reading.

    Errors: an answer without the columns of its catalog.
    """
    rows: dict[str, Row] = {}
    with reading_of(catalog, where):
        for reading in catalog.readings:
            for cells, _ in filled_cells(catalog, reading, content, where=where, named=named):
                row = {**cells, "key": cells["key"].casefold(), "kind": "country", "basis": "location"}
                if row["year"] > rows.get(row["key"], {"year": ""})["year"]:
                    rows[row["key"]] = row | {"carbon_free_share": "", "source": catalog.cited, "retrieved": day}
    return list(rows.values())
