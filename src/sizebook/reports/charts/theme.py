"""The look of reports and charts: colours and sizes."""

from dataclasses import dataclass
from pathlib import Path

from sizebook.core.texts import THIN_SPACE

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#F0E442", "#D55E00", "#56B4E9")
"""Six colours of Okabe and Ito (2008). In their own order orange and sky blue are neighbours, which grey print shows
alike; here neighbours differ in lightness."""


@dataclass(frozen=True)
class Theme:
    """The colours and faces of a report and of its charts, `HOUSE` where no brand names others.

    ``quiet`` are bars that the message is not about: lighter than the accent also in grey print, 3:1 against paper.
    """

    ink: str = "#1B1F24"
    muted: str = "#5B6570"
    hairline: str = "#D8DEE4"
    accent: str = "#0B5FFF"
    quiet: str = "#8793A2"
    failed: str = "#B3261E"
    series: tuple[str, ...] = OKABE_ITO
    text_face: str = "Inter"
    figures_face: str = "JetBrains Mono"


@dataclass(frozen=True)
class Face:
    """A font of a brand: its family, its weight (400 or 600) and its file."""

    family: str
    weight: int
    file: Path


HOUSE = Theme()


@dataclass(frozen=True)
class Look:
    """How charts look: colours and faces, and the signs of numbers before decimals and between thousands."""

    theme: Theme = HOUSE
    numbers: tuple[str, str] = (".", THIN_SPACE)
    faces: tuple[Face, ...] = ()

    @property
    def fonts(self) -> Path | None:
        """The folder of own faces, None without any."""
        return self.faces[0].file.parent if self.faces else None


HOUSE_LOOK = Look()
PAPER = "#FFFFFF"

# A chart is as wide as the text: 174 mm at 96 pixels an inch, so that 10 pixels are the 7.5 points of small print.
WIDTH = 657
SMALL = 10


def luminance(colour: str) -> float:
    """Return the relative luminance of a #RRGGBB colour (WCAG 2.2, "relative luminance")."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two #RRGGBB colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def text_on(fill: str) -> str:
    """Return black or white, whichever reads better on a fill."""
    return max("#000000", "#FFFFFF", key=lambda colour: contrast(colour, fill))
