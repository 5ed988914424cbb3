"""The sheets of `serving_capacity.xlsx` on which time runs across: replicas by hour, the plan month by month."""

from __future__ import annotations

from serving_capacity_basis import Staged

from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.finance import currency_rate, dated_level
from sizebook.workbooks.timeline import BOLD_SUM, LAST, MOST, SUM, Timeline

HOURS = range(24)
_CEILING = "-INT({{rounding}}-{})"  # the ceiling, which leaves 1e-9 to rounding


def months(book: Book, staged: Staged) -> None:
    """Add the plan month by month, and the replicas of each hour that it follows from."""
    page = Timeline(book, "Months", "The plan month by month, in the scenario of the cover. One formula a row.")
    page.calendar("start", "months")
    page.section("Traffic")
    row = page.row_of
    row("requests_day", "Requests a day", "={requests_now}*(1+{growth})^({month}-1)*{on}", "requests")
    row("requests", "Requests", "={requests_day}*{hours_a_month}/{hours_a_day}", "requests", total=SUM)
    row(
        "arrivals",
        "Arrivals planned for, mean of the day",
        "={requests_day}/{seconds_a_day}*{bursts}",
        "requests/s",
        styles.RATE,
    )
    _hours(book, staged)
    page.section("Fleet")
    need = _block("need")
    row("always", "Replicas that always run", f"=IF({{on}}=0,0,LARGE({need},1+{{hours_over}}))", "replicas", total=MOST)
    over = f"({need}>{{always}})*({need}-{{always}})"  # replicas of each hour beyond those that always run
    row("most_replicas", "Replicas in the busiest hour", f"=MAX({need},{{always}})", "replicas", total=MOST)
    row("replica_hours", "Replica-hours of a day", f"=SUMPRODUCT({over})+{{hours_a_day}}*{{always}}", "hours")
    row("reserved_gpus", "GPUs reserved", "=ROUNDUP({always}/{step},0)*{step_gpus}", "GPUs", total=LAST)
    row("peak_gpus", "GPUs at peak", "=ROUNDUP({most_replicas}/{step},0)*{step_gpus}", "GPUs", total=MOST)
    row(
        "peak_nodes",
        "Nodes at peak",
        "=IF({instances}>0,ROUNDUP({most_replicas}/MAX(1,{instances}),0),{most_replicas}*{nodes_each})",
        "nodes",
        total=MOST,
    )
    row(
        "gpu_hours",
        "GPU-hours",
        f"=SUMPRODUCT(-INT(-({over}+{{always}})/{{step}}))*{{step_gpus}}*{{hours_a_month}}/{{hours_a_day}}",
        "GPU-hours",
        total=SUM,
    )
    row("reserved_hours", "of them reserved", "={reserved_gpus}*{hours_a_month}", "GPU-hours", total=SUM)
    row("burst_hours", "of them on demand", "={gpu_hours}-{reserved_hours}", "GPU-hours", total=SUM)
    row(
        "utilization",
        "Fleet in use",
        "=IF({on}=0,0,{requests_day}/{seconds_a_day}*{hours_a_day}/({replica_hours}*{rate}))",
        "ratio",
        styles.PERCENT,
    )
    _money(page, book)
    _energy(page)
    _band(page)
    page.finish()


def _block(key: str) -> str:
    return f"{{{key}_0:{key}_23}}"


def _hours(book: Book, staged: Staged) -> None:
    """Add the replicas that each hour of the mean day needs."""
    page = Timeline(
        book, "Hours", "Replicas by hour of the mean day. Those beyond what always runs are paid on demand.", ("Share",)
    )
    page.calendar()
    page.section("Replicas needed, spare ones included")
    ceiling = _CEILING.format("{arrivals}*$D§/({rate}*{load})")
    for hour in HOURS:
        page.fill_before((f"={staged.hours.cell(1 + hour, 1)}",))
        needed = f"={{on}}*MAX(IF($D§>0,1,0),{ceiling}+{{spare_replicas}})"
        page.row_of(f"need_{hour}", f"{hour:02d}:00", needed, "replicas")
    page.finish()


