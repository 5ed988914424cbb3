"""Contracts of a plan as lines of text: those that run and those to sign, what they leave, and if traffic differs."""

from __future__ import annotations

from collections.abc import Sequence

from sizebook.core.units import number_of, thousands, usd
from sizebook.plans.commitments import Commitment, CommitmentFigures


def contract_lines(contracts: Sequence[tuple[str, Commitment]], found: CommitmentFigures) -> list[str]:
    """Return the contracts, each behind the services that it is for, where there are several."""
    if not contracts:
        return ["Contracts          none: to rent every GPU-hour on demand costs the least"]
    width = max(len(of) for of, _ in contracts)
    head = f"{'Services':{max(width, 8)}}  " if width else ""
    lines = [f"{head}Contract   GPUs  First month  Last month  USD a GPU-hour         USD"]
    for of, each in contracts:
        lines.append(
            f"{of:{len(head)}}{each.term_words:8}  {each.gpus:5}  {each.first_month:11}  "
            f"{each.last_month:10}  {each.usd_per_gpu_hour:14.2f}  {thousands(each.usd):>10}"
        )
    after = "No contract runs longer than the plan"
    if found.tail_months:
        after = (
            f"Contracts run for {number_of(found.tail_months, 'month')} more, and cost {usd(found.tail_usd)} in them"
        )
    return [
        *lines,
        f"After the plan     {after}.",
        f"If traffic differs With a fifth less traffic the best contracts would cost {usd(found.regret_less_usd)} less "
        f"than these; with a fifth more traffic {usd(found.regret_more_usd)} less.",
    ]
