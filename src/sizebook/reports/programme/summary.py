"""The first page of a programme's report: the budget, what takes most of it, how sure it is."""

import math
from collections.abc import Callable

from sizebook.core.texts import Figure, Short, Text, plural, range_text, text
from sizebook.core.units import NO_BREAK_SPACE, NOT_LISTED, duration, energy, mass, significant, usd
from sizebook.plans.programme.plan import ProgrammePlan
from sizebook.reports.document import Tile
from sizebook.reports.number_columns import share, short_scale
from sizebook.reports.phrases import NO_ENERGY

_DAY = 86_400.0


def sentences(plan: ProgrammePlan) -> tuple[str, str, str]:
    """Return the budget and the time, what takes most of it, and what the ranges hold."""
    sure = text("Ranges take every phase at the same end of its band: eight of ten published runs lie within theirs.")
    return _cost(plan), _most(plan), sure


def _cost(plan: ProgrammePlan) -> Text:
    middle = plan.middle
    time = {"days": _days(middle.days), "days_range": _range(plan, "days", _days)}
    if math.isnan(middle.usd):
        return plural(
            len(plan.phases),
            "{n} phase takes {days} ({days_range}); a price is not listed, so no cost.",
            "{n} phases take {days} ({days_range}); a price is not listed, so no cost.",
            **time,
        )
    return plural(
        len(plan.phases),
        "{n} phase costs {usd} ({range}) and takes {days} ({days_range}).",
        "{n} phases cost {usd} ({range}) and take {days} ({days_range}).",
        usd=usd(middle.usd),
        range=_range(plan, "usd", usd),
        **time,
    )


def _most(plan: ProgrammePlan) -> Text:
    """Return what takes most of the money and the power; of each only what is listed."""
    middle, power = plan.middle, _megawatts(plan.middle.peak_mw)
    if math.isnan(middle.usd):
        if math.isnan(middle.peak_mw):
            return text("{said}.", said=NO_ENERGY)
        return text("The site draws {power} at its highest.", power=power)
    dearest = max(plan.phases, key=lambda each: each.cases[1].usd)
    parts = {
        "phase": dearest.phase.name,
        "share": share(dearest.cases[1].usd, middle.usd),
        "failed": share(middle.ablation_usd, middle.usd),
    }
    if math.isnan(middle.peak_mw):
        return text("{phase} is {share} of it, ablations and failed runs are {failed}.", **parts)
    return text(
        "{phase} is {share} of it, ablations and failed runs are {failed}; the site draws {power} at its highest.",
        power=power,
        **parts,
    )


def tiles(plan: ProgrammePlan) -> tuple[Tile, ...]:
    """Return the headline figures of all phases together."""
    middle = plan.middle
    return (
        Tile(text("Cost"), usd(middle.usd), _range(plan, "usd", usd)),
        Tile(text("Time"), _days(middle.days), _range(plan, "days", _days)),
        Tile(text("GPU-hours"), _millions(middle.gpu_hours), _range(plan, "gpu_hours", _millions)),
        Tile(text("Peak power"), _megawatts(middle.peak_mw), text("of the site")),
        Tile(text("Energy"), energy(middle.energy_kwh), _range(plan, "energy_kwh", energy)),
        Tile(text("Emissions, CO\u2082e"), mass(middle.co2e_kg), _range(plan, "co2e_kg", mass)),
    )


def _ends(plan: ProgrammePlan, name: str) -> tuple[float, float]:
    return getattr(plan.budgets[0], name), getattr(plan.budgets[2], name)


def _range(plan: ProgrammePlan, name: str, shown: Callable[[float], str]) -> Text:
    return range_text(*(shown(end) for end in _ends(plan, name)))


def _days(value: float) -> str:
    return duration(_DAY * value)


def _megawatts(value: float) -> str:
    return NOT_LISTED if math.isnan(value) else Figure(f"{significant(value)}{NO_BREAK_SPACE}MW")


def _millions(hours: float) -> Figure:
    """Return a number of hours in thousands or millions where it has them."""
    factor, sign = short_scale([hours])
    return Short(f"{significant(hours / factor)}{NO_BREAK_SPACE}{sign}".rstrip(NO_BREAK_SPACE))
