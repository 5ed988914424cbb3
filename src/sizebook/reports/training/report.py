"""The training report: time, memory, money, energy and carbon of one run, with the band that published runs give."""

from collections.abc import Sequence
from datetime import date

from sizebook.core.sections import leaves
from sizebook.core.texts import joined, plural, text
from sizebook.core.units import amount, duration, gibibytes, grouped, parameters, percent, significant
from sizebook.plans.training.breakdown import step_parts, time_parts
from sizebook.plans.training.case import Case
from sizebook.plans.training.plan import TrainingPlan
from sizebook.plans.training.remarks import warnings
from sizebook.plans.training.steps import derivations
from sizebook.reports.charts.chart_types import Bar, Bars, Limit, Series, Stacks
from sizebook.reports.document import (
    Column,
    Report,
    Row,
    Section,
    Table,
    derivation,
    figure_columns,
    headings,
    section,
)
from sizebook.reports.number_columns import align_points, aligned, fixed, largest_unit
from sizebook.reports.phrases import data_dates
from sizebook.reports.training.adapters import adapters
from sizebook.reports.training.case_phrases import band_text, cost_text, days, share, whole_cost, whole_run
from sizebook.reports.training.money import carbon, cost, cost_chart, sensitivity
from sizebook.reports.training.notes import assumptions, conventions
from sizebook.reports.training.summary import is_fine_tuning, sentences, tiles
from sizebook.training.memory import Memory
from sizebook.training.whole_run import basis_of, factor_of

DAY = 86_400.0
GIB = 2.0**30
MOST_STAGES = 6
CASE_LABELS = {"low": text("Fast"), "middle": text("Middle"), "high": text("Slow")}
Units = tuple[tuple[float, str], ...]
TIME: Units = ((DAY, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "s"))
AXES = {
    "days": text("Days from the start"),
    "hours": text("Hours from the start"),
    "minutes": text("Minutes from the start"),
    "s": text("Seconds from the start"),
}
CARBON: Units = ((1e3, "tCO\u2082e"), (1.0, "kgCO\u2082e"))
# Figures of a case that the table of cases shows, and their units from the largest down to the one they are kept in.
CASE_UNITS: dict[str, Units] = {
    "step_seconds": ((1.0, "s"), (1e-3, "ms")),
    "tokens_per_s_per_gpu": ((1.0, "tokens/s"),),
    "mfu": ((0.01, "%"),),
    "hfu": ((0.01, "%"),),
    "goodput": ((0.01, "%"),),
    "train_seconds": TIME,
    "gpu_hours": ((1e3, text("thousands")), (1.0, text("hours"))),
    "case_usd_per_gpu_hour": ((1.0, "USD"),),
    "whole_run_usd_per_gpu_hour": ((1.0, "USD"),),
    "cost_usd": ((1e3, text("USD, thousands")), (1.0, "USD")),
    "whole_run_factor": ((0.01, "%"),),
    "programme_gpu_hours": ((1e3, text("thousands")), (1.0, text("hours"))),
    "programme_days": tuple((seconds / DAY, unit) for seconds, unit in TIME),
    "programme_cost_usd": ((1e3, text("USD, thousands")), (1.0, "USD")),
    "energy_kwh": ((1e3, "MWh"), (1.0, "kWh")),
    "co2e_kg": CARBON,
    "co2e_market_kg": CARBON,
    "embodied_kg": CARBON,
}
# Series of the memory chart, and the components of `Memory` that each adds up: six colours are the most.
MEMORY_PARTS: dict[str, tuple[str, ...]] = {
    text("Weights"): ("weights",),
    text("Gradients"): ("gradients",),
    text("Optimizer states"): ("optimizer_states", "master_weights"),
    text("Activations"): ("activations",),
    text("Logits"): ("loss",),
    text("Buffers and context"): ("buffers", "fragmentation", "context"),
}


