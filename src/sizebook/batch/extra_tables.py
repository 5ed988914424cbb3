"""Tables of a plan that only somebody's own workbook asks for: `sensitivity`, and `layouts` of a training plan.

They are worked out when a workbook is filled, not with every plan: JSON and indexes do without them.
"""

from dataclasses import replace
from typing import Any

from sizebook.core.errors import SizebookError
from sizebook.core.sections import Argument, Quantity, flat, leaves
from sizebook.plans.contents import LazyRows, Ledger, Value
from sizebook.plans.serving.sensitivity import sensitivities as serving_swings
from sizebook.plans.training.alternatives import LayoutFigures, alternatives
from sizebook.plans.training.breakdown import sensitivities as training_swings
from sizebook.plans.training.plan import TrainingPlan
from sizebook.scenarios.serving import ServingResult
from sizebook.scenarios.training import TrainingScenario, layouts_of, training_inputs

_SWINGS = (
    Argument("input", Quantity("input that moves, and how far", kind="text", label="Input"), None),
    Argument("low_usd", Quantity("cost at its low end", unit="USD", label="Cost at the low end"), None),
    Argument("high_usd", Quantity("cost at its high end", unit="USD", label="Cost at the high end"), None),
    Argument("width_usd", Quantity("how far apart the two are", unit="USD", label="Difference"), None),
)
# Both tables by name, without rows.
EMPTY = {"sensitivity": Ledger("sensitivity", _SWINGS, ()), "layouts": Ledger("layouts", leaves(LayoutFigures), ())}


def sensitivity(plan: Any) -> tuple[Ledger, ...]:
    """Return what the cost of a training or serving plan is at both ends of each input, widest first; else nothing."""
    if isinstance(plan, TrainingPlan):
        swings = training_swings(plan)
    elif isinstance(plan, ServingResult):
        swings = serving_swings(plan.plan)
    else:
        return ()
    rows = ((str(each.label), each.low_usd, each.high_usd, each.width_usd) for each in swings)
    return (replace(EMPTY["sensitivity"], rows=tuple(rows)),)


def layouts(plan: Any, scenario: Any) -> tuple[Ledger, ...]:
    """Return what the search of `sizebook plan train --layouts` finds for a training plan, nothing for another.

    Searching takes as long as many plans do, so it waits until a workbook asks. Errors then: no layout runs.
    """
    if not isinstance(plan, TrainingPlan) or not isinstance(scenario, TrainingScenario):
        return ()
    return (replace(EMPTY["layouts"], rows=LazyRows(lambda: _layout_rows(plan, scenario))),)


def _layout_rows(plan: TrainingPlan, scenario: TrainingScenario) -> tuple[tuple[Value, ...], ...]:
    try:
        found = layouts_of(scenario, training_inputs(scenario))
    except SizebookError as error:
        raise error.with_message(f"table layouts: {error}") from error
    return tuple(tuple(flat(each).values()) for each in alternatives(plan, found))
