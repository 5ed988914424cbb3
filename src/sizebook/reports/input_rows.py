"""Every input of a plan as rows of a report: what it is, its value, and whether it was stated or taken as usual.

The rows come from the declarations, so an input that a plan takes is an input that its report shows.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from sizebook.core.sections import Argument, flat, leaves, leaves_without_effect
from sizebook.core.texts import Day, joined, text
from sizebook.core.units import counted, grouped, percent
from sizebook.reports.document import Report, Row, Table, headings
from sizebook.reports.number_columns import plain_number
from sizebook.reports.phrases import CHOICES

# Inputs of replicas and runs that reports show in rows of their own, with what was looked up for them.
LOOKED_UP = frozenset(
    {
        "achieved_tflops",
        "concurrency",
        "cp",
        "dp",
        "draft_tokens",
        "engine",
        "ep",
        "gpu",
        "gpus",
        "gpus_per_node",
        "grams_per_kwh",
        "grid",
        "interleave",
        "lora_on",
        "lora_rank",
        "mfu",
        "micro_batch",
        "model",
        "name",
        "on_demand_usd_per_gpu_hour",
        "other_usd",
        "pp",
        "price_book",
        "price_usd_per_gpu_hour",
        "programme_factor",
        "provider",
        "rates_file",
        "recompute",
        "region",
        "release",
        "rented_gpus",
        "reserved_usd_per_gpu_hour",
        "start",
        "term",
        "tokens",
        "tokens_per_step",
        "tp",
        "tuning",
        "watts",
        "weight_dtype",
        "zero_stage",
    }
)
MOST_LISTED = 6  # members of a list, before a row says how many there are


InputRow = tuple[str, str, str]


def inputs_table(caption: str, rows: Iterable[InputRow]) -> Table:
    """Return a table of inputs, each with its value and where that comes from."""
    return Table(caption, headings(text("Input"), text("Value"), text("Origin")), tuple(map(Row, rows)))


def with_inputs(report: Report, caption: str, section: Any) -> Report:
    """Return a report whose assumptions show the inputs of a section too, behind the first table."""
    table, topic = inputs_table(caption, input_rows(section)), text("Assumptions")
    sections = (
        replace(each, blocks=(*each.blocks[:1], table, *each.blocks[1:])) if each.topic == topic else each
        for each in report.sections
    )
    return replace(report, sections=tuple(sections))


def input_rows(section: Any, *, without: Collection[str] = (), stated: Collection[str] | None = None) -> list[InputRow]:
    """Return label, value and origin of each quantity of a section, but of those that say nothing.

    Those are blank ones that mean "none", and those of sections whose key nobody asked by. ``without`` names those that
    a report shows in words of its own. ``stated`` are the keys that a scenario gave; where it is not known, what
    differs from the usual value counts as stated.
    """
    values, left_out = flat(section), leaves_without_effect(section).union(without)
    rows: list[InputRow] = []
    for leaf in leaves(type(section)):
        value = values[leaf.name]
        if leaf.name in left_out or value is None or value == "":
            continue
        given = leaf.required or (value != leaf.default if stated is None else leaf.name in stated)
        rows.append((text(leaf.label), shown(leaf, value), text("scenario") if given else text("usual value")))
    return rows


def shown(leaf: Argument, value: Any) -> str:
    """Return a value as a person reads it, with its unit: shares as per cent, counts grouped, flags as yes or no."""
    quantity = leaf.quantity
    if isinstance(value, bool):
        return text("yes") if value else text("no")
    if isinstance(value, (tuple, list)):
        return _listed(value)
    if isinstance(value, date):
        return Day(value.isoformat())
    if isinstance(value, str):
        return CHOICES.get(value, value) if quantity.choices else value
    if value == 0 and quantity.zero:
        return text(quantity.zero)
    if quantity.unit == "ratio":
        share = quantity.maximum is not None and quantity.maximum <= 1
        return percent(value) if share and value else plain_number(value)
    number = grouped(value) if float(value).is_integer() else plain_number(value)
    return counted(number, quantity.unit) if quantity.unit else number


def _listed(values: Sequence[Any]) -> str:
    shown_ones = joined((_member(each) for each in values[:MOST_LISTED]), ", ")
    if len(values) <= MOST_LISTED:
        return shown_ones
    return text("{members} ... ({n} in all)", members=shown_ones, n=grouped(len(values)))


def _member(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return joined(_member(each) for each in value)
    return plain_number(value) if isinstance(value, (int, float)) else str(value)
