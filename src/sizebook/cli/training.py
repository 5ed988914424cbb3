"""`sizebook plan train` prints a training plan: memory a GPU, time, money, energy and carbon, low, middle and high."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click

from sizebook.plans.training import Case, TrainingInputs, TrainingPlan, capacity_bytes, plan_training
from sizebook.plans.training_memory import COMPONENTS
from sizebook.plans.training_search import search
from sizebook.scenarios import parse, read_toml
from sizebook.training_scenario import TrainingScenario, training_inputs
from sizebook.units import duration, flop, gibibytes, grouped, percent, significant, usd


@click.command("train")
@click.argument("scenario", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print every figure as JSON.")
@click.option("--explain", "explained", is_flag=True, help="Print how each figure came about, and other conventions.")
@click.option("--layouts", "searched", is_flag=True, help="Print the ten fastest layouts, and why faster ones fail.")
def plan_train(scenario: Path, as_json: bool, explained: bool, searched: bool) -> None:
    """Print the training plan of a scenario file."""
    checked = parse(TrainingScenario, read_toml(scenario), scenario.name)
    inputs = training_inputs(checked)
    if searched:
        click.echo(_layouts(inputs, as_json))
        return
    plan = plan_training(inputs)
    if as_json:
        click.echo(json.dumps(as_data(plan), indent=2))
        return
    click.echo("\n".join(as_text(plan)))
    if explained:
        click.echo("\n".join(_explained(plan)))


def _layouts(inputs: TrainingInputs, as_json: bool) -> str:
    """Return the layout search of a scenario as text or JSON; the scenario's own layout plays no part."""
    capacity = capacity_bytes(inputs.gpu)
    found = search(
        inputs.architecture, inputs.gpu, inputs.gpus, inputs.seq, inputs.batch, capacity, inputs.dtype, inputs.recipe
    )
    rows = (*found.best, *found.failing)
    if as_json:
        data = [{**asdict(each), "layout": {"name": each.layout.name, **asdict(each.layout)}} for each in rows]
        return json.dumps({"tried": found.tried, "fitting": found.fitting, "layouts": data}, indent=2)
    lines = [f"{found.fitting} of {found.tried} layouts fit in {gibibytes(capacity)} a GPU", ""]
    lines.append(f"{'layout':<52}{'memory':>10}{'step':>10}{'tokens/s per GPU':>18}")
    for each in rows:
        figures = f"{gibibytes(each.memory_bytes):>10}{duration(each.step_seconds):>10}"
        lines.append(
            f"{each.layout.name:<52}{figures}{significant(each.tokens_per_s_per_gpu):>18}  {each.reason}".rstrip()
        )
    return "\n".join(lines)


def as_data(plan: TrainingPlan) -> dict[str, Any]:
    """Return the plan as plain data: bytes, FLOP, seconds, USD, kWh and kilograms."""
    inputs = plan.inputs
    stages = [
        {**asdict(each), "allocated": each.allocated, "reserved": each.reserved, "total": each.total}
        for each in plan.stages
    ]
    return {
        "model": inputs.model,
        "gpu": inputs.gpu.key,
        "gpus": inputs.gpus,
        "tokens": inputs.tokens,
        "seq": inputs.seq,
        "batch": inputs.batch,
        "dtype": inputs.dtype,
        "layout": {"name": inputs.layout.name, **asdict(inputs.layout)},
        "recipe": asdict(inputs.recipe),
        "parameters": plan.count.total,
        "active_parameters": plan.count.active,
        "flops_per_token": {"convention": inputs.convention, "value": plan.flops_per_token, **plan.conventions},
        "memory": {"capacity_bytes": plan.capacity_bytes, "fits": plan.fits, "stages": stages},
        "step_seconds": None if plan.step is None else asdict(plan.step),
        "goodput": plan.goodput,
        "checkpoint_interval_seconds": plan.checkpoint_interval_seconds,
        "hfu": plan.hfu,
        "cases": {case.name: {**asdict(case), "days": case.days} for case in plan.cases},
        "price": asdict(inputs.costs),
        "power": asdict(inputs.power),
        "figures": [asdict(step) for step in plan.figures],
    }


