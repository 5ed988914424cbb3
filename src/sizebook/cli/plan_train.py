"""`sizebook plan train` prints a training plan: memory per GPU, time, cost, energy and carbon in three cases."""

import json
import math
from dataclasses import asdict
from typing import Any

import click

from sizebook.cli.options import refuse_without_effect
from sizebook.cli.plan_printing import ScenarioFile, plan_options, print_plan
from sizebook.cli.text_tables import text_table
from sizebook.core.sections import flat, leaves
from sizebook.core.units import NOT_LISTED, brief, duration, flop, gibibytes, grouped, measure, percent, significant
from sizebook.plans.training.case import DAY, Case
from sizebook.plans.training.inputs import Training
from sizebook.plans.training.plan import TrainingPlan, plan_training
from sizebook.plans.training.remarks import warnings
from sizebook.plans.training.search import Search, fitting
from sizebook.plans.training.searched_layout import fixed_fields
from sizebook.plans.training.steps import derivations
from sizebook.scenarios.training import TrainingScenario, layouts_of, training_inputs
from sizebook.training.memory import COMPONENTS, Memory
from sizebook.training.time import StepTime
from sizebook.training.tuning import TUNING_NAMES
from sizebook.training.whole_run import basis_of, factor_of

# Figures of a case in the text; JSON has all of them.
SHOWN = (
    "step_seconds",
    "tokens_per_s_per_gpu",
    "mfu",
    "train_seconds",
    "gpu_hours",
    "cost_usd",
    "whole_run_factor",
    "programme_gpu_hours",
    "programme_days",
    "programme_cost_usd",
    "energy_kwh",
    "co2e_kg",
    "co2e_market_kg",
    "embodied_kg",
)


@click.command("train")
@plan_options
@click.option("--layouts", "searched", is_flag=True, help="Print the ten fastest layouts, and why faster ones fail.")
def plan_train(scenario: ScenarioFile, as_json: bool, explained: bool, searched: bool) -> None:
    """Print the training plan of a scenario file."""
    refuse_without_effect("with --layouts", explain=explained and searched)
    checked = scenario.read(TrainingScenario, "training")
    inputs = training_inputs(checked)
    if searched:
        found = layouts_of(checked, inputs)
        click.echo(
            _layouts(inputs, found, fitting(inputs, fixed_fields(checked.inputs.layout, checked.stated)), as_json)
        )
        return
    plan = plan_training(inputs)
    print_plan(
        plan,
        checked.money,
        as_json,
        data=lambda: as_data(plan),
        text=lambda: [*as_text(plan), *(_timed(plan) if explained else [])],
        steps=derivations(plan) if explained else (),
    )


def _price(inputs: Training) -> str:
    costs = inputs.costs
    if math.isnan(costs.price_usd_per_gpu_hour):
        return f"{NOT_LISTED}: {costs.basis}"
    return f"{costs.price_usd_per_gpu_hour:g} USD a GPU-hour"


def _layouts(inputs: Training, found: Search, n_fitting: int, as_json: bool) -> str:
    """Return the fastest layouts as text or JSON."""
    rows = (*found.best, *found.failing)
    if as_json:
        data = [{**asdict(each), "layout": {"name": each.layout.name, **flat(each.layout)}} for each in rows]
        return json.dumps({"tried": found.tried, "fitting": n_fitting, "layouts": data}, indent=2)
    table = [("layout", "memory", "step", "tokens/s per GPU", "")]
    for each in rows:
        pace = duration(each.step_seconds), significant(each.tokens_per_s_per_gpu)
        table.append((each.layout.name, gibibytes(each.memory_bytes), *pace, each.reason))
    head = f"{n_fitting} of {found.tried} layouts fit in {gibibytes(inputs.capacity_bytes)} a GPU"
    return "\n".join([head, "", *text_table(table, left=(0, 4))])


def as_data(plan: TrainingPlan) -> dict[str, Any]:
    """Return the plan as plain data: bytes, FLOP, seconds, USD, kWh and kilograms."""
    inputs, power = plan.inputs, plan.inputs.power
    stages = [
        {**flat(each), "allocated": each.allocated, "reserved": each.reserved, "total": each.total}
        for each in plan.work.stages
    ]
    memory = {"capacity_bytes": plan.capacity_bytes, "fits": plan.fits, "fullest": plan.fullest.stage, "stages": stages}
    convention = inputs.pace.flops_convention
    return {
        "model": inputs.model,
        "gpu": inputs.gpu.key,
        "gpus": inputs.gpus,
        "tokens": inputs.tokens,
        **flat(inputs.batches),
        "layout": {"name": inputs.layout.name, **flat(inputs.layout)},
        **flat(inputs.pace),
        "recipe": flat(inputs.method),
        "operations": flat(inputs.operations),
        "notes": list(plan.notes),
        "parameters": plan.count.total,
        "active_parameters": plan.count.active,
        "trained": plan.inputs.method.recipe.trained,
        "trained_parameters": plan.trained_parameters,
        "padding": {**flat(inputs.examples), "share": inputs.padding_share, "avoided": inputs.padding_avoided},
        "flops_per_token": {"convention": convention, "value": plan.flops_per_token, **plan.work.flops_per_token},
        "memory": memory,
        "rates_basis": plan.work.rates_basis(inputs.utilization),
        "step_seconds": None if plan.step is None else flat(plan.step),
        "checkpoint_interval_seconds": plan.checkpoint_interval_seconds,
        "cases": {case.name: flat(case) for case in plan.cases},
        "programme": {
            "factor": factor_of(inputs.programme),
            "basis": basis_of(inputs.programme),
        },
        "price": {**asdict(inputs.costs), "share_of_range": plan.paid_range.price_share},
        "power": {
            "watts": power.watts,
            "grams_per_kwh": power.grams_per_kwh,
            "grid_basis": power.grid_basis,
            **flat(power.footprint),
        },
        "figures": [asdict(step) for step in derivations(plan)],
        "warnings": list(warnings(plan)),
    }


