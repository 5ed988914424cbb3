"""What the formulas of `serving_capacity.xlsx` start from: one replica as functions give it, and the plan beside it."""

from collections.abc import Iterator
from dataclasses import dataclass

from serving_capacity_inputs import DRIVERS

from sizebook.core.sections import leaves
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.plans.commitments import ContractMonth
from sizebook.plans.ledgers import LONGEST_PLAN, columns
from sizebook.plans.owned import OwnedGpus
from sizebook.plans.serving.curves import LOADS, CurvePoint
from sizebook.plans.serving.figures import ServingBasis
from sizebook.plans.serving.inputs import PriceChanges, ServingInputs
from sizebook.plans.serving.months import Month
from sizebook.plans.serving.traffic_by_month import Course, DemandByMonth
from sizebook.tables.api_prices import ApiAsked
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.catalog_lookups import unlisted_statement
from sizebook.workbooks.gpu_hour_lines import gpu_hour_lines
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.scenario_inputs import drivers_in_use
from sizebook.workbooks.shared_lines import chosen_model_line, demand_lines, node_lines, or_blank
from sizebook.workbooks.staged_tables import (
    StagedFigures,
    StagedRows,
    found_for_these,
    stage_figures,
    stage_options,
    stage_rows,
    watch_lines,
)

# Lines of what may be not listed, and the inputs that give it.
KNOWN = {"on_demand_price": "on_demand_usd_per_gpu_hour", "grams": "grams_per_kwh"}
POOLS = '{separate_prefill}="yes"'
# Where single functions do not give what the plan is planned for: two pools, what caches keep of conversations, images.
PLANNED = f"{POOLS},{{turns}}>1,{{images}}>0"
# What the workbook's own formulas follow: functions see it only where pools are searched for the least cost.
NATIVE = (
    "start",
    "tenant_shares",
    "growth_per_month",
    "months",
    "burst_factor",
    "target_load",
    "spare",
    "failure_domain",
    "whole_nodes",
    "reserved_usd_per_gpu_hour",
    "reserved_3y_usd_per_gpu_hour",
    "on_demand_usd_per_gpu_hour",
    "pue",
    "grams_per_kwh",
    "shape",
    "sign_terms",
    "prepay",
    "contracts",
    *(leaf.name for kind in (DemandByMonth, PriceChanges, OwnedGpus, ApiAsked) for leaf in leaves(kind)),
)


# Lines that say how many GPUs a month needs and which contracts may cover them, beside those that functions follow.
DEMAND = (
    "requests_per_day",
    "growth_per_month",
    "months",
    "burst_factor",
    "target_load",
    "spare",
    "failure_domain",
    "whole_nodes",
    "sign_terms",
)
_REQUESTS_ASKED = f'=IF({POOLS},IF({{requests_per_day}}="","",{{requests_per_day}}),1)'


@dataclass(frozen=True)
class Staged:
    """What functions give: figures of a replica, hours of the day (also by rank, the busiest first), the table of
    months and the season, latency and throughput as load grows. Of the plan: its months to compare with, its contracts,
    its months with GPUs bought and at an API. And the conditions that contracts, and
    what is beside renting, were found for the inputs as they stand.
    """

    figures: StagedFigures
    hours: StagedRows
    course: str
    ranks: str
    by_rank: str
    curve: StagedRows
    plan: StagedRows
    plan_columns: tuple[str, ...]
    contracts: StagedRows
    alternatives: StagedRows
    contracts_hold: str
    alternatives_hold: str

    def of_the_plan(self, name: str) -> str:
        """Return a reference to a column of the plan's months."""
        return self.plan.block.column(1 + self.plan_columns.index(name), 2)


