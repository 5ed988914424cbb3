"""Every input of a plan as rows of a report: what it is, its value, and whether it was stated or taken as usual.

The rows come from the declarations, so an input that a plan takes is an input that its report shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date
from typing import Any

from sizebook.core.registry import Argument, flat, leaves
from sizebook.core.units import grouped, percent

MOST_LISTED = 6  # members of a list, before a row says how many there are


def input_rows(
    section: Any, *, without: Collection[str] = (), stated: Collection[str] | None = None
) -> list[tuple[str, str, str]]:
    """Return label, value and origin of each quantity of a section; blank ones that mean "none" are left out.

    ``without`` names those that a report shows in words of its own. ``stated`` are the keys that a scenario gave; where
    it is not known, what differs from the usual value counts as stated.
    """
    values = flat(section)
    rows = []
    for leaf in leaves(type(section)):
        value = values[leaf.name]
        if leaf.name in without or value is None or value == "":
            continue
        given = leaf.required or (value != leaf.default if stated is None else leaf.name in stated)
        rows.append((leaf.label, shown(leaf, value), "scenario" if given else "usual value"))
    return rows


def shown(leaf: Argument, value: Any) -> str:
    """Return a value as a person reads it, with its unit: shares as per cent, counts grouped, flags as yes or no."""
    quantity = leaf.quantity
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return _listed(value)
    if isinstance(value, (str, date)):
        return str(value)
    if quantity.unit == "ratio":
        share = quantity.maximum is not None and quantity.maximum <= 1
        return percent(value) if share and value else f"{value:g}"
    number = grouped(value) if float(value).is_integer() else f"{value:g}"
    return f"{number} {quantity.unit}".rstrip()


def _listed(values: Iterable[Any]) -> str:
    words = [" ".join(map(str, each)) if isinstance(each, (tuple, list)) else f"{each:g}" if isinstance(each, float)
             else str(each) for each in values]  # fmt: skip
    more = f" ... ({len(words)} in all)" if len(words) > MOST_LISTED else ""
    return ", ".join(words[:MOST_LISTED]) + more
