"""The one example of a function as each surface asks it: a cell, a command, Python and a request of the web service."""

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from sizebook.core.cells import MOST_PLACES
from sizebook.core.registry import Function


def forms(function: Function) -> dict[str, str]:
    """Return the example by surface, as it is typed there."""
    given = {a.name: function.example[0][a.name] for a in function.arguments if a.name in function.example[0]}
    words = " ".join((function.name, *_words(function, given)))
    return {
        "cell": f"={function.name}({', '.join(_in_cell(function, given))})",
        "command": f"sizebook call {words}",
        "Python": f"sb.{function.name.lower()}({', '.join(_in_python(function, given))})",
        "HTTP": f"POST /functions/{function.name} {json.dumps(given, ensure_ascii=False)}",
    }


def _in_cell(function: Function, given: Mapping[str, Any]) -> list[str]:
    """Return the arguments of a cell: by place, after a gap as one text of options where the function takes one."""
    first, later = _split(function, given)
    if not later:
        return [_literal(value) for value in first.values()]
    gap = function.arguments[len(first)].quantity.kind
    is_short = len(function.arguments) <= MOST_PLACES
    if is_short or gap == "range" or any(isinstance(value, list) for value in later.values()):
        last = max(at for at, argument in enumerate(function.arguments) if argument.name in given)
        return [_literal(given.get(argument.name)) for argument in function.arguments[: last + 1]]
    options = "; ".join(f"{name}={_text(value)}" for name, value in later.items())
    return [*map(_literal, first.values()), _literal(options)]


def _words(function: Function, given: Mapping[str, Any]) -> Iterator[str]:
    first, later = _split(function, given)
    yield from (shlex.quote(_text(value)) for value in first.values())
    yield from (f"{name}={shlex.quote(_text(value))}" for name, value in later.items())


def _in_python(function: Function, given: Mapping[str, Any]) -> Iterator[str]:
    first, later = _split(function, given)
    yield from map(_python, first.values())
    yield from (f"{name}={_python(value)}" for name, value in later.items())


def _split(function: Function, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the arguments that go by place, up to the first that is left out, and those that go by name."""
    names = list(takewhile(given.__contains__, (argument.name for argument in function.arguments)))
    return {name: given[name] for name in names}, {name: given[name] for name in given if name not in names}


def _text(value: Any) -> str:
    """Return a value as a command takes it."""
    if isinstance(value, list):
        return json.dumps(value)
    return str(value).upper() if isinstance(value, bool) else str(value)


def _literal(value: Any) -> str:
    """Return a value as a formula of a spreadsheet writes it."""
    if isinstance(value, list):
        return "{" + _rows(value, ";", lambda row: _rows(row, ",", _literal)) + "}"
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return "" if value is None else _text(value)


def _python(value: Any) -> str:
    if isinstance(value, list):
        return f"[{_rows(value, ', ', _python)}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _rows(value: list[Any], between: str, written: Callable[[Any], str]) -> str:
    return between.join(map(written, value))