def report(plan: TrainingPlan, as_of: date, title: str = "") -> Report:
    """Return the report of one training plan."""
    inputs = plan.inputs
    return Report(
        kind=text("Fine-tuning plan") if is_fine_tuning(plan) else text("Training plan"),
        title=title or text("{model} on {n} {name}", model=inputs.model, n=grouped(inputs.gpus), name=inputs.gpu.name),
        subtitle=(
            text(
                "{model}, {parameters} tokens, sequences of {seq}, {batch} a batch; {compute_dtype}, {optimizer}",
                model=inputs.model,
                parameters=parameters(inputs.tokens),
                seq=grouped(inputs.batches.seq),
                batch=grouped(inputs.batches.batch),
                compute_dtype=inputs.method.compute_dtype,
                optimizer=inputs.method.recipe.optimizer,
            )
        ),
        as_of=as_of,
        sentences=sentences(plan),
        tiles=tiles(plan),
        chart=cost_chart(plan),
        warnings=warnings(plan),
        sections=(
            _time(plan),
            *_step(plan),
            _memory(plan),
            *adapters(plan),
            cost(plan),
            *sensitivity(plan),
            carbon(plan),
            conventions(plan),
            derivation(derivations(plan)),
            assumptions(plan),
        ),
        data_dates=data_dates("hardware", "prices", "grid", "calibration_training"),
    )


def _time(plan: TrainingPlan) -> Section:
    cases = plan.cases if plan.step is not None else (plan.middle,)
    parts = [time_parts(case) for case in cases]
    factor, unit = largest_unit(plan.middle.train_seconds, TIME)
    series = tuple(
        Series(
            rows[0].label,
            tuple(part.value / factor for part in rows),
            tuple(aligned([part.value for part in rows], factor=factor)),
        )
        for rows in zip(*parts, strict=True)
        if any(part.value for part in rows)
    )
    labels = tuple(CASE_LABELS[case.name] for case in cases) if len(cases) > 1 else (text("At the given MFU"),)
    lost = 1 - plan.middle.goodput
    chart = Stacks(
        text(
            "{days} from start to last token, {percent} of the steps' time lost to failures",
            days=days(plan.middle),
            percent=percent(lost),
        ),
        AXES[unit],
        labels,
        series=series,
        totals=tuple(days(case) for case in cases),
    )
    return section(
        text("Time"),
        text("Training takes {days}, {banded}", days=days(plan.middle), banded=band_text(plan, days)),
        chart,
        _both(plan),
        _cases(plan),
    )


def _both(plan: TrainingPlan) -> Table:
    """Return the middle case as steady state and as a whole run, beside one another."""
    middle = plan.middle
    basis = basis_of(plan.inputs.programme)
    rows = (
        (text("Steady state"), amount(middle.gpu_hours), days(middle), cost_text(middle)),
        (text("Whole run"), amount(middle.programme_gpu_hours), whole_run(middle), whole_cost(middle)),
    )
    return Table(
        text("Steady state and whole run, middle case"),
        headings(text("Account"), figure_columns(text("GPU-hours"), text("Time"), text("Cost"))),
        tuple(Row(row) for row in rows),
        note=text(
            "A whole run has restarts, ramp, evaluation, warm-up and slow nodes: {factor_of} "
            "times steady state ({basis}). Energy and carbon are of the whole run.",
            factor_of=fixed(factor_of(plan.inputs.programme), 2),
            basis=basis,
        ),
    )


def _cases(plan: TrainingPlan) -> Table:
    """Return every figure of the cases, a column each; what is not stated has no row."""
    cases = plan.shown_cases
    columns = headings(text("Figure"), text("Unit"), *(Column(CASE_LABELS[case.name], figures=True) for case in cases))
    labels = {leaf.name: text(leaf.quantity.label) for leaf in leaves(Case)}
    lines = [
        (labels[name], *_figures([getattr(case, name) for case in cases], units))
        for name, units in CASE_UNITS.items()
        if getattr(plan.middle, name) is not None
    ]
    by_case = zip(*(texts for _, _, texts in lines), strict=True)
    by_line = zip(*map(align_points, by_case), strict=True)
    rows = tuple(Row((label, unit, *texts)) for (label, unit, _), texts in zip(lines, by_line, strict=True))
    band = (
        ""
        if plan.step is None
        else text(
            "Fast and slow: measured over predicted step time at the 10th and 90th percentile of "
            "{runs}, by groups that the fit had not seen, in steady state; those of the whole run combine it with how "
            "far published programmes lie off their factor.",
            runs=plan.work.band.runs,
        )
    )
    if plan.paid_range.price_share:
        both = text("Costs take the end of the price of GPU-hours as well, which differs independently of the time.")
        band = joined((band, both))
    return Table(text("The run in figures"), columns, rows, note=band)


