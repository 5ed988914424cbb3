"""The sheets of `training_programme.xlsx` beside its phases: the budget in three cases, the months across."""

from training_programme_inputs import PHASES

from sizebook.plans.training.case import NAMES
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.cost_ranges import price_share
from sizebook.workbooks.finance import level_and_rate_rows, usd_row
from sizebook.workbooks.line_sheet import new_sheet
from sizebook.workbooks.text_formulas import listed, part
from sizebook.workbooks.timeline import BOLD_SUM, MOST, SUM, Timeline

PARTS = ("phases_usd", "ablation_usd", "evaluation_usd", "data_usd", "storage_usd", "egress_usd")


# GPU-hours and prices of all phases at both ends of time, and of the price.
_ENDS = (
    (("{hours_low.all}", "{price_now.all}"), ("{hours_high.all}", "{price_now.all}")),
    (("{hours_middle.all}", "{price_low.all}"), ("{hours_middle.all}", "{price_high.all}")),
)


def budget(book: Book) -> None:
    """Add the sheet of the whole programme in low, middle and high: all phases at the same end of their bands."""
    page = new_sheet(book, "Budget", "The whole programme, all its phases at the same end of their bands.", NAMES)
    page.heads("Figure")
    page.section("Shares and sums that hold for every case")
    page.line(
        "ablation_now",
        "Ablations and failed runs",
        "=MAX(0,{ablation_share}+{use_ablation.1})",
        "ratio",
        "Inputs + the scenario's",
        styles.PERCENT,
    )
    page.line(
        "more",
        "All GPU-hours over those of the phases",
        "=1+{ablation_now}+{evaluation_share}",
        "ratio",
        "1 + experiments",
        styles.NUMBER,
    )
    page.section("Low, middle and high in time and price")

    def line(key: str, label: str, formula: str, unit: str, origin: str, shown: str = styles.WHOLE) -> None:
        page.line(key, label, tuple(formula.replace("@", case) for case in NAMES), unit, origin, shown)

    line(
        "days",
        "Days",
        "=SUM({days_@.all})+SUM({elapsed.all})-SUM({days_middle.all})",
        "days",
        "Phases and gaps",
        styles.RATE,
    )
    line("gpu_hours", "GPU-hours", "=SUM({hours_@.all})*{more}", "GPU-hours", "Phases, with experiments")
    hourly = "SUMPRODUCT({hours_@.all},{case_price_@.all})"
    line("phases_usd", "Phases", f"={hourly}+SUM({{beside_usd.all}})", "USD", "GPU-hours x price + other costs")
    line(
        "ablation_usd", "Ablations and failed runs", f"={hourly}*{{ablation_now}}", "USD", "Share of GPU-hours x price"
    )
    line("evaluation_usd", "Evaluation", f"={hourly}*{{evaluation_share}}", "USD", "Share of GPU-hours x price")
    line(
        "data_usd",
        "Data preparation",
        "=({data_cpu_hours}*{usd_per_cpu_hour}+{licences_usd})*{use_data.1}",
        "USD",
        "CPU-hours x price + licences",
    )
    line("storage_usd", "Checkpoint storage", "=SUM({kept_usd.all})", "USD", "Phases")
    line("egress_usd", "Egress", "={egress_tb}*{usd_per_egress_tb}*{use_storage.1}", "USD", "Terabytes x price")
    page.total("usd", "Cost", f"=SUM({{{PARTS[0]}:{PARTS[-1]}}})", "USD", "Sum of the parts")
    line("energy_kwh", "Energy", "=SUMPRODUCT({hours_@.all},{kw_each.all})*{more}", "kWh", "GPU-hours x power")
    line(
        "co2e_kg",
        "Greenhouse gases, location-based",
        "=SUMPRODUCT({hours_@.all},{kw_each.all},{grams.all})*{more}/{thousand}",
        "kgCO2e",
        "Energy x grams",
    )
    line("peak_mw", "Peak power", "=MAX({mw_@.all})*{more}", "MW", "Phases, with experiments", styles.NUMBER)
    by_time, by_price = (tuple(part(f"SUMPRODUCT({one},{other})") for one, other in ends) for ends in _ENDS)
    share, label = price_share(by_time, by_price), "Price's share of the range"
    page.line("price_share", label, share, "ratio", "All phases", styles.PERCENT)
    page.section("Calendar")
    page.line("n_phases", "Phases", "=SUMPRODUCT(--({days_middle.all}>0))", "", "Inputs")
    page.line("ends_after", "Ends on day", "=MAX({ends_on.all})", "days", "Phases", styles.RATE)
    page.line("month_days", "Days of a month", "={hours_a_month}/{hours_a_day}", "days", "Inputs", styles.NUMBER)
    page.line("first_start", "First day", '=IF({start}="",{first_day},{start})', "", "Inputs", styles.DATE)
    page.line("first_month", "First of its month", "={first_start}-DAY({first_start})+1", "", "First day", styles.DATE)
    page.line(
        "over_days",
        "Days of that month before it",
        "={month_days}*({first_start}-{first_month})/DAY(EOMONTH({first_start},0))",
        "days",
        "Share of its month x days of a month",
        styles.NUMBER,
    )
    page.line(
        "months",
        "Months",
        "=MAX(1,ROUNDUP(({over_days}+{ends_after})/{month_days}-{rounding},0))",
        "months",
        "Months of so many days",
    )
    page.finish()


