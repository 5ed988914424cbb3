"""The section on nodes, racks and power of the fleet report: what stands where, and what the site must give."""

import math

from sizebook.core.texts import plural, text
from sizebook.core.units import counted, distinct_figures, grouped
from sizebook.plans.fleet.node_groups import NodeGroup
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.reports.charts.chart_types import Columns, Limit, Series
from sizebook.reports.document import Row, Section, Table, figure_columns, headings, section
from sizebook.reports.number_columns import aligned
from sizebook.reports.phrases import month_axis, numbered
from sizebook.tables.hardware import accelerator


def nodes_and_power(plan: FleetPlan) -> Section:
    """Return nodes by kind in the last month, what sharing them saves, and power by month against its ceiling."""
    last = plan.months[-1]
    saved = sum(month.own_nodes - month.nodes for month in plan.months)
    stand = {"nodes": counted(grouped(last.nodes), "nodes"), "racks": counted(grouped(last.racks), "racks")}
    message = text("{nodes} in {racks} in the last month", **stand)
    if plan.terms.racks.share_nodes:
        message = text(
            "{nodes} in {racks} in the last month; sharing saves {saved}",
            **stand,
            saved=plural(saved, "{n} node-month", "{n} node-months"),
        )
    return section(text("Nodes and power"), message, *_power(plan), _table(plan))


def _power(plan: FleetPlan) -> tuple[Columns, ...]:
    """Return the power by month; nothing where it never changes, or where the power of a GPU is not listed."""
    ceiling, kw = plan.terms.ceilings.kw_ceiling, [month.site_kw for month in plan.months]
    if len(set(kw)) == 1 or any(map(math.isnan, kw)):
        return ()
    title = text("The sites must give {kw} kW in the busiest month", kw=grouped(max(kw)))
    if ceiling is not None:
        over = sum(each > ceiling * (1 + 1e-9) for each in kw)
        most, given = distinct_figures(max(kw), ceiling) if over else (grouped(max(kw)), grouped(ceiling))
        title = plural(
            len(kw),
            "{kw} kW at most against a ceiling of {ceiling}, exceeded in {over} of {n} month",
            "{kw} kW at most against a ceiling of {ceiling}, exceeded in {over} of {n} months",
            kw=most,
            ceiling=given,
            over=over,
        )
    label = month_axis(plan.terms.start, plan.label(0))
    series = tuple(Series(_name(each), each.site_kw) for each in plan.node_groups)
    if len(series) > 6:
        series = (Series(text("All nodes"), tuple(kw)),)
    limit = None if ceiling is None else Limit(ceiling, text("ceiling {kw} kW", kw=grouped(ceiling)))
    return (Columns(title, label, text("kW, cooling included"), categories=numbered(kw), series=series, limit=limit),)


def _name(stand: NodeGroup) -> str:
    name = accelerator(stand.gpu).name
    return f"{name}, {stand.place}" if stand.place else name


def _table(plan: FleetPlan) -> Table:
    power = aligned([each.site_kw[-1] for each in plan.node_groups])
    node = aligned([each.node.kw for each in plan.node_groups])
    rows = tuple(
        Row(
            (
                _name(each),
                ", ".join(each.names),
                grouped(each.node.gpus),
                node[at],
                grouped(each.nodes_per_rack),
                grouped(each.nodes[-1]),
                grouped(each.own_nodes[-1]),
                grouped(each.racks[-1]),
                power[at],
            )
        )
        for at, each in enumerate(plan.node_groups)
    )
    columns = headings(
        text("Node"),
        text("Services"),
        figure_columns(text("GPUs")),
        figure_columns(text("A node"), unit="kW"),
        figure_columns(text("A rack"), unit=text("nodes")),
        figure_columns(text("Nodes"), text("None shared"), text("Racks")),
        figure_columns(text("Power"), unit="kW"),
    )
    note = text(
        "Replicas of which a node holds 1, 2, 4, 8 ... share nodes where services do. Power is that of nodes at their "
        "most, times the PUE."
    )
    return Table(text("Nodes, racks and power in the last month"), columns, rows, note=note)