def as_text(plan: TrainingPlan) -> list[str]:
    """Return the plan as lines of text."""
    inputs, power, middle = plan.inputs, plan.inputs.power, plan.middle
    factor = factor_of(inputs.programme)
    watts = "power not listed" if math.isnan(power.watts) else f"{measure(power.watts)} W a GPU"
    return [
        f"{inputs.model} on {inputs.gpus} x {inputs.gpu.name}, {grouped(inputs.tokens)} tokens",
        f"layout      {inputs.layout.name}, {_micro_batches(plan)}, {inputs.method.compute_dtype}",
        f"parameters  {grouped(plan.count.total)}",
        *_tuned_lines(plan),
        f"compute     {flop(plan.flops_per_token, 4)}/token ({_counting(plan)}), HFU {percent(middle.hfu)}",
        "",
        *_memory_lines(plan),
        f"recipe      {plan.work.recipe}",
        "",
        *_case_lines(plan),
        "",
        f"goodput     {percent(middle.goodput)} of the time advances the run, with a checkpoint every "
        f"{duration(plan.checkpoint_interval_seconds)}",
        f"whole run   takes {factor:.3g} times its steady state ({basis_of(inputs.programme)})",
        *_band_lines(plan),
        f"speed basis {plan.work.rates_basis(inputs.utilization)}",
        f"price       {_price(inputs)}",
        f"energy      {watts}, the host {percent(power.footprint.host_share)} more, PUE {power.footprint.pue:g}",
        f"grid        {power.grams_per_kwh:g} gCO2e/kWh ({power.grid_basis})",
        *(f"to know     {warning}" for warning in warnings(plan)),
    ]


def _band_lines(plan: TrainingPlan) -> list[str]:
    """Return the measured runs that give the range from low to high; none if the pace was given."""
    if plan.step is None:
        return []
    band = plan.work.band
    ends = f"{percent(band.low - 1)} to +{percent(band.high - 1)}"
    return [f"range       of step time {ends}: eight of ten measured runs lie within it ({band.family}, {band.runs})"]


def _tuned_lines(plan: TrainingPlan) -> list[str]:
    """Return what is trained, unless it is the whole model, and what padding costs if examples are shorter."""
    inputs, recipe = plan.inputs, plan.inputs.method.recipe
    lines = []
    if recipe.lora_rank:
        share = percent(plan.trained_parameters / plan.count.total, 2)
        lines.append(
            f"trained     {TUNING_NAMES[recipe.trained]}: rank {recipe.lora_rank} on {recipe.lora_on}, "
            f"{grouped(plan.trained_parameters)} parameters ({share})"
        )
    if inputs.padding_share or inputs.padding_avoided:
        lines.append(
            f"padding     {percent(inputs.padding_share)} of a step, {percent(inputs.padding_avoided)} avoided"
        )
    return lines


def _counting(plan: TrainingPlan) -> str:
    rank = plan.inputs.method.recipe.lora_rank
    return plan.inputs.pace.flops_convention + (f", adapters of rank {rank}" if rank else "")


def _micro_batches(plan: TrainingPlan) -> str:
    inputs, n = plan.inputs, plan.work.micro_batches
    return f"{n} micro-batch{'es' if n > 1 else ''} of {inputs.layout.micro_batch} x {inputs.batches.seq} tokens a step"


def _memory_lines(plan: TrainingPlan) -> list[str]:
    fullest = plan.fullest
    spare = plan.room_bytes
    head = f"memory      {gibibytes(fullest.total)} of {gibibytes(plan.capacity_bytes)} a GPU, {gibibytes(spare)} free"
    if len(plan.work.stages) > 1:
        head += f" (stage {fullest.stage + 1} of {len(plan.work.stages)} is fullest)"
    parts = ((leaf.quantity.label, getattr(fullest, leaf.name)) for leaf in leaves(Memory) if leaf.name in COMPONENTS)
    lines = [head, *(f"  {label:<24}{gibibytes(n_bytes):>10}" for label, n_bytes in parts if n_bytes)]
    reported = f"allocated {gibibytes(fullest.allocated)}, reserved {gibibytes(fullest.reserved)}"
    return [*lines, f"  what a framework reports as its peak: {reported}"]


def _case_lines(plan: TrainingPlan) -> list[str]:
    cases = plan.shown_cases
    rows = [("", *(case.name if len(cases) > 1 else "given" for case in cases))]
    for leaf in leaves(Case):
        if leaf.name in SHOWN:
            rows.append((leaf.quantity.label, *(_cell(getattr(case, leaf.name), leaf.quantity.unit) for case in cases)))
    return text_table(rows)


def _cell(value: float | None, unit: str) -> str:
    if value is None:
        return "not stated"
    return duration(value * DAY) if unit == "days" else brief(value, unit)


def _timed(plan: TrainingPlan) -> list[str]:
    """Return FLOPs by convention and the parts of a step, which JSON always has."""
    lines = ["", "FLOPs per token under each convention"]
    lines += [f"  {name:<12}{flop(value, 4):>14}" for name, value in plan.work.flops_per_token.items()]
    if plan.step is not None:
        lines += ["", "Seconds of a step"]
        lines += [f"  {leaf.quantity.label:<18}{getattr(plan.step, leaf.name):>10.4f}" for leaf in leaves(StepTime)]
    return lines
