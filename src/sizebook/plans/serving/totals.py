"""What all months of a plan cost together: the figures that command, report and comparison lead with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sizebook.plans.serving.plan import ServingPlan


class CostedMonth(Protocol):
    """A month with its cost."""

    @property
    def usd(self) -> float:
        """The cost of the month."""


class BandedMonths(Protocol):
    """Months with replicas as planned, and with replicas as fast or as slow as 1 in 10 measurements."""

    @property
    def fewest(self) -> Sequence[CostedMonth]:
        """The months with fast replicas."""

    @property
    def months(self) -> Sequence[CostedMonth]:
        """The months as planned."""

    @property
    def most(self) -> Sequence[CostedMonth]:
        """The months with slow replicas."""


def total_usd(months: Sequence[CostedMonth]) -> float:
    """Return the cost of all months."""
    return sum(month.usd for month in months)


def usd_range(planned: BandedMonths) -> tuple[float, float]:
    """Return the least and the most that all months cost, with replicas as planned and at both ends of their band.

    Slow replicas need more GPUs and cost more as a rule; where a reserved GPU costs less than the busy hours that it
    saves, a contract for a share of the mean makes a smaller mean the dearer one.
    """
    totals = [total_usd(months) for months in (planned.fewest, planned.months, planned.most)]
    return min(totals), max(totals)


def usd_per_mtok(plan: ServingPlan) -> float:
    """Return what a million tokens cost over all months: those put out, or put in where one pass answers."""
    asked, requests = plan.traffic.mean_demand, sum(month.requests for month in plan.months)
    tokens = asked.output_tokens if plan.replica.decodes else asked.input_tokens
    return total_usd(plan.months) / (requests * tokens) * 1e6
