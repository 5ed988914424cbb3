"""The first page of the training report: what the whole run takes and costs, what of it is steady state, how sure."""

import math

from sizebook.core.texts import Text, text
from sizebook.core.units import NOT_LISTED, energy, gibibytes, mass, parameters, percent
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.document import Tile
from sizebook.reports.number_columns import fixed
from sizebook.reports.phrases import gpus
from sizebook.reports.training.case_phrases import band_text, cost_text, days, price, whole_cost, whole_run
from sizebook.training.tuning import TUNING_NAMES
from sizebook.training.whole_run import factor_of


def is_fine_tuning(plan: TrainingPlan) -> bool:
    """Return whether a run goes on from trained weights: it says so, or it trains adapters."""
    recipe = plan.inputs.method.recipe
    return recipe.tuning is not None or bool(recipe.lora_rank)


def sentences(plan: TrainingPlan) -> tuple[str, str, str]:
    """Return what the whole run takes and costs, what of it is steady state, and memory with how sure the time is."""
    return _whole(plan), _steady(plan), _sure(plan)


def _whole(plan: TrainingPlan) -> Text:
    middle, inputs = plan.middle, plan.inputs
    known: dict[str, str] = {
        "run": _run(plan),
        "tokens": parameters(inputs.tokens),
        "time": whole_run(middle),
        "gpus": gpus(inputs.gpus),
        "gpu": inputs.gpu.name,
    }
    if math.isnan(middle.cost_usd):
        return text(
            "{run} on {tokens} tokens takes {time} on {gpus} of type {gpu}; no price is listed, so no cost.", **known
        )
    return text(
        "{run} on {tokens} tokens takes {time} on {gpus} of type {gpu} and costs {cost}{band}.",
        cost=whole_cost(middle),
        band=_band(plan),
        **known,
    )


def _band(plan: TrainingPlan) -> str:
    return text(" ({band})", band=band_text(plan, whole_cost)) if len(plan.shown_cases) > 1 else ""


def _run(plan: TrainingPlan) -> Text:
    """Return what is done: the model is trained, tuned, or adapters on it."""
    inputs, recipe = plan.inputs, plan.inputs.method.recipe
    if not is_fine_tuning(plan):
        return text("Training {model}", model=inputs.model)
    if not recipe.lora_rank:
        return text("{method} of {model}", method=TUNING_NAMES[recipe.trained], model=inputs.model)
    return text(
        "{method} of {model} ({trained} trained parameters)",
        method=TUNING_NAMES[recipe.trained],
        model=inputs.model,
        trained=parameters(plan.trained_parameters),
    )


def _steady(plan: TrainingPlan) -> Text:
    middle, factor = plan.middle, factor_of(plan.inputs.programme)
    if math.isnan(middle.cost_usd) and factor == 1:
        return text("That is steady state; restarts are all that is lost.")
    if math.isnan(middle.cost_usd):
        return text(
            "Of that, steady state takes {time}; restarts, ramp and evaluation make it {factor} times as much.",
            time=days(middle),
            factor=fixed(factor, 2),
        )
    if factor == 1:
        return text("That is steady state at {price} per GPU-hour; restarts are all that is lost.", price=price(plan))
    return text(
        "Of that, steady state takes {time} and costs {cost} ({band}) at {price} per GPU-hour; restarts, ramp and "
        "evaluation make it {factor} times as much.",
        time=days(middle),
        cost=cost_text(middle),
        band=band_text(plan, cost_text),
        price=price(plan),
        factor=fixed(factor, 2),
    )


def _sure(plan: TrainingPlan) -> Text:
    needs, has = gibibytes(plan.fullest.total), gibibytes(plan.capacity_bytes)
    if plan.step is None:
        return text(
            "The fullest GPU needs {needs} of {has}; the time follows from the given MFU of {mfu}.",
            needs=needs,
            has=has,
            mfu=percent(plan.middle.mfu),
        )
    return text(
        "The fullest GPU needs {needs} of {has}; ranges are the 10th to the 90th percentile of {runs} that the model "
        "of time had not seen.",
        needs=needs,
        has=has,
        runs=plan.work.band.runs,
    )


def tiles(plan: TrainingPlan) -> tuple[Tile, ...]:
    """Return the headline figures: money, time and emissions of the whole run, and what of it is steady state."""
    middle = plan.middle
    return (
        Tile(text("Cost, whole run"), whole_cost(middle), band_text(plan, whole_cost)),
        Tile(text("Time, whole run"), whole_run(middle), band_text(plan, whole_run)),
        _steady_or_trained(plan),
        Tile(
            text("GPU memory"),
            gibibytes(plan.fullest.total),
            text("{share} of what it has", share=percent(plan.fullest.total / plan.capacity_bytes)),
        ),
        Tile(
            text("Of peak compute (MFU)"),
            percent(middle.mfu),
            band_text(plan, lambda case: percent(case.mfu), falling=True),
        ),
        Tile(
            text("Emissions, whole run"),
            mass(middle.co2e_kg),
            NOT_LISTED
            if math.isnan(middle.energy_kwh)
            else text("{energy}, whole run", energy=energy(middle.energy_kwh)),
        ),
    )


def _steady_or_trained(plan: TrainingPlan) -> Tile:
    """Return steady state, or how much is trained where adapters are and a whole run is the same as steady state."""
    middle, trained = plan.middle, plan.trained_parameters
    if plan.inputs.method.recipe.lora_rank and factor_of(plan.inputs.programme) == 1:
        share = percent(trained / plan.count.total, 2)
        return Tile(text("Trained"), parameters(trained), text("parameters, {share} of all", share=share))
    return Tile(text("Steady state"), days(middle), band_text(plan, days))
