"""The report of a programme: one budget, its phases side by side, its months with money and power."""

from __future__ import annotations

from datetime import date

from sizebook.core.registry import leaves
from sizebook.core.tables import table
from sizebook.core.units import NO_BREAK_SPACE, duration, energy, grouped, mass, significant, usd
from sizebook.plans.programme.plan import PARTS, Budget, ProgrammePlan
from sizebook.plans.programme.steps import derivations
from sizebook.reports.charts.kinds import Columns, Line, Lines, Series, Span, Spans
from sizebook.reports.figures import aligned, share, short_scale
from sizebook.reports.programme.notes import assumptions
from sizebook.reports.programme.phases import memory, phases, scaled
from sizebook.reports.view import Column, Derivation, Report, Row, Section, Table, Tile

DAY = 86_400.0
LABELS = {leaf.name: leaf.label for leaf in leaves(Budget)}


def report(plan: ProgrammePlan, as_of: date, title: str = "") -> Report:
    """Return the report of a programme."""
    names = ", ".join(each.phase.name for each in plan.phases)
    return Report(
        kind="Programme",
        title=title or f"Programme of {len(plan.phases)} phases",
        subtitle=f"{names}; {plan.label(0)} to {plan.label(len(plan.months) - 1)}",
        as_of=as_of,
        summary=_summary(plan),
        tiles=_tiles(plan),
        sections=(
            _budget(plan),
            phases(plan),
            _by_month(plan),
            memory(plan),
            Section("Derivation", "How each figure was computed", (Derivation(derivations(plan)),)),
            assumptions(plan),
        ),
        data_dates=f"hardware of {_latest('hardware')}, prices of {_latest('prices')}, grids of {_latest('grid')}",
    )


def _latest(name: str) -> str:
    return max(row["retrieved"] for row in table(name))


def days(value: float) -> str:
    """Return days in the unit that suits them."""
    return duration(DAY * value)


def _ends(plan: ProgrammePlan, name: str) -> tuple[float, float]:
    return getattr(plan.budgets[0], name), getattr(plan.budgets[2], name)


def _summary(plan: ProgrammePlan) -> str:
    middle, (low, high) = plan.middle, _ends(plan, "usd")
    dearest = max(plan.phases, key=lambda each: each.cases[1].usd)
    return (
        f"{len(plan.phases)} phases cost {usd(middle.usd)} ({usd(low)} to {usd(high)}) and take {days(middle.days)} "
        f"({' to '.join(days(end) for end in _ends(plan, 'days'))}). {dearest.phase.name} is "
        f"{share(dearest.cases[1].usd, middle.usd)} of it; ablations and failed runs are "
        f"{share(middle.ablation_usd, middle.usd)}. The site draws {significant(middle.peak_mw)} MW at its highest. "
        "Ranges take every phase at the same end of its band: eight of ten published runs lie within theirs."
    )


def _tiles(plan: ProgrammePlan) -> tuple[Tile, ...]:
    middle = plan.middle
    return (
        Tile("Cost", usd(middle.usd), " to ".join(usd(end) for end in _ends(plan, "usd"))),
        Tile("Time", days(middle.days), " to ".join(days(end) for end in _ends(plan, "days"))),
        Tile("GPU-hours", _millions(middle.gpu_hours), " to ".join(map(_millions, _ends(plan, "gpu_hours")))),
        Tile("Peak power", f"{significant(middle.peak_mw)}{NO_BREAK_SPACE}MW", "of the site"),
        Tile("Energy", energy(middle.energy_kwh), " to ".join(energy(end) for end in _ends(plan, "energy_kwh"))),
        Tile("Emissions, CO\u2082e", mass(middle.co2e_kg), " to ".join(mass(end) for end in _ends(plan, "co2e_kg"))),
    )


def _millions(hours: float) -> str:
    """Return a number of hours in thousands or millions where it has them."""
    factor, sign = short_scale([hours])
    return f"{significant(hours / factor)} {sign}".strip()


def _budget(plan: ProgrammePlan) -> Section:
    """Return the waterfall of the middle case and the parts in all three."""
    middle = plan.middle
    factor, sign = short_scale([middle.usd])
    spans, reached = [], 0.0
    for name in PARTS:
        part = getattr(middle, name)
        if part:
            text = f"{usd(part)} ({share(part, middle.usd)})"
            spans.append(Span(LABELS[name], reached / factor, (reached + part) / factor, text=text))
            reached += part
    spans.append(Span("Together", 0, middle.usd / factor, text=usd(middle.usd), marked=True))
    largest = max(PARTS, key=lambda name: getattr(middle, name))
    low, high = _ends(plan, "usd")
    return Section(
        "Budget",
        f"The programme costs {usd(middle.usd)}, {usd(low)} to {usd(high)}",
        (
            Spans(
                f"{LABELS[largest]}: {usd(getattr(middle, largest))} of {usd(middle.usd)}",
                scaled("USD", sign),
                tuple(spans),
            ),
            _lines(plan),
        ),
    )


