"""Translates a report: its texts with gettext catalogues, its numbers, days and money by the rules of a locale.

A plan and its report are made in English. `Translator.translate` walks the finished report. It looks a `Text` up in the
catalogue and fills in the translated values; it writes a `Figure`, a `Day` and a `Country` as the locale does. A plain
string, such as a user's name of a service, stays. English alone (``en``) keeps sizebook's own signs: thin spaces
between thousands, a point before decimals.
"""

import re
from dataclasses import fields, is_dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from babel.numbers import get_currency_symbol

from sizebook.core.derivation import Step
from sizebook.core.errors import InputError
from sizebook.core.texts import THIN_SPACE, Country, Day, Figure, Joined, Short, Text, text
from sizebook.core.units import NO_BREAK_SPACE

SOURCE = "en"
CATALOGUES = Path(__file__).parent / "catalogues"
_FIGURE = re.compile(r"(?P<sign>[<>]?[-+\u2212]?)(?P<usd>\$?)(?P<number>\d[\d\u202f]*(\.\d+)?)(?P<unit>.*)", re.DOTALL)
_BARE = re.compile(r"(?<![\w.,])\d+(\u202f\d{3})*(\.\d+)?(?![\w.])")

# The signs of the short scale as messages: a letter alone would be one message with a unit, B for bytes.
_SHORT = {
    "k": text("k (thousand)"),
    "M": text("M (million)"),
    "B": text("B (billion)"),
    "T": text("T (trillion)"),
}

Whole = TypeVar("Whole")


def languages() -> tuple[str, ...]:
    """Return the languages that reports speak: the one they are written in, and those of the catalogues."""
    return (SOURCE, *sorted(path.stem for path in CATALOGUES.glob("*.po")))