def as_text(plan: TrainingPlan) -> list[str]:
    """Return the plan as lines of text."""
    inputs = plan.inputs
    return [
        f"{inputs.model} on {inputs.gpus} x {inputs.gpu.name}, {grouped(inputs.tokens)} tokens",
        f"layout      {inputs.layout.name}, {_micro_batches(plan)}, {inputs.dtype}",
        f"parameters  {grouped(plan.count.total)}",
        f"compute     {flop(plan.flops_per_token, 4)}/token ({inputs.convention}), HFU {percent(plan.hfu)}",
        "",
        *_memory_lines(plan),
        "",
        *_case_lines(plan),
        "",
        f"goodput     {percent(plan.goodput)}, a checkpoint every {duration(plan.checkpoint_interval_seconds)}",
        f"price       {inputs.costs.price_usd_per_gpu_hour:g} USD a GPU-hour ({inputs.costs.basis})",
        f"energy      {inputs.power.watts:g} W a GPU, host share {inputs.power.host_share:g}, PUE {inputs.power.pue:g}",
        f"grid        {inputs.power.grams_per_kwh:g} gCO2e/kWh ({inputs.power.grid_basis})",
    ]


def _micro_batches(plan: TrainingPlan) -> str:
    inputs, n = plan.inputs, plan.micro_batches
    return f"{n} micro-batch{'es' if n > 1 else ''} of {inputs.layout.micro_batch} x {inputs.seq} tokens a step"


def _memory_lines(plan: TrainingPlan) -> list[str]:
    fullest = plan.fullest
    spare = plan.capacity_bytes - fullest.total
    head = f"memory      {gibibytes(fullest.total)} of {gibibytes(plan.capacity_bytes)} a GPU, {gibibytes(spare)} free"
    if len(plan.stages) > 1:
        head += f" (stage {fullest.stage + 1} of {len(plan.stages)} is fullest)"
    parts = ((name.replace("_", " "), getattr(fullest, name)) for name in COMPONENTS)
    lines = [head, *(f"  {name:<18}{gibibytes(n_bytes):>10}" for name, n_bytes in parts if n_bytes)]
    reported = f"allocated {gibibytes(fullest.allocated)}, reserved {gibibytes(fullest.reserved)}"
    return [*lines, f"  what a framework reports as its peak: {reported}"]


def _case_lines(plan: TrainingPlan) -> list[str]:
    rows: list[tuple[str, list[str]]] = [
        ("", [case.name for case in plan.cases]),
        ("step", [duration(case.step_seconds) for case in plan.cases]),
        ("tokens/s per GPU", [significant(case.tokens_per_s_per_gpu) for case in plan.cases]),
        ("MFU", [percent(case.mfu) for case in plan.cases]),
        ("time", [duration(case.train_seconds) for case in plan.cases]),
        ("GPU-hours", [grouped(case.gpu_hours) for case in plan.cases]),
        ("cost", [usd(case.cost_usd) for case in plan.cases]),
        ("energy", [f"{significant(case.energy_kwh / 1000)} MWh" for case in plan.cases]),
        ("CO2e, location", [f"{significant(case.co2e_kg / 1000)} t" for case in plan.cases]),
        ("CO2e, market", [_tonnes(case) for case in plan.cases]),
        ("CO2e, embodied", [f"{significant(case.embodied_kg / 1000)} t" for case in plan.cases]),
    ]
    if plan.step is None:
        rows[0] = ("", ["given"] * 3)
    width = 1 if plan.step is None else 3
    return ["".join([f"{label:<18}", *(f"{cell:>14}" for cell in cells[:width])]).rstrip() for label, cells in rows]


def _tonnes(case: Case) -> str:
    return "-" if case.co2e_market_kg is None else f"{significant(case.co2e_market_kg / 1000)} t"


def _explained(plan: TrainingPlan) -> list[str]:
    lines = ["", "FLOPs per token under each convention"]
    lines += [f"  {name:<12}{flop(value, 4):>14}" for name, value in plan.conventions.items()]
    if plan.step is not None:
        lines += ["", "Seconds of a step"]
        lines += [f"  {f.name.replace('_', ' '):<18}{getattr(plan.step, f.name):>10.4f}" for f in fields(plan.step)]
    for step in plan.figures:
        lines += ["", step.label, f"  formula  {step.formula}"]
        lines += [f"  numbers  {step.substituted}"] if step.substituted else []
        lines += [f"  result   {step.shown}", f"  source   {step.source}"]
    return lines
