"""The sheet of `fleet_plan.xlsx` of each service month by month, a row each: replicas, nodes, racks, what is bought.

What is bought or stands together is worked out in the row of its first service; the others show nothing.
"""

from dataclasses import dataclass

from fleet_plan_inputs import SERVICES
from openpyxl.utils import get_column_letter

from sizebook.core.sections import leaves
from sizebook.plans.commitments import ContractMonth
from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.plans.serving.traffic_by_month import Course
from sizebook.workbooks import styles
from sizebook.workbooks.book import FIRST_COLUMN, MONEY, Book, Place
from sizebook.workbooks.finance import currency_rate, dated_level
from sizebook.workbooks.gpu_hour_lines import TERMS, in_force
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.print_marks import fold_blank
from sizebook.workbooks.staged_tables import StagedRows, stage_rows, watch_lines
from sizebook.workbooks.timeline import MOST, SUM, Timeline

FILLED = "#,##0;-#,##0;"  # shows nothing for 0: rows of services that there are not, or that another one stands for
_TABLE = (
    ("Number", "number", styles.WHOLE),
    ("Stands on the nodes of", "stands_with", styles.WHOLE),
    ("Is bought with", "bought_with", styles.WHOLE),
    ("In the racks of", "hardware", styles.WHOLE),
    ("Part of a node", "part", styles.NUMBER),
    ("kW of a node", "node_kw", styles.NUMBER),
    ("GPUs of a replica", "gpus_each", styles.WHOLE),
    ("GPUs of a node", "node_gpus", styles.WHOLE),
    ("Nodes of a rack", "nodes_a_rack", styles.WHOLE),
    ("Spare replicas", "spare_replicas", styles.WHOLE),
    ("Peak over mean", "peak_now", styles.NUMBER),
    *(
        (f"{words}{end.replace('_', ', ')}, USD", f"{kind}{end}_now", styles.RATE)
        for end in ("", "_low", "_high")
        for kind, words in (
            ("reserved", "Reserved"),
            ("reserved_3y", "Three years"),
            ("on_demand", "On demand"),
        )
    ),
    ("Prepaid", "prepaid_share", styles.PERCENT),
    ("Watts", "watts", styles.WHOLE),
    ("At work a request a day", "work", "0.000E+00"),
    ("Replicas a request", "need", "0.000E+00"),
    ("if fast", "need_fast", "0.000E+00"),
    ("if slow", "need_slow", "0.000E+00"),
    ("1 + growth a month", "growth_first", styles.NUMBER),
    ("Part of a unit", "unit_part", styles.NUMBER),
    ("GPUs of a unit", "unit_gpus", styles.WHOLE),
    ("Reserved, Inputs, USD", "reserved_price", styles.RATE),
    ("Three years, Inputs, USD", "reserved_3y_price", styles.RATE),
    ("On demand, Inputs, USD", "on_demand_price", styles.RATE),
    ("Begins in month", "begins", styles.WHOLE),
    ("Ends with month", "ends", styles.WHOLE),
    ("Growth a month", "growth", styles.PERCENT),
    ("Requests a day at first", "requests_now", styles.WHOLE),
    ("Requests/s of a replica", "rate", styles.RATE),
    ("Target load", "load", styles.PERCENT),
)
# What each service takes of what is worked out in the row of its first service: tables of a row and a column a service.
_PARTS = {
    "buys_part": (
        "Who is bought with the service of the row: what a replica takes of a unit",
        "=IF({bought_with.COLUMN}={number.ROW},{unit_part.COLUMN},0)",
    ),
    "part_bought": (
        "Who is bought with the service of the column: what a replica takes of a unit",
        "=IF({bought_with.ROW}={number.COLUMN},{unit_part.ROW},0)",
    ),
    "part_standing": (
        "Who stands with the service of the column: what a replica takes of a node",
        "=IF({stands_with.ROW}={number.COLUMN},{part.ROW},0)",
    ),
    "in_racks": (
        "Whose nodes are in the racks of the service of the column: 1 where so",
        "=IF({hardware.ROW}={number.COLUMN},1,0)",
    ),
}


@dataclass(frozen=True)
class Groups:
    """Where the table of who shares with whom stands: references to its columns, all services below each other."""

    columns: dict[str, str]

    def of(self, name: str) -> str:
        """Return a reference to a column."""
        return self.columns[name]


def _up(value: str) -> str:
    """Return the formula of the ceiling, which leaves 1e-9 to rounding."""
    return f"-INT({{rounding}}-{value})"


