"""Spreadsheet functions of programmes: the budget in three cases, its months, and the phases side by side."""

from __future__ import annotations

from typing import Annotated, Any

from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, Quantity, flat, leaves
from sizebook.plans.columns import sections_of, width_of
from sizebook.plans.ledgers import Cases, Ledger
from sizebook.plans.programme.figures import PhaseFigures, as_rows
from sizebook.plans.programme.inputs import Phase, ProgrammeInputs, ProgrammeTerms
from sizebook.plans.programme.plan import Budget, ProgrammeMonth, ProgrammePlan, plan_programme
from sizebook.plans.training.case import NAMES

Phases = Annotated[
    list[list[Any]],
    Quantity(
        "phases as a range: names of their inputs (name, model, gpu, gpus, tokens ...) in the first column, then "
        "one column a phase in the order in which they run; a column without a model stays out",
        kind="range",
        label="Phases",
    ),
]
FiguresByPhase = Annotated[
    list[list[Any]], Quantity("a row with the names of the phases, then one figure a row", kind="range")
]
# One model at a given MFU, steady state only, so that every figure can be checked by hand.
_EXAMPLE = {
    "phases": [
        ["name", "Pre-training", "DPO"],
        ["kind", "training", "preference"],
        ["model", "gpt-2-small", "gpt-2-small"],
        ["gpu", "a100-sxm-80gb", "a100-sxm-80gb"],
        ["gpus", 8, 8],
        ["tokens", 10e12, 1e12],
        ["batch", 64, 64],
        ["seq", 1024, 1024],
        ["dp", 8, 8],
        ["recompute", "none", "none"],
        ["mfu", 0.4, 0.4],
        ["price_usd_per_gpu_hour", 2, 2],
        ["grams_per_kwh", 400, 400],
        ["programme_factor", 1, 1],
        ["gpu_mtbf_hours", 1e15, 1e15],
    ],
}
# All three cases are alike: a given MFU has no band.
_CASE = {
    "days": 104.81941096136391,
    "gpu_hours": 30187.990356872804,
    "phases_usd": 40250.65380916374,
    "ablation_usd": 20125.32690458187,
    "evaluation_usd": 0.0,
    "data_usd": 0.0,
    "storage_usd": 9.616708362239999,
    "egress_usd": 0,
    "usd": 60385.59742210785,
    "energy_kwh": 19622.193731967323,
    "co2e_kg": 7848.877492786931,
    "peak_mw": 0.0078,
}
_BUDGET: list[list[Any]] = [["name", *_CASE], *([name, *_CASE.values()] for name in NAMES)]
# Each figure over the months.
_MONTHS: dict[str, list[float]] = {
    "gpu_hours": [8760.0, 8760.0, 8759.999999999998, 3907.9903568728073],
    "phases_usd": [11680.0, 11680.0, 11679.999999999998, 5210.653809163743],
    "ablation_usd": [5840.0, 5840.0, 5839.999999999999, 2605.3269045818715],
    "evaluation_usd": [0.0, 0.0, 0.0, 0.0],
    "data_usd": [0.0, 0.0, 0.0, 0.0],
    "storage_usd": [0, 0, 0, 9.616708362239999],
    "egress_usd": [0.0, 0.0, 0.0, 0],
    "usd": [17520.0, 17520.0, 17519.999999999996, 7825.597422107855],
    "energy_kwh": [5694.000000000001, 5694.000000000001, 5694.0, 2540.1937319673243],
    "co2e_kg": [2277.6000000000004, 2277.6000000000004, 2277.6, 1016.07749278693],
    "mean_mw": [0.007800000000000001, 0.007800000000000001, 0.0078, 0.0034797174410511294],
    "peak_mw": [0.0078, 0.0078, 0.0078, 0.0078],
}
_LEDGER: list[list[Any]] = [list(_MONTHS), *map(list, zip(*_MONTHS.values(), strict=True))]
_FIGURES: list[list[Any]] = [
    ["name", "Pre-training", "DPO"],
    ["kind", "training", "preference"],
    ["parameters", 124439808, 124439808],
    ["trained_parameters", 124439808, 124439808],
    ["tokens", 10000000000000.0, 1000000000000.0],
    ["seq", 1024, 1024],
    ["gpus", 8, 8],
    ["layout", "TP1 PP1 DP8 ZeRO-1 mb1", "TP1 PP1 DP8 ZeRO-1 mb1"],
    ["recipe", "nothing recomputed", "nothing recomputed"],
    ["mfu", 0.39999999999999997, 0.39999999999999997],
    ["start_day", 0.0, 92.48771555414463],
    ["steady_gpu_hours", 17757.641386395768, 1775.7641386395771],
    ["programme_factor", 1, 1],
    ["programme_basis", "factor given in the scenario", "factor given in the scenario"],
    ["days", 92.48771555414463, 12.331695407219286],
    ["training_gpu_hours", 17757.641386395768, 1775.7641386395771],
    ["forward_gpu_hours", 0.0, 591.9213795465257],
    ["rollout_gpu_hours", 0.0, 0.0],
    ["waiting_gpu_hours", 0.0, 0.0],
    ["gpu_hours", 17757.641386395768, 2367.685518186103],
    ["usd", 35515.282772791536, 4735.371036372206],
    ["energy_kwh", 11542.46690115725, 1538.9955868209668],
    ["co2e_kg", 4616.9867604629, 615.5982347283867],
    ["power_mw", 0.0052, 0.005199999999999999],
    ["days_low", 92.48771555414463, 12.331695407219286],
    ["days_high", 92.48771555414463, 12.331695407219286],
    ["usd_low", 35515.282772791536, 4735.371036372206],
    ["usd_high", 35515.282772791536, 4735.371036372206],
    ["memory_bytes", 3361122688.0, 3610002304.0],
    ["capacity_bytes", 84986665370, 84986665370.0],
    ["answers_per_second", 0.0, 0.0],
    ["replicas", 0, 0],
    ["checkpoint_bytes", 1742157312, 1742157312],
    ["storage_usd", 4.8083541811199995, 4.8083541811199995],
    ["price_usd_per_gpu_hour", 2, 2],
    ["price_basis", "price given in the scenario, USD", "price given in the scenario, USD"],
    ["run_family", "dense ampere megatron", "dense ampere megatron"],
    ["rates_basis", "none: the step follows from the MFU given", "none: the step follows from the MFU given"],
]
SOURCE = "sizebook.plans.programme.plan over the training plans of its phases; answers: the serving model"


