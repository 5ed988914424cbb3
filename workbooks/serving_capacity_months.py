"""The sheets of `serving_capacity.xlsx` on which time runs across: replicas by hour, the plan month by month."""

from serving_capacity_basis import Staged

from sizebook.core.sections import leaves
from sizebook.plans.commitments import ContractMonth
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.finance import currency_rate, dated_level
from sizebook.workbooks.further_month_rows import alternative_rows, statement_rows
from sizebook.workbooks.gpu_hour_lines import TERMS, in_force
from sizebook.workbooks.timeline import BOLD_SUM, LAST, MOST, SUM, Timeline

HOURS = range(24)
_CEILING = "-INT({{rounding}}-{})"  # the ceiling, which leaves 1e-9 to rounding


def months(book: Book, staged: Staged) -> None:
    """Add the plan month by month, and the replicas of each hour that it follows from."""
    page = Timeline(book, "Months", "The plan month by month, in the scenario of the cover. One formula a row.")
    page.calendar("start", "months")
    page.section("Traffic")
    row = page.row_of
    course = f"=INDEX({staged.course},{{month}})*{{on}}"
    row("course", "Table of months and season", course, "", styles.NUMBER)
    row("requests_day", "Requests a day", "={requests_now}*{course}*(1+{growth})^({month}-1)*{on}", "requests")
    row("requests", "Requests", "={requests_day}*{hours_a_month}/{hours_a_day}", "requests", total=SUM)
    row(
        "arrivals",
        "Arrivals planned for, mean of the day",
        "={requests_day}/{seconds_a_day}*{bursts}",
        "requests/s",
        styles.RATE,
    )
    _hours(book, staged)
    _contracts(page, staged)
    page.section("Fleet")
    need = _block("need")
    row(
        "always",
        "Replicas that contracts hold",
        f"=MIN(MAX({need}),INT({{reserved_gpus}}/{{step_gpus}})*{{step}})",
        "replicas",
        total=MOST,
    )
    over = f"({need}>{{always}})*({need}-{{always}})"  # replicas of each hour beyond those that always run
    row("most_replicas", "Replicas in the busiest hour", f"=MAX({need},{{always}})", "replicas", total=MOST)
    row("replica_hours", "Replica-hours of a day", f"=SUMPRODUCT({over})+{{hours_a_day}}*{{always}}", "hours")
    peak = "=MAX({reserved_gpus},ROUNDUP({most_replicas}/{step},0)*{step_gpus})"
    row("peak_gpus", "GPUs at peak", peak, "GPUs", total=MOST)
    row(
        "peak_nodes",
        "Nodes at peak",
        "=IF({instances}>0,ROUNDUP({most_replicas}/MAX(1,{instances}),0),{most_replicas}*{nodes_each})",
        "nodes",
        total=MOST,
    )
    wanted, monthly = f"-INT(-{need}/{{step}})*{{step_gpus}}", "{hours_a_month}/{hours_a_day}"
    row("needed_hours", "GPU-hours needed", f"=SUMPRODUCT({wanted})*{monthly}", "GPU-hours", total=SUM)
    row("reserved_hours", "Under contract", "={reserved_gpus}*{hours_a_month}", "GPU-hours", total=SUM)
    beyond = f"({wanted}>{{reserved_gpus}})*({wanted}-{{reserved_gpus}})"
    row("on_demand_gpu_hours", "On demand, GPU-hours", f"=SUMPRODUCT({beyond})*{monthly}", "GPU-hours", total=SUM)
    unneeded = f"({{reserved_gpus}}>{wanted})*({{reserved_gpus}}-{wanted})"
    row("idle_hours", "Under contract and idle", f"={{on}}*SUMPRODUCT({unneeded})*{monthly}", "GPU-hours", total=SUM)
    row("used_hours", "Under contract and needed", "={reserved_hours}-{idle_hours}", "GPU-hours", total=SUM)
    row("gpu_hours", "GPU-hours", "={reserved_hours}+{on_demand_gpu_hours}", "GPU-hours", total=SUM)
    row(
        "utilization",
        "Fleet in use",
        "=IF({on}=0,0,{requests_day}/{seconds_a_day}*{hours_a_day}/({replica_hours}*{rate}))",
        "ratio",
        styles.PERCENT,
    )
    _money(page, book)
    _internal(page)
    statement_rows(page)
    alternative_rows(page, staged.alternatives, staged.alternatives_hold)
    _energy(page)
    _band(page)
    page.finish()


