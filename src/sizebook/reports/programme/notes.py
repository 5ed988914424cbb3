"""The back matter of a programme's report: every stated input of its terms and phases, what was looked up, what is left
out."""

from __future__ import annotations

from sizebook.plans.programme.phase import PlannedPhase
from sizebook.plans.programme.plan import ProgrammePlan, warnings
from sizebook.reports.inputs import input_rows
from sizebook.reports.view import Block, Column, Notes, Row, Section, Table
from sizebook.training.programme import basis_of, factor_of

# Inputs of a phase that a table of its own shows, or that stand in the row of what was looked up.
IN_WORDS = frozenset({
    "name", "model", "gpu", "tokens", "seq", "price_usd_per_gpu_hour", "provider", "region", "term", "watts", "grid",
    "grams_per_kwh", "start", "programme_factor",
})  # fmt: skip


def assumptions(plan: ProgrammePlan) -> Section:
    """Return every input of the programme, and of each phase those that are stated."""
    columns = (Column("Input"), Column("Value"), Column("Origin"))
    shared = tuple(Row(row) for row in input_rows(plan.terms, without=IN_WORDS))
    left_out = (
        "Inputs of a phase that are not listed have their usual value (docs/training.md).",
        "Staff, the network of the site, buying or building it, and prices that change within the programme.",
        "Swapping weights between training and generating on the same GPUs, and answers of very uneven length unless "
        "the last answer over a steady load says so.",
        "Market-based and embodied emissions: ask the training plan of a phase.",
    )
    blocks: tuple[Block, ...] = (
        Table("Shared by all phases", columns, shared),
        *(Table(each.phase.name, columns, _phase(each)) for each in plan.phases),
        Notes(left_out, "Left out"),
    )
    if told := warnings(plan):
        blocks += (Notes(told, "To check"),)
    return Section("Assumptions", "What the programme takes as given", blocks)


def _phase(each: PlannedPhase) -> tuple[Row, ...]:
    run, programme = each.training.inputs, each.training.inputs.programme
    stated = [row for row in input_rows(each.phase, without=IN_WORDS, stated=each.phase.stated) if row[2] == "scenario"]
    rows = (
        ("Whole run over steady state", f"{factor_of(programme):.3g}", basis_of(programme)),
        ("Price per GPU-hour", f"${run.costs.price_usd_per_gpu_hour:,.2f}", run.costs.basis),
        (
            "Power of a GPU at work",
            f"{run.power.watts:g} W",
            "scenario, else its limit or the TDP in data/hardware.csv",
        ),
        ("Carbon intensity", f"{run.power.grams_per_kwh:g} g/kWh", run.power.grid_basis),
        ("Recipe", each.training.work.recipe, "scenario, else the lightest that fits"),
        ("Band of", each.training.work.band.family, "data/calibration_training_bands.csv"),
        *stated,
    )
    return tuple(Row(row) for row in rows)
