"""The months of `fine_tuning.xlsx`: all runs of the way chosen, spread evenly; what examples cost is paid at first.

Money and Months rest on each other: hours say how many months there are, months say at which level of prices and at
which rate they are paid. So the sheet is begun before the costs, and finished after them.
"""

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.finance import level_and_rate_rows
from sizebook.workbooks.timeline import BOLD_SUM, MOST, SUM, Timeline


def begin_months(book: Book) -> Timeline:
    """Begin the sheet: the calendar, the even share of each month, price levels and rates of the currency."""
    page = Timeline(
        book, "Months", "All runs of the way chosen, spread evenly over the months, in the scenario of the cover."
    )
    page.calendar("start", "months_now.full")
    page.section("Shares, price levels, rates")
    row = page.row_of
    row("share", "Share of the runs", "={on}/{months_now.full}", "ratio", styles.PERCENT, total=SUM)
    level_and_rate_rows(page)
    per_usd = f"{MONEY} per USD"
    row("share_rate", "Share x rate", "={share}*{currency_rate}", per_usd, styles.NUMBER, total=SUM)
    row("gpu_rate", "Share x rate x level", "={share_rate}*{price_level_now}", per_usd, styles.NUMBER, total=SUM)
    return page


def finish_months(page: Timeline) -> None:
    """Add work, money, energy and carbon of each month."""
    row = page.row_of
    page.section("Work")
    row("month_runs", "Runs", f"={{share}}*{_of('runs_now')}", "runs", styles.NUMBER, total=SUM)
    row("month_hours", "GPU-hours, evaluation included", f"={{share}}*{_of('all_hours')}", "GPU-hours", total=BOLD_SUM)
    row(
        "machines",
        "Machines at work, mean",
        "={month_hours}/{gpus}/{hours_a_month}",
        "machines",
        styles.NUMBER,
        total=MOST,
    )
    page.section("Money")
    price = f"={_of('price_now')}*{{price_level_now}}*{{currency_rate}}"
    row("month_price", "Price of a GPU-hour", price, MONEY, styles.RATE)
    row("month_gpu_usd", "GPUs", "={month_hours}*{month_price}", MONEY, total=SUM)
    row("month_data_usd", "Examples", f"=IF({{month}}=1,{_of('data_usd')},0)", MONEY, total=SUM)
    others = f"={{share_rate}}/{{share_rate.total}}*{_of('beside_usd')}"
    row("month_other_usd", "Other costs", others, MONEY, total=SUM)
    row("month_usd", "Cost", "={month_gpu_usd}+{month_data_usd}+{month_other_usd}", MONEY, total=BOLD_SUM)
    row("usd_to_date", "Cost to date", "=SUM({month_usd.1}:{month_usd})*{on}", MONEY, total=MOST)
    page.section("Energy and carbon")
    row("month_kwh", "Energy", f"={{share}}*{_of('energy_kwh')}", "kWh", total=SUM)
    row("month_kg", "Greenhouse gases, location-based", f"={{share}}*{_of('co2e_kg')}", "kgCO2e", total=SUM)
    page.finish()


def _of(name: str) -> str:
    """Return the reference to a figure of the way chosen."""
    return f"INDEX({{{name}.all}},{{at.full}})"


PERIODS = (
    ("month_runs", "Runs", "runs", styles.NUMBER),
    ("month_hours", "GPU-hours, evaluation included", "GPU-hours", styles.WHOLE),
    ("month_gpu_usd", "GPUs", MONEY, styles.WHOLE),
    ("month_usd", "Cost", MONEY, styles.WHOLE),
    ("month_kwh", "Energy", "kWh", styles.WHOLE),
    ("month_kg", "Greenhouse gases", "kgCO2e", styles.WHOLE),
)
