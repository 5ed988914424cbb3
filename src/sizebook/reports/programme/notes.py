"""The back matter of a programme's report: every stated input of its terms and phases, what was looked up, what is left
out."""

from sizebook.core.texts import text
from sizebook.plans.programme.phase import PlannedPhase
from sizebook.plans.programme.plan import ProgrammePlan, warnings
from sizebook.reports.document import Block, Notes, Section, section
from sizebook.reports.input_rows import InputRow, input_rows, inputs_table
from sizebook.reports.number_columns import dollars
from sizebook.reports.run_rows import cost_rows, pace_rows, power_rows

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
    return section(text("Assumptions"), text("What the programme takes as given"), *blocks)


def _phase(each: PlannedPhase) -> tuple[InputRow, ...]:
    training = each.training
    stated = [
        row for row in input_rows(each.phase, without=OWN_ROWS, stated=each.phase.stated) if row[2] == text("scenario")
    ]
    return (
        *cost_rows(training, dollars(training.inputs.costs.price_usd_per_gpu_hour)),
        *power_rows(training),
        *pace_rows(training),
        (text("Band of"), training.work.band.family, "data/calibration_training_bands.csv"),
        *stated,
    )
