"""The months of `fleet_plan.xlsx`, all services together, and their quarters and years."""

from fleet_plan_inputs import SERVICES
from fleet_plan_loads import Groups, block, burst_of, signed_at
from fleet_plan_services import Staged

from sizebook.core.sections import leaves
from sizebook.plans.commitments import ContractMonth
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.cost_ranges import range_rows
from sizebook.workbooks.further_month_rows import alternative_rows, statement_rows
from sizebook.workbooks.gpu_hour_lines import TERMS
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.staged_tables import StagedRows
from sizebook.workbooks.timeline import BOLD_SUM, LAST, MOST, SUM, Timeline

LARGEST = 5  # services that the chart names; the others stand together
CEILINGS = (("gpu", "peak_gpus", "GPUs"), ("rack", "racks", "racks"), ("kw", "site_kw", "kW"))


def months(page: Timeline, book: Book, group: Groups, staged: Staged) -> None:
    """Add the rows of all services together to the sheet that the calendar began."""
    row = page.row_of
    page.section("Traffic and GPUs")
    row("requests_per_day_all", "Requests a day", f"=SUM({block('day')})", "requests")
    for key, label, of in (
        ("peak_gpus", "GPUs at peak", "paid_peak"),
        ("mean_gpus", "GPUs at the mean", "paid_mean"),
        ("reserved_gpus", "GPUs reserved", "reserved"),
    ):
        row(key, label, f"=SUM({block(of)})", "GPUs", total=MOST if key != "reserved_gpus" else LAST)
    placed = f"SUMPRODUCT({block('peak')}*{group.of('gpus_each')})"
    row("idle_gpus", "GPUs at peak without a replica", f"={{peak_gpus}}-{placed}", "GPUs", total=MOST)
    signed = f"=SUM({block('signed_1y_gpus')})+SUM({block('signed_3y_gpus')})"
    row("signed_gpus", "GPUs to sign for", signed, "GPUs", total=SUM)
    page.section("Nodes, racks, power")
    row("nodes", "Nodes", f"=SUM({block('nodes')})", "nodes", total=MOST)
    row(
        "own_nodes",
        "Nodes if services shared none",
        f"=SUMPRODUCT(-INT({{rounding}}-{block('peak')}*{group.of('part')}))",
        "nodes",
        total=MOST,
    )
    row("racks", "Racks", f"=SUM({block('racks')})", "racks", total=MOST)
    row("site_kw", "Power to provide", f"=SUMPRODUCT({block('nodes')}*{group.of('node_kw')})*{{pue}}", "kW", total=MOST)
    held = f"SUMPRODUCT({block('nodes')}*{group.of('node_gpus')})"
    row("free_gpus", "GPUs of nodes without a replica", f"={held}-{placed}", "GPUs", total=MOST)
    held = f"SUMPRODUCT({block('racks')}*{group.of('nodes_a_rack')})"
    row("free_nodes", "Places of nodes in racks that stay free", f"={held}-{{nodes}}", "nodes", total=MOST)
    for name, figure, unit in CEILINGS:
        row(
            f"over_{name}",
            f"More {unit} than there are",
            f'=IF({{{name}_ceiling}}="",0,MAX(0,{{{figure}}}-{{{name}_ceiling}}))',
            unit,
            total=MOST,
        )
        row(f"is_over_{name}", f"More {unit}, 1 where so", f"=IF({{over_{name}}}>0,1,0)", "", total=SUM)
    for name, figure, unit in (CEILINGS[0], CEILINGS[2]):
        row(
            f"{name}_shown",
            f"Ceiling of {unit} in the chart",
            f'={{on}}*IF({{{name}_ceiling}}="",{{{figure}}},{{{name}_ceiling}})',
            unit,
        )
    page.section("Money")
    row("gpu_hours", "GPU-hours", f"=SUM({block('hours')})", "GPU-hours", total=SUM)
    hours = burst_of(block("paid_peak"), mean=block("paid_mean"), reserved=block("reserved"))
    row("burst_hours_all", "of them burst", f"=SUMPRODUCT({hours})", "GPU-hours", total=SUM)
    reserved, burst = block("reserved"), f"({block('hours')}-{{hours_a_month}}*{block('reserved')})"
    needs, monthly = (block("paid_peak"), block("paid_mean")), "{hours_a_month}/{hours_a_day}"
    needed = _of_a_day(*(f"SUM({gpus})" for gpus in needs))
    row("needed_hours", "GPU-hours needed", f"={needed}*{monthly}", "GPU-hours", total=SUM)
    idle = _of_a_day(*(f"SUMPRODUCT(({reserved}>{gpus})*({reserved}-{gpus}))" for gpus in needs))
    row("reserved_idle_gpu_hours", "Reserved and idle", f"={idle}*{monthly}", "GPU-hours", total=SUM)
    used = "={hours_a_month}*{reserved_gpus}-{reserved_idle_gpu_hours}"
    row("reserved_used_gpu_hours", "Reserved and needed", used, "GPU-hours", total=SUM)
    row("reserved_usd", "Reserved", f"={{currency_rate}}*SUM({block('contract_usd')})", MONEY, total=SUM)
    on_demand = f"SUMPRODUCT({burst}*{group.of('on_demand_now')}*{block('level')})"
    row("burst_usd", "Burst", f"={{currency_rate}}*{on_demand}", MONEY, total=SUM)
    row("usd", "Cost", "={reserved_usd}+{burst_usd}", MONEY, total=BOLD_SUM)
    _paid(page, group, staged.contracts)
    row("usd_to_date", "Cost to date", "=SUM({usd.1}:{usd})*{on}", MONEY, total=MOST)
    statement_rows(page)
    page.section("Energy and carbon")
    row("energy_kwh", "Energy", f"=SUM({block('energy')})", "kWh", total=SUM)
    hours = f"SUMPRODUCT({block('hours')}*{group.of('watts')})"
    row(
        "energy_idle", "Energy if all GPUs were idle", f"={hours}*{{idle_share}}*{{pue}}/{{thousand}}", "kWh", total=SUM
    )
    row("co2e_kg", "Greenhouse gases, location-based", "={energy_kwh}*{grams.1}/{thousand}", "kgCO2e", total=SUM)
    page.section("If replicas are as fast, or as slow, as 1 in 10 measurements; if providers are cheap, or dear")
    for end, of, words in (("fewest", "_fast", "fewest"), ("most", "_slow", "most")):
        row(f"peak_gpus_{end}", f"GPUs at peak, {words}", f"=SUM({block(f'paid_peak{of}')})", "GPUs", total=MOST)
    for end in ("fast", "slow"):
        row(f"usd_{end}", f"Cost, {end} replicas", f"={{cost_{end}}}", MONEY, total=SUM)
    for end, of in (("cheap", "low"), ("dear", "high")):
        signed = f"{{hours_a_month}}*({signed_at(group, f'{of}_now')})"
        paid = f"SUMPRODUCT({signed}+{burst}*{group.of(f'on_demand_{of}_now')}*{block('level')})"
        cost = f"={{currency_rate}}*(SUM({block('running_usd')})+{paid})"
        row(f"usd_{end}", f"Cost, {end} providers", cost, MONEY, total=SUM)
    range_rows(page, "usd")
    page.section("GPUs of replicas, the largest services")
    for at in range(1, LARGEST + 1):
        row(
            f"rank_gpus_{at}",
            f"={{rank_name.{at}}}",
            f"=INDEX({block('peak')},{{ranked.{at}}})*INDEX({group.of('gpus_each')},{{ranked.{at}}})",
            "GPUs",
            total=MOST,
        )
    named = f"{{rank_gpus_1:rank_gpus_{LARGEST}}}"
    row("rank_gpus_others", "Others", f"={placed}-SUM({named})", "GPUs", total=MOST)
    alternative_rows(page, staged.alternatives, staged.alternatives_hold)
    page.finish()


