"""A report to HTML and PDF: Jinja2 fills the templates, WeasyPrint lays out the pages and tags them."""

import base64
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from sizebook import __version__
from sizebook.core.errors import InputError
from sizebook.core.garbage import collected_later
from sizebook.core.units import grouped, significant
from sizebook.reports.charts.svg import svg
from sizebook.reports.document import Block, Derivation, Notes, Prose, Report, Table, texts_of
from sizebook.reports.glossary import glossary
from sizebook.reports.pdf import Attachment, archival_pdf, cached_fonts, lay_out, pdf_options
from sizebook.reports.style import PLAIN, Style
from sizebook.reports.templates import Sandbox, data_uri, loader
from sizebook.reports.translation import Translator
from sizebook.sources.bundled import bundled
from sizebook.sources.writing import write_whole

_LONG_NUMBER = re.compile(r"(?<![\w.])\d{5,}(?![\w.])")
_FONT_FACE = re.compile(r"@font-face \{[^}]*\}\n")
_PARTS = {Table: "table.html", Derivation: "derivation.html", Notes: "notes.html", Prose: "prose.html"}
MOST_PAGES = 8  # of a report without a table of contents
_LETTERS_A_PAGE = 1_150  # of what a reader sees, tables and charts among it


def report_date(as_of: date | None = None) -> date:
    """Return the date to print: the given one, that of SOURCE_DATE_EPOCH (reproducible builds), or today."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if as_of is None and epoch:
        return datetime.fromtimestamp(int(epoch), UTC).date()
    return as_of or datetime.now().astimezone().date()


def typeset(formula: str, translator: Translator) -> str:
    """Return a formula in signs of print: ``×`` and ``−`` for ``*`` and `` - ``, numbers as the locale writes them."""
    if translator.is_default:
        formula = _LONG_NUMBER.sub(lambda number: grouped(int(number[0])), formula)
    return formula.replace(" * ", " × ").replace("*", "×").replace(" - ", " \u2212 ")


def _part(block: Block) -> str:
    return _PARTS.get(type(block), "chart.html")


def _svg_uri(context: jinja2.runtime.Context, block: Block, style: Style) -> str:
    drawn = svg(block, style.look, for_browsers=context["page"] is not None)
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"


def figure_text(value: float) -> str:
    """Return a figure of a column of many units: whole numbers whole, others with three digits."""
    return grouped(value) if float(value).is_integer() else significant(value)


@cache
def _environment(style: Style) -> jinja2.Environment:
    """Return what fills templates: in a sandbox, those of the style's folder before the shipped ones.

    A template extends a shipped one as ``sizebook/report.html``; nothing outside the two folders is read.
    """
    translator = Translator(style.locale)
    environment = Sandbox(
        loader=loader(style.templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        part=_part,
        svg=jinja2.pass_context(lambda context, block: _svg_uri(context, block, style)),
        typeset=lambda formula: typeset(formula, translator),
        day=translator.day,
        figure=figure_text,
        say=translator.translate_text,
        in_a_sentence=translator.in_a_sentence,
    )
    environment.globals.update(
        _=translator.word,
        style=replace(style, faces=(), templates=None),
        language=translator.language,
        version=__version__,
    )
    return environment


@cache
def _plain_environment(style: Style) -> jinja2.Environment:
    """Return what fills templates of other languages than HTML; kept, as it keeps what it compiled."""
    return _environment(style).overlay(autoescape=False)


@dataclass(frozen=True)
class Page:
    """What a page for browsers carries beside the report: the record of what it was made of."""

    record: str


def html(report: Report, style: Style = PLAIN, *, contents: bool = False) -> str:
    """Return a report as one HTML page that finds its fonts in the templates' folder, with or without contents."""
    return _filled_report(report, style, page=None, contents=contents)


def html_page(report: Report, record: str, style: Style = PLAIN) -> str:
    """Return a report as one HTML page for browsers that needs no other file.

    ``record`` is JSON text, blank for none. The fonts are those of the reader's system: ours would add 240 kB to 60.
    """
    return _filled_report(report, style, page=Page(_in_script(record)), contents=False)


def first_page(report: Report, style: Style = PLAIN) -> str:
    """Return the summary of a report as one HTML page that needs no other file."""
    return _filled_report(replace(report, sections=()), style, page=Page(""), contents=False)


def _filled_report(report: Report, style: Style, *, page: Page | None, contents: bool) -> str:
    translator = Translator(style.locale)
    whole = replace(report, sections=(*report.sections, *glossary(report, translator.translate_text)))
    said = translator.translate(whole)
    values = {"report": said, "page": page, "contents": contents, "css": _css(style, with_fonts=page is None)}
    try:
        return _environment(style).get_template("report.html").render(**values)
    except Exception as error:  # whatever the expressions of a template run into
        raise _faulty(style, error) from error


def _faulty(style: Style, error: Exception) -> Exception:
    """Return what to say of a template that cannot be filled; a shipped one is our fault and says so itself."""
    if style.templates is None or isinstance(error, InputError):
        return error
    said = error.message if isinstance(error, jinja2.TemplateError) else f"{type(error).__name__}: {error}"
    name = getattr(error, "name", None) or "report.html"
    return InputError(
        f"template cannot be filled: got '{said}' in {name} of {style.templates.name}, want a template of Jinja that "
        "extends sizebook/report.html. Correct it."
    )


def fill_template(template: str, *, record: str, **given: Any) -> str:
    """Return another page for browsers that needs no other file: a template with the style sheet and a record."""
    values = {"style_sheet": _css(PLAIN, with_fonts=False), "page": Page(_in_script(record))}
    return _environment(PLAIN).get_template(template).render(**given, **values)


def _css(style: Style, with_fonts: bool) -> str:
    """Return the style sheet of a style, with its fonts or without."""
    faces = [
        {"family": face.family, "weight": face.weight, "source": data_uri(face.file, "font/ttf")}
        for face in style.faces
    ]
    sheet = _plain_environment(style).get_template("report.css").render(look=style.theme, faces=faces)
    return sheet if with_fonts else _FONT_FACE.sub("", sheet)


def _in_script(text: str) -> str:
    """Return JSON as it may stand in a script of a page: no text in it can end the script."""
    return text.replace("<", "\\u003c")


@collected_later()
def pdf(report: Report, attached: Sequence[Attachment] = (), style: Style = PLAIN) -> bytes:
    """Return a report as PDF/UA-1 and PDF/A-3u with files attached; equal reports give equal bytes.

    Above eight pages it has a table of contents. Its letters say how many pages there will be, for laying it out takes
    as long as all else; where they mislead, it is laid out again.
    """
    options = pdf_options(report.title, attached, report.as_of)
    base = f"{bundled('templates')}/"
    # Own templates may name faces that are nobody else's, in files that change.
    fonts = cached_fonts(style.faces) if style.templates is None else None
    contents = sum(map(len, texts_of(report))) > MOST_PAGES * _LETTERS_A_PAGE
    document = lay_out(html(report, style, contents=contents), base, options, fonts=fonts)
    if contents != (len(document.pages) > MOST_PAGES):
        document = lay_out(html(report, style, contents=not contents), base, options, fonts=fonts)
    return archival_pdf(document, options)


def write_pdf(report: Report, path: Path, attached: Sequence[Attachment] = (), style: Style = PLAIN) -> None:
    """Write a report as PDF; the file appears whole or not at all."""
    if path.suffix.lower() != ".pdf":
        raise InputError(f"cannot write: got '{path}', want the name of a .pdf file. Correct the path.")
    write_whole(path, pdf(report, attached, style))
