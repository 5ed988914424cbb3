"""`sizebook plan`: training, serving, fleet and programme plans of a scenario, one module each."""

import click

from sizebook.cli.lazy import LazyGroup

PLANS = {
    "train": "plan_train:plan_train",
    "serve": "plan_serve:plan_serve",
    "fleet": "plan_fleet:plan_fleet",
    "programme": "plan_programme:plan_programme_command",
}


@click.group(cls=LazyGroup, places=PLANS)
def plan() -> None:
    """Print the plan of a scenario file."""
