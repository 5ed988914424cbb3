"""The table ``[report]`` of a scenario: how its report looks and speaks. It changes no figure."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import DEFAULT, TABLE, Quantity, ReadSection, quantity, section
from sizebook.intake.allowed_files import located
from sizebook.intake.text_formats import toml_table

REPORT = "report"
PAGES = ("a4", "letter")


def _text(meaning: str, label: str) -> Any:
    return quantity(meaning, default="", label=label)


Page = Annotated[str | None, Quantity("size of the sheet", choices=PAGES, default=None, label="Page")]
Locale = Annotated[str, _text("language and signs of numbers, days and money: en, de, de_AT, en_US", "Locale")]


@section
class Presentation(ReadSection):
    """How a report looks and speaks; what is left out is the brand's, else sizebook's own."""

    brand: str = _text("file of colours, logo, fonts and cover text", "Brand")
    locale: Locale = DEFAULT
    page: Page = DEFAULT
    templates: str = _text("folder of templates that extend the shipped ones", "Templates")
    workbook: str = _text("workbook of your own whose anchors are filled, in place of the shipped one", "Workbook")


@section
class Colours:
    """Colours of a brand, as #RRGGBB; text in ink, muted, accent and failed must stand 4.5 : 1 against white."""

    ink: str = _text("text", "Ink")
    muted: str = _text("small print", "Muted")
    accent: str = _text("heads, marked bars", "Accent")
    failed: str = _text("what failed", "Failed")
    hairline: str = _text("lines of tables and charts", "Hairline")
    quiet: str = _text("bars that the message is not about", "Quiet")
    series: str = _text("six colours of series, with commas", "Series")


@section
class Fonts:
    """Faces of a brand: TrueType files beside the brand. A bold face left out is the regular one."""

    text: str = _text("face of text", "Text")
    text_bold: str = _text("bold face of text", "Bold text")
    figures: str = _text("face of figures", "Figures")
    figures_bold: str = _text("bold face of figures", "Bold figures")


@section
class Brand(ReadSection):
    """A file ``brand.toml``; the files that it names lie in its folder."""

    locale: Locale = DEFAULT
    page: Page = DEFAULT
    logo: str = _text("picture on the first page, SVG or PNG", "Logo")
    logo_alt: str = _text("what the logo shows, for those who do not see it", "Logo in words")
    cover: str = _text("text beside the date on the first page", "Cover text")
    colours: Annotated[Colours, TABLE] = DEFAULT
    fonts: Annotated[Fonts, TABLE] = DEFAULT


def with_presentation(values: Mapping[str, Any], asked: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a scenario's values with options of the command line in its table ``[report]``, which they go before.

    Files are named from the scenario's folder, so that its report is the same wherever both lie.
    """
    stated = {key: value for key, value in asked.items() if value is not None}
    for key in ("brand", "templates", "workbook"):
        if key in stated:
            stated[key] = Path(os.path.relpath(Path(stated[key]).resolve(), folder.resolve())).as_posix()
    if not stated:
        return dict(values)
    before = values.get(REPORT)
    return {**values, REPORT: {**(before if isinstance(before, Mapping) else {}), **stated}}


def files_of(values: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield the files that a scenario's brand, templates and workbook name, from the scenario's folder."""
    asked = values.get(REPORT)
    if not isinstance(asked, Mapping):
        return
    if workbook := str(asked.get("workbook") or ""):
        yield workbook
    if brand := str(asked.get("brand") or ""):
        place = Path(brand).parent
        try:
            named = toml_table(folder / brand, "a brand file")
        except (SizebookError, InputError):  # refused where it is read
            return
        fonts = named.get("fonts")
        for name in (named.get("logo"), *(fonts.values() if isinstance(fonts, Mapping) else ())):
            if isinstance(name, str) and name:
                yield (place / name).as_posix()
    if templates := str(asked.get("templates") or ""):
        yield from _templates_of(folder, templates)


def _templates_of(folder: Path, templates: str) -> Iterator[str]:
    try:
        place = located(folder / templates)
    except SizebookError:  # refused where it is read
        return
    for path in sorted(place.rglob("*")):
        if path.is_file():
            yield (Path(templates) / path.relative_to(place)).as_posix()
