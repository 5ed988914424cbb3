"""The first page of the fleet report: money and GPUs over all months, and how sure both are."""

from __future__ import annotations

from sizebook.core.texts import Text, text
from sizebook.core.units import energy, grouped, mass, usd
from sizebook.plans.fleet.inputs import MONTHS
from sizebook.plans.fleet.plan import FleetPlan, total_usd, usd_range
from sizebook.reports.figures import share
from sizebook.reports.view import Tile
from sizebook.reports.words import ends, gpus, months


def sentences(plan: FleetPlan) -> tuple[str, str, str]:
    """Return what all months cost, how the fleet grows, and what the ranges hold."""
    low, high = usd_range(plan)
    reserved = share(sum(month.reserved_usd for month in plan.months), total_usd(plan.months))
    return (
        text(
            "The fleet costs {usd} over {months} ({low} to {high}), {share} of it for reserved GPUs.",
            usd=usd(total_usd(plan.months)), months=months(MONTHS), low=usd(low), high=usd(high), share=reserved,
        ),
        _grown(plan),
        text("Ranges hold eight of ten measurements of a replica's throughput; traffic and growth are taken as given."),
    )  # fmt: skip


def _grown(plan: FleetPlan) -> Text:
    first, last = plan.months[0], plan.months[-1]
    ends_of_last = {"fewest": grouped(plan.fewest[-1].peak_gpus), "most": grouped(plan.most[-1].peak_gpus)}
    if len({month.peak_gpus for month in plan.months}) == 1:
        return text("Its busiest hour takes {gpus} in every month ({fewest} to {most}).", gpus=gpus(first.peak_gpus),
                    **ends_of_last)  # fmt: skip
    return text(
        "Its busiest hour takes {gpus} at first and {later} in the last month ({fewest} to {most}).",
        gpus=gpus(first.peak_gpus), later=grouped(last.peak_gpus), **ends_of_last,
    )  # fmt: skip


def tiles(plan: FleetPlan) -> tuple[Tile, ...]:
    """Return the headline figures."""
    fewest, most, found, n = plan.fewest, plan.most, plan.months, months(MONTHS)
    at_peak = (
        Tile(
            text("GPUs, {month}", month=plan.label(at)),
            grouped(found[at].peak_gpus),
            ends(grouped(fewest[at].peak_gpus), grouped(most[at].peak_gpus)),
        )
        for at in (0, MONTHS - 1)
    )
    return (
        Tile(text("Cost, {months}", months=n), usd(total_usd(found)), ends(*(usd(end) for end in usd_range(plan)))),
        *at_peak,
        Tile(text("Energy"), energy(sum(month.energy_kwh for month in found)), n),
        Tile(text("CO\u2082e, location-based"), mass(sum(month.co2e_kg for month in found)), n),
    )
