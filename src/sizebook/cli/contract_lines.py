"""Contracts of a plan as lines of text: those that run and those to sign, what they leave, and if traffic differs."""

from collections.abc import Sequence
from datetime import date

from sizebook.core.units import number_of, thousands, usd
from sizebook.plans.commitments import Commitment, CommitmentFigures
from sizebook.plans.ledgers import month_label


def contract_lines(
    contracts: Sequence[tuple[str, Commitment]], found: CommitmentFigures, start: date | None = None
) -> list[str]:
    """Return the contracts, a line each with its services where there are several, and what they leave."""
    if not contracts:
        return ["Contracts          none: to rent every GPU-hour on demand costs the least"]
    width = max(len(of) for of, _ in contracts)
    head = f"{'Services':{max(width, 8)}}  " if width else ""
    lines = [f"{head}Contract   GPUs  First month  Last month  USD a GPU-hour  USD to its end"]
    for of, each in contracts:
        lines.append(
            f"{of:{len(head)}}{each.term_words:8}  {each.gpus:5}  "
            f"{month_label(start, each.first_month - 1):>11}  {month_label(start, each.last_month - 1):>10}  "
            f"{each.usd_per_gpu_hour:14.2f}  {thousands(each.usd):>14}"
        )
    after = "No contract runs longer than the plan"
    if found.tail_months:
        months = number_of(found.tail_months, "month")
        after = f"The last contract runs for {months} more, at a cost of {usd(found.tail_usd)}"
    return [
        *lines,
        f"After the plan     {after}.",
        f"If traffic differs With a fifth less traffic other contracts would save {usd(found.regret_less_usd)}; "
        f"with a fifth more, {usd(found.regret_more_usd)}.",
    ]
