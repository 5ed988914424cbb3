"""`sizebook plan`: training, serving, fleet and programme plans of one scenario, each in a module of its own."""

from __future__ import annotations

import click

from sizebook.cli.lazy import LazyGroup

PLANS = {
    "train": "training:plan_train",
    "serve": "serving:plan_serve",
    "fleet": "fleet:plan_fleet",
    "programme": "programme:programme",
}


@click.group(cls=LazyGroup, places=PLANS)
def plan() -> None:
    """Print the plan of a scenario file."""
