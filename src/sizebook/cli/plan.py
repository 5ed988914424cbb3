"""`sizebook plan`: training and serving plans of one scenario, each in a module of its own."""

from __future__ import annotations

from importlib import import_module

import click

PLANS = {
    "train": "training:plan_train",
}


class _LazyPlans(click.Group):
    """Loads a plan when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(PLANS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in PLANS:
            return None
        module, attribute = PLANS[cmd_name].split(":")
        command: click.Command = getattr(import_module(f"sizebook.cli.{module}"), attribute)
        return command


@click.group(cls=_LazyPlans)
def plan() -> None:
    """Print the plan of a scenario file."""
