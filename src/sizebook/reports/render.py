"""A report to HTML and PDF: Jinja2 fills the templates, WeasyPrint lays out the pages and tags them."""

from __future__ import annotations

import base64
import os
import re
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

import jinja2

from sizebook import __version__
from sizebook.core.errors import InputError
from sizebook.core.units import grouped
from sizebook.reports.view import Block, Derivation, Notes, Prose, Report, Table
from sizebook.sources.bundled import bundled
from sizebook.sources.writing import write_whole

_LONG_NUMBER = re.compile(r"(?<![\w.])\d{5,}(?![\w.])")
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


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(bundled("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(part=_part, svg=_svg_uri, typeset=typeset, long_date=long_date)
    return environment


def html(report: Report) -> str:
    """Return a report as one HTML page that finds its style sheet and fonts in the templates' folder."""
    return _environment().get_template("report.html").render(report=report, version=__version__)


def write_pdf(report: Report, path: Path) -> None:
    """Write a report as PDF/UA-1; the file appears whole or not at all, and equal reports give equal files."""
    if path.suffix.lower() != ".pdf":
        raise InputError(f"cannot write: got '{path}', want the name of a .pdf file. Correct the path.")
    # WeasyPrint loads Pango and takes a second.
    import weasyprint

    document = weasyprint.HTML(string=html(report), base_url=str(bundled("templates")) + "/")
    content = document.write_pdf(pdf_variant="pdf/ua-1", pdf_identifier=report.title.encode())
    write_whole(path, content)
