"""What the cost of a serving plan hangs on: one input at a time, a fifth less and a fifth more, in the last month."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from sizebook.errors import SizebookError
from sizebook.plans.serving import Prices, ServingPlan, Target, fleet_month, plan_serving
from sizebook.plans.traffic import Traffic

STEP = 0.2


@dataclass(frozen=True)
class Swing:
    """The cost of the last month at both ends of one input."""

    label: str
    low_usd: float
    high_usd: float

    @property
    def width_usd(self) -> float:
        return abs(self.high_usd - self.low_usd)


def _changed(plan: ServingPlan, factor: float) -> dict[str, tuple[Traffic, Target, Prices]]:
    """Return the plan's inputs with one of them times the factor, by what that one is called."""
    traffic, target, prices = plan.traffic, plan.target, plan.prices
    answers, prompts = (max(1, round(n * factor)) for n in (traffic.output_tokens, traffic.input_tokens))
    demand, reserved = prices.on_demand_usd * factor, prices.reserved_usd * factor
    changed = {
        "Requests a day": (replace(traffic, requests_per_day=traffic.requests_per_day * factor), target, prices),
        "Tokens of an answer": (replace(traffic, output_tokens=answers), target, prices),
        "Tokens of a prompt": (replace(traffic, input_tokens=prompts), target, prices),
        "Price of a GPU-hour": (traffic, target, replace(prices, on_demand_usd=demand, reserved_usd=reserved)),
    }
    if math.isfinite(target.tpot_seconds):
        changed["TPOT target"] = (traffic, replace(target, tpot_seconds=target.tpot_seconds * factor), prices)
    return changed


def sensitivities(plan: ServingPlan) -> tuple[Swing, ...]:
    """Return the swings from the widest. An input is left out where one end no longer meets the target."""
    found = []
    less, more = _changed(plan, 1 - STEP), _changed(plan, 1 + STEP)
    for label in less:
        try:
            plans = [plan_serving(plan.model, plan.replica.setup, *inputs[label]) for inputs in (less, more)]
        except SizebookError:
            continue
        low, high = (each.months[-1].usd for each in plans)
        found.append(Swing(f"{label}, \u2212{STEP:.0%} to +{STEP:.0%}", low, high))
    found.append(_estimate_swing(plan))
    return tuple(sorted(found, key=lambda swing: -swing.width_usd))


def _estimate_swing(plan: ServingPlan) -> Swing:
    """Return the swing of the throughput estimate itself, between its p10 and p90."""
    band, rate = plan.replica.bands["throughput"], plan.replica.requests_per_second
    at = [replace(plan.replica, requests_per_second=rate * share) for share in (band.low, band.high)]
    last = plan.traffic.months - 1
    low, high = (fleet_month(replica, plan.traffic, plan.target, plan.prices, last).usd for replica in at)
    return Swing("Throughput estimate, p10 to p90", low, high)
