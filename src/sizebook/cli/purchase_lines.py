"""How the GPUs of a plan are paid for, as lines of text: contracts, and renting, buying and an API by year."""

from collections.abc import Sequence
from datetime import date

from sizebook.cli.text_tables import text_table
from sizebook.core.units import number_of, thousands, usd
from sizebook.plans.alternatives import AlternativeMonth, AlternativeTotals, by_year
from sizebook.plans.commitments import Commitment, CommitmentFigures
from sizebook.plans.ledgers import month_label


def contract_lines(
    contracts: Sequence[tuple[str, Commitment]], found: CommitmentFigures, start: date | None = None
) -> list[str]:
    """Return the contracts, a line each with its services where there are several, and what they leave."""
    if not contracts:
        return ["Contracts          none: to rent every GPU-hour on demand costs the least"]
    named = any(of for of, _ in contracts)
    rows = [("Services", "Contract", "GPUs", "First month", "Last month", "USD a GPU-hour", "USD to its end")]
    for of, each in contracts:
        first, last = (month_label(start, month - 1) for month in (each.first_month, each.last_month))
        price = f"{each.usd_per_gpu_hour:.2f}"
        rows.append((of, each.term_words, str(each.gpus), first, last, price, thousands(each.usd)))
    lines = text_table((row[0 if named else 1 :] for row in rows), left=(0, 1) if named else (0,))
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


def alternative_lines(months: Sequence[AlternativeMonth], totals: AlternativeTotals, said: Sequence[str]) -> list[str]:
    """Return what each way costs by year; nothing where only renting is asked."""
    if not months:
        return []
    heads = ("Rent, buy or API ", "Rented, USD", "Bought, USD", "paid for it", "API, USD")
    years = ((year, *("-" if each is None else thousands(each) for each in of)) for year, of in by_year(months))
    lines = ["", *text_table([heads, *years])]
    if totals.owned_left_usd is not None:
        owed = ", less what is owed for them" if any(month.instalments_usd for month in months) else ""
        lines.append(f"At the end         Book value of the bought GPUs{owed}: {usd(totals.owned_left_usd)}.")
    labels = ("Which costs less", *[""] * (len(said) - 1))
    return [*lines, *(f"{label:19}{each}" for label, each in zip(labels, said, strict=True))]
