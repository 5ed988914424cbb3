"""Spreadsheet functions of programmes: the budget in three cases, its months, and the phases side by side."""

from typing import Annotated, Any

from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.plans.columns import sections_of, side_by_side, width_of
from sizebook.plans.ledgers import Cases, Ledger, as_table
from sizebook.plans.programme.figures import figures
from sizebook.plans.programme.inputs import Phase, ProgrammeInputs, ProgrammeTerms
from sizebook.plans.programme.plan import Budget, ProgrammeMonth, ProgrammePlan, plan_programme

Phases = Annotated[
    list[list[Any]],
    Quantity(
        "phases as a range: names of their inputs (name, model, gpu, gpus, tokens ...) in the first column, then "
        "one column a phase in the order in which they run; a column without a model stays out",
        label="Phases",
    ),
]
FiguresByPhase = Annotated[list[list[Any]], Quantity("a row with the names of the phases, then one figure a row")]
SOURCE = "sizebook.plans.programme.plan over the training plans of its phases; answers: the serving model"


def _plan(phases: Any, terms: ProgrammeTerms) -> tuple[dict[int, Phase], ProgrammePlan]:
    found = sections_of(Phase, phases, "phase")
    return found, plan_programme(ProgrammeInputs(phases=tuple(found.values()), terms=terms))


@function(category="training time", source=SOURCE)
@takes("search")
def programme_budget(phases: Phases, terms: ProgrammeTerms = DEFAULT) -> Cases:
    """Return a programme's budget: names, then low, middle and high: days, GPU-hours, cost by part, energy, carbon.

    The figures of 'sizebook plan programme' for the same inputs, computed by the same plan. Low and high take every
    phase at the same end of its band.
    """
    _, plan = _plan(phases, terms)
    return as_table(Budget, plan.budgets)


@function(category="training time", source=SOURCE)
@takes("search")
def programme_ledger(phases: Phases, terms: ProgrammeTerms = DEFAULT) -> Ledger:
    """Return a programme month by month in its middle case: GPU-hours, cost by part, energy, carbon, power in MW.

    Names in the first row, then a row for every 730 hours, the first for what is left of its month. The figures of
    'sizebook plan programme' for the same inputs, computed by the same plan; the months add up to the middle case of
    PROGRAMME_BUDGET.
    """
    _, plan = _plan(phases, terms)
    return as_table(ProgrammeMonth, plan.months)


@function(category="training time", source=SOURCE)
@takes("search")
def programme_figures(phases: Phases, terms: ProgrammeTerms = DEFAULT) -> FiguresByPhase:
    """Return the phases of a programme side by side: tokens, GPUs, layout, days, GPU-hours by use, cost, memory.

    Names of the figures in the first column, those of the phases in the first row, in the columns of the range; a
    column without a model is blank. Where a column states no degree of its layout, the fastest is searched.
    """
    found, plan = _plan(phases, terms)
    return side_by_side(found, [figures(plan, at) for at in range(len(plan.phases))], width_of(phases))
