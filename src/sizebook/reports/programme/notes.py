"""The back matter of a programme's report: every stated input of its terms and phases, what was looked up, what is left
out."""

from __future__ import annotations

from sizebook.core.texts import text
from sizebook.core.units import percent, significant
from sizebook.plans.programme.phase import PlannedPhase
from sizebook.plans.programme.plan import ProgrammePlan, warnings
from sizebook.reports.document import Block, Notes, Section
from sizebook.reports.input_rows import InputRow, input_rows, inputs_table
from sizebook.reports.number_columns import dollars, plain_number, watts
from sizebook.training.whole_run import basis_of, factor_of

# Inputs of a phase that a table of its own shows, or that stand in the row of what was looked up.
OWN_ROWS = frozenset(
    {
        "name",
        "model",
        "gpu",
        "tokens",
        "seq",
        "price_usd_per_gpu_hour",
        "provider",
        "region",
        "term",
        "watts",
        "grid",
        "grams_per_kwh",
        "start",
        "programme_factor",
    }
)


def assumptions(plan: ProgrammePlan) -> Section:
    """Return every input of the programme, and of each phase those that are stated."""
    left_out = (
        text("Inputs of a phase that are not listed have their usual value (docs/training.md)."),
        text("Staff, the network of the site, buying or building it, and prices that change within the programme."),
        text(
            "Swapping weights between training and generating on the same GPUs, and answers of "
            "very uneven length unless the last answer over a steady load says so."
        ),
        text("Market-based and embodied emissions: ask the training plan of a phase."),
    )
    blocks: tuple[Block, ...] = (
        inputs_table(text("Shared by all phases"), input_rows(plan.terms, without=OWN_ROWS)),
        *(inputs_table(each.phase.name, _phase(each)) for each in plan.phases),
        Notes(left_out, text("Left out")),
    )
    if told := warnings(plan):
        blocks += (Notes(told, text("To check")),)
    return Section(text("Assumptions"), text("What the programme takes as given"), blocks)


def _phase(each: PlannedPhase) -> tuple[InputRow, ...]:
    run, programme = each.training.inputs, each.training.inputs.programme
    stated = [
        row for row in input_rows(each.phase, without=OWN_ROWS, stated=each.phase.stated) if row[2] == text("scenario")
    ]
    return (
        (text("Whole run over steady state"), significant(factor_of(programme)), basis_of(programme)),
        (text("Price per GPU-hour"), dollars(run.costs.price_usd_per_gpu_hour), run.costs.basis),
        (
            text("Power of a GPU at work"),
            watts(run.power.watts),
            text("scenario, else its limit or the TDP in data/hardware.csv"),
        ),
        (
            text("Carbon intensity"),
            text("{grams_per_kwh} g/kWh", grams_per_kwh=plain_number(run.power.grams_per_kwh)),
            run.power.grid_basis,
        ),
        (text("Recipe"), each.training.work.recipe, text("scenario, else the lightest that fits")),
        (text("Step time"), text("model of compute, memory and network"), each.training.work.rates_basis(None))
        if run.utilization is None
        else (text("Utilisation"), percent(run.utilization), text("scenario")),
        (text("Band of"), each.training.work.band.family, "data/calibration_training_bands.csv"),
        *stated,
    )
