"""The serving report: GPUs and money for a traffic, the latency it gets, and how sure each figure is."""

from datetime import date

from sizebook.core.texts import Text, plural, text
from sizebook.core.units import counted, gibibytes, grouped, parameters, percent
from sizebook.plans.serving.choice import Choices
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.remarks import warnings
from sizebook.plans.serving.steps import derivations
from sizebook.reports.alternative_tables import rent_buy_or_call
from sizebook.reports.charts.chart_types import Limit, Series, Stacks
from sizebook.reports.document import Report, Row, Section, Table, derivation, figure_columns, headings, section
from sizebook.reports.number_columns import fixed
from sizebook.reports.phrases import data_dates
from sizebook.reports.serving.latency import latency
from sizebook.reports.serving.money import carbon, cost, cost_chart, decision, sensitivity
from sizebook.reports.serving.notes import alternatives, assumptions, error_bands
from sizebook.reports.serving.replicas import fleet
from sizebook.reports.serving.request_latency import request_latency
from sizebook.reports.serving.summary import sentences, tiles
from sizebook.serving.quantities import ENGINE_NAMES
from sizebook.tables.hardware import accelerator

GIB = 2.0**30


def report(plan: ServingPlan, as_of: date, title: str = "", choices: Choices | None = None) -> Report:
    """Return the report of one serving plan; with ``choices`` it lists what else would serve the traffic."""
    others = () if choices is None else (alternatives(plan, choices),)
    return Report(
        kind=text("Serving plan"),
        title=title or text("Serving {model}", model=plan.model),
        subtitle=(_subtitle(plan)),
        as_of=as_of,
        sentences=sentences(plan),
        tiles=tiles(plan),
        chart=cost_chart(plan),
        warnings=warnings(plan),
        sections=(
            decision(plan),
            *rent_buy_or_call(
                plan.alternative_months, plan.alternatives, said=plan.alternatives.sentences, volumes=plan.volumes
            ),
            fleet(plan),
            latency(plan) if plan.replica.loaded is None else request_latency(plan, plan.replica.loaded),
            _memory(plan),
            cost(plan),
            *sensitivity(plan),
            carbon(plan),
            *others,
            error_bands(plan),
            derivation(derivations(plan)),
            assumptions(plan),
        ),
        data_dates=data_dates("hardware", "prices", "grid", "calibration_serving"),
    )


def _subtitle(plan: ServingPlan) -> Text:
    setup, asked = plan.replica.setup, plan.traffic.mean_demand
    known: dict[str, str] = {
        "model": plan.model,
        "gpu": accelerator(setup.gpu).name,
        "engine": ENGINE_NAMES[setup.replica.engine],
        "weights": setup.replica.weight_dtype or text("as published"),
        "requests": counted(parameters(plan.inputs.days[0]), "requests"),
        "prompt": counted(grouped(asked.input_tokens), "tokens"),
        "answer": grouped(asked.output_tokens),
    }
    if not plan.replica.decodes:
        return text(
            "{model} on {gpu} with {engine}, weights {weights}; {requests} a day of {prompt} in, answered in one pass",
            **known,
        )
    return text(
        "{model} on {gpu} with {engine}, weights {weights}; {requests} a day of {prompt} in and {answer} out",
        **known,
    )


def _memory(plan: ServingPlan) -> Section:
    memory, replica = plan.replica.memory, plan.replica
    parts = (
        (text("Weights"), float(memory.weight_bytes)),
        (text("Activation peak"), float(memory.activation_bytes)),
        (text("Driver and communication"), float(memory.non_torch_bytes)),
        (text("Cache"), float(memory.cache_bytes)),
        (text("Left free by the engine"), float(memory.physical_bytes - memory.allowed_bytes)),
    )
    series = tuple(Series(name, (size / GIB,), (fixed(size / GIB, 1),)) for name, size in parts)
    rows = [Row((name, fixed(size / GIB, 2), fixed(100 * size / memory.physical_bytes, 1))) for name, size in parts]
    physical, allowed = float(memory.physical_bytes), float(memory.allowed_bytes) / GIB
    rows.append(Row((text("Physical memory"), fixed(physical / GIB, 2), fixed(100, 1)), "total"))
    return section(
        text("Memory"),
        plural(
            replica.capacity,
            "The cache has {gibibytes} a GPU: room for {n} request",
            "The cache has {gibibytes} a GPU: room for {n} requests",
            gibibytes=gibibytes(float(memory.cache_bytes)),
        ),
        Stacks(
            text(
                "Memory of one {gpu}: weights take {percent}",
                gpu=accelerator(replica.setup.gpu).name,
                percent=percent(float(memory.weight_bytes) / physical),
            ),
            "GiB",
            (text("One GPU"),),
            series=series,
            totals=(gibibytes(physical),),
            limit=Limit(allowed, text("The engine may use {memory}", memory=gibibytes(allowed * GIB))),
        ),
        Table(
            text("Memory of one GPU"),
            headings(
                text("Component"), figure_columns(text("Memory"), unit="GiB"), figure_columns(text("Share"), unit="%")
            ),
            tuple(rows),
            note=text(
                "Room is counted for {held} tokens of each request, on all GPUs of a replica.",
                held=grouped(replica.held_tokens),
            ),
        ),
    )
