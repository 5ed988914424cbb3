"""Completion of model, function, family and scenario names with Tab.

Each function is a ``shell_complete`` of Click: it takes the context, the parameter and the text typed so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from sizebook.core.errors import SizebookError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMPLETING = "_SIZEBOOK_COMPLETE"  # set where a shell asks what may follow
Completes = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def names_of(names: Callable[[], Iterable[str]]) -> Completes:
    """Return a completion of one of these names, upper or lower case."""
    return lambda _context, _parameter, typed: _starting(names(), typed)


def model_or_file(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete a model of the catalog; if none matches, the shell completes file names."""
    from click.shell_completion import CompletionItem  # a slow import that other commands do not need

    return (_starting(_models(), typed) if typed else []) or [CompletionItem(typed, type="file")]


def next_argument(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete the next argument of the called function, if it is a model or has choices."""
    from sizebook.functions import find

    try:
        arguments = find(context.params["name"]).arguments
    except (KeyError, SizebookError):  # no function typed yet, or an unknown one
        return []
    place = len(context.params.get("arguments") or ())
    if place >= len(arguments):
        return []
    argument = arguments[place]
    return _starting(_models() if argument.name == "model" else argument.quantity.allowed, typed)


def key_and_value(context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Complete a key of the command's scenarios, of all plans where it takes any, and after = a model or a choice."""
    from sizebook.scenarios.kinds import KINDS, quantities
    from sizebook.scenarios.scenario_files import COMMANDS

    plans = [plan for plan, command in COMMANDS.items() if command.split()[-1] == context.info_name] or [*KINDS]
    known = {key: found for plan in plans for key, found in quantities(plan).items()}
    key, equals, _ = typed.partition("=")
    if not equals:
        return _starting(known, typed)
    values = _models() if key == "model" else known[key].allowed if key in known else ()
    return _starting([f"{key}={value}" for value in values], typed)


def functions() -> Iterable[str]:
    """Return the names of the functions."""
    from sizebook.functions import load

    return load()


def families() -> Iterable[str]:
    """Return the families of the catalog."""
    from sizebook.models import catalog

    return catalog.families()


def plans() -> Iterable[str]:
    """Return the kinds of scenarios that have a template."""
    from sizebook.scenarios.template import EXAMPLES

    return EXAMPLES


def _models() -> Iterable[str]:
    from sizebook.models import catalog

    return catalog.model_keys()


def _starting(names: Iterable[str], typed: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.casefold().startswith(typed.casefold())]


def complete_in_bash() -> None:
    """Let bash complete what stands behind ``key=``: it splits words there, and asks for the value alone."""
    from click.shell_completion import BashComplete, add_completion_class

    class KeysInBash(BashComplete):
        before = ""

        def get_completion_args(self) -> tuple[list[str], str]:
            args, typed = super().get_completion_args()
            words = [args[0]] if args else []
            for word in (*args[1:], typed):
                if words[-1:] and not words[-1].startswith("-") and (word == "=" or words[-1].endswith("=")):
                    words[-1] += word
                else:
                    words.append(word)
            key, equals, _ = words[-1].partition("=")
            self.before = key + equals if typed != words[-1] else ""
            return words[:-1], words[-1]

        def format_completion(self, item: CompletionItem) -> str:
            item.value = item.value.removeprefix(self.before)
            return super().format_completion(item)

    add_completion_class(KeysInBash)
