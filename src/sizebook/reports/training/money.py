"""The money and carbon of the training report: cost by cause, what moves it, energy and emissions."""

import math

from sizebook.core.texts import Text, text
from sizebook.core.units import amount, energy, mass, percent, usd
from sizebook.plans.training.breakdown import cost_parts, sensitivities
from sizebook.plans.training.plan import TrainingPlan
from sizebook.reports import phrases
from sizebook.reports.charts.chart_types import Chart
from sizebook.reports.document import Row, Section, Table, figure_columns, headings, section
from sizebook.reports.money_charts import hours_bars, tornado, waterfall
from sizebook.reports.number_columns import fixed, plain_number
from sizebook.reports.training.case_phrases import band_text, price, share, whole_cost


def cost_chart(plan: TrainingPlan) -> Chart:
    """Return the waterfall of the whole run's cost by cause; GPU-hours where no price is listed."""
    middle = plan.middle
    if math.isnan(middle.programme_cost_usd):
        hours = ((text("Steady state"), middle.gpu_hours), (text("Whole run"), middle.programme_gpu_hours))
        return hours_bars(text("GPU-hours of steady state and of the whole run"), hours)
    parts = [(part.label, part.value) for part in cost_parts(plan)]
    return waterfall(
        parts, middle.programme_cost_usd, text("Total"), shown=lambda part, total: share(_ratio(part, total))
    )


def cost(plan: TrainingPlan) -> Section:
    """Return the cost of the whole run by cause."""
    parts, middle = cost_parts(plan), plan.middle
    total = middle.programme_cost_usd
    decimals, whole = _decimals(total), total if math.isnan(total) else 100.0
    note = text("{hours} GPU-hours; {basis}.", hours=amount(middle.programme_gpu_hours), basis=plan.inputs.costs.basis)
    if not math.isnan(total):
        note = text(
            "{hours} GPU-hours at {price} ({basis}). A GPU is paid alike whatever it does, so each cause costs its "
            "share of the time.",
            hours=amount(middle.programme_gpu_hours),
            price=price(plan),
            basis=plan.inputs.costs.basis,
        )
    return section(
        text("Cost"),
        phrases.NO_COST
        if math.isnan(total)
        else text("The whole run costs {usd}, {band}", usd=usd(total), band=band_text(plan, whole_cost)),
        Table(
            text("Cost of the whole run by cause, middle case"),
            headings(text("Cause"), figure_columns(text("Cost"), unit="USD"), figure_columns(text("Share"), unit="%")),
            (
                *(
                    Row((part.label, fixed(part.value, decimals), fixed(100 * _ratio(part.value, total), 1)))
                    for part in parts
                ),
                Row((text("Total"), fixed(total, decimals), fixed(whole, 1)), "total"),
            ),
            note=note,
        ),
    )


def _decimals(total: float) -> int:
    """Return the decimals of a column of dollars: none from a thousand, cents below, more where cents say nothing."""
    if not 0 < total < 1000:
        return 0
    return max(2, 2 - math.floor(math.log10(total)))


def _ratio(part: float, total: float) -> float:
    """Return the share of a whole; a run that costs nothing has parts of nothing."""
    return part / total if total else 0.0


def sensitivity(plan: TrainingPlan) -> tuple[Section, ...]:
    """Return what the cost of the whole run hangs on, one input at a time; nothing where no price is listed."""
    if math.isnan(plan.middle.programme_cost_usd):
        return ()
    swings, total = sensitivities(plan), plan.middle.programme_cost_usd
    title = text("{input}: {usd} between its ends", input=swings[0].label, usd=usd(swings[0].width_usd))
    base = text("Middle case {usd}", usd=usd(total))
    return tornado(swings, total, title, axis=text("Cost of the whole run, USD"), base=base)


def _power(plan: TrainingPlan) -> Text:
    """Return the power of a GPU and what stands around it."""
    power, shares = plan.inputs.power, plan.inputs.power.footprint
    host, pue = percent(shares.host_share), plain_number(shares.pue)
    if math.isnan(power.watts):
        return text("TDP not listed, host {percent}, PUE {pue}", percent=host, pue=pue)
    return text("{watts} W a GPU, host {percent}, PUE {pue}", watts=plain_number(power.watts), percent=host, pue=pue)


def carbon(plan: TrainingPlan) -> Section:
    middle, power, shares = plan.middle, plan.inputs.power, plan.inputs.power.footprint
    rows = [
        (
            text("Energy"),
            energy(middle.energy_kwh),
            _power(plan),
        ),
        (
            text("Emissions, location-based"),
            mass(middle.co2e_kg),
            text(
                "{grams_per_kwh} g/kWh: {grid_basis}",
                grams_per_kwh=plain_number(power.grams_per_kwh),
                grid_basis=power.grid_basis,
            ),
        ),
    ]
    if middle.co2e_market_kg is not None:
        covered = text("{percent} covered by certificates or contracts", percent=percent(shares.covered_share or 0))
        rows.append((text("Emissions, market-based"), mass(middle.co2e_market_kg), covered))
    rows.append(
        (
            text("Embodied in the hardware"),
            mass(middle.embodied_kg),
            text("{kg_per_gpu} kg a GPU over its life", kg_per_gpu=plain_number(shares.kg_per_gpu)),
        )
    )
    return section(
        text("Energy and carbon"),
        phrases.NO_ENERGY
        if math.isnan(middle.energy_kwh)
        else text(
            "The whole run takes {energy} and emits {mass} of CO\u2082e",
            energy=energy(middle.energy_kwh),
            mass=mass(middle.co2e_kg),
        ),
        Table(
            text("Energy and emissions of the whole run, middle case"),
            headings(text("Figure"), figure_columns(text("Amount")), text("Basis")),
            tuple(Row(cells) for cells in rows),
            note=text(
                "Location- and market-based emissions are two accounts of the same electricity and "
                "are not added (GHG Protocol, Scope 2). Embodied emissions are a share of the "
                "hardware's manufacture, in addition."
            ),
        ),
    )
