"""Which commitments cover a need at the least cost: exact, as a flow of least cost over months.

Each unit of the largest need is a path from the first month to the end. A month of it is either free, where the unit
is paid by the hour if it is needed, or under a commitment, an arc over all its months at its whole price; an arc back
in time costs nothing, where commitments overlap. The more units are free in a month, the more hours each further one is
needed, so the cost of a month is convex and the cheapest augmenting paths give the optimum in whole units (Ahuja,
Magnanti and Orlin, Network Flows, 1993, chapter 9). To choose for each unit by itself would not: when one commitment
ends, another that began later may take its place.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

_PARTS = 10**9  # costs are whole parts of a dollar, so that ties are ties

Need = Mapping[int, float]  # hours of a day by the units that they need


@dataclass(frozen=True)
class Offer:
    """A commitment on offer: how many months it lasts, and what a unit costs an hour, by the month of signing."""

    months: int
    usd_per_hour: Sequence[float]


@dataclass
class _Arc:
    """Units from one month to a later one: steps of a cost that rises, each with the units that it takes."""

    begin: int
    end: int
    costs: Sequence[int]
    bounds: Sequence[float]  # units that this step and those before it take together
    units: int = 0
    step: int = 0  # the first step that has room

    def forward(self) -> tuple[int, float] | None:
        """Return the cost of one more unit and how many there are at it."""
        if self.step == len(self.costs):
            return None
        return self.costs[self.step], self.bounds[self.step] - self.units

    def backward(self) -> tuple[int, float]:
        """Return the cost of one unit less, of some, and how many there are at it."""
        step = self.step
        while step == len(self.costs) or self.units <= (self.bounds[step - 1] if step else 0):
            step -= 1
        return -self.costs[step], self.units - (self.bounds[step - 1] if step else 0)

    def add(self, units: int) -> None:
        self.units += units
        self.step = bisect_right(self.bounds, self.units)


def cover(needs: Sequence[Need], usd_per_hour: Sequence[float], offers: Sequence[Offer]) -> dict[tuple[int, int], int]:
    """Return the units to sign for by (offer, month) at the least cost.

    Where several ways cost the same, it is the one that signs for the fewest, and of those for the fewest months.

    ``usd_per_hour`` is the price by the hour of each month; a commitment is paid to its end, also after the last month.
    A price that is NaN signs nothing.
    """
    if any(math.isnan(price) for price in usd_per_hour):
        return {}
    most = max((max(need, default=0) for need in needs), default=0)
    arcs = [
        _free(month, need, price, most) for month, (need, price) in enumerate(zip(needs, usd_per_hour, strict=True))
    ]
    signed: dict[tuple[int, int], _Arc] = {}
    for number, offer in enumerate(offers):
        for month, price in enumerate(offer.usd_per_hour):
            cost = price * 24 * offer.months * _PARTS
            if math.isfinite(cost):
                end = min(month + offer.months, len(needs))
                tie = len(needs) + end - month  # one over several, then the months that it covers
                signed[number, month] = _Arc(month, end, (round(cost) + tie,), (math.inf,))
    back = [_Arc(month + 1, month, (0,), (math.inf,)) for month in range(len(needs))]
    _fill([*arcs, *back, *signed.values()], len(needs), most)
    return {key: arc.units for key, arc in signed.items() if arc.units}


def _free(month: int, need: Need, price: float, most: int) -> _Arc:
    """Return the arc of what is under no commitment: the units that the fewest hours need come first."""
    levels = sorted((units for units in need if units), reverse=True)
    hours = accumulate((need[units] for units in levels), initial=0.0)
    costs = tuple(0 if not each else round(price * each * _PARTS) for each in hours)
    return _Arc(month, month + 1, costs, tuple(most - units for units in (*levels, 0)))


def _fill(arcs: Sequence[_Arc], end: int, units: int) -> None:
    """Send so many units from month 0 to the end at the least cost."""
    leaving: list[list[_Arc]] = [[] for _ in range(end + 1)]
    entering: list[list[_Arc]] = [[] for _ in range(end + 1)]
    for arc in arcs:
        leaving[arc.begin].append(arc)
        entering[arc.end].append(arc)
    potential, left = [0] * (end + 1), units
    while left:
        potential, path = _cheapest(leaving, entering, potential)
        room = min(left, *(limit for _, _, limit in path))
        for arc, sign, _ in path:
            arc.add(sign * int(room))
        left -= int(room)


def _cheapest(
    leaving: Sequence[Sequence[_Arc]], entering: Sequence[Sequence[_Arc]], potential: list[int]
) -> tuple[list[int], list[tuple[_Arc, int, float]]]:
    """Return the cheapest way from month 0 to the end with the potentials after it: Dijkstra on reduced costs."""
    end = len(potential) - 1
    cost: dict[int, int] = {0: 0}
    came: dict[int, tuple[int, _Arc, int, float]] = {}
    queue, done = [(0, 0)], set()
    while queue:
        so_far, at = heapq.heappop(queue)
        if at in done:
            continue
        done.add(at)
        ways = [(arc, 1, arc.end) for arc in leaving[at] if arc.end not in done]
        ways += [(arc, -1, arc.begin) for arc in entering[at] if arc.units and arc.begin not in done]
        for arc, sign, to in ways:
            found = arc.forward() if sign > 0 else arc.backward()
            if found is None:
                continue
            reached = so_far + found[0] + potential[at] - potential[to]
            if to not in cost or reached < cost[to]:
                cost[to], came[to] = reached, (at, arc, sign, found[1])
                heapq.heappush(queue, (reached, to))
    path, at = [], end
    while at:
        before, arc, sign, limit = came[at]
        path.append((arc, sign, limit))
        at = before
    return [before + cost.get(at, cost[end]) for at, before in enumerate(potential)], path
