"""What Tab completes besides commands, options and files: names that the registry and the tables know.

Each function is a ``shell_complete`` of Click: it takes the context, the parameter and what is typed so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from sizebook.core.errors import SizebookError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Completes = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def names_of(known: Callable[[], Iterable[str]]) -> Completes:
    """Return what completes one of the names that are known, in any case."""
    return lambda _context, _parameter, typed: _starting(known(), typed)


def model_or_file(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete a model of the catalog; the shell itself completes files where none begins so."""
    from click.shell_completion import CompletionItem  # every command would pay for it

    return (_starting(_models(), typed) if typed else []) or [CompletionItem(typed, type="file")]


def next_argument(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete the next argument of the function that is called, where it is a model or has choices."""
    from sizebook.functions import find

    try:
        arguments = find(context.params["name"]).arguments
    except (KeyError, SizebookError):  # no function yet, or none of that name: nothing is known of its arguments
        return []
    place = len(context.params.get("arguments") or ())
    if place >= len(arguments):
        return []
    argument = arguments[place]
    return _starting(_models() if argument.name == "model" else argument.quantity.allowed, typed)


def functions() -> Iterable[str]:
    """Return the names of the functions."""
    from sizebook.functions import load

    return load()


def families() -> Iterable[str]:
    """Return the families of the catalog."""
    from sizebook.models import catalog

    return catalog.families()


def plans() -> Iterable[str]:
    """Return the kinds of scenarios that there are templates of."""
    from sizebook.scenarios.template import EXAMPLES

    return EXAMPLES


def _models() -> Iterable[str]:
    from sizebook.models import catalog

    return catalog.model_keys()


def _starting(known: Iterable[str], typed: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in known if name.casefold().startswith(typed.casefold())]