def block(key: str) -> str:
    """Return the name of all services' cells of a block, in the month of the column."""
    return f"{{{key}_{SERVICES[0]}:{key}_{SERVICES[-1]}}}"


def every_part(key: str) -> str:
    """Return the name of all cells of a table of parts."""
    return f"{{{key}_{SERVICES[0]}.all:{key}_{SERVICES[-1]}}}"


def _parts_of(key: str) -> str:
    """Return the name of the column of a table of parts that is of the service of this row."""
    return f"{{{key}_{SERVICES[0]}.@:{key}_{SERVICES[-1]}}}"


def groups(page: LineSheet) -> Groups:
    """Add who shares with whom, numbers of services and a row each, for formulas that take all services at once."""
    page.part("Groups", "Who shares nodes, purchases and racks with whom: numbers of services, a row each.")
    columns, tops = {}, []
    for start in range(0, len(_TABLE), len(SERVICES)):
        shown = _TABLE[start : start + len(SERVICES)]
        page.section("Services" if start == 0 else "The same services, what else is taken of them")
        heads = ["Service", *(head for head, *_ in shown)]
        rows = [[f"={{shown.{at}}}", *(f"={{{key}.{at}}}" for _, key, _ in shown)] for at in SERVICES]
        first, last = page.table(heads, rows, [styles.GENERAL, *(written for *_, written in shown)], blanks=True)
        tops.append(first)
        for number, (_, key, _) in enumerate(shown, FIRST_COLUMN):
            letter = get_column_letter(number)
            columns[key] = f"{page.sheet.title}!${letter}${first}:${letter}${last}"
    for key, (title, formula) in _PARTS.items():
        bottom = _table_of_parts(page, key, title, formula)
    fold_blank(page.sheet, f"$B${tops[0]}:$B${bottom}")
    return Groups(columns)


def _table_of_parts(page: LineSheet, key: str, title: str, formula: str) -> int:
    """Add a table of a row and a column a service; return its last row."""
    page.section(title)
    for at, service in enumerate(SERVICES, page.row + 1):
        page.book.place(f"{key}_{service}", Place(page.sheet.title, at, SERVICES))
    rows = [
        [f"={{shown.{row}}}", *(formula.replace("ROW", row).replace("COLUMN", at) for at in SERVICES)]
        for row in SERVICES
    ]
    heads = ["Service", *(f"={{shown.{at}}}" for at in SERVICES)]
    return page.table(heads, rows, [styles.GENERAL, *["0.000;-0.000;"] * len(SERVICES)], blanks=True)[1]


def calendar(book: Book) -> Timeline:
    """Begin the sheet of all months: the calendar that the others take."""
    page = Timeline(book, "Months", "All services together, month by month, in the scenario of the cover.")
    page.calendar("first_month.1", "months")
    return page


def _rows(page: Timeline, key: str, formula: str, unit: str, total: str = "", shown: str = FILLED) -> None:
    """Add a row for each service; ``@`` in the formula stands for its number."""
    for service in SERVICES:
        page.row_of(f"{key}_{service}", f"={{shown.{service}}}", formula.replace("@", service), unit, shown, total)


def each_service(book: Book, group: Groups, contracts: StagedRows) -> None:
    """Add the sheet of each service month by month: replicas, nodes, what is bought, both ends of its speed."""
    page = Timeline(book, "Buying", "Each service month by month, a row each, from its traffic to what is bought.")
    page.calendar()
    _replicas(page)
    _nodes(page, group)
    _buying(page, group, contracts)
    for said in ("fast", "slow"):
        _at_speed(page, group, said)
    page.finish()


def _replicas(page: Timeline) -> None:
    page.part("Replicas", "Traffic of each service, and the replicas that it takes, spare ones included.")
    book = page.book
    page.section("Table of months and season")
    names = [leaf.name for leaf in leaves(Course)]
    for at in SERVICES:
        given = [f'IF({{{name}.{at}}}="","",{{{name}.{at}}})' for name in names]
        course = stage_rows(book, f"TRAFFIC_BY_MONTH({{first_month.1}},{','.join(given)})", (LONGEST_PLAN, 1))
        formula = f"=INDEX({course.block.column(1)},{{month}})*{{on}}"
        page.row_of(f"course_{at}", f"={{shown.{at}}}", formula, "", styles.NUMBER)
    watch_lines(book, *names)
    page.section("Requests a day")
    runs = "{on}*({month}>={begins.@})*({month}<={ends.@})*{course_@}"
    _rows(page, "day", f"={runs}*{{requests_now.@}}*(1+{{growth.@}})^MAX(0,{{month}}-{{begins.@}})", "requests", SUM)
    for at, title in (("peak", "Replicas in the busiest hour"), ("mean", "Replicas at the mean of the day")):
        page.section(title)
        _rows(page, at, f"={_needed(at)}", "replicas", MOST)