_PAID_AT = {"price_course": "base", "price_level_now": "level"}  # keys of rows of what is under contract at prices then


def _contracts(page: Timeline, staged: Staged) -> None:
    """Add what runs and what is to sign, as the plan has it, and what is under contract."""
    page.section("Contracts: what to sign, and what is under contract")
    row = page.row_of
    row(
        "price_course", "GPU prices over those of month 1", "=(1+{price_change})^({month}-1)*{on}", "ratio", styles.RATE
    )
    level = dated_level(page.book, "price_date", "price_level", from_first=False)
    row("price_level_now", "The same at dated levels", level + "*{price_course}", "ratio", styles.NUMBER)
    row(
        "contracts_hold",
        "Contracts were found for this traffic",
        f'=IF(OR({{sign_terms}}="none",{staged.contracts_hold}),1,0)',
        "",
    )
    for place, leaf in enumerate(leaves(ContractMonth), 1):
        if leaf.name in ("month", "needed_gpu_hours"):
            continue
        left_out = "{on}=0"
        if leaf.name.startswith("signed_"):
            left_out = 'OR({on}*{contracts_hold}=0,{sign_terms}="none")'
        inside = f"=IF({left_out},0,INDEX({staged.contracts.block.column(place, 2)},{{month}}))"
        total = LAST if leaf.name == "running_owed_usd" else MOST if leaf.name == "running_gpus" else SUM
        row(leaf.name, leaf.label, inside, leaf.quantity.unit, total=total)
    row("signed_gpus", "GPUs to sign for", "={signed_1y_gpus}+{signed_3y_gpus}", "GPUs", total=SUM)
    for term, (months, _) in TERMS.items():
        signed = f"signed_{term}_gpus"
        after = f"={{on}}*MAX(0,{{month}}+{{{months}}}-1-{{months}})"
        row(f"after_{term}", f"Months signed past the plan, {term}", after, "months")
        row(f"held_{term}", f"In force, {term}", f"={{on}}*{in_force(months, signed)}", "GPUs", total=LAST)
        for level, words in (
            ("price_course", "At plan prices when signed"),
            ("price_level_now", "At dated levels too"),
        ):
            key, paid = _PAID_AT[level], f"={{on}}*{in_force(months, signed, level)}"
            row(f"{key}_{term}", f"{words}, {term}", paid, "GPUs", styles.NUMBER)
    row("reserved_gpus", "GPUs reserved", "={running_gpus}+{held_1y}+{held_3y}", "GPUs", total=LAST)
    row("reserved_steps", "in steps that are bought together", "={reserved_gpus}/{step_gpus}", "steps", styles.NUMBER)