def _lines(plan: ProgrammePlan) -> Table:
    rows = [
        Row((LABELS[name], *(grouped(getattr(budget, name)) for budget in plan.budgets)),
            "total" if name == "usd" else "plain")
        for name in (*PARTS, "usd")
    ]  # fmt: skip
    rows += [
        Row(("Days", *aligned([budget.days for budget in plan.budgets]))),
        Row(("GPU-hours", *(grouped(budget.gpu_hours) for budget in plan.budgets))),
    ]
    return Table(
        "The budget in three cases, USD",
        (Column("Part"), *(Column(name, figures=True) for name in ("Fast", "Middle", "Slow"))),
        tuple(rows),
        note="Fast and slow take every phase at the 10th or the 90th percentile of published runs. Phases are whole "
        "runs: restarts, ramp and evaluation of a run are in them. Tokens, prices and shares are taken as given.",
    )


def _by_month(plan: ProgrammePlan) -> Section:
    months = plan.months
    factor, sign = short_scale(month.usd for month in months)
    names = tuple(str(at + 1) for at in range(len(months)))
    axis = f"Month, 1 is {plan.label(0)}" if plan.terms.start else "Month"
    dearest = max(range(len(months)), key=lambda at: months[at].usd)
    series = tuple(
        Series(LABELS[name], tuple(getattr(month, name) / factor for month in months))
        for name in PARTS
        if any(getattr(month, name) for month in months)
    )
    power = tuple(
        Line(name, tuple((float(at + 1), getattr(month, key)) for at, month in enumerate(months)))
        for name, key in (("Highest", "peak_mw"), ("Mean of the month", "mean_mw"))
    )
    highest = max(month.peak_mw for month in months)
    drawn = (Lines(f"The site draws up to {significant(highest)} MW", axis, "MW", lines=power),) if months[1:] else ()
    return Section(
        "By month",
        f"{plan.label(dearest)} costs most, {usd(months[dearest].usd)}",
        (
            Columns(
                f"{share(months[dearest].usd, plan.middle.usd)} of the cost falls into one month",
                axis, scaled("USD a month", sign), categories=names, series=series,
            ),
            *drawn,
            _money(plan),
            _site(plan),
        ),
        new_page=True,
    )  # fmt: skip


def _money(plan: ProgrammePlan) -> Table:
    months = plan.months
    money, sign = short_scale(month.usd for month in months)
    unit = f"{sign} USD".strip()
    parts = {
        "Phases": [month.phases_usd for month in months],
        "Experiments": [month.ablation_usd + month.evaluation_usd for month in months],
        "Data, storage, egress": [month.data_usd + month.storage_usd + month.egress_usd for month in months],
        "Together": [month.usd for month in months],
    }
    return _table(
        plan,
        "Cost by month, middle case",
        {Column(name, unit, figures=True): aligned(values, factor=money) for name, values in parts.items()},
        note="Months have 730 hours. Experiments, evaluation included, run beside the phases in proportion; data are "
        "paid in the first month, checkpoints of a phase when it ends, egress in the last.",
    )


def _site(plan: ProgrammePlan) -> Table:
    months = plan.months
    hours, sign = short_scale(month.gpu_hours for month in months)
    columns = {
        Column("GPU-hours", sign, figures=True): aligned([month.gpu_hours for month in months], factor=hours),
        Column("Energy", "MWh", figures=True): aligned([month.energy_kwh for month in months], factor=1000),
        Column("Emissions", "tCO\u2082e", figures=True): aligned([month.co2e_kg for month in months], factor=1000),
        Column("Mean power", "MW", figures=True): aligned([month.mean_mw for month in months]),
        Column("Peak power", "MW", figures=True): aligned([month.peak_mw for month in months]),
    }
    return _table(plan, "The site by month", columns, note="Power is that of the GPUs with their hosts and cooling.")


def _table(plan: ProgrammePlan, caption: str, columns: dict[Column, list[str]], note: str) -> Table:
    labels = [plan.label(at) for at in range(len(plan.months))]
    rows = tuple(Row(cells) for cells in zip(labels, *columns.values(), strict=True))
    return Table(caption, (Column("Month"), *columns), rows, note=note)
