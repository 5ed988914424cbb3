"""Formulas of the range of a cost: throughput and price spread it independently (`sizebook.plans.cost_range`)."""

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY
from sizebook.workbooks.timeline import Timeline


def joint(end: str, *factors: str) -> str:
    """Return the expression of a cost's factor at its low or high end: the factors of all spreads in quadrature.

    One on its wrong side of 1 is none of that end.
    """
    sign, side = ("-", "MIN") if end == "low" else ("", "MAX")
    squares = "+".join(f"LN({side}(1,{factor}))^2" for factor in factors)
    return f"EXP({sign}SQRT({squares}))"


def case_price(end: str, hours: str) -> str:
    """Return the expression of the price that puts a case's cost where both spreads do.

    ``hours`` are over those of the middle. It stands on the lines that `price_lines` adds.
    """
    both = joint(end, hours, f"{{price_{end}}}/{{price}}")
    return f"IF({{price_low}}<{{price_high}},{{price_now}}*{both}/({hours}),{{price_now}})"


def price_share(throughput: tuple[str, str], price: tuple[str, str]) -> str:
    """Return the formula of the price's share of the variance of a range, blank where there is none; ends are cells."""
    widths = [f"LN({high}/{low})^2" for low, high in (throughput, price)]
    return f'=IF({widths[0]}+{widths[1]}=0,"",{widths[1]}/({widths[0]}+{widths[1]}))'


def range_rows(page: Timeline, cost: str) -> None:
    """Add the rows of the range of a month's cost, from rows of what each spread alone makes of it; and its shares.

    Those are `usd_fast`, `usd_slow`, `usd_cheap` and `usd_dear`; ``cost`` is the row of the cost itself. Totals are
    those of all months together: ends of months do not add up.
    """
    page.section("Range of cost: throughput and prices together")
    for key, label, end, price in (
        ("usd_least", "Cost, least", "low", "cheap"),
        ("usd_most", "Cost, most", "high", "dear"),
    ):
        of_month, of_all = (_end(end, price, cost, at) for at in ("", ".total"))
        page.row_of(key, label, f"=IF({{on}}=0,0,{of_month})", MONEY, total=f"={of_all}")
    share = price_share(("{usd_fast}", "{usd_slow}"), ("{usd_cheap}", "{usd_dear}")).removeprefix("=")
    of_all = price_share(("{usd_fast.total}", "{usd_slow.total}"), ("{usd_cheap.total}", "{usd_dear.total}"))
    monthly = f'=IF({{on}}*{{{cost}}}=0,"",{share})'
    page.row_of("price_share", "Price's share of the range", monthly, "ratio", styles.PERCENT, of_all)


def _end(end: str, price: str, cost: str, at: str) -> str:
    """Return the expression of an end of a month's range of cost, or with ``.total`` of that of all months."""
    middle, side = f"{{{cost}{at}}}", "MIN" if end == "low" else "MAX"
    by_speed = f"{side}({{usd_fast{at}}},{{usd_slow{at}}})/{middle}"
    return f"IF({middle}=0,0,{middle}*{joint(end, by_speed, f'{{usd_{price}{at}}}/{middle}')})"


def share_said(share: str) -> str:
    """Return the expression of what a price makes of the range of cost; empty where it makes nothing."""
    return f'IF(N({share})=0,"","The price accounts for "&ROUND(100*{share},0)&" % of the range of cost.")'
