"""From the cost of a plan to its high end: what slow replicas, dear GPU-hours and more traffic add, one after another.

Contracts stay as the plan signs them. One replica in ten is as slow, one provider in ten as dear; a stated price is
certain and adds nothing.
"""

from collections.abc import Callable

from sizebook.core.texts import text
from sizebook.plans.fleet.months import asked, service_load
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.serving.months import purchase_of_months
from sizebook.plans.serving.plan import STEP, ServingPlan
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica, at_speed

Reached = tuple[tuple[str, float], ...]


def high_end(plan: ServingPlan | FleetPlan) -> Reached:
    """Return what a plan costs, and what it costs with each of the three added in turn, each under its name."""
    cost = _of_service(plan) if isinstance(plan, ServingPlan) else _of_fleet(plan)
    return (
        (text("Plan"), cost(False, False, 1.0)),
        (text("Replicas as slow as 1 in 10"), cost(True, False, 1.0)),
        (text("GPU-hours as dear as 1 in 10"), cost(True, True, 1.0)),
        (text("A fifth more traffic"), cost(True, True, 1 + STEP)),
    )


_Cost = Callable[[bool, bool, float], float]  # of slow replicas or not, dear hours or not, and times the traffic


def _of_service(plan: ServingPlan) -> _Cost:
    def cost(slow: bool, dear: bool, times: float) -> float:
        rates = _rates(plan.rates, dear)
        bought = purchase_of_months(_replica(plan.replica, slow), plan.inputs, rates, times=times)
        return bought.usd_in_the_plan(plan.portfolio.repriced(bought.by_term))

    return cost


def _of_fleet(plan: FleetPlan) -> _Cost:
    def cost(slow: bool, dear: bool, times: float) -> float:
        loads = [
            service_load(
                each.service, _replica(each.replica, slow), _rates(each.rates, dear), terms=plan.terms, times=times
            )
            for each in plan.services
        ]
        together = ((asked([loads[at] for at in each.members], plan.terms), each) for each in plan.purchases)
        return sum(bought.usd_in_the_plan(each.portfolio.repriced(bought.by_term)) for bought, each in together)

    return cost


def _replica(replica: PlannedReplica, slow: bool) -> PlannedReplica:
    return at_speed(replica, replica.bands["throughput"].low) if slow else replica


def _rates(rates: Rates, dear: bool) -> Rates:
    return rates.at_ends()[1] if dear else rates
