"""A bridge from one cost to another: what each change adds on the way, in ten bars at most."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sizebook.core.texts import Text, text

MOST_BARS = 10
OTHERS = text("other changes")


@dataclass(frozen=True)
class Step:
    """One difference between two plans, and the figure once it is changed; None where that gives no plan."""

    key: str
    before: Any
    after: Any
    value: float | None
    label: str = ""

    @property
    def name(self) -> str:
        """What a report calls it: its label, else the key."""
        return self.label or self.key


@dataclass(frozen=True)
class Bridge:
    """How a figure of one plan becomes that of another: both names, its first value, the steps, and remarks."""

    figure: str
    unit: str
    ends: tuple[str, str]
    start: float
    steps: tuple[Step, ...]
    remarks: tuple[str, ...] = ()

    @property
    def end(self) -> float:
        """What the figure is in the end."""
        return value_after(self.start, self.steps)

    @property
    def title(self) -> Text:
        """The two plans that it leads from and to."""
        return text("From {one} to {other}", one=self.ends[0], other=self.ends[1])

    @property
    def moves(self) -> list[float | None]:
        """What each step adds; None for one that gives no plan: the next step holds both."""
        at, found = self.start, list[float | None]()
        for step in self.steps:
            found.append(None if step.value is None else step.value - at)
            at = at if step.value is None else step.value
        return found

    @property
    def bars(self) -> list[tuple[str, float]]:
        """What stands between the ends, in the order of the steps; steps of one key together."""
        added: dict[str, float] = {}
        for step, move in zip(self.steps, self.moves, strict=True):
            if move is not None:
                added[step.key] = added.get(step.key, 0.0) + move
        return fewest(added.items())

    @property
    def named_bars(self) -> list[tuple[str, float]]:
        """The same under the names that reports use."""
        names = {step.key: step.name for step in self.steps}
        return [(names.get(key, key), value) for key, value in self.bars]


def value_after(start: float, steps: Sequence[Step]) -> float:
    """Return what the figure is after some steps."""
    return next((step.value for step in reversed(steps) if step.value is not None), start)


def fewest(added: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return what stands between two ends of a bridge: of more than eight changes the smallest stand together."""
    bars, between = list(added), MOST_BARS - 2
    if len(bars) <= between:
        return bars
    kept = {name for name, _ in sorted(bars, key=lambda bar: -abs(bar[1]))[: between - 1]}
    rest = sum(value for name, value in bars if name not in kept)
    return [*(bar for bar in bars if bar[0] in kept), (OTHERS, rest)]