def _needed(at: str) -> str:
    """Return the replicas of one service, at peak or at the mean, spare ones included."""
    peak = "*{peak_now.@}" if at == "peak" else ""
    return f"IF({{day_@}}=0,0,{{spare_replicas.@}}{_up(f'{{day_@}}{peak}*{{need.@}}')})"


def _needed_of_all(group: Groups, at: str, end: str) -> str:
    """Return the same as an array, all services below each other."""
    days, peak = block("day"), f"*{group.of('peak_now')}" if at == "peak" else ""
    return f"({days}>0)*({group.of('spare_replicas')}{_up(days + peak + '*' + group.of('need' + end))})"


def _nodes(page: Timeline, group: Groups) -> None:
    page.part("Nodes", "Nodes and racks in the busiest hour, in the row of the first service on them.")
    page.section("Nodes")
    parts = f"SUMPRODUCT({_parts_of('part_standing')}*{block('peak')})"
    _rows(page, "nodes", f"={_up(parts)}", "nodes", MOST)
    page.section("Racks")
    together = f"SUMPRODUCT({_parts_of('in_racks')}*{block('nodes')})"
    _rows(page, "racks", f"={_up(together + '/MAX(1,{nodes_a_rack.@})')}", "racks", MOST)


def _paid(replicas: str) -> str:
    """Return the GPUs to pay for: the parts of units, nodes or replicas, that are bought together, rounded up.

    ``replicas`` is an array of all services.
    """
    return _up(f"SUMPRODUCT({_parts_of('part_bought')}*{replicas})") + "*{unit_gpus.@}"


def burst_of(peak: str, mean: str, reserved: str) -> str:
    """Return the GPU-hours on demand of all services: in the busy hours up to the peak, in the others up to the mean.

    The three are arrays.
    """
    return _burst(*(f"({gpus}>{reserved})*({gpus}-{reserved})" for gpus in (peak, mean)))


def _burst(busy: str, other: str) -> str:
    """Return GPU-hours on demand of a month, given the GPUs in the busy hours of a day and in the others."""
    return f"{{hours_a_month}}/{{hours_a_day}}*({busy}*{{burst_hours}}+{other}*({{hours_a_day}}-{{burst_hours}}))"


def _buying(page: Timeline, group: Groups, contracts: StagedRows) -> None:
    """Add what is bought: GPUs paid for, contracts, burst hours, cost, energy."""
    book = page.book
    page.part(
        "Buying", "What is bought together, in the row of its first service: by whole nodes those that share them."
    )
    page.section("Level of GPU prices, and the currency")
    page.row_of(
        "price_level_now",
        "Level of GPU prices",
        dated_level(book, "price_date", "price_level", from_first=False),
        "ratio",
        styles.NUMBER,
    )
    page.row_of("currency_rate", "Exchange rate", currency_rate(book), f"{MONEY} per USD", styles.NUMBER)
    month = "={hours_a_month}*{currency_rate}"
    page.row_of("month_rate", "A USD an hour, for a month", month, MONEY, styles.NUMBER)
    page.section("GPUs in the busiest hour")
    _rows(page, "paid_peak", f"={_paid(block('peak'))}", "GPUs", MOST)
    page.section("GPUs at the mean of the day")
    _rows(page, "paid_mean", f"={_paid(block('mean'))}", "GPUs", MOST)
    _contracts(page, contracts)
    page.section("GPU-hours paid for")
    burst = _burst(*(f"MAX(0,{{{gpus}_@}}-{{reserved_@}})" for gpus in ("paid_peak", "paid_mean")))
    _rows(page, "hours", f"={{hours_a_month}}*{{reserved_@}}+{burst}", "GPU-hours", SUM)
    page.section("Cost")
    on_demand = "({hours_@}-{hours_a_month}*{reserved_@})*{on_demand_now.@}*{level_@}"
    _rows(page, "cost", f"={{currency_rate}}*({{contract_usd_@}}+{on_demand})", MONEY, SUM)
    page.section("Energy")
    at_work = f"({_parts_of('part_bought')}>0)*{group.of('work')}*{block('day')}"
    working = f"SUMPRODUCT({at_work})*{{hours_a_month}}/{{hours_@}}"
    _rows(
        page,
        "energy",
        f"=IF({{hours_@}}=0,0,{{hours_@}}*{{watts.@}}*({{idle_share}}+({{busy_share}}-{{idle_share}})*MIN(1,{working}))"
        "*{pue}/{thousand})",
        "kWh",
        SUM,
    )
    page.section("Cost of each service: its part of what it is bought with")
    first, cost = "{bought_with.@}", f"INDEX({block('cost')},{{bought_with.@}})"
    same = f"SUMPRODUCT(INDEX({every_part('part_bought')},0,{first})*{block('peak')})"
    part = f"IF({same}=0,IF({{number.@}}={first},1,0),{{unit_part.@}}*{{peak_@}}/{same})"
    _rows(page, "part_usd", f"=IF({cost}=0,0,{part}*{cost})", MONEY, SUM)