def _figures(values: Sequence[float], units: Units) -> tuple[str, list[str]]:
    """Return one figure of every case in the unit that suits the smallest, and that unit."""
    factor, unit = largest_unit(min(values), units)
    return text(unit), aligned(values, factor=factor)


def _step(plan: TrainingPlan) -> tuple[Section, ...]:
    """Return where the time of a step goes; nothing where the MFU was given, for then it is not known."""
    if plan.step is None:
        return ()
    parts = sorted(step_parts(plan.step), key=lambda part: -part.value)
    bars = tuple(
        Bar(
            part.label,
            part.value,
            text("{duration} ({share})", duration=duration(part.value), share=share(part.value / plan.step.total)),
            marked=index == 0,
        )
        for index, part in enumerate(parts)
    )
    largest = percent(parts[0].value / plan.step.total)
    batches = plural(plan.work.micro_batches, "{n} micro-batch", "{n} micro-batches")
    title = text("A step of {duration}, {batches} a pipeline", duration=duration(plan.step.total), batches=batches)
    return (
        section(
            text("Step"),
            text("{cause}: {share} of a step", cause=parts[0].label, share=largest),
            Bars(title, text("Seconds of one step"), bars),
        ),
    )


def _memory(plan: TrainingPlan) -> Section:
    stages = _shown_stages(plan)
    labels = tuple(
        text("Every GPU") if len(plan.work.stages) == 1 else text("Stage {value}", value=stage.stage + 1)
        for stage in stages
    )
    series = tuple(
        Series(name, sizes, tuple(fixed(size, 1) for size in sizes))
        for name, sizes in (
            (name, tuple(sum(getattr(stage, part) for part in parts) / GIB for stage in stages))
            for name, parts in MEMORY_PARTS.items()
        )
        if any(sizes)
    )
    totals = [stage.total / GIB for stage in stages]
    rows = [Row((one.name, *(fixed(value, 2) for value in one.values))) for one in series]
    rows.append(Row((text("Total"), *(fixed(value, 2) for value in totals)), "total"))
    headroom = plan.room_bytes
    room, has = gibibytes(abs(headroom)), gibibytes(plan.capacity_bytes)
    if headroom >= 0:
        message = text("The fullest GPU leaves {room} of {has} free", room=room, has=has)
    else:
        message = text("The fullest GPU lacks {room} of {has}", room=room, has=has)
    columns = (Column(text("Component")), *(Column(label, "GiB", figures=True) for label in labels))
    usable = text("{n} GiB usable", n=significant(plan.capacity_bytes / GIB))
    return section(
        text("Memory"),
        message,
        Stacks(
            text("Memory of one GPU by component, {name}", name=plan.inputs.layout.name),
            "GiB",
            labels,
            series=series,
            totals=tuple(text("{n} GiB", n=fixed(value, 2)) for value in totals),
            limit=Limit(plan.capacity_bytes / GIB, usable),
        ),
        Table(
            text("Memory of one GPU by component"),
            columns,
            tuple(rows),
            note=text(
                "Optimizer states hold the master weights; buffers and context the allocator's cache "
                "and what driver and communication take outside it."
            ),
        ),
        new_page=plan.step is None,
    )


def _shown_stages(plan: TrainingPlan) -> tuple[Memory, ...]:
    """Return the first, fullest and last pipeline stage and, where there is room, those between."""
    if len(plan.work.stages) <= MOST_STAGES:
        return plan.work.stages
    chosen = {0, 1, plan.fullest.stage, len(plan.work.stages) - 2, len(plan.work.stages) - 1}
    return tuple(stage for stage in plan.work.stages if stage.stage in chosen)
