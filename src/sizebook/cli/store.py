"""`sizebook store`: scenarios and what came of them, kept in one file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sizebook.cli.lazy import HintedGroup
from sizebook.cli.options import FILE
from sizebook.core.extras import need

Command = Callable[..., Any]


def _in_store(command: Command) -> Command:
    return click.option(
        "--store", "path", type=FILE, default=Path("sizebook.store"), show_default=True, help="The store's file."
    )(command)


@click.group("store", cls=HintedGroup)
def store() -> None:
    """Keep scenarios and their figures in one file: who changed what, what it moved, what holds today."""
    need("workbooks")


@store.command("add")
@click.argument("scenario", type=FILE)
@click.option("--label", default="", help="A word to find it by.")
@click.option("--author", default="", help="Who made it.")
@click.option("--parent", default="", help="Hash, label or name of the scenario that it comes of.")
@click.option("--approved-by", default="", help="Who signed it.")
@_in_store
def add(path: Path, scenario: Path, **told: str) -> None:
    """Put a scenario file into the store, or tell more of one that is there."""
    from sizebook.batch.store import opened
    from sizebook.scenarios.scenario_files import read_toml

    with opened(path) as held:
        found = held.add(read_toml(scenario), scenario.parent, scenario.stem, **told)
    click.echo(f"{found.short}  {found.name}: {found.plan}")


@store.command("list")
@_in_store
def list_scenarios(path: Path) -> None:
    """List the scenarios: hash, plan, name, label, author, approval, parent."""
    from sizebook.batch.store import opened

    with opened(path) as held:
        for each in held.all():
            said = (("label", each.label), ("by", each.author), ("approved by", each.approved_by))
            words = [f"{what} {word}" for what, word in said if word]
            words += [f"from {each.parent[:12]}"] if each.parent else []
            click.echo("  ".join([each.short, f"{each.plan:9}", each.name, *words]))


@store.command("show")
@click.argument("scenario")
@_in_store
def show(path: Path, scenario: str) -> None:
    """Print the keys and the figures of a scenario, found by hash, label or name."""
    from sizebook.batch.store import opened

    with opened(path) as held:
        found = held.find(scenario)
        click.echo(f"{found.hash}\n{found.plan}, added {found.added}\n")
        for key, value in found.values.items():
            click.echo(f"{key} = {value}")
        click.echo()
        for name, figure in held.figures(found).items():
            click.echo(f"{name:32} {figure}")


@store.command("diff")
@click.argument("one")
@click.argument("other")
@_in_store
def diff(path: Path, one: str, other: str) -> None:
    """Say which inputs of two scenarios differ, which figures move, and which input moves the cost by how much."""
    from sizebook.batch.bridge import as_lines
    from sizebook.batch.store import opened

    with opened(path) as held:
        found = held.difference(held.find(one), held.find(other))
    for step in found.bridge.steps:
        click.echo(f"input   {step.key}: {step.before} -> {step.after}")
    for moved in found.figures:
        before, today = (f"{each:.12g}" if isinstance(each, float) else each for each in (moved.before, moved.today))
        click.echo(f"figure  {moved.name}: {before} -> {today}")
    for line in as_lines(found.bridge):
        click.echo(f"bridge  {line}")


@store.command("build")
@_in_store
def build(path: Path) -> None:
    """Work out every scenario that has no figures under this version and these data."""
    from sizebook.batch.store import opened

    with opened(path) as held:
        done = list(held.build())
        n_all = len(held.all())
    for each, problem in done:
        if problem:
            click.echo(f"refused: {each.short} {problem}", err=True)
    click.echo(f"{len(done)} of {n_all} scenarios worked out, {n_all - len(done)} stood already")
    if any(problem for _, problem in done):
        raise SystemExit(1)


@store.command("sql")
@click.argument("question")
@_in_store
def sql(path: Path, question: str) -> None:
    """Answer a question in SQL over the tables scenario, run and figure, as tab-separated lines."""
    from sizebook.batch.store import opened

    with opened(path) as held:
        heads, rows = held.rows(question)
    for row in (heads, *rows):
        click.echo("\t".join("" if cell is None else str(cell) for cell in row))
