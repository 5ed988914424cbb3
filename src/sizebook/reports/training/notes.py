"""The back matter of the training report: what other conventions of FLOPs give, every assumption with its origin."""

from __future__ import annotations

from sizebook.core.units import duration, flop, gibibytes, grouped, parameters, percent, usd
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.figures import aligned, fixed
from sizebook.reports.inputs import input_rows
from sizebook.reports.training.adapters import in_words
from sizebook.reports.training.words import price
from sizebook.reports.view import Column, Notes, Row, Section, Table
from sizebook.training.programme import basis_of, factor_of


def conventions(plan: TrainingPlan) -> Section:
    """Return FLOPs per token and MFU under every convention: one run, several numbers in the literature."""
    inputs, per_token, convention = plan.inputs, plan.conventions, plan.inputs.pace.flops_convention
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
    return Section(
        "Conventions",
        f"By convention, the same run is an MFU of {least} or {most}",
        (
            Table(
                f"MFU against the dense {inputs.method.compute_dtype} peak of {flop(inputs.peak_flop_per_s)}/s; "
                f"this plan counts as {convention}",
                (
                    Column("Convention"),
                    Column("FLOPs per token", "GFLOP", figures=True),
                    Column("MFU", "%", figures=True),
                    Column("What it counts"),
                ),
                rows,
            ),
        ),
    )


def assumptions(plan: TrainingPlan) -> Section:
    """Return every input of the plan with where it comes from."""
    inputs = plan.inputs
    sections = (
        inputs.batches, inputs.examples, inputs.layout, inputs.method, inputs.pace, inputs.operations,
        inputs.power.footprint,
    )  # fmt: skip
    declared = (row for section in sections for row in input_rows(section, without=IN_WORDS))
    rows = (*_run_rows(plan), *_looked_up(plan), *declared)
    return Section(
        "Assumptions",
        "What the plan takes as given",
        (
            Table("Inputs", (Column("Input"), Column("Value"), Column("Origin")), tuple(Row(row) for row in rows)),
            Notes(
                (
                    *(f"Count of the model: {note}." for note in plan.notes),
                    "Storage and network traffic unless given as other costs, failed experiments, and the time to find "
                    "the recipe. Evaluation and restarts by hand stand in the whole run alone; energy and carbon are "
                    "those of steady state.",
                    "Memory is that of the fullest pipeline stage; the allocator's cache and the driver's context are "
                    "in it.",
                ),
                "Left out",
            ),
        ),
    )


# Inputs that a row of its own shows, in words or with what was looked up for them.
IN_WORDS = frozenset({
    "gpus", "tokens", "tp", "pp", "dp", "cp", "ep", "zero_stage", "micro_batch", "recompute", "interleave", "mfu",
    "achieved_tflops", "price_usd_per_gpu_hour", "provider", "region", "term", "other_usd", "watts", "grid",
    "grams_per_kwh", "tuning", "lora_rank", "lora_on", "programme_factor", "rates_file",
})  # fmt: skip


def _run_rows(plan: TrainingPlan) -> list[tuple[str, str, str]]:
    inputs, start = plan.inputs, plan.middle.start_seconds
    padding = f"{percent(inputs.padding_share)}; packing avoids {percent(inputs.padding_avoided)}"
    given = inputs.utilization
    return [
        ("Model", f"{inputs.model}, {parameters(plan.count.total)} parameters", "scenario; counted exactly"),
        ("Trained", in_words(plan), "scenario or usual"),
        ("Tokens", grouped(inputs.tokens), "scenario"),
        ("Padding of a step", padding, "examples beside the length of a sequence"),
        ("GPUs", f"{grouped(inputs.gpus)} {inputs.gpu.name}", f"scenario; {inputs.gpu.source}"),
        ("Usable memory of a GPU", gibibytes(plan.capacity_bytes), "data/hardware.csv, what the driver leaves"),
        ("Layout", inputs.layout.name, "scenario, else the fastest that fits"),
        ("Utilisation", percent(given), "scenario")
        if given is not None
        else ("Step time", "model of compute, memory and network", plan.work.rates_basis(given)),
        ("Checkpoint interval", duration(plan.checkpoint_interval_seconds), "optimum of Daly 2006"),
        *([("Start-up", duration(start), "scenario")] if start else []),
    ]


def _looked_up(plan: TrainingPlan) -> list[tuple[str, str, str]]:
    costs, power = plan.inputs.costs, plan.inputs.power
    programme = plan.inputs.programme
    return [
        ("Whole run over steady state", f"{factor_of(programme):.3g}", basis_of(programme)),
        ("Price per GPU-hour", price(plan), costs.basis),
        ("Other costs", usd(costs.other_usd, 4), "scenario or usual"),
        ("Power of a GPU at work", f"{power.watts:g} W", "scenario, else its limit or the TDP in data/hardware.csv"),
        ("Carbon intensity", f"{power.grams_per_kwh:g} g/kWh", power.grid_basis),
    ]