def contract_usd(
    level: str = "price_level_now", prices: tuple[str, str] = ("{reserved_now}", "{reserved_3y_now}")
) -> str:
    """Return the expression of what contracts cost in a month; those to sign at prices that went as ``level`` says."""
    signed = [
        f"IF({{held_{term}}}=0,0,{price}*{{{_PAID_AT[level]}_{term}}})"
        for term, price in zip(TERMS, prices, strict=True)
    ]
    return f"{{running_usd}}+{{hours_a_month}}*({'+'.join(signed)})"


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
    row("currency_rate", "Exchange rate", currency_rate(book), f"{MONEY} per USD", styles.NUMBER)
    rate = "*{currency_rate}"
    row("reserved_usd", "Reserved", f"=({contract_usd()}){rate}", MONEY, total=SUM)
    on_demand = "={on_demand_gpu_hours}*{on_demand_now}*{price_level_now}"
    row("on_demand_usd", "On demand", on_demand + rate, MONEY, total=SUM)
    row("usd", "Cost", "={reserved_usd}+{on_demand_usd}", MONEY, total=BOLD_SUM)
    prepaid = "+".join(
        f"IF({{held_{term}}}=0,0,{{{price}_now}}*"
        f"({{signed_{term}_gpus}}*{{{months}}}*{{price_level_now}}-{{level_{term}}}))"
        for term, (months, price) in TERMS.items()
    )
    row(
        "cash_usd",
        "Paid, with what is prepaid of contracts",
        f"={{usd}}+{{prepaid_share}}*{{hours_a_month}}*({prepaid}){rate}",
        MONEY,
        total=SUM,
    )
    owed = "+".join(
        f"IF({{signed_{term}_gpus.total}}=0,0,"
        f"{{{price}_now}}*SUMPRODUCT({{signed_{term}_gpus.all}}*{{price_level_now.all}}*{{after_{term}.all}}))"
        for term, (_, price) in TERMS.items()
    )
    row(
        "tail_usd",
        "Tail of contracts, after the plan",
        f"=IF({{month}}={{months}},({{running_owed_usd}}+{{hours_a_month}}*({owed})){rate},0)",
        MONEY,
        total=SUM,
    )
    row("usd_to_date", "Cost to date", "=SUM({usd.1}:{usd})*{on}", MONEY, total=MOST)
    for side, words in (("output", "out"), ("input", "in")):
        row(
            f"usd_per_mtok_{side}",
            f"{MONEY} per Mtok {words}",
            f"=IF({{on}}=0,0,{{usd}}/({{requests}}*{{plan_{side}_tokens}})*{{million}})",
            f"{MONEY}/Mtok",
            styles.RATE,
        )


def _internal(page: Timeline) -> None:
    """Add what prompts, cached tokens and answers take of the cost by seconds of GPUs, and what is idle."""
    page.section("Internal price: the cost by seconds of GPUs")
    lines = {"prompt": ("input", "Prompts"), "cached": ("cached", "Cached tokens"), "answer": ("output", "Answers")}
    for of, (key, label) in lines.items():
        seconds = f"{{requests}}*{{plan_{of}_gpu_seconds}}/{{use_speed}}"
        taken = f"=IF({{on}}=0,0,{{usd}}*{seconds}*{{hours_a_day}}/{{seconds_a_day}}/{{gpu_hours}})"
        page.row_of(f"{key}_usd", f"{label}, {MONEY}", taken, MONEY, total=SUM)
    idle = "={usd}-{input_usd}-{cached_usd}-{output_usd}"
    page.row_of("idle_usd", f"Idle, {MONEY}", idle, MONEY, total=SUM)


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
            f"={{on}}*MAX({{reserved_gpus}},ROUNDUP(MAX(1,{needed}+{{spare_replicas}})/{{step}},0)*{{step_gpus}})",
            "GPUs",
            total=MOST,
        )


PERIODS = (
    ("requests", "Requests", "requests", styles.WHOLE),
    ("gpu_hours", "GPU-hours", "GPU-hours", styles.WHOLE),
    ("reserved_usd", "Reserved", MONEY, styles.WHOLE),
    ("on_demand_usd", "On demand", MONEY, styles.WHOLE),
    ("usd", "Cost", MONEY, styles.WHOLE),
    ("whole_usd", "Whole cost", MONEY, styles.WHOLE),
    ("energy_kwh", "Energy", "kWh", styles.WHOLE),
    ("co2e_kg", "Greenhouse gases", "kgCO2e", styles.WHOLE),
)