def basis(book: Book) -> tuple[LineSheet, Staged]:
    """Begin the sheet of what functions are asked and give, and of the fleet's own lines."""
    page = new_sheet(
        book,
        "Basis",
        "What functions are asked and give, each once; what the sheets after it start from.",
        widths=(34, 30, 16, 62),
        portrait=True,
    )
    page.heads("Name")
    page.section("What functions are asked")
    chosen_model_line(page)
    watch_lines(book, "chosen", "gpu")
    # A reference to a blank cell is 0: where nothing is said, nothing is asked.
    given = {name: f'=IF(AND({POOLS},{{{name}}}<>""),{{{name}}},"")' for name in NATIVE}
    asked = stage_options(page, leaves(ServingInputs), requests_per_day=_REQUESTS_ASKED, **given)
    page.section("One replica")
    shown = stage_figures(page, asked.call("SERVING_BASIS", "{chosen}", "{gpu}"), leaves(ServingBasis))
    points = [leaf.name for leaf in leaves(CurvePoint)]
    book.may_be_unlisted("plan_tdp_watts")
    curve = stage_rows(
        book, asked.call("SERVING_CURVE", "{chosen}", "{gpu}"), (1 + len(LOADS), len(points)), heads=points
    )
    hours = stage_rows(book, f"DAY_SHARES({{shape}},{or_blank('hours_active')},{or_blank('time_zones')})", (24, 1))
    monthly = tuple(leaf.name for leaf in leaves(Course))
    of_months = ",".join(or_blank(name) for name in ("start", *monthly))
    course = stage_rows(book, f"TRAFFIC_BY_MONTH({of_months})", (LONGEST_PLAN, 1))
    watch_lines(book, "shape", "hours_active", "time_zones", *monthly)
    for length in ("input_tokens", "output_tokens"):
        book.replace_argument(length, f"plan_{length}")  # where lengths come as a histogram, its mean
    drivers_in_use(page, DRIVERS)
    _fleet(page, hours.block.column(1))
    page.section("Hours of the day, the busiest first")
    first, last = page.table(
        ["Rank", "Over the mean"],
        [[rank, f"=LARGE({hours.block.column(1)},B{page.row + rank})"] for rank in range(1, 25)],
        [styles.GENERAL, styles.NUMBER],
    )
    ranks, by_rank = (f"Basis!${column}${first}:${column}${last}" for column in "BC")
    (compared, contracts, alternatives), months = _compared(page), course.block.column(1)
    head = tuple(c.name for c in columns(Month))
    hold = found_for_these(book, contracts, DEMAND), found_for_these(book, alternatives, ("requests_per_day", *NATIVE))
    return page, Staged(shown, hours, months, ranks, by_rank, curve, compared, head, contracts, alternatives, *hold)


def _fleet(page: LineSheet, shares: str) -> None:
    """Add the lines of a fleet that hold for all its months."""
    page.section("The fleet")
    node_lines(page, each="{plan_gpus_per_replica}", node="{plan_gpus_per_node}")
    page.line(
        "rate",
        "Rate of a replica",
        "={plan_requests_per_second}*{use_speed}",
        "requests/s",
        "SERVING_BASIS x the scenario's speed",
        styles.RATE,
    )
    page.line(
        "load", "Target load", "=MIN(1,{target_load}*{use_load})", "ratio", "Inputs x the scenario's", styles.PERCENT
    )
    demand_lines(page, "{plan_input_tokens}+{plan_output_tokens}")
    page.line(
        "bursts",
        "Bursts over the hour",
        "=MAX(1,{burst_factor}*{use_bursts})*{working_day}",
        "ratio",
        "Inputs x the scenario's, on a working day",
        styles.NUMBER,
    )
    page.line(
        "requests_now",
        "Requests a day now",
        "={requests_base}*{use_traffic}",
        "requests",
        "As above x the scenario's",
        styles.WHOLE,
    )
    page.line(
        "growth",
        "Growth a month",
        "={growth_per_month}+{use_growth}",
        "ratio",
        "Inputs + the scenario's",
        styles.PERCENT,
    )
    page.section("Prices and power")
    gpu_hour_lines(page)
    page.line(
        "grams",
        "Carbon of the grid",
        '=IF({grams_per_kwh}="",{plan_listed_grams_per_kwh},{grams_per_kwh})',
        "gCO2e/kWh",
        "As given, else the grid's",
        styles.NUMBER,
    )
    unlisted_statement(page, KNOWN)
    page.line("most_share", "Busiest hour over the mean", f"=MAX({shares})", "ratio", "DAY_SHARES", styles.NUMBER)
    page.line(
        "full_price",
        "USD per Mtok out, at full load",
        "={gpus_each}*MIN({on_demand_now},"
        'IF(OR({sign_terms}="1y",{sign_terms}="any"),{reserved_now},{on_demand_now}),'
        'IF(OR({sign_terms}="3y",{sign_terms}="any"),{reserved_3y_now},{on_demand_now}))'
        "/({rate}*{plan_output_tokens}*{seconds_a_day}/{hours_a_day})*{million}",
        "USD/Mtok",
        "GPUs x price of the cheapest contract / tokens an hour",
        styles.RATE,
    )


def _compared(page: LineSheet) -> Iterator[StagedRows]:
    """Stage the plan itself, for checks alone, then its contracts and what is beside renting."""
    page.section("What the plan is asked, to compare the workbook with")
    asked = stage_options(page, leaves(ServingInputs), compared=True, rows=LONGEST_PLAN)
    for function, kind, kept in (
        ("SERVING_LEDGER", columns(Month), "compared"),
        ("SERVING_COMMITMENTS", leaves(ContractMonth), "decided"),
        ("SERVING_ALTERNATIVES", leaves(AlternativeMonth), "decided"),
    ):
        call, heads = asked.call(function, "{chosen}", "{gpu}"), [column.name for column in kind]
        yield stage_rows(page.book, call, (1 + LONGEST_PLAN, len(heads)), heads=heads, kept=kept)
