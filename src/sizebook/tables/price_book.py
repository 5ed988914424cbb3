"""What a price book is written in: CSV, TOML, or the table of contract commitments of FOCUS, as rows of prices.

FOCUS 1.3 (https://focus.finops.org/focus-specification/v1-3/, dataset Contract Commitment) knows no accelerator, so a
row of it brings our columns as its own, ``x_gpu``, ``x_provider``, ``x_region`` and so on.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.tables import Row
from sizebook.intake.text_formats import csv_rows, toml_table
from sizebook.tables.price_rows import is_day, number_in

WANTED = "a table as CSV or TOML"
_ID, _OWN = "ContractCommitmentId", "x_"
_HOURS_A_DAY = 24
_TERM_DAYS = {"reserved_1y": (365, 366), "reserved_3y": (1095, 1096)}


def table_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a table in CSV, or in TOML as ``[[price]]`` tables of one name, with every cell as text.

    Errors: another kind of file, and a commitment of FOCUS that states no price.
    """
    suffix = path.suffix.casefold()
    if suffix not in (".csv", ".toml"):
        raise InputError(f"unknown table: got '{path.name}', want a name that ends in .csv or .toml. Save it so.")
    yield from as_rows(_toml_rows(path) if suffix == ".toml" else csv_rows(path, WANTED, comments=True))


def as_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield rows with every cell as text; commitments of FOCUS as rows of prices."""
    for row in rows:
        cells = {str(name).strip(): _cell(cell) for name, cell in row.items()}
        yield _of_focus(cells) if _ID in cells else cells


def _toml_rows(path: Path) -> list[Any]:
    found = toml_table(path, WANTED)
    rows = next(iter(found.values()), None)
    if len(found) != 1 or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(
            f"not a table: got {', '.join(found) or 'nothing'} in {path.name}, want [[price]] tables alone. Write one "
            "for each row."
        )
    return rows


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, date):
        return cell.isoformat()[: len("2026-01-01")]
    return str(cell).strip()


def _of_focus(row: Row) -> Row:
    """Return a commitment as a row of prices: usage in hours has one, spending needs one beside it."""
    own = {name.removeprefix(_OWN): cell for name, cell in row.items() if name.startswith(_OWN)}
    begins, ends = (row.get(f"ContractCommitmentPeriod{end}", "")[: len("2026-01-01")] for end in ("Start", "End"))
    n_days = (date.fromisoformat(ends) - date.fromisoformat(begins)).days if is_day(begins) and is_day(ends) else 0
    found = {
        "contract": row[_ID],
        "provider": row.get("ServiceProviderName") or row.get("InvoiceIssuerName") or "",
        "term": next((term for term, days in _TERM_DAYS.items() if n_days in days), ""),
        "currency": row.get("BillingCurrency", ""),
        "valid_from": begins,
        # The end of a period of FOCUS is the first day that it does not hold.
        "valid_to": (date.fromisoformat(ends) - timedelta(1)).isoformat() if is_day(ends) else ends,
        "source": row.get("ContractCommitmentDescription") or f"FOCUS contract commitment {row[_ID]}",
    }
    if not (own.get("price_per_gpu_hour") or own.get("percent_off_list")):
        found |= _usage(row, number_in(own.pop("gpus", "") or "1"), n_days)
    return found | {name: cell for name, cell in own.items() if cell}


def _usage(row: Row, gpus: float, n_days: int) -> Row:
    """Return the price of a commitment to use so many hours of ``gpus`` accelerators, and the GPUs that this is."""
    category, unit = row.get("ContractCommitmentCategory", ""), row.get("ContractCommitmentUnit", "")
    cost, quantity = (number_in(row.get(f"ContractCommitment{name}", "")) for name in ("Cost", "Quantity"))
    if category != "Usage" or not unit.casefold().endswith("hours") or not cost * quantity * gpus > 0:
        raise InputError(
            f"no price in a commitment: got {category or 'no category'} in {unit or 'no unit'} for '{row[_ID]}', want "
            "Usage in hours with its cost and quantity. Add a column x_price_per_gpu_hour or x_percent_off_list."
        )
    committed = {"gpus_committed": _cell(quantity * gpus / n_days / _HOURS_A_DAY)} if n_days > 0 else {}
    return {"price_per_gpu_hour": repr(cost / (quantity * gpus)), **committed}