@cache
def catalogue(language: str) -> Catalog:
    """Return the catalogue of a language; of the one that texts are written in, an empty one."""
    if language == SOURCE:
        return Catalog()
    with (CATALOGUES / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


class Translator:
    """The language and the signs of one locale."""

    def __init__(self, locale: str = SOURCE) -> None:
        try:
            self.locale = Locale.parse(locale.replace("-", "_"))
        except (ValueError, UnknownLocaleError):
            raise _unknown(locale) from None
        if self.locale.language not in languages():
            raise _unknown(locale)
        self.is_default = str(self.locale) == SOURCE
        self._catalogue = catalogue(self.locale.language)

    @property
    def language(self) -> str:
        """The language as documents name it: ``de``, ``en-US``."""
        return str(self.locale).replace("_", "-")

    @property
    def number_signs(self) -> tuple[str, str]:
        """The sign before decimals, and the one between thousands."""
        if self.is_default:
            return ".", THIN_SPACE
        symbols = self.locale.number_symbols["latn"]
        return symbols["decimal"], symbols["group"]

    def translate(self, value: Whole) -> Whole:
        """Return a report, or any part of one, in this language."""
        found: Any = value
        if isinstance(value, str):
            found = self.translate_text(value)
        elif isinstance(value, tuple):
            found = tuple(self.translate(each) for each in value)
        elif isinstance(value, Step):
            found = replace(
                value,
                label=self.translate_text(value.label),
                source=self.translate_text(value.source),
                formula=self._formula(value.formula),
                substituted=self._formula(value.substituted),
            )
        elif is_dataclass(value) and not isinstance(value, type):
            parts = {field.name: self.translate(getattr(value, field.name)) for field in fields(value)}
            found = replace(value, **parts)
        return found  # type: ignore[no-any-return]

    def translate_text(self, value: object) -> str:
        """Return a text in this language, a figure or a day by its signs; anything else as it is."""
        if isinstance(value, Joined):
            separator = self.translate_text(Text(value.pattern)) if value.pattern else ""
            return separator.join(self.translate_text(part) for part in value.values.values())
        if isinstance(value, Text):
            pattern = self._pattern(value)
            return (
                pattern.format(**{k: self.translate_text(v) for k, v in value.values.items()})
                if value.values
                else pattern
            )
        if isinstance(value, Figure):
            return self._figure(value)
        if isinstance(value, Day):
            return self._day(value)
        if isinstance(value, Country) and self.locale.language != SOURCE:
            return str(self.locale.territories.get(value.letters, value))
        return str(value)

    def word(self, english: str) -> str:
        """Return a word or sentence of a template in this language."""
        return self.translate_text(Text(english))

    def in_a_sentence(self, noun: str) -> str:
        """Return a heading as it stands within a sentence: small in English, as it is elsewhere."""
        return noun.lower() if self.locale.language == SOURCE else noun

    def day(self, day: date) -> str:
        """Return a date that no reader takes for another."""
        if self.is_default:
            return f"{day.day} {day:%B %Y}"
        return str(format_date(day, "medium", locale=self.locale))

    def _formula(self, formula: str) -> str:
        """Return a formula in this language; where a comma stands before decimals, lists of plain ones take ``;``."""
        if isinstance(formula, Text) or self.is_default:
            return self.translate_text(formula)
        separated = formula.replace(", ", "; ") if self.number_signs[0] == "," else formula
        return _BARE.sub(lambda number: self._digits(_grouped(number[0])), separated)

    def _pattern(self, value: Text) -> str:
        one = value.number == 1
        english = value.plural if value.plural and not one else value.pattern
        if self.locale.language == SOURCE:
            return english
        message = self._catalogue.get(value.pattern)
        if message is None or not message.string:
            return english
        if isinstance(message.string, str):
            return message.string
        return str(message.string[0 if one else 1]) or english

    def _digits(self, number: str) -> str:
        decimal, thousands = self.number_signs
        whole, point, rest = number.partition(".")
        return whole.replace(THIN_SPACE, thousands) + (decimal + rest if point else "")

    def _figure(self, figure: Figure) -> str:
        found = _FIGURE.fullmatch(figure)
        if found is None and isinstance(figure, Short):  # the sign of a scale alone
            return self._short(figure)
        if found is None:  # infinity, not a number
            return str(figure)
        unit = found["unit"]
        shown = self._digits(found["number"]) + (self._short(unit) if isinstance(figure, Short) else self._unit(unit))
        if found["usd"]:
            shown = self._money(shown)
        return found["sign"] + shown

    def _unit(self, unit: str) -> str:
        """Return what follows a number: padding as it is, the word of a unit in this language."""
        padding = unit[: len(unit) - len(unit.lstrip(NO_BREAK_SPACE))]
        word = unit[len(padding) :]
        return padding + (self.word(word) if word else "")

    def _short(self, unit: str) -> str:
        """Return the sign of the short scale in this language."""
        sign = unit.strip(NO_BREAK_SPACE)
        if self.locale.language == SOURCE or sign not in _SHORT:
            return unit
        return unit.replace(sign, self.translate_text(_SHORT[sign]))

    def _money(self, number: str) -> str:
        if self.is_default:
            return f"${number}"
        pattern = self.locale.currency_formats["standard"].pattern.partition(";")[0]
        symbol = get_currency_symbol("USD", locale=self.locale)
        return re.sub(r"[#0][#,.0]*", lambda _: number, pattern).replace("\u00a4", symbol)

    def _day(self, day: Day) -> str:
        if self.is_default:
            return str(day)
        month = len(day) == len("2027-01")
        when = date.fromisoformat(f"{day}-01" if month else day)
        return str(format_date(when, "MM/yyyy" if month else "medium", locale=self.locale))


def _grouped(number: str) -> str:
    whole, point, rest = number.partition(".")
    return f"{int(whole):,}".replace(",", THIN_SPACE) + point + rest if whole.isdecimal() else number


def _unknown(locale: str) -> InputError:
    return InputError(
        f"unknown locale: got '{locale}', want one of {', '.join(languages())}, such as de_AT or en_US. Correct it."
    )
