"""What runs of a table cost in its currency: columns `currency`, `rates` and `start` mean what they mean in scenarios.

A column's name says its currency, so a table has one: `programme_cost_eur` stands behind the results in USD.
"""

from functools import lru_cache
from typing import Any

import polars as pl

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import leaves
from sizebook.scenarios.money import USD, Money, run_rate

_LEAVES = {leaf.name: leaf for leaf in leaves(Money)}
INPUTS = tuple(_LEAVES)
_COSTS = ("cost_usd", "programme_cost_usd")


def with_amounts(frame: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Return the results of training runs with their costs in the currency of the table, the reason last.

    A row whose rates cannot be read has no figures and the reason. Errors: more than one currency.
    """
    given = [name for name in INPUTS if name in frame.columns]
    if not given:
        return found
    cells = list(frame.select(given).cast(pl.String).iter_rows())
    code = _one_currency(frame["currency"].cast(pl.String).to_list() if "currency" in given else [])
    rows = [
        _with_amounts(row, dict(zip(given, own, strict=True)), code)
        for row, own in zip(found.iter_rows(named=True), cells, strict=True)
    ]
    *figures, reason = found.schema.items()
    amounts = [] if code == USD else [(_in(code, name), pl.Float64) for name in _COSTS]
    return pl.DataFrame(rows, schema=dict([*figures, *amounts, reason]))


def _one_currency(cells: list[str | None]) -> str:
    """Return the currency of a table. Errors: several, of which a column's name cannot say which it is in."""
    codes = sorted({USD if is_blank(cell) else str(cell).strip() for cell in cells}) or [USD]
    if len(codes) > 1:
        raise InputError(f"several currencies: got {', '.join(codes)} in one table, want one. Split the table by them.")
    return codes[0]


def _in(code: str, name: str) -> str:
    return name.removesuffix("usd") + code.lower()


def _with_amounts(row: dict[str, Any], given: dict[str, str | None], code: str) -> dict[str, Any]:
    try:
        money = _money(tuple(given.items()))
        rate = None if row["programme_days"] is None else run_rate(row["programme_days"], money)
    except SizebookError as error:
        return {**dict.fromkeys(row), "reason": str(error)}
    if rate is None or code == USD:
        return row
    return row | {_in(code, name): None if row[name] is None else row[name] * rate for name in _COSTS}


@lru_cache(maxsize=10_000)
def _money(given: tuple[tuple[str, str | None], ...]) -> Money:
    return Money(**{name: coerce(_LEAVES[name], cell) for name, cell in given if not is_blank(cell)})
