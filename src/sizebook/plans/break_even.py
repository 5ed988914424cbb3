"""From which traffic on one way costs no more than another: stairs of whole replicas, compared from step to step.

The cost of GPUs over traffic is a stair: it stays until some hours need one replica more. An API's is a line. Where one
first meets another is found on the steps themselves, none passed over.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sizebook.core.texts import Text, text

_MANY = 2**20  # replicas that are a fleet without roundings
_ROUNDED = 1e-4  # what their cost is over that of fractions, at most
_MOST_STEPS = 5_000  # of a stair that are looked at, a second or two
_WAYS = {"rent": text("renting"), "buy": text("buying"), "api": text("an API")}
_PAIRS = (("buy", "rent"), ("rent", "api"), ("buy", "api"))


@dataclass(frozen=True)
class Course:
    """What a month costs over its traffic: a stair of whole replicas, and what rises with every request.

    ``fixed`` is what the stair is without traffic, in fractions of what is rented or bought together; ``gpu_usd`` what
    a GPU of each kind costs that does nothing all month, at least; empty where there are no GPUs.
    """

    stair: Callable[[float], float]
    slope: float = 0.0
    fixed: float = 0.0
    gpu_usd: tuple[float, ...] = ()

    def at(self, times: float) -> float:
        """Return what so many times the traffic costs."""
        return self.stair(times) + self.slope * times


@dataclass(frozen=True)
class Crossing:
    """The least times the traffic at which one costs no more than another; None where it is not found up to ``looked``.

    With nothing looked at it is never so.
    """

    times: float | None = None
    looked: float = 0.0

    def said(self, one: str, other: str, traffic: Callable[[float], str]) -> Text:
        """Return it in words; ``traffic`` says so many times the traffic."""
        ways = {"one": _WAYS[one], "other": _WAYS[other]}
        if self.times:
            least = traffic(self.times)
            return text(
                "The least traffic at which {one} costs no more than {other} is {traffic}.", traffic=least, **ways
            )
        if self.times is not None:
            return text("From the first request on {one} costs no more than {other}.", **ways)
        if self.looked:
            most = traffic(self.looked)
            return text("Up to {traffic}, the most searched, {one} costs more than {other}.", traffic=most, **ways)
        return text("At every traffic {one} costs more than {other}.", **ways)


@dataclass(frozen=True)
class Stairs:
    """Where stairs rise: how many times the traffic one replica takes, in each of the hours and services there are."""

    once: frozenset[float]

    @property
    def many(self) -> float:
        """Times the traffic at which roundings no longer count."""
        return _MANY * max(self.once)

    def ends(self, beyond: float) -> Iterator[float]:
        """Yield the ends of steps, the times at which some replicas are full, from one beyond on."""
        at = {each: math.floor(beyond / each) + 1 for each in self.once}
        while True:
            end = min(n * each for each, n in at.items())
            yield end
            at = {each: n + (n * each <= end * (1 + 1e-12)) for each, n in at.items()}

    def marginal(self, course: Course) -> float:
        """Return what one time the traffic costs without roundings, at least."""
        return (course.stair(self.many) / self.many + course.slope) * (1 - _ROUNDED)


def first_crossing(one: Course, other: Course, ends: Iterable[float], before: float = 0.0) -> Crossing:
    """Return where one course first is no higher than another, looking from step to step, none passed over.

    ``ends`` are the ends of steps beyond ``before``, up to which it is known to be higher.
    """
    slope = other.slope - one.slope
    for end in ends:
        gap = one.stair(end) - other.stair(end)
        if gap <= slope * (end if slope > 0 else before):
            return Crossing(max(before, gap / slope) if slope > 0 else before, end)
        before = end
    return Crossing(looked=before)


def break_even(
    stairs: Stairs, courses: Mapping[str, Course], unit: str, *, of: float, traffic: Callable[[float], str]
) -> tuple[dict[str, Any], tuple[Text, ...]]:
    """Return the least traffic at which one way costs no more than another, by the names of figures, and in words.

    Compared are the ways whose cost is listed. The traffic is ``of`` so many of a unit, which ``traffic`` says.
    """
    met = {pair: _met(stairs, *(courses[way] for way in pair)) for pair in _PAIRS if courses.keys() >= set(pair)}
    found = {
        f"{one}_beats_{other}_{unit}": None if each.times is None else of * each.times
        for (one, other), each in met.items()
    }
    return found, tuple(each.said(*pair, lambda times: traffic(of * times)) for pair, each in met.items())


def _met(stairs: Stairs, one: Course, other: Course) -> Crossing:
    """Return the least times the traffic at which one is no higher than the other.

    Beside an API no step is looked at that a fleet without roundings cannot meet. Bought GPUs are never below rented
    ones where each costs more, idle, than one under the cheapest contract: whole nodes are no fewer GPUs.
    """
    before = 0.0
    if not (one.gpu_usd and other.gpu_usd):
        marginal = stairs.marginal(one)
        if not other.slope > marginal:
            return Crossing()
        before = one.fixed / (other.slope - marginal) * (1 - _ROUNDED)
    elif all(bought > rented for bought, rented in zip(one.gpu_usd, other.gpu_usd, strict=True)):
        return Crossing()
    return first_crossing(one, other, islice(stairs.ends(before), _MOST_STEPS), before=before)
