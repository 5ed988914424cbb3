"""Rent, buy or use an API in planning workbooks: months that a function gives, whatever the scenario."""

from sizebook.core.sections import leaves
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.workbooks.book import MONEY
from sizebook.workbooks.staged_tables import StagedRows
from sizebook.workbooks.text_formulas import nearly_equal
from sizebook.workbooks.timeline import MOST, SUM, Timeline


def alternative_rows(page: Timeline, staged: StagedRows, found: str) -> None:
    """Add what the plan says of GPUs bought and of an API, blank where that is not asked.

    ``found`` is the condition that it was worked out for the inputs as they stand; they are blank where it was not.
    """
    page.section("Rent, buy or API: as the plan has it; scenarios and dated prices do not change it")
    for place, leaf in enumerate(leaves(AlternativeMonth), 1):
        if leaf.name in ("month", "rented_usd", "rented_paid_usd"):
            continue
        cell, money = f"INDEX({staged.block.column(place, 2)},{{month}})", leaf.quantity.unit == "USD"
        in_currency = f"{cell}*{{currency_rate}}" if money else cell
        page.row_of(
            f"{leaf.name}_beside",
            leaf.label.removesuffix(", USD"),
            f'=IF({{on}}=0,0,IF(AND(ISNUMBER({cell}),{found}),{in_currency},""))',
            MONEY if money else leaf.quantity.unit,
            total=SUM if money else MOST,
        )


def alternatives_fit(staged: StagedRows, function: str, found: str) -> tuple[str, str, str, str]:
    """Return the check that what is beside renting was worked out for the inputs as they stand."""
    rented = f"SUM({staged.block.column(2, 2)})"
    same = nearly_equal(rented, "SUMPRODUCT({usd.all}/({currency_rate.all}+1-{on.all}))")
    return (
        "Bought GPUs and the API are for this plan",
        f'=IF(AND({{scenario}}="base",COUNT({{price_date.all}})=0,{rented}>0),{same},TRUE)',
        f"Cost of rented GPUs: {function} against Months",
        f"NOT({found})",
    )