def _plan(phases: Any, terms: ProgrammeTerms) -> tuple[dict[int, Phase], ProgrammePlan]:
    found = sections_of(Phase, phases, "phase")
    return found, plan_programme(ProgrammeInputs(phases=tuple(found.values()), terms=terms))


@function(category="training time", source=SOURCE, example=(_EXAMPLE, _BUDGET))
@takes("search")
def programme_budget(phases: Phases, terms: ProgrammeTerms = DEFAULT) -> Cases:
    """Return a programme's budget: names, then low, middle and high: days, GPU-hours, cost by part, energy, carbon.

    The figures of 'sizebook plan programme' for the same inputs, computed by the same plan. Low and high take every
    phase at the same end of its band.
    """
    _, plan = _plan(phases, terms)
    return [[leaf.name for leaf in leaves(Budget)], *(list(flat(budget).values()) for budget in plan.budgets)]


@function(category="training time", source=SOURCE, example=(_EXAMPLE, _LEDGER))
@takes("search")
def programme_ledger(phases: Phases, terms: ProgrammeTerms = DEFAULT) -> Ledger:
    """Return a programme month by month in its middle case: GPU-hours, cost by part, energy, carbon, power in MW.

    Names in the first row, then a row for every 730 hours, the first for what is left of its month. The figures of
    'sizebook plan programme' for the same inputs, computed by the same plan; the months add up to the middle case of
    PROGRAMME_BUDGET.
    """
    _, plan = _plan(phases, terms)
    return [[leaf.name for leaf in leaves(ProgrammeMonth)], *(list(flat(month).values()) for month in plan.months)]


@function(category="training time", source=SOURCE, example=(_EXAMPLE, _FIGURES))
@takes("search")
def programme_figures(phases: Phases, terms: ProgrammeTerms = DEFAULT) -> FiguresByPhase:
    """Return the phases of a programme side by side: tokens, GPUs, layout, days, GPU-hours by use, cost, memory.

    Names of the figures in the first column, those of the phases in the first row, in the columns of the range; a
    column without a model is blank. Where a column states no degree of its layout, the fastest is searched.
    """
    found, plan = _plan(phases, terms)
    shown = dict(zip(found, as_rows(plan), strict=True))
    columns = range(1, width_of(phases) + 1)
    table: list[list[Any]] = [["name", *(found[at].name if at in found else "" for at in columns)]]
    for leaf in leaves(PhaseFigures):
        table.append([leaf.name, *(shown[at][leaf.name] if at in shown else "" for at in columns)])
    return table
