"""Accelerators and prices as the page browses them: rows of `data/hardware.csv` and `data/prices.csv`."""

from typing import Any

from sizebook.core.cells import evaluate
from sizebook.core.errors import SizebookError
from sizebook.core.tables import Row, table, toml_tables
from sizebook.functions import find

# What is listed for an accelerator on demand: name, title, whether it is a number.
LISTED = [
    ["price", "On demand, USD a GPU-hour", True],
    ["price_low", "10th percentile", True],
    ["price_high", "90th percentile", True],
    ["n_prices", "Prices", True],
    ["newest", "Newest of", False],
]


def market_data() -> dict[str, Any]:
    """Return both tables: their heads, and rows of a key, the values and the source."""
    newest = sorted(table("hardware"), key=lambda row: row["release_date"], reverse=True)
    columns = toml_tables("market_columns")
    gpus = [_row(row, columns["gpus"], row["key"], _listed(row["key"])) for row in newest]
    prices = [_row(row, columns["prices"], row["gpu"], []) for row in table("prices")]
    return {
        "gpus": {"heads": [*_heads(columns["gpus"]), *LISTED], "rows": gpus},
        "prices": {"heads": _heads(columns["prices"]), "rows": prices},
    }


def _heads(columns: dict[str, tuple[str, float]]) -> list[list[Any]]:
    return [[name, title, divisor > 0] for name, (title, divisor) in columns.items()]


def _row(row: Row, columns: dict[str, tuple[str, float]], key: str, more: list[Any]) -> list[Any]:
    values = [_value(row[name], divisor) for name, (_, divisor) in columns.items()]
    return [key, [*values, *more], row["source"]]


def _value(text: str, divisor: float) -> str | float | None:
    return (float(text) / divisor if divisor else text) if text else None


def _listed(key: str) -> list[Any]:
    """Return what the price rule gives on demand, its spread, how many prices there are, and their newest day."""
    days = [row["date"] for row in table("prices") if row["gpu"] == key and row["term"] == "on_demand"]
    prices = [_price(key, quantile) for quantile in ("p50", "p10", "p90")]
    return [*prices, len(days) or None, max(days, default=None)]


def _price(key: str, quantile: str) -> Any:
    """Return a quantile of what the price rule gives on demand; None where no provider lists the accelerator."""
    try:
        return evaluate(find("PRICE_USD_PER_GPU_HOUR"), [key, None, None, None, quantile])
    except SizebookError:
        return None
