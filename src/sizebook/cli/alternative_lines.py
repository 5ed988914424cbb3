"""Rent, buy or use an API as lines of text: what each costs by year, and from when on which costs less."""

from collections.abc import Sequence

from sizebook.cli.text_tables import text_table
from sizebook.core.units import thousands, usd
from sizebook.plans.alternatives import AlternativeMonth, AlternativeTotals, by_year


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
