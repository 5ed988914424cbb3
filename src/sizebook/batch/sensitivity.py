"""The table `sensitivity` of a plan: what its cost is at both ends of each input, for somebody's own workbook.

It is worked out when a workbook is filled, not with every plan: JSON and indexes do without it.
"""

from typing import Any

from sizebook.core.sections import Argument, Quantity
from sizebook.plans.contents import Ledger
from sizebook.plans.serving.sensitivity import sensitivities as serving_swings
from sizebook.plans.training.breakdown import sensitivities as training_swings
from sizebook.plans.training.plan import TrainingPlan
from sizebook.scenarios.serving import ServingResult

NAME = "sensitivity"
COLUMNS = (
    Argument("input", Quantity("input that moves, and how far", kind="text", label="Input"), None),
    Argument("low_usd", Quantity("cost at its low end", unit="USD", label="Cost at the low end"), None),
    Argument("high_usd", Quantity("cost at its high end", unit="USD", label="Cost at the high end"), None),
    Argument("width_usd", Quantity("how far apart the two are", unit="USD", label="Difference"), None),
)


def sensitivity(plan: Any) -> tuple[Ledger, ...]:
    """Return the table of a training or a serving plan, widest first; none of another."""
    if isinstance(plan, TrainingPlan):
        rows = [(s.label, s.low_usd, s.high_usd, s.width_usd) for s in training_swings(plan)]
    elif isinstance(plan, ServingResult):
        rows = [(s.label, s.low_usd, s.high_usd, s.width_usd) for s in serving_swings(plan.plan)]
    else:
        return ()
    return (Ledger(NAME, COLUMNS, tuple((str(label), *figures) for label, *figures in rows)),)
