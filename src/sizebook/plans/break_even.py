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
        """Return what a multiple of the traffic costs."""
        return self.stair(times) + self.slope * times


@dataclass(frozen=True)
class Crossing:
    """The least multiple of the traffic at which one way costs no more than another.

    None where none is found up to the multiple ``looked``; where that is 0 too, there is none at any traffic.
    """

    times: float | None = None
    looked: float = 0.0

    def said(self, one: str, other: str, traffic: Callable[[float], str]) -> Text:
        """Return it in words; ``traffic`` puts a multiple of the traffic into words."""
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
    """Where cost rises by a replica: the multiple of the traffic that one takes, in each hour and service."""

    once: frozenset[float]

    @property
    def many(self) -> float:
        """A multiple of the traffic so large that rounding up to whole replicas no longer counts."""
        return _MANY * max(self.once)

    def ends(self, beyond: float) -> Iterator[float]:
        """Yield the multiples above ``beyond`` at which some replicas are full, in order."""
        at = {each: math.floor(beyond / each) + 1 for each in self.once}
        while True:
            end = min(n * each for each, n in at.items())
            yield end
            at = {each: n + (n * each <= end * (1 + 1e-12)) for each, n in at.items()}

    def marginal(self, course: Course) -> float:
        """Return the least that the traffic costs where replicas are not rounded up to whole ones."""
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

    Only ways whose cost is listed are compared. ``of`` is the traffic in the unit; ``traffic`` puts it into words.
    """
    met = {pair: _met(stairs, *(courses[way] for way in pair)) for pair in _PAIRS if courses.keys() >= set(pair)}
    found = {
        f"{one}_beats_{other}_{unit}": None if each.times is None else of * each.times
        for (one, other), each in met.items()
    }
    return found, tuple(each.said(*pair, lambda times: traffic(of * times)) for pair, each in met.items())


def _met(stairs: Stairs, one: Course, other: Course) -> Crossing:
    """Return the least multiple of the traffic at which one is no higher than the other.

    Against an API the search begins where replicas that are not rounded up would cost as much. Bought GPUs never cost
    less than rented ones where an idle one costs more than one under the cheapest contract: nodes are bought whole.
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
