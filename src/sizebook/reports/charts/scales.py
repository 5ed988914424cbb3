"""Axes of charts: where a number stands on one, its round ends, its ticks and what stands beside them."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10, sqrt

_TICKS = 5
_FINE_TICKS = 10  # an axis ends at a step of these
_LEAST = 1e-9  # of a step: what binary fractions may miss


@dataclass(frozen=True)
class Scale:
    """An axis from ``low`` to ``high`` that is ``length`` pixels long, by numbers or by their logarithms."""

    low: float
    high: float
    length: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """Return how many pixels from its beginning a value stands."""
        if self.is_log:
            return self.length * log10(value / self.low) / log10(self.high / self.low)
        return self.length * (value - self.low) / (self.high - self.low)

    def ticks(self, count: int = _TICKS) -> list[float]:
        """Return about ``count`` round numbers on the axis."""
        step, power = _step(self.low, self.high, count)
        first, last = ceil(self.low / step - _LEAST), floor(self.high / step + _LEAST)
        return [round(at * step, -power) for at in range(first, last + 1)]


def scale(values: Iterable[float], length: float, *, is_round: bool = True, is_log: bool = False) -> Scale:
    """Return the axis that holds all values; a round one ends at whole steps."""
    every = list(values)
    low, high = min(every), max(every)
    if low == high:
        high = low + 1 if not is_log else 2 * low
    for _ in range(2 if is_round else 0):  # the wider axis may have wider steps
        step, power = _step(low, high, _FINE_TICKS)
        low, high = floor(low / step + _LEAST) * step, ceil(high / step - _LEAST) * step
        low, high = round(low, -power), round(high, -power)
    return Scale(low, high, length, is_log)


def whole_steps(values: Iterable[float], first: float = 0) -> int:
    """Return how many ticks an axis has: of few whole numbers one each, for nobody has half a month or half a GPU."""
    every = list(values)
    span = max(every) - first
    is_whole = span < _TICKS and all(float(value).is_integer() for value in every)
    return max(int(span), 1) if is_whole else _TICKS


def tick_text(value: float, numbers: tuple[str, str]) -> str:
    """Return a number beside an axis; ``numbers`` are the signs before decimals and between thousands."""
    whole, _, rest = f"{abs(value):,.12f}".rstrip("0").partition(".")
    decimal, thousands = numbers
    return ("\u2212" if value < 0 else "") + whole.replace(",", thousands) + (decimal + rest if rest else "")


def _step(low: float, high: float, count: int) -> tuple[float, int]:
    """Return the step of 1, 2 or 5 times a power of ten that comes nearest to ``count`` of them, and the power."""
    rough = (high - low) / count
    power = floor(log10(rough))
    many = rough / 10.0**power
    factor = 10 if many >= sqrt(50) else 5 if many >= sqrt(10) else 2 if many >= sqrt(2) else 1
    return factor * 10.0**power, power
