"""Rows of inputs that reports of training share: what a run's pace, power and price rest on."""

from sizebook.core.texts import text
from sizebook.core.units import percent, significant
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.input_rows import InputRow
from sizebook.reports.number_columns import plain_number, watts
from sizebook.training.whole_run import basis_of, factor_of


def pace_rows(plan: TrainingPlan) -> tuple[InputRow, InputRow]:
    """Return the recipe, and how the time of a step was found."""
    given = plan.inputs.utilization
    return (
        (text("Recipe"), plan.work.recipe, text("scenario, else the lightest that fits")),
        (text("Utilisation"), percent(given), text("scenario"))
        if given is not None
        else (text("Step time"), text("model of compute, memory and network"), plan.work.rates_basis(given)),
    )


def cost_rows(plan: TrainingPlan, price: str) -> tuple[InputRow, InputRow]:
    """Return what a whole run has over its steady state, and the price of a GPU-hour as it is shown."""
    programme = plan.inputs.programme
    return (
        (text("Whole run over steady state"), significant(factor_of(programme)), basis_of(programme)),
        (text("Price per GPU-hour"), price, plan.inputs.costs.basis),
    )


def power_rows(plan: TrainingPlan) -> tuple[InputRow, InputRow]:
    """Return the power of a GPU and the carbon of a kilowatt-hour."""
    power = plan.inputs.power
    source = text("scenario, else its limit or the TDP in data/hardware.csv")
    carbon = text("{grams_per_kwh} g/kWh", grams_per_kwh=plain_number(power.grams_per_kwh))
    return (
        (text("Power of a GPU at work"), watts(power.watts), source),
        (text("Carbon intensity"), carbon, power.grid_basis),
    )
