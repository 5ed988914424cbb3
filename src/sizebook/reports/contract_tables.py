"""The page that decides: existing contracts and those to sign, what years cost, and what would change it."""

import math
from collections.abc import Sequence
from datetime import date

from sizebook.core.texts import text
from sizebook.core.units import grouped, usd
from sizebook.plans.commitments import Commitment, CommitmentFigures
from sizebook.plans.fleet.high_end import high_end
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.ledgers import month_label, total_usd
from sizebook.plans.serving.plan import ServingPlan
from sizebook.reports.document import Row, Section, Table, figure_columns, headings, section
from sizebook.reports.money_charts import to_the_high_end
from sizebook.reports.number_columns import fixed
from sizebook.reports.phrases import NO_COST


def what_to_sign(
    contracts: Sequence[tuple[str, Commitment]], found: CommitmentFigures, start: date | None = None
) -> Table:
    """Return the contracts of a plan, a row each; months by the calendar where the plan has a ``start``."""
    named = any(of for of, _ in contracts)
    rows = tuple(
        Row(
            (
                *((of,) if named else ()),
                *(month_label(start, month - 1) for month in (each.first_month, each.last_month)),
                each.term_words,
                grouped(each.gpus),
                fixed(each.usd_per_gpu_hour, 2),
                grouped(each.usd),
            )
        )
        for of, each in contracts
    )
    return Table(
        text("What to sign"),
        headings(
            *([text("Services")] if named else []),
            text("First month"),
            text("Last month"),
            text("Term"),
            figure_columns(text("GPUs")),
            figure_columns(text("GPU-hour"), text("Cost to its end"), unit="USD"),
        ),
        rows,
        note=text(
            "With these contracts the plan costs the least, if traffic after it stays as in its last month. Each is "
            "paid to its own end: {tail} of it is for months after the plan. With a fifth less traffic other contracts "
            "would save {less}; with a fifth more, {more}.",
            tail=usd(found.tail_usd),
            less=usd(found.regret_less_usd),
            more=usd(found.regret_more_usd),
        )
        if rows
        else text("No contract is worth signing: to rent every GPU-hour on demand costs the least."),
    )


def decision_page(tables: tuple[Table, ...], plan: ServingPlan | FleetPlan) -> Section:
    """Return what to sign and what it costs by year, with the bridge to the high end where a price is listed."""
    total = total_usd(plan.months)
    if math.isnan(total):
        return section(text("Decision"), NO_COST, *tables)
    reached = high_end(plan)
    message = text("{usd} as planned, {most} if three things go wrong", usd=usd(total), most=usd(reached[-1][1]))
    return section(text("Decision"), message, *tables, to_the_high_end(reached))