def months(book: Book) -> None:
    """Add the programme month by month, in its middle case and in the scenario of the cover."""
    page = Timeline(book, "Months", "The middle case by month; months of 730 hours, the first from its first day.")
    page.calendar("first_month.middle", "months.middle")
    row = page.row_of
    row("first", "Days before it", "=MAX(0,({month}-1)*{month_days.middle}-{over_days.middle})", "days", styles.NUMBER)
    row("last", "Days to its end", "={month}*{month_days.middle}-{over_days.middle}", "days", styles.NUMBER)
    page.section("Share of each phase")
    for phase in PHASES:
        within = f"MAX(0,MIN({{last}},{{ends_on.{phase}}})-MAX({{first}},{{starts_on.{phase}}}))"
        share = f"=IF({{days_middle.{phase}}}=0,0,{within}/{{days_middle.{phase}}})"
        row(f"share_{phase}", f"={{shown.{phase}}}", share, "ratio", styles.PERCENT, total=SUM)
    page.section("Phases that end")
    for phase in PHASES:
        ends = f"{{ends_on.{phase}}}"
        due = f"AND({ends}>{{first}},OR({ends}<={{last}},{{month}}={{months.middle}}))"
        row(f"ended_{phase}", f"={{shown.{phase}}}", f"=IF({{days_middle.{phase}}}=0,0,IF({due},1,0))", "", total=SUM)

    def summed(key: str, share: str = "share") -> str:
        return "+".join(f"{{{share}_{phase}}}*{{{key}.{phase}}}" for phase in PHASES)

    page.section("GPU-hours")
    row(
        "month_hours",
        "GPU-hours, experiments included",
        f"=({summed('hours_middle')})*{{more.middle}}",
        "GPU-hours",
        total=SUM,
    )
    page.section("Money")
    level_and_rate_rows(page)
    rate = "*{currency_rate}"
    gpus = f"=({summed('gpu_usd')})*{{price_level_now}}{rate}"
    row("month_gpu_usd", "GPUs of the phases", gpus, MONEY, total=SUM)
    row("month_other_usd", "Other costs of the phases", f"=({summed('beside_usd')}){rate}", MONEY, total=SUM)
    row("month_ablation_usd", "Ablations and failed runs", "={month_gpu_usd}*{ablation_now.middle}", MONEY, total=SUM)
    row("month_evaluation_usd", "Evaluation", "={month_gpu_usd}*{evaluation_share}", MONEY, total=SUM)
    row("month_data_usd", "Data preparation", "=IF({month}=1,{data_usd.middle},0)" + rate, MONEY, total=SUM)
    row("month_storage_usd", "Checkpoint storage", f"=({summed('kept_usd', 'ended')}){rate}", MONEY, total=SUM)
    last = "=IF({month}={months.middle},{egress_usd.middle},0)"
    row("month_egress_usd", "Egress", last + rate, MONEY, total=SUM)
    row(
        "month_usd",
        "Cost",
        "={month_gpu_usd}+{month_other_usd}+{month_ablation_usd}+{month_evaluation_usd}+{month_data_usd}"
        "+{month_storage_usd}+{month_egress_usd}",
        MONEY,
        total=BOLD_SUM,
    )
    row("usd_to_date", "Cost to date", "=SUM({month_usd.1}:{month_usd})*{on}", MONEY, total=MOST)
    usd_row(page, "month_usd")
    page.section("Energy and carbon")
    row("month_kwh", "Energy", f"=({summed('phase_kwh')})*{{more.middle}}", "kWh", total=SUM)
    row("month_kg", "Greenhouse gases, location-based", f"=({summed('phase_kg')})*{{more.middle}}", "kgCO2e", total=SUM)
    row("mean_mw", "Mean power", "={month_kwh}/{hours_a_month}/{thousand}", "MW", styles.NUMBER, total=MOST)
    runs, each = f"({{share_{PHASES[0]}:share_{PHASES[-1]}}}>0)", listed(f"{{mw_middle.{phase}}}" for phase in PHASES)
    highest = f"=SUMPRODUCT(MAX({runs}*{each}))*{{more.middle}}"
    row("month_mw", "Peak power", highest, "MW", styles.NUMBER, total=MOST)
    page.finish()


PERIODS = (
    ("month_hours", "GPU-hours, experiments included", "GPU-hours", styles.WHOLE),
    ("month_gpu_usd", "GPUs of the phases", MONEY, styles.WHOLE),
    ("month_usd", "Cost", MONEY, styles.WHOLE),
    ("month_kwh", "Energy", "kWh", styles.WHOLE),
    ("month_kg", "Greenhouse gases", "kgCO2e", styles.WHOLE),
)
