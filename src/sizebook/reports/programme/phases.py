"""The phases of a programme side by side: when they run, what they train on, what they cost, what memory they need."""

from sizebook.core.texts import Text, joined, plural, text
from sizebook.core.units import duration, grouped, parameters, percent, significant, usd
from sizebook.plans.programme.phase import PlannedPhase
from sizebook.plans.programme.plan import ProgrammePlan
from sizebook.reports.charts.chart_types import Span, Spans
from sizebook.reports.document import Column, Row, Section, Table, by_column, figure_columns, headings, section
from sizebook.reports.number_columns import aligned, fixed, in_scale, plain_number, share, short_scale, summed
from sizebook.reports.phrases import gpus

GIB = 2.0**30


def phases(plan: ProgrammePlan) -> Section:
    """Return the timeline of the phases and their tables."""
    longest = max(plan.phases, key=lambda each: each.cases[1].days)
    spans = tuple(
        Span(
            each.phase.name,
            start,
            start + each.cases[1].days,
            text=text("{duration}, {usd}", duration=duration(86_400 * each.cases[1].days), usd=usd(each.cases[1].usd)),
            marked=each is longest,
        )
        for each, start in zip(plan.phases, plan.starts, strict=True)
    )
    return section(
        text("Phases"),
        text(
            "{name} takes {share} of the time",
            name=longest.phase.name,
            share=share(longest.cases[1].days, plan.middle.days),
        ),
        Spans(
            text("From the first day to day {n}", n=significant(plan.middle.days)),
            text("Days from the start"),
            spans,
        ),
        _runs(plan),
        _cost(plan),
        new_page=True,
    )


def _runs(plan: ProgrammePlan) -> Table:
    # What all phases share stands once, in the title, and leaves the layouts their room.
    trained = [_trained(each) for each in plan.phases]
    shared = len(set(trained)) == 1
    rows = tuple(
        Row(
            (
                each.phase.name,
                *(() if shared else (what,)),
                parameters(each.training.inputs.tokens),
                grouped(each.training.inputs.batches.seq),
                grouped(each.gpus),
                each.training.inputs.layout.name,
                fixed(100 * each.training.middle.mfu, 1),
            )
        )
        for each, what in zip(plan.phases, trained, strict=True)
    )
    columns = headings(
        text("Phase"),
        *(() if shared else (Column(text("Model and GPU")),)),
        figure_columns(text("Tokens"), text("Sequence"), text("GPUs")),
        text("Layout"),
        figure_columns(text("MFU"), unit="%"),
    )
    title = text("What each phase trains on")
    if shared:
        title = text("What each phase trains on: {what}", what=trained[0])
    return Table(title, columns, rows, note=_generated(plan))


def _trained(each: PlannedPhase) -> Text:
    run = each.training.inputs
    return text("{model}, {name}", model=run.model, name=run.gpu.name)


def _generated(plan: ProgrammePlan) -> str:
    found = [_answers(each) for each in plan.phases if each.replica is not None]
    return joined([text("MFU is that of training in steady state."), *found])


def _answers(each: PlannedPhase) -> str:
    rollouts = each.phase.rollouts
    rate = each.replicas * each.replica.requests_per_second if each.replica else 0.0
    where = text("before each step")
    if rollouts.rollout_gpus:
        where = text("on {gpus} beside training", gpus=gpus(rollouts.rollout_gpus))
    return plural(
        each.replicas,
        "{name}: {n} replica generates {rate} answers a second of {tokens} tokens {where}.",
        "{name}: {n} replicas generate {rate} answers a second of {tokens} tokens {where}.",
        name=each.phase.name,
        rate=significant(rate),
        tokens=grouped(rollouts.rollout_output_tokens),
        where=where,
    )


def _cost(plan: ProgrammePlan) -> Table:
    middles = [each.cases[1] for each in plan.phases]
    money, money_sign = short_scale(case.usd for each in plan.phases for case in each.cases)
    hours, hours_sign = short_scale(case.gpu_hours for case in middles)
    beside = [case.beside_gpu_hours for case in middles]
    steady = [each.training.middle.gpu_hours for each in plan.phases]
    usd_unit, hours_unit = in_scale(money_sign, "USD"), in_scale(hours_sign, "h")
    columns = {
        Column(text("Days"), figures=True): [*aligned([case.days for case in middles]), ""],
        Column(text("Steady state"), hours_unit, figures=True): summed(steady, hours),
        Column(text("Whole run"), hours_unit, figures=True): summed([c.training_gpu_hours for c in middles], hours),
        Column(text("Beside it"), hours_unit, figures=True): summed(beside, hours),
        **{
            Column(label, usd_unit, figures=True): summed([each.cases[at].usd for each in plan.phases], money)
            for at, label in enumerate((text("Fast"), text("Middle"), text("Slow")))
        },
        Column(text("Power"), "MW", figures=True): [*aligned([case.power_mw for case in middles]), ""],
    }
    names = [*(each.phase.name for each in plan.phases), text("Phases together")]
    return by_column(
        text("Time and cost of each phase"),
        text("Phase"),
        names,
        columns=columns,
        note=text(
            "Hours are GPU-hours: of training in steady state, of its whole run, and beside it, which is forward "
            "passes of reference models, generating answers, and GPUs that wait for the other part. Days, hours and "
            "power are of the middle case."
        ),
    )


def memory(plan: ProgrammePlan) -> Section:
    """Return the memory of the fullest GPU of each phase, and what is kept of it."""
    fullest = max(plan.phases, key=lambda each: each.memory_bytes / each.capacity_bytes)
    rows = tuple(
        Row(
            (
                each.phase.name,
                fixed(each.training.fullest.total / GIB, 1),
                fixed(each.reference_bytes / GIB, 1),
                fixed(each.capacity_bytes / GIB, 1),
                text("{kept_checkpoints}", kept_checkpoints=plain_number(each.phase.kept_checkpoints)),
                fixed(checkpoint / 1e12, 3),
                grouped(storage),
            )
        )
        for each, checkpoint, storage in zip(plan.phases, _checkpoints(plan), plan.storage_usd, strict=True)
    )
    columns = headings(
        text("Phase"),
        figure_columns(text("Training"), text("Reference model"), text("A GPU has"), unit="GiB"),
        figure_columns(text("Checkpoints kept")),
        figure_columns(text("One of them"), unit="TB"),
        figure_columns(text("Storage"), unit="USD"),
    )
    return section(
        text("Memory and checkpoints"),
        text(
            "{name} fills {percent} of a GPU",
            name=fullest.phase.name,
            percent=percent(fullest.memory_bytes / fullest.capacity_bytes),
        ),
        Table(text("Fullest GPU of each phase, and what is stored of it"), columns, rows),
    )


def _checkpoints(plan: ProgrammePlan) -> list[float]:
    return [plan.terms.storage.checkpoint_bytes_per_parameter * each.checkpoint_parameters for each in plan.phases]
