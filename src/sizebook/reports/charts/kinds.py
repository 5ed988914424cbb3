"""The charts a report can hold, as data: numbers, their finished texts, and a title that states the message."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """One bar: its length in the axis unit and the text at its end; ``marked`` is what the message is about."""

    label: str
    value: float
    text: str
    marked: bool = False


@dataclass(frozen=True)
class Bars:
    """Horizontal bars from zero, one series, labelled directly."""

    title: str
    axis: str
    bars: tuple[Bar, ...]

    @property
    def alt(self) -> str:
        """The chart in words, for those who do not see it."""
        return f"Bar chart. {self.title}. " + "; ".join(f"{bar.label}: {bar.text}" for bar in self.bars) + "."


Chart = Bars