def _of_a_day(busy: str, other: str) -> str:
    """Return the sum of the hours of a day, busy ones and others."""
    return f"({busy}*{{burst_hours}}+{other}*({{hours_a_day}}-{{burst_hours}}))"


def _paid(page: Timeline, group: Groups, contracts: StagedRows) -> None:
    """Add what is paid in a month, with what is prepaid of contracts, and what these cost after the plan."""
    prepaid, owed = [], []
    for term, (months, price) in TERMS.items():
        signed, level, now = block(f"signed_{term}_gpus"), block("level"), group.of(f"{price}_now")
        prepaid.append(f"{now}*({signed}*{{{months}}}*{level}-{block(f'paid_{term}')})")
        after = f"{{on}}*MAX(0,{{month}}+{{{months}}}-1-{{months}})"
        page.row_of(f"after_{term}", f"Months after the plan, {term}", f"={after}", "months")
        owed.append(f"SUMPRODUCT({signed}*{level}*{now})*{{after_{term}}}")
    early = f"{{hours_a_month}}*SUMPRODUCT({group.of('prepaid_share')}*({'+'.join(prepaid)}))"
    label = "Paid, with what is prepaid of contracts"
    page.row_of("cash_usd", label, f"={{usd}}+{{currency_rate}}*{early}", MONEY, total=SUM)
    owed_usd = f"={{hours_a_month}}*({'+'.join(owed)})"
    page.row_of("signed_owed_usd", "What is signed, after the plan", owed_usd, "USD", total=SUM)
    names = [leaf.name for leaf in leaves(ContractMonth)]
    month, running = (contracts.block.column(1 + names.index(name), 2) for name in ("month", "running_owed_usd"))
    tail = f"SUMIF({month},{{month}},{running})+SUM({{signed_owed_usd.all}})"
    last = f"=IF({{month}}={{months}},{{currency_rate}}*({tail}),0)"
    page.row_of("tail_usd", "Tail of contracts, after the plan", last, MONEY, total=SUM)


def ranks(page: LineSheet) -> None:
    """Add services by their GPUs, the largest first."""
    page.part(
        "Ranks",
        "Services by the GPUs of their replicas over all months, the largest first; what sentences of Result are of.",
    )
    page.section("Places")
    page.line(
        "gpu_months",
        "GPU-months",
        tuple(f"=SUM({{peak_{at}.all}})*{{gpus_each.{at}}}" for at in SERVICES),
        "GPU-months",
        "Buying",
    )
    larger = "SUMPRODUCT(--({gpu_months.all}>{gpu_months}))"
    equals = "SUMPRODUCT(({gpu_months.all}={gpu_months})*({number.all}<={number}))"
    page.line("place", "Place", f"={larger}+{equals}", "", "The first of equals first")
    page.section("In order")
    page.line("ranked", "Column of the service", "=MATCH({number},{place.all},0)", "", "Inputs")
    page.line("rank_name", "Service", "=INDEX({shown.all},{ranked})", "", "Inputs", styles.GENERAL)


PERIODS = (
    ("gpu_hours", "GPU-hours", "GPU-hours", styles.WHOLE),
    ("reserved_usd", "Reserved", MONEY, styles.WHOLE),
    ("burst_usd", "Burst", MONEY, styles.WHOLE),
    ("usd", "Cost", MONEY, styles.WHOLE),
    ("whole_usd", "Whole cost", MONEY, styles.WHOLE),
    ("energy_kwh", "Energy", "kWh", styles.WHOLE),
    ("co2e_kg", "Greenhouse gases", "kgCO2e", styles.WHOLE),
)
