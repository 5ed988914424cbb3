"""The money and carbon of the training report: cost by cause, what moves it, energy and emissions."""

from __future__ import annotations

import math

from sizebook.core.units import amount, energy, mass, percent, usd
from sizebook.plans.training.breakdown import cost_parts, sensitivities
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports.charts.kinds import Limit, Span, Spans
from sizebook.reports.figures import SHORT_WORDS, fixed, short_scale
from sizebook.reports.training.words import banded, cost_text, price, share
from sizebook.reports.view import Column, Row, Section, Table


def cost(plan: TrainingPlan) -> Section:
    parts = cost_parts(plan)
    total = plan.middle.cost_usd
    factor, sign = short_scale([total])
    spans, reached = [], 0.0
    for part in parts:
        text = f"{usd(part.value)} ({share(_ratio(part.value, total))})"
        spans.append(Span(part.label, reached / factor, (reached + part.value) / factor, text=text))
        reached += part.value
    spans.append(Span("Total", 0, total / factor, text=usd(total), marked=True))
    decimals = _decimals(total)
    largest = max(parts, key=lambda part: part.value)
    paid = f"{amount(plan.middle.gpu_hours)} GPU-hours at {price(plan)} ({plan.inputs.costs.basis})"
    return Section(
        "Cost",
        f"The run costs {usd(total)}, {banded(plan, cost_text)}",
        (
            Spans(
                f"{largest.label}: {usd(largest.value)} of {usd(total)}",
                f"USD, {SHORT_WORDS[sign]}".rstrip(", "),
                tuple(spans),
            ),
            Table(
                "Cost of the middle case by cause",
                (Column("Cause"), Column("Cost", "USD", figures=True), Column("Share", "%", figures=True)),
                (
                    *(
                        Row((part.label, fixed(part.value, decimals), fixed(100 * _ratio(part.value, total), 1)))
                        for part in parts
                    ),
                    Row(("Total", fixed(total, decimals), fixed(100, 1)), "total"),
                ),
                note=f"{paid}. A GPU is paid alike whatever it does, so each cause costs its share of the time.",
            ),
        ),
        new_page=plan.step is not None,
    )


def _decimals(total: float) -> int:
    """Return the decimals of a column of dollars: none from a thousand, cents below, more where cents say nothing."""
    if total >= 1000 or not total:
        return 0
    return max(2, 2 - math.floor(math.log10(total)))


def _ratio(part: float, total: float) -> float:
    """Return the share of a whole; a run that costs nothing has parts of nothing."""
    return part / total if total else 0.0


def sensitivity(plan: TrainingPlan) -> Section:
    swings = sensitivities(plan)
    factor, sign = short_scale([plan.middle.cost_usd])
    spans = tuple(
        Span(
            swing.label,
            min(swing.cost_low_usd, swing.cost_high_usd) / factor,
            max(swing.cost_low_usd, swing.cost_high_usd) / factor,
            text=f"{usd(swing.cost_low_usd)} to {usd(swing.cost_high_usd)}",
            marked=index == 0,
        )
        for index, swing in enumerate(swings)
    )
    base = Limit(plan.middle.cost_usd / factor, f"Middle case {usd(plan.middle.cost_usd)}")
    axis = f"Cost, USD, {SHORT_WORDS[sign]}".rstrip(", ")
    title = f"{swings[0].label}: {usd(swings[0].width_usd)} between its ends"
    return Section(
        "Sensitivity", "What the cost hangs on, one input at a time", (Spans(title, axis, spans, limit=base),)
    )


def carbon(plan: TrainingPlan) -> Section:
    middle, power, shares = plan.middle, plan.inputs.power, plan.inputs.power.footprint
    rows = [
        (
            "Energy",
            energy(middle.energy_kwh),
            f"{power.watts:g} W a GPU, host {percent(shares.host_share)}, PUE {shares.pue:g}",
        ),
        ("Emissions, location-based", mass(middle.co2e_kg), f"{power.grams_per_kwh:g} g/kWh: {power.grid_basis}"),
    ]
    if middle.co2e_market_kg is not None:
        covered = f"{percent(shares.covered_share or 0)} covered by certificates or contracts"
        rows.append(("Emissions, market-based", mass(middle.co2e_market_kg), covered))
    rows.append(("Embodied in the hardware", mass(middle.embodied_kg), f"{shares.kg_per_gpu:g} kg a GPU over its life"))
    return Section(
        "Energy and carbon",
        f"The run takes {energy(middle.energy_kwh)} and emits {mass(middle.co2e_kg)} of CO\u2082e",
        (
            Table(
                "Energy and emissions of the middle case",
                (Column("Figure"), Column("Amount", figures=True), Column("Basis")),
                tuple(Row(cells) for cells in rows),
                note="Location- and market-based emissions are two accounts of the same electricity and are not added "
                "(GHG Protocol, Scope 2). Embodied emissions are a share of the hardware's manufacture, in addition.",
            ),
        ),
    )
