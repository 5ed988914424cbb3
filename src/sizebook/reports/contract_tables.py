"""What to sign, as a table of a report: contracts that run and those to sign, and what they leave."""

from __future__ import annotations

from collections.abc import Sequence

from sizebook.core.texts import text
from sizebook.core.units import grouped, usd
from sizebook.plans.commitments import Commitment, CommitmentFigures
from sizebook.reports.document import Row, Table, figures, words
from sizebook.reports.number_columns import fixed


def what_to_sign(contracts: Sequence[tuple[str, Commitment]], found: CommitmentFigures) -> Table:
    """Return when, how many, which term, at what price, to when; behind the services where these are named."""
    named = any(of for of, _ in contracts)
    rows = tuple(
        Row(
            (
                *((of,) if named else ()),
                text("Month {month}", month=each.first_month),
                each.term_words,
                grouped(each.gpus),
                grouped(each.last_month),
                fixed(each.usd_per_gpu_hour, 2),
                grouped(each.usd),
            )
        )
        for of, each in contracts
    )
    return Table(
        text("What to sign"),
        (
            *words(*([text("Services")] if named else []), text("From"), text("Term")),
            *figures(text("GPUs"), text("Last month")),
            *figures(text("GPU-hour"), text("To its end"), unit="USD"),
        ),
        rows,
        note=text(
            "These contracts make the plan cost the least, if its last month goes on after its end. Each is paid to "
            "its own end: {tail} of it is for months after the plan. With a fifth less traffic the best contracts "
            "would cost {less} less; with a fifth more traffic {more} less.",
            tail=usd(found.tail_usd),
            less=usd(found.regret_less_usd),
            more=usd(found.regret_more_usd),
        )
        if rows
        else text("No contract is worth signing: to rent every GPU-hour on demand costs the least."),
    )
