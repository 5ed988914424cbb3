"""What a comparison rests on: figures of several scenarios, the order that they give and what nothing else betters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sizebook.core.errors import InputError
from sizebook.core.figure_label import FigureLabel
from sizebook.core.hints import suggestion, want_one_of

# Figures of which more is better; of every other one less is.
MORE_IS_BETTER = ("MFU", "HFU", "Goodput", "Output tokens a second", "Rate of a replica")


def sign(figure: FigureLabel) -> int:
    """Return 1 for a figure of which less is better, -1 where more is."""
    return -1 if figure.label in MORE_IS_BETTER else 1


@dataclass(frozen=True)
class Ranking:
    """Scenarios with their values by figure, in the order of the batch; a figure may be missing in some."""

    base: str
    rank_by: FigureLabel
    against: FigureLabel | None
    figures: tuple[FigureLabel, ...]
    scenarios: Mapping[str, Mapping[FigureLabel, float]]

    @property
    def ranked(self) -> list[str]:
        """The scenarios that have the figure to rank by, the best first, equal ones as they stand in the batch."""
        having = [name for name, values in self.scenarios.items() if self.rank_by in values]
        return sorted(having, key=lambda name: sign(self.rank_by) * self.scenarios[name][self.rank_by])

    @property
    def front(self) -> list[str]:
        """The scenarios that no other betters in one of two figures without being worse in the other, best first.

        Of scenarios with equal figures all are on it.
        """
        if self.against is None:
            return []
        points = {
            name: (sign(self.rank_by) * values[self.rank_by], sign(self.against) * values[self.against])
            for name, values in self.scenarios.items()
            if self.rank_by in values and self.against in values
        }
        found, least = [], float("inf")
        best: tuple[float, float] | None = None
        for name in sorted(points, key=lambda name: points[name]):
            if points[name][1] < least or points[name] == best:
                found.append(name)
                least, best = points[name][1], points[name]
        return found

    def change(self, name: str, figure: FigureLabel) -> float | None:
        """Return a scenario's figure over the base's less 1, None where either is missing or the base's is 0."""
        value, base = self.scenarios[name].get(figure), self.scenarios[self.base].get(figure)
        return None if value is None or not base else value / base - 1


def rank_scenarios(
    scenarios: Mapping[str, Mapping[FigureLabel, float]], base: str | None = None, rank_by: str | None = None
) -> Ranking:
    """Return the comparison of scenarios; the base is the first, the figure to rank by cost, where nothing is said.

    ``rank_by`` is the head of a figure, its unit may be left out. The figure that it is set against is the first of
    another unit that differs between scenarios, times before carbon and energy.

    Errors: `InputError` for fewer than two scenarios, a base that is none of them, and a figure that they have not.
    """
    if len(scenarios) < 2:
        raise InputError(f"nothing to compare: got {len(scenarios)} scenarios done, want two or more. Add scenarios.")
    if base is not None and base not in scenarios:
        raise InputError(f"unknown base: got '{base}', want a scenario that is done.{suggestion(base, scenarios)}")
    figures = tuple(dict.fromkeys(figure for values in scenarios.values() for figure in values))
    ranking = _named(figures, rank_by) if rank_by else next((f for f in figures if f.label == "Cost"), figures[0])
    return Ranking(base or next(iter(scenarios)), ranking, _against(scenarios, figures, ranking), figures, scenarios)


def _named(figures: Sequence[FigureLabel], name: str) -> FigureLabel:
    folded = name.casefold()
    found = next((f for f in figures if folded in (f.heading.casefold(), f.label.casefold())), None)
    if found is None:
        labels = [figure.heading for figure in figures]
        raise InputError(f"unknown figure: got '{name}', want {want_one_of(name, labels)}")
    return found


_FIRST_UNITS = ("seconds", "days", "kgCO2e", "kWh")


def _against(
    scenarios: Mapping[str, Mapping[FigureLabel, float]], figures: Sequence[FigureLabel], ranking: FigureLabel
) -> FigureLabel | None:
    others = [
        figure
        for figure in figures
        if figure.unit != ranking.unit and len({values.get(figure) for values in scenarios.values()} - {None}) > 1
    ]
    order = {unit: at for at, unit in enumerate(_FIRST_UNITS)}
    return min(others, key=lambda figure: order.get(figure.unit, len(order)), default=None)