def _money(page: Timeline, book: Book) -> None:
    page.section("Money")
    row = page.row_of
    row(
        "price_level_now",
        "Level of GPU prices",
        dated_level(book, "price_date", "price_level", from_first=False),
        "ratio",
        styles.NUMBER,
    )
    row("reserved_usd", "Reserved", "={reserved_hours}*{reserved_now}*{price_level_now}", "USD", total=SUM)
    row("on_demand_usd", "On demand", "={burst_hours}*{on_demand_now}*{price_level_now}", "USD", total=SUM)
    row("usd", "Cost", "={reserved_usd}+{on_demand_usd}", "USD", total=BOLD_SUM)
    row("usd_to_date", "Cost to date", "=SUM({usd.1}:{usd})*{on}", "USD", total=MOST)
    row(
        "currency_rate",
        "Exchange rate",
        currency_rate(book),
        "per USD",
        styles.NUMBER,
    )
    row("amount", "Cost in the currency", "={usd}*{currency_rate}", "", total=BOLD_SUM)
    for side, words in (("output", "out"), ("input", "in")):
        row(
            f"usd_per_mtok_{side}",
            f"USD per Mtok {words}",
            f"=IF({{on}}=0,0,{{usd}}/({{requests}}*{{plan_{side}_tokens}})*{{million}})",
            "USD/Mtok",
            styles.RATE,
        )


def _energy(page: Timeline) -> None:
    page.section("Energy and carbon")
    row = page.row_of
    row(
        "busy",
        "GPUs at work of those paid for",
        "=IF({on}=0,0,MIN(1,{utilization})*{replica_hours}*{gpus_each}*{hours_a_month}/{hours_a_day}/{gpu_hours})",
        "ratio",
        styles.PERCENT,
    )
    row(
        "energy_kwh",
        "Energy",
        "={gpu_hours}*{plan_tdp_watts}*({busy}*{busy_share}+(1-{busy})*{idle_share})*{pue}/{thousand}",
        "kWh",
        total=SUM,
    )
    row("co2e_kg", "Greenhouse gases, location-based", "={energy_kwh}*{grams}/{thousand}", "kgCO2e", total=SUM)


def _band(page: Timeline) -> None:
    """Add the GPUs at peak if replicas are as fast, or as slow, as 1 in 10 measurements."""
    page.section("If replicas are as fast, or as slow, as 1 in 10 measurements")
    for key, label, end in (
        ("peak_gpus_fewest", "GPUs at peak, fewest", "p90"),
        ("peak_gpus_most", "GPUs at peak, most", "p10"),
    ):
        speed = f"{{plan_tokens_per_second_{end}}}/{{plan_tokens_per_second}}"
        needed = _CEILING.format(f"{{arrivals}}*{{most_share}}/({{rate}}*{speed}*{{load}})")
        page.row_of(
            key,
            label,
            f"={{on}}*ROUNDUP(MAX(1,{needed}+{{spare_replicas}})/{{step}},0)*{{step_gpus}}",
            "GPUs",
            total=MOST,
        )


PERIODS = (
    ("requests", "Requests", "requests", styles.WHOLE),
    ("gpu_hours", "GPU-hours", "GPU-hours", styles.WHOLE),
    ("reserved_usd", "Reserved", "USD", styles.WHOLE),
    ("on_demand_usd", "On demand", "USD", styles.WHOLE),
    ("usd", "Cost", "USD", styles.WHOLE),
    ("amount", "Cost in the currency", "", styles.WHOLE),
    ("energy_kwh", "Energy", "kWh", styles.WHOLE),
    ("co2e_kg", "Greenhouse gases", "kgCO2e", styles.WHOLE),
)
