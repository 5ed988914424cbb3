"""Cases of `fleet_plan.xlsx`: the fleet once a case in two rows, so that tornado and two-way table recalculate.

What services buy together follows from a few drivers. A block a service and case would be eighteen times the sheet
Buying; so each row takes all services at once: the replicas of each, the units that its group buys (MMULT with the
table of who buys with whom), and what is above the contracts, which are those of the plan in every case.
"""

from fleet_plan_inputs import DRIVERS, SERVICES
from fleet_plan_loads import FILLED, Groups, block, every_part, signed_at

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.scenario_inputs import Steps
from sizebook.workbooks.timeline import SUM, Timeline
from sizebook.workbooks.what_if import CaseColumn, all_cases, case_table

TRAFFIC = Steps("traffic", "Traffic", (0.5, 0.75, 1, 1.5, 2))
PRICES = Steps("price", "GPU prices", (0.8, 1, 1.2), drivers=("on_demand", "reserved"))
_MOVES_GPUS = ("traffic", "growth", "speed", "load")  # the others are prices: what is bought stays
_HEADS = ("Traffic", "Growth", "Speed", "Target load", "Replicas over those of Inputs at full load")
_FORMATS = (styles.NUMBER, styles.SIGNED, styles.NUMBER, styles.NUMBER, styles.NUMBER)
_PARTS = "0.000;-0.000;"
_WORKED = (
    CaseColumn("list_held", f"To sign, at the prices of Inputs, {MONEY}", "={list_contracts.total}"),
    CaseColumn("list_busy", f"Burst in busy hours at those prices, {MONEY}", "={busy_CASE.total}"),
    CaseColumn("list_quiet", f"Burst in other hours at those prices, {MONEY}", "={quiet_CASE.total}"),
    CaseColumn(
        "cost", f"Cost, {MONEY}", "={list_running.total}+#list_held*@reserved+(#list_busy+#list_quiet)*@on_demand"
    ),
)


def in_use(driver: str) -> str:
    """Return the reference to a driver in the scenario of the cover."""
    return f"{{use_{driver}.1}}"


def what_if(book: Book, group: Groups) -> None:
    """Add what the fleet buys month by month in each case that moves GPUs, and what every case costs."""
    cases = all_cases(DRIVERS, TRAFFIC, PRICES, in_use)
    moved: dict[tuple[str | None, ...], str] = {}  # the first case of those that buy the same
    bought = {
        key: moved.setdefault(tuple(changed.get(name) for name in _MOVES_GPUS), key)
        for key, (_, changed) in cases.items()
    }
    page = Timeline(
        book, "What-if", "The fleet once a case, all services at once: burst beyond the contracts of the plan.", _HEADS
    )
    page.calendar()
    growth = _shares(page)
    page.section("Contracts, the same in every case")
    running = f"={{currency_rate}}*SUM({block('running_usd')})"
    page.row_of("list_running", "Those that run", running, MONEY, total=SUM)
    signed = f"={{month_rate}}*SUMPRODUCT({signed_at(group, 'price')})"
    page.row_of("list_contracts", "Those to sign, at the prices of Inputs", signed, MONEY, total=SUM)
    for title, key, hours in (
        ("Burst in busy hours; Growth: what a case adds to each service's", "busy", "{burst_hours}"),
        ("The same in the other hours", "quiet", "({hours_a_day}-{burst_hours})"),
    ):
        page.section(title)
        hourly = f"={{on}}*{{month_rate}}/{{hours_a_day}}*{hours}"
        page.row_of(f"{key}_rate", f"What a USD an hour comes to, {MONEY}", hourly, "", styles.NUMBER)
        for case in moved.values():
            label, changed = cases[case]
            page.fill_before(_before(changed), _FORMATS)
            page.row_of(f"{key}_{case}", label, _burst(key, growth), MONEY, total=SUM)
    page.finish()
    page.part("Cases", "What each case costs: GPUs and hours from above, times what the case does to prices.")
    case_table(page, DRIVERS, cases, _WORKED, in_use, bought)


def _shares(page: Timeline) -> str:
    """Add what no case changes: requests at first, months since, contracts; return the range of growth."""
    runs = "{on}*({month}>={begins.@})*({month}<={ends.@})*{course_@}"
    page.section("Rounding")
    page.row_of("left", "Below it nothing is rounded up", "={rounding}", "", "0E+00")
    for title, key, formula, unit, shown in (
        (
            "Replicas at first at full load, not rounded, while a service runs; Growth: 1 + its own a month",
            "quiet_first",
            f"={runs}*{{requests_first.@}}*{{need_first.@}}",
            "replicas",
            _PARTS,
        ),
        ("The same at peak", "busy_first", "={quiet_first_@}*{peak_now.@}", "replicas", _PARTS),
        ("Months since it began", "age", "=MAX(0,{month}-{begins.@})", "months", FILLED),
        (
            "What is left to rounding, less spare replicas while a service runs",
            "less_spare",
            "={left}-IF({quiet_first_@}>0,{spare_replicas.@},0)",
            "replicas",
            _PARTS,
        ),
        (
            "Units under contract",
            "units_held",
            "=IF({unit_gpus.@}=0,0,{reserved_@}/{unit_gpus.@})",
            "units",
            _PARTS,
        ),
        (
            "Price of a unit on demand",
            "unit_price",
            "={on_demand_price.@}*{level_@}*{unit_gpus.@}",
            "USD/h",
            _PARTS,
        ),
    ):
        page.section(title)
        for at in SERVICES:
            if key == "quiet_first":
                page.fill_before(("", f"={{growth_first.{at}}}"))
            page.row_of(f"{key}_{at}", f"={{shown.{at}}}", formula.replace("@", at), unit, shown)
    first, last = (page.book.find(f"quiet_first_{at}").row for at in (SERVICES[0], SERVICES[-1]))
    return f"$E${first}:$E${last}"


def _before(changed: dict[str, str]) -> tuple[str, ...]:
    drivers = (changed.get(name, f"={in_use(name)}") for name in _MOVES_GPUS)
    return (*drivers, "=$D§/($F§*MIN(1,{target_load}*$G§))")


# Columns of a case: E its growth added, H what its drivers make of the replicas for a request.
def _burst(hours: str, growth: str) -> str:
    """Return what all services burst in a month: the units of each group beyond its contracts.

    Replicas are rounded up first, then units; both by INT of a negative number. ``growth`` is that of each service.
    """
    need = f"{block(f'{hours}_first')}*({growth}+$E§)^{block('age')}*$H§"
    units = f"-INT({{left}}+MMULT({every_part('buys_part')},INT({block('less_spare')}-{need})))"
    held = block("units_held")
    paid = f"SUMPRODUCT({block('unit_price')}*({units}>{held})*({units}-{held}))"
    return f"=IF({{{hours}_rate}}=0,0,{{{hours}_rate}}*{paid})"
