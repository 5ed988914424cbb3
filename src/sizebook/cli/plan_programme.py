"""`sizebook plan programme` prints a training programme: phases, a budget in three cases, months with MW."""

import math
from typing import Any

import click

from sizebook.cli.plan_printing import ScenarioFile, plan_options, print_plan
from sizebook.cli.text_tables import text_table
from sizebook.core.sections import flat, leaves
from sizebook.core.texts import range_text
from sizebook.core.units import brief, gibibytes, grouped, number_of, parameters, percent
from sizebook.plans.programme.figures import figures
from sizebook.plans.programme.phase import PhaseCase, PlannedPhase
from sizebook.plans.programme.plan import Budget, ProgrammePlan, warnings
from sizebook.plans.programme.steps import derivations
from sizebook.scenarios.programme import ProgrammeScenario, plan_programme_scenario
from sizebook.training.tuning import TUNING_NAMES


@click.command("programme")
@plan_options
def plan_programme_command(scenario: ScenarioFile, as_json: bool, explained: bool) -> None:
    """Print the budget of several training runs one after another, from a scenario file."""
    checked = scenario.read(ProgrammeScenario, "programme")
    plan = plan_programme_scenario(checked)
    print_plan(
        plan,
        checked.money,
        as_json,
        data=lambda: as_data(plan),
        text=lambda: as_text(plan),
        steps=derivations(plan) if explained else (),
    )


def as_data(plan: ProgrammePlan) -> dict[str, Any]:
    """Return the programme as plain data: days, GPU-hours, USD, kWh, kilograms, megawatts, bytes."""
    return {
        "phases": [_phase(plan, at) for at in range(len(plan.phases))],
        "budget": {budget.name: flat(budget) for budget in plan.budgets},
        "price_share": plan.price_share,
        "months": [{"month": plan.label(at), **flat(month)} for at, month in enumerate(plan.months)],
        "terms": {**flat(plan.terms), "start": str(plan.terms.start) if plan.terms.start else None},
        "warnings": list(warnings(plan)),
    }


def _phase(plan: ProgrammePlan, at: int) -> dict[str, Any]:
    each = plan.phases[at]
    cases = {case.name: flat(found) for case, found in zip(each.training.cases, each.cases, strict=True)}
    names = {"name": each.phase.name, "model": each.phase.model, "gpu": each.training.inputs.gpu.key}
    return {**names, **flat(figures(plan, at)), "cases": cases}


def as_text(plan: ProgrammePlan) -> list[str]:
    """Return the programme as lines."""
    phases = [line for at in range(len(plan.phases)) for line in _phase_lines(plan, at)]
    return [*phases, *_side_by_side(plan), "", *_budget_lines(plan), "", *_month_lines(plan), *warnings(plan)]


def _phase_lines(plan: ProgrammePlan, at: int) -> list[str]:
    each, shown = plan.phases[at], figures(plan, at)
    middle: PhaseCase = shown.case
    days = range_text(brief(shown.days_low, "days"), brief(shown.days_high, "days"))
    cost = f"{brief(middle.usd, 'USD')} ({range_text(brief(shown.usd_low, 'USD'), brief(shown.usd_high, 'USD'))})"
    if math.isnan(middle.usd):
        cost = "cost not listed"
    power = "power not listed" if math.isnan(middle.power_mw) else f"{brief(middle.power_mw, 'MW')} MW"
    lines = [
        f"{each.phase.name}: {each.phase.model}, {parameters(shown.tokens)} tokens of {grouped(shown.seq)} on "
        f"{grouped(shown.gpus)} x {each.training.inputs.gpu.name}, {shown.layout}",
        f"  {brief(middle.days, 'days')} days ({days}), {cost}, MFU {percent(shown.mfu)}, {power}",
        f"  {gibibytes(shown.memory_bytes)} of {gibibytes(shown.capacity_bytes)} a GPU, {shown.recipe}",
        *_trained(each),
    ]
    if each.replica is not None:
        lines.append(
            f"  {number_of(shown.replicas, 'replica')} for {brief(shown.answers_per_second, 'requests/s')} answers a "
            f"second of {grouped(each.phase.rollouts.rollout_output_tokens)} tokens"
        )
    return [*lines, ""]


def _trained(each: PlannedPhase) -> list[str]:
    """Return what is trained, unless it is the whole model."""
    recipe = each.training.inputs.method.recipe
    if not recipe.lora_rank:
        return []
    trained = grouped(each.training.trained_parameters)
    return [f"  {TUNING_NAMES[recipe.trained]} of rank {recipe.lora_rank} on {recipe.lora_on}: {trained} parameters"]


def _side_by_side(plan: ProgrammePlan) -> list[str]:
    """Return the phases as a table, one row each, then the factors of whole runs and the rates."""
    heads = ("Phase", "starts", "days", "GPUs", "steady", "factor", "beside", "GPU-hours", "cost", "MW")
    rows = [heads]
    for at, each in enumerate(plan.phases):
        shown = figures(plan, at)
        cells = (
            each.phase.name,
            brief(shown.start_day, "days"),
            brief(shown.case.days, "days"),
            grouped(shown.gpus),
            brief(shown.steady_gpu_hours, "GPU-hours"),
            f"{shown.programme_factor:.3g}",
            brief(shown.case.beside_gpu_hours, "GPU-hours"),
            brief(shown.case.gpu_hours, "GPU-hours"),
            brief(shown.case.usd, "USD"),
            brief(shown.case.power_mw, "MW"),
        )
        rows.append(cells)
    lines = text_table(rows)
    phases = [figures(plan, at) for at in range(len(plan.phases))]
    bases = dict.fromkeys((shown.programme_factor, shown.programme_basis) for shown in phases)
    lines += [f"whole run: {factor:.3g} times steady state ({basis})" for factor, basis in bases]
    if any(shown.case.beside_gpu_hours for shown in phases):
        lines.append("beside: GPU-hours of reference models, of generating answers, and of GPUs that wait")
    return [*lines, *(f"rates: {basis}" for basis in dict.fromkeys(shown.rates_basis for shown in phases))]


def _budget_lines(plan: ProgrammePlan) -> list[str]:
    rows = [("", *(budget.name for budget in plan.budgets))]
    for leaf in leaves(Budget):
        if leaf.name != "name":
            cells = [brief(getattr(budget, leaf.name), leaf.quantity.unit) for budget in plan.budgets]
            unit = f", {leaf.quantity.unit}" if leaf.quantity.unit == "MW" else ""
            rows.append((leaf.label + unit, *cells))
    return text_table(rows)


def _month_lines(plan: ProgrammePlan) -> list[str]:
    rows = []
    for at, m in enumerate(plan.months):
        scaled = ((m.energy_kwh / 1000, "MWh"), (m.co2e_kg / 1000, "t"), (m.mean_mw, "MW"), (m.peak_mw, "MW"))
        rows.append((plan.label(at), grouped(m.gpu_hours), grouped(m.usd), *(brief(*each) for each in scaled)))
    lines = text_table([("Month", "GPU-hours", "USD", "MWh", "tCO2e", "mean MW", "peak MW"), *rows])
    if plan.starts_within:
        lines.append(f"{plan.label(0)} holds what is left of it from {plan.terms.start} on")
    return lines
