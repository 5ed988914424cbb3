"""The table `layouts` of a training plan: what the search of `sizebook plan train --layouts` finds.

Searching takes as long as many plans do, so that it is done when a workbook asks for the table.
"""

from typing import Any

from sizebook.core.errors import SizebookError
from sizebook.core.sections import flat, leaves
from sizebook.plans.contents import LazyRows, Ledger, Value
from sizebook.plans.training.alternatives import LayoutFigures, alternatives
from sizebook.plans.training.plan import TrainingPlan
from sizebook.scenarios.training import TrainingScenario, layouts_of, training_inputs

NAME = "layouts"
COLUMNS = leaves(LayoutFigures)


def layouts(plan: Any, scenario: Any) -> tuple[Ledger, ...]:
    """Return the table of a training plan, none of another; refused, when it is asked for, where no layout runs."""
    if not isinstance(plan, TrainingPlan) or not isinstance(scenario, TrainingScenario):
        return ()
    return (Ledger(NAME, COLUMNS, LazyRows(lambda: _rows(plan, scenario))),)


def _rows(plan: TrainingPlan, scenario: TrainingScenario) -> tuple[tuple[Value, ...], ...]:
    try:
        found = layouts_of(scenario, training_inputs(scenario))
    except SizebookError as error:
        raise error.with_message(f"table {NAME}: {error}") from error
    return tuple(tuple(flat(each).values()) for each in alternatives(plan, found))
