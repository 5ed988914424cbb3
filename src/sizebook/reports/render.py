"""A report to HTML and PDF: Jinja2 fills the templates, WeasyPrint lays out the pages and tags them."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from sizebook import __version__
from sizebook.core.errors import InputError
from sizebook.core.units import grouped, significant
from sizebook.reports.archival import Attached, archival_pdf
from sizebook.reports.view import Block, Derivation, Notes, Prose, Report, Table
from sizebook.sources.bundled import bundled
from sizebook.sources.writing import write_whole

_LONG_NUMBER = re.compile(r"(?<![\w.])\d{5,}(?![\w.])")
_FONT_FACE = re.compile(r"@font-face \{[^}]*\}\n")
_PARTS = {Table: "table.html", Derivation: "derivation.html", Notes: "notes.html", Prose: "prose.html"}


def report_date(as_of: date | None = None) -> date:
    """Return the date to print: the given one, that of SOURCE_DATE_EPOCH (reproducible builds), or today."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if as_of is None and epoch:
        return datetime.fromtimestamp(int(epoch), UTC).date()
    return as_of or datetime.now().astimezone().date()


def long_date(day: date) -> str:
    """Return a date that no reader takes for another: ``21 November 2026``."""
    return f"{day.day} {day:%B %Y}"


def typeset(formula: str) -> str:
    """Return a formula in signs of print: ``×`` and ``−`` for ``*`` and `` - ``, long numbers in groups of three."""
    return (
        _LONG_NUMBER.sub(lambda number: grouped(int(number[0])), formula)
        .replace(" * ", " × ")
        .replace("*", "×")
        .replace(" - ", " \u2212 ")
    )


def _part(block: Block) -> str:
    return _PARTS.get(type(block), "chart.html")


def _svg_uri(block: Block) -> str:
    # Altair takes half a second to load, and a report without charts does not need it.
    from sizebook.reports.charts.draw import svg

    encoded = base64.b64encode(svg(block).encode()).decode()  # type: ignore[arg-type]
    return f"data:image/svg+xml;base64,{encoded}"


def figure_text(value: float) -> str:
    """Return a figure of a column of many units: whole numbers whole, others with three digits."""
    return grouped(value) if float(value).is_integer() else significant(value)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(bundled("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(part=_part, svg=_svg_uri, typeset=typeset, long_date=long_date, figure=figure_text)
    return environment


def html(report: Report) -> str:
    """Return a report as one HTML page that finds its style sheet and fonts in the templates' folder."""
    return _environment().get_template("report.html").render(report=report, version=__version__, page=None)


@dataclass(frozen=True)
class Page:
    """What a page for browsers carries beside the report: its style sheet, and the record of what it was made of."""

    style: str
    record: str


def page(report: Report, record: str = "") -> str:
    """Return a report as one HTML page for browsers that needs no other file.

    ``record`` is JSON text. The fonts are those of the reader's system: with ours a page of 60 kB would be one of 300.
    """
    carried = Page(_style(), _in_script(record))
    return _environment().get_template("report.html").render(report=report, version=__version__, page=carried)


def filled(template: str, *, record: str, **given: Any) -> str:
    """Return another page for browsers that needs no other file: a template with the style sheet and a record."""
    values = {"version": __version__, "style": _style(), "record": _in_script(record)}
    return _environment().get_template(template).render(**given, **values)


def _style() -> str:
    """Return the style sheet without the fonts."""
    return _FONT_FACE.sub("", (bundled("templates") / "report.css").read_text(encoding="utf-8"))


def _in_script(text: str) -> str:
    """Return JSON as it may stand in a script of a page: no text in it can end the script."""
    return text.replace("<", "\\u003c")


def pdf(report: Report, attached: Sequence[Attached] = ()) -> bytes:
    """Return a report as PDF/UA-1 and PDF/A-3u with files attached; equal reports give equal bytes."""
    return archival_pdf(html(report), f"{bundled('templates')}/", report.title, attached=attached, as_of=report.as_of)


def write_pdf(report: Report, path: Path, attached: Sequence[Attached] = ()) -> None:
    """Write a report as PDF; the file appears whole or not at all."""
    if path.suffix.lower() != ".pdf":
        raise InputError(f"cannot write: got '{path}', want the name of a .pdf file. Correct the path.")
    write_whole(path, pdf(report, attached))
