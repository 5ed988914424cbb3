"""How a report looks and speaks: page, colours, faces, logo, cover text, locale, and whose templates lay it out."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sizebook.reports.charts.theme import HOUSE, Face, Look, Theme
from sizebook.reports.translation import Translator


@dataclass(frozen=True)
class Style:
    """The look and the language of a report, those of sizebook where nothing is said.

    ``logo`` is a picture as a data address, ``logo_alt`` what it shows. ``templates`` is a folder of templates that
    extend the shipped ones.
    """

    theme: Theme = HOUSE
    page: str = "a4"
    locale: str = "en"
    logo: str = ""
    logo_alt: str = ""
    cover: str = ""
    faces: tuple[Face, ...] = ()
    templates: Path | None = None

    @cached_property
    def look(self) -> Look:
        """How its charts look."""
        return Look(self.theme, Translator(self.locale).number_signs, self.faces)


PLAIN = Style()
