"""Rows of months below those of a plan: rent, buy or use an API as a function gives it; and the whole statement."""

from sizebook.core.sections import leaves
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.workbooks.book import MONEY
from sizebook.workbooks.staged_tables import StagedRows
from sizebook.workbooks.text_formulas import nearly_equal
from sizebook.workbooks.timeline import BOLD_SUM, MOST, SUM, Timeline


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


def statement_rows(page: Timeline) -> None:
    """Add what is paid beside GPUs, the whole, what it is worth today, and what is left of an income."""
    page.section("Statement: what is paid beside GPUs")
    fixed = "({people_usd_per_month}+{storage_usd_per_month}+{egress_usd_per_month})"
    for key, label, formula in (
        (
            "beside_usd",
            "People, storage, egress",
            f"={fixed}*(1+{{inflation_per_year}})^(({{month}}-1)/{{months_a_year}})*{{currency_rate}}",
        ),
        ("support_usd", "Support", "={usd}*{support_share}"),
        ("contingency_usd", "Contingency", "=({usd}+{support_usd}+{beside_usd})*{contingency_share}"),
        ("tax_usd", "Tax", "=({usd}+{support_usd}+{beside_usd}+{contingency_usd})*{tax_share}"),
    ):
        page.row_of(key, label, formula, MONEY, total=SUM)
    whole = "={usd}+{support_usd}+{beside_usd}+{contingency_usd}+{tax_usd}"
    page.row_of("whole_usd", "Whole cost", whole, MONEY, total=BOLD_SUM)
    today = "/(1+{discount_per_year})^({month}/{months_a_year})"
    page.row_of("present_usd", "Whole cost, present value", "={whole_usd}" + today, MONEY, total=SUM)
    net = "=IF({income_usd_per_month}+{invest_usd}=0,0,{income_usd_per_month}*{currency_rate}-{whole_usd})*{on}" + today
    worth = "=IF({income_usd_per_month}+{invest_usd}=0,0,SUM({net_present_usd.all})-{invest_usd}*{currency_rate.1})"
    page.row_of("net_present_usd", "Income less cost, present value", net, MONEY, total=worth)
    fiscal = "=YEAR(EDATE({starts},1-{fiscal_year_start}))*{on}"
    page.row_of("fiscal_year", "Fiscal year, that of its first month", fiscal, "", "0", MOST)
