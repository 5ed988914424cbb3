"""From a scenario's ``[report]`` and a brand file to a style, every value checked before a page is laid out."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.reading import read
from sizebook.intake.allowed_files import located
from sizebook.intake.text_formats import toml_table
from sizebook.reports.charts.theme import HOUSE, PAPER, Face, Theme, contrast
from sizebook.reports.style import Style
from sizebook.reports.svg_check import check_svg
from sizebook.reports.templates import data_uri, file_within
from sizebook.reports.translation import Translator
from sizebook.scenarios.presentation import REPORT, Brand, Colours, Fonts, Presentation

LEAST_CONTRAST = 4.5  # of text against paper (WCAG 2.2, 1.4.3)
LEAST_CONTRAST_OF_BARS = 3.0  # of what is drawn (1.4.11)
_WEIGHTS = {"text": 400, "text_bold": 600, "figures": 400, "figures_bold": 600}
_PICTURES = {".svg": "image/svg+xml", ".png": "image/png"}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def style_of(values: Mapping[str, Any], folder: Path) -> Style:
    """Return the style that a scenario's values ask for; files are named from ``folder``.

    Errors: `InputError` for an unknown key, locale or page, a colour that cannot be read on paper, a file that is
    missing or lies outside the brand's folder, and for a font or picture that is none.
    """
    asked = read(Presentation, values.get(REPORT) or {}, REPORT)
    brand, place = Brand(), folder
    if asked.brand:
        path = folder / asked.brand
        brand, place = read(Brand, toml_table(path, "a brand file"), path.name), path.parent
    locale = asked.locale or brand.locale or "en"
    Translator(locale)  # refuses an unknown one
    faces = _faces(brand.fonts, place)
    return Style(
        theme=_theme(brand.colours, faces),
        page=asked.page or brand.page or "a4",
        locale=locale,
        logo=_logo(brand, place),
        logo_alt=brand.logo_alt,
        cover=brand.cover,
        faces=tuple(faces.values()),
        templates=_templates(folder, asked.templates) if asked.templates else None,
    )


def _templates(folder: Path, name: str) -> Path:
    path = located(folder / name)
    if not path.is_dir():
        raise InputError(f"no templates: got '{name}', want a folder of templates. Correct the name.")
    return path.resolve()


def _theme(colours: Colours, faces: Mapping[str, Face]) -> Theme:
    found = {
        name: _colour(name, getattr(colours, name) or getattr(HOUSE, name))
        for name in ("ink", "muted", "accent", "failed", "hairline", "quiet")
    }
    for name in ("ink", "muted", "accent", "failed"):
        _readable(name, found[name], LEAST_CONTRAST)
    _readable("quiet", found["quiet"], LEAST_CONTRAST_OF_BARS)
    return Theme(
        **found,
        series=_series(colours.series) if colours.series else HOUSE.series,
        text_face=faces["text"].family if "text" in faces else HOUSE.text_face,
        figures_face=faces["figures"].family if "figures" in faces else HOUSE.figures_face,
    )


def _colour(name: str, colour: str) -> str:
    if not _COLOUR.fullmatch(colour):
        raise InputError(f"no colour: got {name} = '{colour}', want #RRGGBB. Correct it.")
    return colour


def _readable(name: str, colour: str, least: float) -> None:
    ratio = contrast(colour, PAPER)
    if ratio < least:
        raise InputError(
            f"too pale to read: got {name} = '{colour}', {ratio:.2f} : 1 against white, want {least:g} : 1 or more. "
            "Darken it."
        )


def _series(text: str) -> tuple[str, ...]:
    found = tuple(_colour("series", each.strip()) for each in text.split(","))
    if len(set(found)) != len(HOUSE.series):
        raise InputError(f"series: got {len(set(found))} colours, want {len(HOUSE.series)} different ones. Correct it.")
    return found


def _logo(brand: Brand, place: Path) -> str:
    if not brand.logo:
        return ""
    if not brand.logo_alt.strip():
        raise InputError("logo without alt text: got no logo_alt, want what the logo shows. Add logo_alt.")
    path = file_within(place, brand.logo, "logo")
    kind = _PICTURES.get(path.suffix.casefold())
    if kind is None:
        raise InputError(f"no picture: got '{brand.logo}', want a file of .svg or .png. Convert it.")
    if path.suffix.casefold() == ".svg":
        check_svg(path)
    return data_uri(path, kind)


def _faces(fonts: Fonts, place: Path) -> dict[str, Face]:
    """Return the faces that a brand names, by what they set."""
    named = {use: getattr(fonts, use) for use in _WEIGHTS if getattr(fonts, use)}
    for use in ("text", "figures"):
        if f"{use}_bold" in named and use not in named:
            raise InputError(f"bold font alone: got {use}_bold without {use}, want both. Add {use}.")
    files = {use: file_within(place, name, "font") for use, name in named.items()}
    folders = {file.parent for file in files.values()}
    if len(folders) > 1:
        raise InputError(
            f"fonts in several folders: got {len(folders)} folders, want the fonts in one. Move them together."
        )
    families = {use: _family(file) for use, file in files.items()}
    return {use: Face(families[use.removesuffix("_bold")], _WEIGHTS[use], file) for use, file in files.items()}


def _family(file: Path) -> str:
    """Return the family that a font file says it is of. Errors: `InputError` for a file that is no TrueType font."""
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with TTFont(file, lazy=True) as font:
            family = font["name"].getBestFamilyName() if "glyf" in font else None
    except (TTLibError, OSError, KeyError):
        family = None
    if not family:
        raise InputError(f"no font: got '{file.name}', want a TrueType font (.ttf). Convert it.")
    return str(family)
