"""What to check in a fleet plan: ceilings that are exceeded, services that never run, racks, prices."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sizebook.core.sections import flat
from sizebook.core.texts import plural, text
from sizebook.core.units import distinct_figures, grouped, measure
from sizebook.plans.commitments import beyond_the_plan
from sizebook.plans.fleet.figures import contract_tail
from sizebook.plans.fleet.nodes import fits
from sizebook.plans.fleet.plan import FleetPlan, PlannedService
from sizebook.plans.ledgers import usd_range
from sizebook.tables.hardware import accelerator, dear_prices, own_row
from sizebook.tables.nodes import listed_node
from sizebook.tables.price_rows import no_power, price_sentences

# Ceilings by the figure of a month that they are for, and the unit of both.
CEILINGS = {"gpu_ceiling": ("peak_gpus", "GPUs"), "rack_ceiling": ("racks", "racks"), "kw_ceiling": ("site_kw", "kW")}


@dataclass(frozen=True)
class Exceeded:
    """A ceiling that months exceed: its name, unit and value, the first such month from 0, its figure, how many do."""

    name: str
    unit: str
    ceiling: float
    month: int
    figure: float
    months: int


def exceeded(plan: FleetPlan) -> tuple[Exceeded, ...]:
    """Return the ceilings that the plan exceeds."""
    found = []
    for name, (figure, unit) in CEILINGS.items():
        ceiling = flat(plan.terms)[name]
        if ceiling is None:
            continue
        over = [at for at, month in enumerate(plan.months) if getattr(month, figure) > ceiling * (1 + 1e-9)]
        if over:
            found.append(Exceeded(name, unit, ceiling, over[0], getattr(plan.months[over[0]], figure), len(over)))
    return tuple(found)


def warnings(plan: FleetPlan) -> tuple[str, ...]:
    """Return what to check: ceilings first, then racks, what is odd about a service, and prices."""
    return (
        *(_over(plan, each) for each in exceeded(plan)),
        *beyond_the_plan(*contract_tail(plan)),
        *_racks(plan),
        *(
            text("{name}: {warning}", name=each.service.name, warning=said)
            for each in plan.services
            for said in _warned(plan, each)
        ),
        *price_sentences(
            [(each.service.name, each.rates.basis) for each in plan.services], usd_range(plan).price_share
        ),
    )


def _over(plan: FleetPlan, each: Exceeded) -> str:
    figure, ceiling = distinct_figures(each.figure, each.ceiling)
    known = {"month": plan.label(each.month), "figure": figure, "unit": text(each.unit), "ceiling": ceiling}
    return plural(
        plan.terms.months,
        "From {month} on {figure} {unit} exceed the ceiling of {ceiling}; in {over} of {n} month.",
        "From {month} on {figure} {unit} exceed the ceiling of {ceiling}; in {over} of {n} months.",
        over=each.months,
        **known,
    )


def _racks(plan: FleetPlan) -> Iterator[str]:
    for each in plan.node_groups:
        if listed_node(each.gpu, each.node.gpus) is None and math.isnan(each.node.kw):
            yield text(
                "No node with {n} {gpu} is listed, nor the power of a GPU; the plan assumes {units} U.",
                n=each.node.gpus,
                gpu=accelerator(each.gpu).name,
                units=each.node.rack_units,
            )
        elif listed_node(each.gpu, each.node.gpus) is None:
            yield text(
                "No node with {n} {gpu} is listed; the plan assumes {kw} kW (GPUs x TDP at the wall) and {units} U.",
                n=each.node.gpus,
                gpu=accelerator(each.gpu).name,
                kw=measure(each.node.kw),
                units=each.node.rack_units,
            )
        if not fits(each.node, plan.terms.racks):
            yield text(
                "A node of {gpu} draws {kw} kW and takes {units} U, more than a rack gives; the plan counts "
                "one node a rack.",
                gpu=accelerator(each.gpu).name,
                kw=measure(each.node.kw),
                units=each.node.rack_units,
            )


def _warned(plan: FleetPlan, planned: PlannedService) -> Iterator[str]:
    rates, longest, stated = planned.rates, planned.longest_tokens, planned.context_tokens
    if planned.service.running.start_month > plan.terms.months:
        yield plural(
            plan.terms.months,
            "begins in month {first}, after the {n} month of the plan.",
            "begins in month {first}, after the {n} months of the plan.",
            first=planned.service.running.start_month,
        )
    yield from own_row(planned.service.gpu)
    yield from dear_prices(planned.service.gpu, rates.on_demand_usd, rates.reserved_usd, rates.reserved_3y_usd)
    if math.isnan(rates.tdp_watts):
        yield no_power(planned.service.gpu)
    if stated is not None and longest > stated:
        yield text(
            "{longest} tokens a request are more than the {stated} that the model states.",
            longest=grouped(longest),
            stated=grouped(stated),
        )
    yield from (text("{note}.", note=note) for note in planned.notes)
