"""The options of commands that write reports, brand, locale, page and templates, and of those that fill workbooks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from sizebook.scenarios.presentation import PAGES, REPORT, with_presentation

Command = TypeVar("Command", bound=Callable[..., Any])
KEYS = ("brand", "locale", "page", "templates", "workbook")


def presentation_options(command: Command) -> Command:
    """Add the options to a command, which takes them by the names in `KEYS`, the workbook left out."""
    folder = click.Path(file_okay=False, path_type=Path)
    file = click.Path(dir_okay=False, path_type=Path)
    for name, kind, meaning in (
        ("--templates", folder, "Folder of templates that extend the shipped ones."),
        ("--page", click.Choice(PAGES), "Size of the sheet, a4 where nothing says otherwise."),
        ("--locale", str, "Language and signs of the report: en, de, de_AT, en_US."),
        ("--brand", file, "Colours, logo, fonts and cover text: a file brand.toml."),
    ):
        command = click.option(name, type=kind, help=meaning)(command)
    return command


def own_workbook_option(command: Command) -> Command:
    """Add the option of a workbook of one's own to a command that fills one, which takes it as ``workbook``."""
    file = click.Path(dir_okay=False, path_type=Path)
    return click.option("--workbook", type=file, help="Workbook of your own to fill in place of the shipped one.")(
        command
    )


def asked_for(given: dict[str, Any]) -> dict[str, Any]:
    """Return what the options of a command ask of its report."""
    return {key: given[key] for key in KEYS if key in given}


def style_asked(given: dict[str, Any]) -> Any:
    """Return the style that the options ask for, of a report without a scenario."""
    from sizebook.reports.brand import style_of

    here = Path()
    values = with_presentation({}, asked_for(given), here)
    return style_of({REPORT: values.get(REPORT, {})}, here)
