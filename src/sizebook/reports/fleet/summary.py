"""The first page of the fleet report: money, GPUs and power over all months, and how sure they are."""

import math

from sizebook.core.texts import Text, range_text, text
from sizebook.core.units import NOT_LISTED, counted, distinct_figures, energy, grouped, mass, usd
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.fleet.remarks import exceeded
from sizebook.plans.ledgers import headline_months, total_usd, usd_range
from sizebook.reports.document import Tile
from sizebook.reports.number_columns import share
from sizebook.reports.phrases import busiest_hours, months


def sentences(plan: FleetPlan) -> tuple[str, str, str]:
    """Return what all months cost, how the fleet grows and where it stands, and whether the ceilings hold."""
    return _cost(plan), _grown(plan), _ceilings(plan)


def _cost(plan: FleetPlan) -> Text:
    total, cost, n = total_usd(plan.months), usd_range(plan), months(len(plan.months))
    if math.isnan(total):
        return text("The fleet over {months}: a price is not listed, so no cost.", months=n)
    return text(
        "The fleet costs {usd} over {months} ({range}), {share} of it for reserved GPUs.",
        usd=usd(total),
        months=n,
        range=range_text(usd(cost.low), usd(cost.high)),
        share=share(sum(month.reserved_usd for month in plan.months), total),
    )


def _grown(plan: FleetPlan) -> Text:
    """Return the GPUs of the busiest hour at first and at last, and what they stand on."""
    last = plan.months[-1]
    return text(
        "Its busiest hour takes {gpus} ({range}), on {nodes} in {racks}.",
        gpus=busiest_hours([month.peak_gpus for month in plan.months]),
        range=range_text(grouped(plan.fewest[-1].peak_gpus), grouped(plan.most[-1].peak_gpus)),
        nodes=counted(grouped(last.nodes), "nodes"),
        racks=counted(grouped(last.racks), "racks"),
    )


def _ceilings(plan: FleetPlan) -> str:
    """Return the first ceiling that is exceeded, or that none is, and what ranges hold."""
    if found := exceeded(plan):
        first = min(found, key=lambda each: each.month)
        figure, ceiling = distinct_figures(first.figure, first.ceiling)
        return text(
            "From {month} on it takes {figure} {unit}, more than the {ceiling} that there are; ranges hold eight of "
            "ten measurements of a replica's throughput.",
            month=plan.label(first.month),
            figure=figure,
            unit=text(first.unit),
            ceiling=ceiling,
        )
    return text(
        "Ranges hold eight of ten measurements of a replica's throughput; traffic and growth are taken as given."
    )


def tiles(plan: FleetPlan) -> tuple[Tile, ...]:
    """Return the headline figures."""
    fewest, most, found, n = plan.fewest, plan.most, plan.months, months(len(plan.months))
    at_peak = (
        Tile(
            text("GPUs, {month}", month=plan.label(at)),
            grouped(found[at].peak_gpus),
            range_text(grouped(fewest[at].peak_gpus), grouped(most[at].peak_gpus)),
        )
        for at in headline_months([month.peak_gpus for month in found])
    )
    cost = usd_range(plan)
    kw = [max(month.site_kw for month in each) for each in (found, fewest, most)]
    return (
        Tile(text("Cost, {months}", months=n), usd(total_usd(found)), range_text(usd(cost.low), usd(cost.high))),
        *at_peak,
        Tile(
            text("Power, most"),
            NOT_LISTED if math.isnan(kw[0]) else text("{kw} kW", kw=grouped(kw[0])),
            range_text(grouped(kw[1]), grouped(kw[2])),
        ),
        Tile(text("Energy"), energy(sum(month.energy_kwh for month in found)), n),
        Tile(text("CO\u2082e, location-based"), mass(sum(month.co2e_kg for month in found)), n),
    )
