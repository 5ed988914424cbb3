"""Groups of commands: with a hint for one that is unknown, and with modules imported only when a command runs."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class HintedGroup(click.Group):
    """Answers an unknown command with the one that may be meant."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that the words begin with, and the words after it."""
        from sizebook.core.hints import want_one_of  # only a mistake needs it

        known = self.list_commands(ctx)
        if args[0] not in known:
            help_of = f"'{ctx.command_path} --help'"
            ctx.fail(f"unknown command: got '{args[0]}', want {want_one_of(args[0], known, lists=help_of)}")
        return super().resolve_command(ctx, args)


class LazyGroup(HintedGroup):
    """Imports a command's module only when the command runs, so that `sizebook call` starts fast.

    ``places`` maps a command to ``module:attribute`` within this package.
    """

    def __init__(self, *arguments: Any, places: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return None
        module, attribute = self.places[cmd_name].split(":")
        command: click.Command = getattr(import_module(f"sizebook.cli.{module}"), attribute)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the commands, which people come for, before the options of the group."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)
