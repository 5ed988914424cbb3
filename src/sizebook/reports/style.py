"""How a report looks and speaks: page, colours, faces, logo, cover text, locale, and whose templates lay it out."""

from dataclasses import dataclass
from pathlib import Path

from sizebook.reports.charts.theme import HOUSE, Theme


@dataclass(frozen=True)
class Face:
    """A font of a brand: its family, its weight (400 or 600) and its file."""

    family: str
    weight: int
    file: Path


@dataclass(frozen=True)
class Style:
    """The look and the language of a report, those of sizebook where nothing is said.

    ``logo`` is a picture as a data address, ``logo_alt`` what it shows. ``fonts`` is the folder of ``faces``.
    ``templates`` is a folder of templates that extend the shipped ones.
    """

    theme: Theme = HOUSE
    page: str = "a4"
    locale: str = "en"
    logo: str = ""
    logo_alt: str = ""
    cover: str = ""
    faces: tuple[Face, ...] = ()
    templates: Path | None = None

    @property
    def fonts(self) -> Path | None:
        """The folder of own faces, None without any."""
        return self.faces[0].file.parent if self.faces else None


PLAIN = Style()
