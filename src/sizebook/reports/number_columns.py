"""Columns of figures: one unit and as many decimals a column as make its numbers comparable at a glance."""

import math
from collections.abc import Iterable, Sequence

from sizebook.core.texts import THIN_SPACE, Figure, Short, Text, text
from sizebook.core.units import NO_BREAK_SPACE, NOT_LISTED, percent

_GIGA, _MEGA, _KILO = 1e9, 1e6, 1e3
_DECIMAL = ((1e15, "P"), (1e12, "T"), (_GIGA, "G"), (_MEGA, "M"), (_KILO, "k"))
_BINARY = ((2.0**50, "Pi"), (2.0**40, "Ti"), (2.0**30, "Gi"), (2.0**20, "Mi"), (2.0**10, "Ki"))
_SHORT = ((1e12, "T"), (_GIGA, "B"), (_MEGA, "M"), (_KILO, "k"))
# What stands for k, M, B and T in other languages; in English the letters do.
SHORT_SIGNS = {sign: Short(sign) for sign in "TBMk"}
SHORT_WORDS: dict[str, str] = {
    "T": text("trillions"),
    "B": text("billions"),
    "M": text("millions"),
    "k": text("thousands"),
    "": "",
}
MOST_DECIMALS = 3
MINUS = "\u2212"


def decimal_scale(values: Iterable[float]) -> tuple[float, str]:
    """Return factor and prefix (P T G M k) for a column or axis of quantities, by its largest value."""
    return _scale(values, _DECIMAL)


def binary_scale(values: Iterable[float]) -> tuple[float, str]:
    """Return factor and prefix (Pi Ti Gi Mi Ki) for a column or axis of bytes, by its largest value."""
    return _scale(values, _BINARY)


def short_scale(values: Iterable[float]) -> tuple[float, str]:
    """Return factor and sign (T B M k) for a column or axis of counts or money, by its largest value."""
    return _scale(values, _SHORT)


def _scale(values: Iterable[float], scale: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    largest = max((abs(value) for value in values if value == value), default=0)
    return next(((factor, sign) for factor, sign in scale if largest >= factor), (1.0, ""))


def largest_unit(value: float, units: Sequence[tuple[float, str]]) -> tuple[float, str]:
    """Return factor and name of the largest unit that a value fills, units from the largest; else the smallest."""
    return next((unit for unit in units if abs(value) >= unit[0]), units[-1])


def share(part: float, whole: float) -> str:
    """Return a part of a whole as per cent; of nothing, as of what costs nothing, no part is any."""
    return percent(part / whole if whole else 0.0)


def aligned(values: Sequence[float], digits: int = 3, factor: float = 1.0) -> list[str]:
    """Return numbers with equal decimals, so that a right-aligned column aligns on the point.

    Decimals are as many as give the smallest non-zero number ``digits`` significant digits, at most three. A number
    that those would round to zero is shown as less than the last decimal: ``<0.001``.
    """
    scaled = [value / factor for value in values]
    smallest = min((abs(v) for v in scaled if v and v == v), default=1.0)
    decimals = min(MOST_DECIMALS, max(0, digits - 1 - math.floor(math.log10(smallest))))
    return [fixed(value, decimals) for value in scaled]


def summed(values: Sequence[float], factor: float) -> list[str]:
    """Return a column of figures with their sum under it."""
    return aligned([*values, sum(values)], factor=factor)


def align_points(texts: Sequence[str]) -> list[str]:
    """Return a column whose rows have units of their own with no-break spaces added so that decimal points align.

    In the figures face a space is as wide as a digit.
    """
    tails = [len(text) - text.find(".") if "." in text else 0 for text in texts]
    return [Figure(text + NO_BREAK_SPACE * (max(tails) - tail)) for text, tail in zip(texts, tails, strict=True)]


def scaled(unit: str, sign: str) -> Text:
    """Return a unit with the word for its scale: ``USD, millions``."""
    return text("{unit}, {scale}", unit=unit, scale=SHORT_WORDS[sign]) if sign else text("{unit}", unit=unit)


def in_scale(sign: str, unit: str) -> str:
    """Return a unit with the sign of its scale before it: ``M USD``."""
    return text("{scale} {unit}", scale=SHORT_SIGNS[sign], unit=text(unit)) if sign else unit


def plain_number(value: float) -> str:
    """Return a number with as many decimals as it has, at most six digits."""
    if value != value:
        return NOT_LISTED
    return Figure(f"{value:,g}".replace(",", THIN_SPACE).replace("-", MINUS))


def dollars(value: float) -> str:
    """Return a price to the cent: ``$2.49``."""
    if value != value:
        return NOT_LISTED
    return Figure(f"${value:,.2f}".replace(",", THIN_SPACE))


def watts(value: float) -> str:
    """Return the power of a GPU: ``700 W``."""
    return NOT_LISTED if value != value else text("{watts} W", watts=plain_number(value))


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals and thin spaces between thousands; ``<0.01`` where it would round to 0."""
    if value != value:
        return NOT_LISTED
    least = 10.0**-decimals
    if 0 < abs(value) < least / 2:
        return Figure(f"{'>' + MINUS if value < 0 else '<'}{least:.{decimals}f}")
    return Figure(f"{value:,.{decimals}f}".replace(",", THIN_SPACE).replace("-", MINUS))


def percentages(ratios: Sequence[float]) -> list[str]:
    """Return ratios as per cent with two decimals, tiny ones as ``<0.01``."""
    return [fixed(100 * ratio, 2) for ratio in ratios]
