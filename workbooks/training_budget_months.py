"""The months of `training_budget.xlsx`: the whole run of the middle case, spread evenly over its days."""

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.finance import level_and_rate_rows, usd_row
from sizebook.workbooks.timeline import BOLD_SUM, MOST, SUM, Timeline


def months(book: Book) -> None:
    """Add the run month by month, in its middle case and in the scenario of the cover."""
    page = Timeline(book, "Months", "The whole run, middle case; months of 730 hours, the first from its first day.")
    page.calendar("first_month", "months")
    page.section("Work")
    row = page.row_of
    row("first", "Days before it", "=MAX(0,({month}-1)*{month_days}-{over_days})", "days", styles.NUMBER)
    row("last", "Days to its end", "={month}*{month_days}-{over_days}", "days", styles.NUMBER)
    within = "MAX(0,MIN({last},{plan_programme_days.middle})-{first})"
    row(
        "share",
        "Share of the run",
        f"={within}/{{plan_programme_days.middle}}*{{on}}",
        "ratio",
        styles.PERCENT,
        total=SUM,
    )
    row("month_mtok", "Tokens", "={share}*{tokens_now}/{million}", "Mtok", total=SUM)
    row("month_hours", "GPU-hours", "={share}*{plan_programme_gpu_hours.middle}", "GPU-hours", total=BOLD_SUM)
    row("month_steady", "of them steady state", "={share}*{plan_gpu_hours.middle}", "GPU-hours", total=SUM)
    row("month_beyond", "of them restarts, ramp, evaluation", "={month_hours}-{month_steady}", "GPU-hours", total=SUM)
    page.section("Money")
    level_and_rate_rows(page)
    gpus = "={month_hours}*{price_now}*{price_level_now}*{currency_rate}"
    row("month_gpu_usd", "GPUs", gpus, MONEY, total=SUM)
    row("month_other_usd", "Other costs", "={share}*{plan_other_usd.middle}*{currency_rate}", MONEY, total=SUM)
    row("month_usd", "Cost", "={month_gpu_usd}+{month_other_usd}", MONEY, total=BOLD_SUM)
    row("usd_to_date", "Cost to date", "=SUM({month_usd.1}:{month_usd})*{on}", MONEY, total=MOST)
    usd_row(page, "month_usd")
    page.section("Energy and carbon")
    row("month_kwh", "Energy", "={month_hours}*{power}*(1+{host_share})*{pue}/{thousand}", "kWh", total=SUM)
    row("month_kg", "Greenhouse gases, location-based", "={month_kwh}*{grams}/{thousand}", "kgCO2e", total=SUM)
    row("mean_mw", "Mean power", "={month_kwh}/{hours_a_month}/{thousand}", "MW", styles.NUMBER, total=MOST)
    page.finish()


PERIODS = (
    ("month_mtok", "Tokens", "Mtok", styles.WHOLE),
    ("month_hours", "GPU-hours", "GPU-hours", styles.WHOLE),
    ("month_gpu_usd", "GPUs", MONEY, styles.WHOLE),
    ("month_other_usd", "Other costs", MONEY, styles.WHOLE),
    ("month_usd", "Cost", MONEY, styles.WHOLE),
    ("month_kwh", "Energy", "kWh", styles.WHOLE),
    ("month_kg", "Greenhouse gases", "kgCO2e", styles.WHOLE),
)
