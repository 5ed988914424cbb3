"""The serving report: GPUs and money for a traffic, the latency it gets, and how sure each figure is."""

from __future__ import annotations

from datetime import date

from sizebook.core.tables import table
from sizebook.core.units import duration, gibibytes, grouped, parameters, percent, usd
from sizebook.plans.serving.choice import Choices
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.steps import derivations
from sizebook.reports.charts.kinds import Series, Stacks
from sizebook.reports.figures import counted, fixed
from sizebook.reports.serving.fleet import fleet
from sizebook.reports.serving.latency import latency
from sizebook.reports.serving.money import carbon, cost, sensitivity
from sizebook.reports.serving.notes import alternatives, assumptions, errors
from sizebook.reports.serving.requests import requests_seen
from sizebook.reports.view import Column, Derivation, Report, Row, Section, Table, Tile
from sizebook.serving.encoding import EncodedCase

GIB = 2.0**30
BINDING = {
    "ttft": "the time to the first token",
    "tpot": "the time per token",
    "cache": "the room in the cache",
    "batch": "the engine's largest batch",
    "prefill": "what the prefill pool reads",
    "given": "the load given in the scenario",
}


def report(plan: ServingPlan, as_of: date, title: str = "", choices: Choices | None = None) -> Report:
    """Return the report of one serving plan; with ``choices`` it lists what else would serve the traffic."""
    setup, traffic, asked = plan.replica.setup, plan.traffic, plan.traffic.asked
    others = () if choices is None else (alternatives(plan, choices),)
    return Report(
        kind="Serving plan",
        title=title or f"Serving {plan.model}",
        subtitle=(
            f"{plan.model} on {setup.gpu} with {setup.replica.engine}, {plan.replica.layout}, "
            f"weights {setup.replica.weight_dtype or 'as published'}; "
            f"{parameters(traffic.requests_per_day)} requests a day of {grouped(asked.input_tokens)} tokens in"
            f"{f' and {grouped(asked.output_tokens)} out' if plan.replica.decodes else ', answered in one pass'}"
        ),
        as_of=as_of,
        summary=_summary(plan),
        tiles=_tiles(plan),
        sections=(
            fleet(plan),
            latency(plan) if plan.replica.loaded is None else requests_seen(plan, plan.replica.loaded),
            _memory(plan),
            cost(plan),
            sensitivity(plan),
            carbon(plan),
            *others,
            errors(plan),
            Section("Derivation", "How each figure was computed", (Derivation(derivations(plan)),)),
            assumptions(plan),
        ),
        data_dates=f"hardware of {_latest('hardware')}, calibration of {_latest('calibration_serving')}",
    )


def _latest(name: str) -> str:
    return max(row["retrieved"] for row in table(name))


def _summary(plan: ServingPlan) -> str:
    month, replica, fewest, most = plan.months[0], plan.replica, plan.fewest[0], plan.most[0]
    last = plan.months[-1]
    later = f" It grows to {last.peak_gpus} GPUs and {usd(last.usd)} in month {last.month}."
    growth = "" if last is month else later
    return (
        f"The traffic takes {counted(month.peak_gpus, 'GPU')} in its busiest hour ({fewest.peak_gpus} to "
        f"{most.peak_gpus}) and costs {usd(month.usd)} a month ({usd(fewest.usd)} to "
        f"{usd(most.usd)}).{growth} "
        f"One replica of {counted(replica.gpus, 'GPU')} carries {grouped(replica.concurrency)} requests "
        f"at once; {BINDING[replica.binding]} is the limit. {_ranges(plan)}"
    )


def _ranges(plan: ServingPlan) -> str:
    if not isinstance(plan.replica.case, EncodedCase):
        return "Ranges hold eight of ten measurements."
    return "Nothing was measured of models with an encoder: ranges are the widest band of all others."


def _tiles(plan: ServingPlan) -> tuple[Tile, ...]:
    month, fewest, most = plan.months[0], plan.fewest[0], plan.most[0]
    return (
        Tile("GPUs, busiest hour", grouped(month.peak_gpus), f"{fewest.peak_gpus} to {most.peak_gpus}"),
        Tile("Cost a month", usd(month.usd), f"{usd(fewest.usd)} to {usd(most.usd)}"),
        *_speed_and_price(plan),
    )


def _speed_and_price(plan: ServingPlan) -> tuple[Tile, ...]:
    """Return what a request sees and what a million tokens cost: those put in, where one pass answers."""
    month, replica, full = plan.months[0], plan.replica, plan.usd_per_mtok_saturated
    first, token = replica.bands["ttft"], replica.bands["tpot"]
    ttft, tpot = float(replica.at_knee.ttft_seconds), float(replica.at_knee.tpot_seconds)
    seen = f"{duration(ttft * first.low)} to {duration(ttft * first.high)}"
    if not replica.decodes:
        each = full / plan.traffic.asked.input_tokens
        return (
            Tile("Answer", duration(ttft), seen),
            Tile("Million input tokens", usd(month.usd_per_mtok_input), f"{usd(each)} if always full"),
        )
    return (
        Tile("First token", duration(ttft), seen),
        Tile("Each further token", duration(tpot), f"{duration(tpot * token.low)} to {duration(tpot * token.high)}"),
        Tile("Million output tokens", usd(month.usd_per_mtok_output), f"{usd(full)} if always full"),
    )


def _memory(plan: ServingPlan) -> Section:
    memory, replica = plan.replica.memory, plan.replica
    parts = (
        ("Weights", float(memory.weight_bytes)),
        ("Activation peak", float(memory.activation_bytes)),
        ("Driver and communication", float(memory.non_torch_bytes)),
        ("Cache", float(memory.cache_bytes)),
        ("Left free by the engine", float(memory.physical_bytes - memory.allowed_bytes)),
    )
    series = tuple(Series(name, (size / GIB,), (fixed(size / GIB, 1),)) for name, size in parts)
    rows = [Row((name, fixed(size / GIB, 2), fixed(100 * size / memory.physical_bytes, 1))) for name, size in parts]
    physical = float(memory.physical_bytes)
    rows.append(Row(("Physical memory", fixed(physical / GIB, 2), fixed(100, 1)), "total"))
    longest = grouped(plan.traffic.longest_tokens)
    return Section(
        "Memory",
        f"The cache has {gibibytes(float(memory.cache_bytes))} a GPU: room for {grouped(replica.capacity)} requests",
        (
            Stacks(
                f"Memory of one {replica.setup.gpu}: weights take {percent(float(memory.weight_bytes) / physical)}",
                "GiB",
                ("One GPU",),
                series=series,
                totals=(gibibytes(physical),),
            ),
            Table(
                "Memory of one GPU",
                (Column("Component"), Column("Memory", "GiB", figures=True), Column("Share", "%", figures=True)),
                tuple(rows),
                note=f"Room is counted for whole sequences of {longest} tokens, input and "
                "output, on all GPUs of a replica.",
            ),
        ),
    )
