"""Texts that remember how they were put together, so that a report can say them in another language.

A `Text` is its English and behaves as any string. It also keeps the pattern that it was made of and the values put into
it, which are texts, figures and days themselves; `sizebook.reports.translation` looks the pattern up in a catalogue and
writes the values in the reader's locale. A plain string, such as a model's key or the name of a service, is not
translated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# Narrow and no-break: a number must not be torn apart at the end of a line.
THIN_SPACE = "\u202f"


class Text(str):
    """English words by a pattern, with ``{name}`` for each of ``values``; ``plural`` is the one for numbers but 1."""

    pattern: str
    plural: str
    number: int
    values: Mapping[str, Any]

    def __new__(cls, shown: str, pattern: str = "", values: Mapping[str, Any] | None = None) -> Text:
        made = super().__new__(cls, shown)
        made.pattern, made.values = pattern or shown, values or {}
        made.plural, made.number = "", 1
        return made

    def __add__(self, other: str) -> Text:
        """Return both, each still said by itself."""
        return joined((self, other), "")

    def __radd__(self, other: str) -> Text:
        return joined((other, self), "")


class Joined(Text):
    """Texts one after another with a separator, each said by itself."""


class Country(str):
    """A country by its English name; ``letters`` are its two of ISO 3166-1, by which locales name it."""

    letters: str

    def __new__(cls, name: str, letters: str = "") -> Country:
        made = super().__new__(cls, name)
        made.letters = letters
        return made


class Figure(str):
    """A number as sizebook writes it: sign, dollars, groups of three, decimals, and its unit after a no-break space."""


class Short(Figure):
    """A number in the short scale: k, M, B or T after it stand for a thousand, a million, a billion, a trillion."""


class Day(str):
    """A day or a month of the calendar, ``2026-11-22`` or ``2026-11``."""


def text(pattern: str, /, **values: Any) -> Text:
    """Return words by a pattern; a literal, so that the catalogues find it. A text stays what it is."""
    if isinstance(pattern, Text):
        return pattern
    return Text(pattern.format(**values) if values else pattern, pattern, values)


def plural(number: int, singular: str, several: str, /, **values: Any) -> Text:
    """Return words that follow a number: ``singular`` for 1, else ``several``; ``{n}`` in them is the number."""
    shown = {"n": Figure(f"{number:,}".replace(",", THIN_SPACE)), **values}
    made = Text((singular if number == 1 else several).format(**shown), singular, shown)
    made.plural, made.number = several, number
    return made


def range_text(low: str, high: str) -> Text:
    """Return the two ends of a range as they are printed, of one point as such."""
    if low == high == "not listed":
        return text("not listed")
    return text("{n} at both ends of the range", n=low) if low == high else text("{low} to {high}", low=low, high=high)


def span(first: str, last: str) -> str:
    """Return the first and the last of a stretch as they are printed, which may be one: ``2 to 3``, ``2``."""
    return first if first == last else text("{low} to {high}", low=first, high=last)


def joined(parts: Iterable[str], separator: str = " ") -> Joined:
    """Return texts one after another; empty ones are left out."""
    kept = [part for part in parts if part]
    made = Joined(separator.join(kept), separator, {str(at): part for at, part in enumerate(kept)})
    made.pattern = separator  # an empty one too
    return made
