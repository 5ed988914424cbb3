"""Figures of a training plan in words, the same in every section of its report."""

from collections.abc import Callable

from sizebook.core.texts import Figure, range_text, text
from sizebook.core.units import NO_BREAK_SPACE, duration, usd
from sizebook.plans.training.case import Case
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.number_columns import dollars, fixed


def band_text(plan: TrainingPlan, shown: Callable[[Case], str], falling: bool = False) -> str:
    """Return ``low to high`` of a figure, or that there is no band because the MFU was given.

    A figure that falls with time, such as MFU, is low in the slow case.
    """
    low, _, high = (shown(case) for case in (reversed(plan.cases) if falling else plan.cases))
    return text("at the MFU given") if plan.step is None and low == high else range_text(low, high)


def days(case: Case) -> str:
    return duration(case.train_seconds)


def cost_text(case: Case) -> str:
    return usd(case.cost_usd)


def whole_run(case: Case) -> str:
    return duration(86_400 * case.programme_days)


def whole_cost(case: Case) -> str:
    return usd(case.programme_cost_usd)


def share(ratio: float) -> str:
    return Figure(text("{n}{NO_BREAK_SPACE}%", n=fixed(100 * ratio, 1), NO_BREAK_SPACE=NO_BREAK_SPACE))


def price(plan: TrainingPlan) -> str:
    """Return the price of a GPU-hour to the cent, or to three digits where it is less than ten cents."""
    amount = plan.inputs.costs.price_usd_per_gpu_hour
    return dollars(amount) if amount >= 0.1 else usd(amount)
