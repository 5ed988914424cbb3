"""`sizebook functions` lists the spreadsheet functions; `sizebook call` evaluates one as a cell would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sizebook.cli.options import rates_option
from sizebook.cli.shell_completion import functions, names_of, next_argument
from sizebook.core import cells, coercion
from sizebook.core.errors import InputError, SizebookError, shown
from sizebook.core.registry import Function
from sizebook.core.sections import Argument, Quantity
from sizebook.functions import find, load
from sizebook.functions.reference import entry

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "[["  # how a word begins that holds a range


@click.command("functions")
@click.argument("name", required=False, shell_complete=names_of(functions))
@click.option("--json", "as_json", is_flag=True, help="Print all details as JSON.")
def list_functions(name: str | None, as_json: bool) -> None:
    """List the functions with their arguments, or show all of the one that is named."""
    known = load().values() if name is None else [find(name)]
    if name is not None and not as_json:
        click.echo(entry(find(name)))
        return
    if as_json:
        import json

        click.echo(json.dumps([_described(f) for f in known], indent=2, ensure_ascii=False))
        return
    category = ""
    for function in sorted(known, key=lambda f: (f.category, f.name)):
        if function.category != category:
            category = function.category
            click.echo(f"\n{category.upper()}" if category else category.upper())
        click.echo(f"  {function.signature}\n      {function.summary}")


def _described(function: Function) -> dict[str, Any]:
    arguments, value = function.example
    return {
        "name": function.name,
        "category": function.category,
        "summary": function.summary,
        "description": function.description,
        "formula": function.formula,
        "source": function.source,
        "arguments": [_argument(a) for a in function.arguments],
        "result": {"meaning": function.result.meaning, "unit": function.result.unit},
        "example": {"arguments": dict(arguments), "value": value},
    }


def _argument(argument: Argument) -> dict[str, Any]:
    quantity: Quantity = argument.quantity
    described: dict[str, Any] = {
        "name": argument.name,
        "meaning": quantity.meaning,
        "unit": quantity.unit,
        "kind": quantity.kind,
        "required": argument.required,
    }
    if not argument.required:
        described["default"] = argument.default
    if quantity.allowed:
        described["choices"] = list(quantity.allowed)
    return described


class _Call(click.Command):
    """A command whose ``NAME --help`` shows that function."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--help" in args[1:] and not args[0].startswith("-"):
            click.echo(entry(find(args[0])))
            ctx.exit()
        return super().parse_args(ctx, args)


# Unknown options are passed through, so that -3 is a number.
@click.command("call", cls=_Call, context_settings={"ignore_unknown_options": True})
@click.argument("name", shell_complete=names_of(functions))
@click.argument("arguments", nargs=-1, shell_complete=next_argument)
@click.option("--explain", "explained", is_flag=True, help="Print formula, numbers, unit and source.")
@rates_option
def call_function(name: str, arguments: tuple[str, ...], explained: bool, rates: Path | None) -> None:
    """Evaluate one function as a cell would and print the bare value; 'call NAME --help' shows that function.

    ARGUMENTS in order; '' leaves one blank, NAME=VALUE sets one by its name, '[["a", 1], ["b", 2]]' is a range.
    """
    function = find(name)
    given = _cells_in_order(function, (*arguments, *_rates_argument(function, rates)))
    value = cells.evaluate(function, given)
    if not explained:
        click.echo(cell_text(value))
        return
    _print_explained(function, given, value)


def _print_explained(function: Function, given: list[Any], value: Any) -> None:
    """Print formula, numbers, source, band and terms of a value."""
    from sizebook.core.derivation import explain
    from sizebook.core.texts import range_text
    from sizebook.core.units import in_unit

    bound = cells.bind(function, given)
    step = explain(function, bound, value)
    click.echo(f"{function.signature}\n{function.summary}\n")
    rows = [("formula", step.formula), ("numbers", step.substituted), ("result", step.shown), ("source", step.source)]
    for label, text in rows:
        if text:
            click.echo(f"{label:8} {text}")
    unit = function.result.unit
    if band := function.band_of(bound):
        low, high, basis = band
        click.echo(f"band     {range_text(in_unit(value * low, unit), in_unit(value * high, unit))}, {basis}")
    elif function.no_band:
        click.echo(f"band     none: {function.no_band}")
    for term in function.terms_of(bound):
        share = term.value / value if value else 0.0
        click.echo(f"  {term.name:<40} {in_unit(term.value, unit):>12} {share:>6.1%}  {term.basis}")


def _rates_argument(function: Function, rates: Path | None) -> tuple[str, ...]:
    """Return own rates as NAME=VALUE; refuse them if the function has no argument for them."""
    if rates is None:
        return ()
    if not any(argument.name == "rates_file" for argument in function.arguments):
        raise InputError(
            f"nothing to rate: got --rates {rates.name} for {function.name}, want a function with the argument "
            "rates_file. Leave --rates out."
        )
    return (f"rates_file={rates.resolve()}",)


def _cells_in_order(function: Function, words: tuple[str, ...]) -> list[Any]:
    """Return the cells in the order of the arguments; NAME=VALUE words go to their places."""
    names = [a.name for a in function.arguments]
    placed: list[Any] = []
    # A cell takes options as one text, "tp=8; dtype=fp8"; here they become several words.
    single = [
        part.strip() for word in words for part in (word.split(";") if "=" in word and ROWS not in word else [word])
    ]
    for word in single:
        name, separator, value = word.partition("=")
        if not separator or not name.isidentifier():
            placed.append(_rows(word))
            continue
        known = cells.option_name(name, names)
        index = names.index(known)
        placed += [None] * (index + 1 - len(placed))
        if placed[index] not in (None, ""):
            raise InputError(f"argument given twice: got {word} after {placed[index]}, want {known} once. Remove one.")
        placed[index] = _rows(value)
    return placed + [None] * (len(names) - len(placed))


def _rows(word: str) -> Any:
    """Return the rows of cells that a word writes as JSON; any other word as it is."""
    if not word.startswith(ROWS):
        return word
    import json

    try:
        return json.loads(word)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f'not a range: got {shown(word)}, want rows such as [["name", 1], ["other", 2]]. Correct it.'
        ) from error


def cell_text(value: Any) -> str:
    """Return a value as plain text; a table has a line per row and tabs between columns.

    A number has 15 digits as in a cell: 412.72 x (1 - 0.87) is 53.6536, not 53.653600000000004.
    """
    if isinstance(value, list):
        rows = coercion.as_rows(value) or []
        return "\n".join("\t".join(cell_text(cell) for cell in row) for row in rows)
    if isinstance(value, SizebookError):
        return value.code
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, float):
        return f"{value:.15g}"
    return "" if value is None else str(value)
