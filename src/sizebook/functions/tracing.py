"""SIZEBOOK_EXPLAIN and SIZEBOOK_VERSION: where the number in a cell comes from, asked in a cell."""

from typing import Annotated, Any

from sizebook import __version__
from sizebook.core import cells
from sizebook.core.coercion import as_rows
from sizebook.core.derivation import explain
from sizebook.core.errors import InputError
from sizebook.core.registry import Function, find, function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.core.tables import table
from sizebook.functions.error_messages import AnyCells, FunctionName, arguments_in_order, asks_about_a_call

Explanation = Annotated[list[list[Any]], Quantity("a line each: what it is, and the text or figure", unit="lines")]
Whose = Annotated[
    str,
    Quantity(
        "sizebook itself, or one of its tables",
        default="sizebook",
        choices=("sizebook", "hardware", "prices", "grid", "models"),
    ),
]
Version = Annotated[str, Quantity("version, or a day such as 2026-12-31")]


@asks_about_a_call
@function(category="help", source="sizebook")
def sizebook_explain(name: FunctionName, **arguments: AnyCells) -> Explanation:
    """Return how a figure came about: formula, numbers, result, unit, source, error band and terms, a line each.

    In front of the cell's arguments goes the function's name: =PARAMS_MHA(B2, TRUE) becomes
    =SIZEBOOK_EXPLAIN("PARAMS_MHA", B2, TRUE). The band is low and high of measured figures, eight of ten between them,
    where measurements say how far they lay; an estimate without one says why. A term is what adds up to the result,
    with what it rests on. Errors: those of the function itself, and ranges that give several results.
    """
    asked = find(name)
    given = arguments_in_order(arguments)
    value = cells.evaluate(asked, given)
    if asked.result.kind != "range" and as_rows(value) is not None:
        raise InputError(
            f"several results: got a range for {asked.name}, want single cells. Explain one result at a time."
        )
    return _lines(asked, cells.bind(asked, _padded(asked, given)), value)


def _padded(asked: Function, given: list[Any]) -> list[Any]:
    placed = cells.with_options(asked, given)
    return [*placed, *[None] * (len(asked.arguments) - len(placed))]


def _lines(asked: Function, bound: dict[str, Any], value: Any) -> list[list[Any]]:
    step = explain(asked, bound, value)
    rows = as_rows(value)
    result = value if rows is None else f"a table of {len(rows)} lines and {len(rows[0])} columns"
    lines = [
        ["function", asked.signature],
        ["meaning", asked.summary],
        ["formula", step.formula if asked.formula else ""],
        ["numbers", step.substituted],
        ["result", result],
        ["unit", step.unit],
        ["source", step.source],
        *_band(asked, bound, value),
        *([f"term: {term.name} ({term.basis})", term.value] for term in asked.terms_of(bound)),
    ]
    return [line for line in lines if line[1] != ""]


def _band(asked: Function, bound: dict[str, Any], value: Any) -> list[list[Any]]:
    band = asked.band_of(bound)
    if band is None:
        return [["no band", asked.no_band]]
    low, high, basis = band
    return [["low of the band", value * low], ["high of the band", value * high], ["the band rests on", basis]]


@function(category="help", source="sizebook")
def sizebook_version(whose: Whose = DEFAULT) -> Version:
    """Return the version of sizebook that computes this workbook, or the newest day of one of its tables.

    Of prices the day they were asked on; of the other tables the day a source was last read.
    """
    if whose == "sizebook":
        return __version__
    return max(row.get("date") or row["retrieved"] for row in table(whose))
