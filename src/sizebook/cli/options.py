"""Options and arguments that several commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from sizebook.batch.runner import RunOptions, ShowProgress

Command = TypeVar("Command", bound=Callable[..., Any])
# What `with_presentation` takes of a command's options.
PRESENTATION = ("brand", "locale", "page", "templates", "workbook")


class PathType(click.Path):
    """A path that becomes a `pathlib.Path`; pathlib loads only once a path is given."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from pathlib import Path

        return Path(str(super().convert(value, param, ctx)))


ANY_PATH = PathType()
FILE = PathType(dir_okay=False)
FOLDER = PathType(file_okay=False)

json_option = click.option("--json", "as_json", is_flag=True, help="Print every figure as JSON.")
explain_option = click.option("--explain", "explained", is_flag=True, help="Print how each figure was worked out.")
rates_option = click.option(
    "--rates", type=FILE, help="Use your own rates instead of the shipped ones: a file that 'sizebook calibrate' wrote."
)
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Use the workers of this Dask scheduler, such as tcp://host:8786, instead of processes of this machine.",
)
own_workbook_option = click.option("--workbook", type=FILE, help="Fill your own workbook instead of the shipped one.")


def presentation_options(command: Command) -> Command:
    """Add the options for the look of a report: ``--brand``, ``--locale``, ``--page``, ``--templates``."""
    for name, kind, meaning in (
        ("--templates", FOLDER, "Folder of templates that extend the shipped ones."),
        ("--page", str, "Paper size: a4 or letter; a4 if left out."),
        ("--locale", str, "Language and number format of the report: en, de, de_AT, en_US."),
        ("--brand", FILE, "Colours, logo, fonts and cover text: a file brand.toml."),
    ):
        command = click.option(name, type=kind, help=meaning)(command)
    return command


def refuse_without_effect(where: str, **asked: Any) -> None:
    """Refuse options that change nothing where they are given, rather than drop them. Errors: `InputError`."""
    if given := [f"--{name.replace('_', '-')}" for name, value in asked.items() if value]:
        from sizebook.core.errors import InputError

        raise InputError(f"no effect: got {' and '.join(given)} {where}, want what changes something. Leave it out.")


def run_options(asked: Mapping[str, Any], formats: tuple[str, ...]) -> RunOptions:
    """Return how a batch or a sweep runs: in processes, or by the workers of a scheduler, however many there are.

    Errors: a number of processes beside a scheduler.
    """
    from sizebook.batch.runner import RunOptions
    from sizebook.cli.messages import print_notes

    jobs, scheduler = asked["jobs"], asked["scheduler"] or ""
    refuse_without_effect("with --scheduler", jobs=scheduler and jobs)
    jobs = jobs or os.cpu_count() or 1
    return RunOptions(jobs, formats, asked["resume"], scheduler=scheduler, notify=lambda text: print_notes([text]))


def progress(description: str) -> ShowProgress:
    """Return what passes outcomes on and shows on standard error how many of how many there are."""
    from sizebook.core.extras import need

    need("sweep")
    from rich.console import Console
    from rich.progress import track

    return lambda outcomes, n: track(outcomes, total=n, description=description, console=Console(stderr=True))


def presentation(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that concern the look of a report."""
    return {key: options[key] for key in PRESENTATION if key in options}


def report_style(options: dict[str, Any]) -> Any:
    """Return the style that the options describe, for a report without a scenario."""
    from pathlib import Path

    from sizebook.reports.brand import style_of
    from sizebook.scenarios.presentation import REPORT, with_presentation

    values = with_presentation({}, presentation(options), Path())
    return style_of({REPORT: values.get(REPORT, {})}, Path())
