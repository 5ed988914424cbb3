"""The back matter of the training report: what other conventions of FLOPs give, every assumption with its origin."""

from sizebook.core.texts import text
from sizebook.core.units import duration, flop, gibibytes, grouped, parameters, percent, usd
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.document import Notes, Row, Section, Table, figure_columns, headings, section
from sizebook.reports.input_rows import LOOKED_UP, InputRow, input_rows, inputs_table
from sizebook.reports.number_columns import aligned, fixed
from sizebook.reports.run_rows import cost_rows, pace_rows, power_rows
from sizebook.reports.training.adapters import trained_part
from sizebook.reports.training.case_phrases import price
from sizebook.training.applicability import without_sequence_parallel


def conventions(plan: TrainingPlan) -> Section:
    """Return FLOPs per token and MFU under every convention: one run, several numbers in the literature."""
    inputs, per_token, convention = plan.inputs, plan.work.flops_per_token, plan.inputs.pace.flops_convention
    rate = plan.middle.tokens_per_s_per_gpu / inputs.peak_flop_per_s
    names = list(per_token)
    gigaflop = aligned([per_token[name] for name in names], factor=1e9)
    rows = tuple(
        Row(
            (name, figure, fixed(100 * rate * per_token[name], 1), plan.work.meanings[name]),
            "marked" if name == convention else "plain",
        )
        for name, figure in zip(names, gigaflop, strict=True)
    )
    least, most = (percent(rate * bound(per_token.values())) for bound in (min, max))
    return section(
        text("Conventions"),
        text("By convention, the same run is an MFU of {least} or {most}", least=least, most=most),
        Table(
            text(
                "MFU against the dense {compute_dtype} peak of {flop}/s; this plan counts as {convention}",
                compute_dtype=inputs.method.compute_dtype,
                flop=flop(inputs.peak_flop_per_s),
                convention=convention,
            ),
            headings(
                text("Convention"),
                figure_columns(text("FLOPs per token"), unit="GFLOP"),
                figure_columns(text("MFU"), unit="%"),
                text("What it counts"),
            ),
            rows,
        ),
    )


def assumptions(plan: TrainingPlan) -> Section:
    """Return every input of the plan with where it comes from."""
    inputs = plan.inputs
    sections = (
        inputs.batches,
        inputs.examples,
        inputs.layout,
        inputs.method,
        inputs.pace,
        inputs.operations,
        inputs.power.footprint,
    )
    # The recipe says so where the framework, not the scenario, keeps norms whole.
    settled = {"sequence_parallel"} if without_sequence_parallel(inputs.method.recipe, inputs.layout) else set()
    declared = (row for section in sections for row in input_rows(section, without=OWN_ROWS | settled))
    other = (text("Other costs"), usd(inputs.costs.other_usd, 4), text("scenario or usual"))
    rows = (*_run_rows(plan), *cost_rows(plan, price(plan)), other, *power_rows(plan), *declared)
    return section(
        text("Assumptions"),
        text("What the plan takes as given"),
        inputs_table(text("Inputs"), rows),
        Notes(
            (
                *(text("Count of the model: {note}.", note=note) for note in plan.notes),
                text(
                    "Storage and network traffic unless given as other costs, failed experiments, and "
                    "the time to find the recipe. Evaluation and restarts by hand stand in the whole run "
                    "alone, of which energy and carbon are."
                ),
                text(
                    "Memory is that of the fullest pipeline stage; the allocator's cache and the "
                    "driver's context are in it."
                ),
            ),
            text("Left out"),
        ),
    )


# Inputs that a row of its own shows, in words or with what was looked up for them.
OWN_ROWS = LOOKED_UP


def _run_rows(plan: TrainingPlan) -> list[InputRow]:
    inputs, start = plan.inputs, plan.middle.start_seconds
    padding = text(
        "{share}; packing avoids {avoided}",
        share=percent(inputs.padding_share),
        avoided=percent(inputs.padding_avoided),
    )
    return [
        (
            text("Model"),
            text("{model}, {parameters} parameters", model=inputs.model, parameters=parameters(plan.count.total)),
            text("scenario; counted exactly"),
        ),
        (text("Trained"), trained_part(plan), text("scenario or usual")),
        (text("Tokens"), grouped(inputs.tokens), text("scenario")),
        (text("Padding of a step"), padding, text("examples beside the length of a sequence")),
        (
            text("GPUs"),
            text("{n} {name}", n=grouped(inputs.gpus), name=inputs.gpu.name),
            text("scenario; {source}", source=inputs.gpu.source),
        ),
        (
            text("Usable memory of a GPU"),
            gibibytes(plan.capacity_bytes),
            text("data/hardware.csv, what the driver leaves"),
        ),
        (text("Layout"), inputs.layout.name, text("scenario, else the fastest that fits")),
        *pace_rows(plan),
        (text("Checkpoint interval"), duration(plan.checkpoint_interval_seconds), text("optimum of Daly 2006")),
        *([(text("Start-up"), duration(start), text("scenario"))] if start else []),
    ]
