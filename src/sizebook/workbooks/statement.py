"""The statement of a plan, month by month: what is paid beside GPUs, and what is left of an income."""

from sizebook.workbooks.book import MONEY
from sizebook.workbooks.timeline import BOLD_SUM, MOST, SUM, Timeline


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
