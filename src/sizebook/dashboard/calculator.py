"""The functions as the page's calculator knows them: what they mean, and JavaScript that evaluates them.

The JavaScript is printed from the one parsed formula of a function, what blanks stand for and which arguments it
refuses included. Functions that look a table up become that table. Those without a formula are described, and their
calls are built, but not evaluated.
"""

import json
from typing import Any

from sizebook.core.expression import Expression, parse
from sizebook.core.expression_tree import Call, walk
from sizebook.core.formula_text import expression, inlined, javascript
from sizebook.core.hints import meanings
from sizebook.core.named_lambda import table
from sizebook.core.registry import Function
from sizebook.core.sections import Argument, Quantity
from sizebook.functions import load

MOST_ROWS = 12  # of an example that is a table, as the page shows it


def function_data() -> dict[str, Any]:
    """Return every function; arguments that several functions share, and lists of choices, are written once."""
    lists: dict[tuple[str, ...], int] = {}
    arguments: dict[str, int] = {}
    functions = [_described(function, arguments, lists) for function in load().values()]
    return {
        "functions": functions,
        "arguments": [json.loads(text) for text in arguments],
        "choices": list(lists),
        "words": _other_words(),
    }


def _other_words() -> dict[str, list[str]]:
    """Return the functions that each word of people means which is none of their names, without its spaces."""
    known = {name.casefold() for name in load()}
    every = {word: [name.upper() for name in meant if name in known] for word, meant in meanings().items()}
    return {word: names for word, names in every.items() if names}


def _described(function: Function, known: dict[str, int], lists: dict[tuple[str, ...], int]) -> dict[str, Any]:
    arguments, value = function.example
    return {
        "name": function.name,
        "category": function.category,
        "summary": function.summary,
        "description": "\n\n".join(" ".join(each.split()) for each in function.description.split("\n\n")),
        "formula": function.formula,
        "holds": function.holds,
        "no_band": function.no_band,
        "source": function.source,
        "arguments": [
            known.setdefault(json.dumps(_argument(argument, lists), default=str), len(known))
            for argument in function.arguments
        ],
        "meaning": function.result.meaning,
        "unit": function.result.unit,
        "negative": not function.result.never_negative,
        "example": dict(arguments),
        "value": value[:MOST_ROWS] if isinstance(value, list) else value,
        "rows": len(value) if isinstance(value, list) else 0,
    }


def _argument(argument: Argument, lists: dict[tuple[str, ...], int]) -> dict[str, Any]:
    quantity = argument.quantity
    found: dict[str, Any] = {
        "name": argument.name,
        "meaning": quantity.meaning,
        "unit": quantity.unit,
        "kind": quantity.kind,
        "bounds": _bounds(quantity),
        "required": argument.required,
        "default": None if argument.required else argument.default,
    }
    if quantity.allowed:
        found["choices"] = lists.setdefault(quantity.allowed, len(lists))
    if quantity.means:
        found["means"] = dict(quantity.means)
    return found


def _bounds(quantity: Quantity) -> dict[str, float]:
    limits = {
        "at least": quantity.minimum,
        "above": quantity.above,
        "at most": quantity.maximum,
        "below": quantity.below,
    }
    return {word: bound for word, bound in limits.items() if bound is not None}


def closed_form_source() -> str:
    """Return the JavaScript of every closed form, as the object ``CLOSED``, and of the tables that they look up."""
    closed = {function.name: _closed(function) for function in load().values() if function.formula}
    tables = [f"const {name} = (key) => ({json.dumps(rows)})[key];" for name, rows in _tables().items()]
    entries = [f"{json.dumps(name)}: {{ {entry} }}" for name, entry in closed.items()]
    return "\n".join([*tables, "const CLOSED = {", ",\n".join(entries), "};"])


def _closed(function: Function) -> str:
    names = [argument.name for argument in function.arguments]
    parts = [f"value: {javascript(function)}"]
    blanks = {name: inlined(parse(text)).javascript(names) for name, text in function.blanks.items()}
    parts.append(f"blanks: {{ {', '.join(f'{name}: {text}' for name, text in blanks.items())} }}")
    if function.holds:
        parts.append(f"holds: {inlined(parse(function.holds)).javascript(names)}")
    return ", ".join(parts)


def _tables() -> dict[str, dict[str, Any]]:
    """Return what stands for each function that formulas still call: its value for every choice of its argument."""
    functions = load()
    called: set[str] = set()
    for function in functions.values():
        if function.formula:
            called |= _calls(expression(function))
    return {name: table(functions[name]) for name in sorted(called)}


def _calls(formula: Expression) -> set[str]:
    return {node.function for node in walk(formula.tree) if isinstance(node, Call) and node.function.isupper()}