def _contracts(page: Timeline, contracts: StagedRows) -> None:
    """Add what runs and what is to sign, as the plan has it, what is under contract, and what it costs in USD."""
    page.section("Prices over those of month 1, dated levels included")
    _rows(page, "level", "={price_level_now}*(1+{price_change.@})^({month}-1)*{on}", "ratio", shown=styles.NUMBER)
    for place, leaf in enumerate(leaves(ContractMonth), 1):
        if leaf.name not in _OF_CONTRACTS:
            continue
        page.section(leaf.label)
        of_month = f"INDEX({contracts.block.column(place, 2)},({{number.@}}-1)*{{longest_plan}}+{{month}})"
        total = MOST if leaf.name == "running_gpus" else SUM
        left_out = "{on}=0"
        if leaf.name.startswith("signed_"):
            left_out = 'OR({on}*{contracts_hold.@}=0,{sign_terms.@}="none")'
        _rows(page, leaf.name, f"=IF({left_out},0,N({of_month}))", leaf.quantity.unit, total)
    page.section("GPUs reserved")
    held = [in_force(months, f"signed_{term}_gpus_@") for term, (months, _) in TERMS.items()]
    _rows(page, "reserved", f"={{on}}*({{running_gpus_@}}+{'+'.join(held)})", "GPUs", MOST)
    for term, (months, _) in TERMS.items():
        page.section(f"GPUs signed for, each at the price of its month over that of month 1, {term}")
        paid = in_force(months, f"signed_{term}_gpus_@", "level_@")
        _rows(page, f"paid_{term}", f"=IF({{reserved_@}}=0,0,{paid})", "GPUs", shown=styles.NUMBER)
    page.section("Contracts, USD")
    signed = "+".join(f"{{{price}_now.@}}*{{paid_{term}_@}}" for term, (_, price) in TERMS.items())
    _rows(page, "contract_usd", f"={{running_usd_@}}+{{hours_a_month}}*({signed})", "USD", SUM)


_OF_CONTRACTS = ("running_gpus", "running_usd", "signed_1y_gpus", "signed_3y_gpus")


def signed_at(group: Groups, end: str) -> str:
    """Return the array of what an hour of contracts signed costs each service at prices of an end: now, price ..."""
    return "+".join(f"{block(f'paid_{term}')}*{group.of(f'{price}_{end}')}" for term, (_, price) in TERMS.items())


def _at_speed(page: Timeline, group: Groups, said: str) -> None:
    """Add GPUs and cost if replicas are fast, or slow, which marks the keys."""
    page.part(said.capitalize(), f"GPUs and cost if replicas are as {said} as 1 in 10 measurements.")
    end = f"_{said}"
    for at, title in (("peak", "GPUs in the busiest hour"), ("mean", "GPUs at the mean of the day")):
        page.section(f"{title}, {said}")
        paid = _paid(_needed_of_all(group, at, end))
        _rows(page, f"paid_{at}{end}", f"=IF({{paid_peak_@}}=0,0,{paid})", "GPUs", MOST)
    page.section("Cost, under the contracts of the plan")
    burst = burst_of(block(f"paid_peak{end}"), mean=block(f"paid_mean{end}"), reserved=block("reserved"))
    paid = f"={{currency_rate}}*SUMPRODUCT({burst}*{group.of('on_demand_now')}*{block('level')})"
    page.row_of(f"burst_usd{end}", "Burst", paid, MONEY, total=SUM)
    cost = f"={{currency_rate}}*SUM({block('contract_usd')})+{{burst_usd{end}}}"
    page.row_of(f"cost{end}", "Cost", cost, MONEY, total=SUM)
