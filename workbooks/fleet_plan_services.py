"""The services of `fleet_plan.xlsx`, a column each: what functions give, then traffic, nodes, prices and who shares."""

from dataclasses import dataclass

from fleet_plan_inputs import DRIVERS, MOVED, OF_A_SERVICE, SERVICES, WIDTHS, used
from fleet_plan_prices import prices

from sizebook.core.sections import leaves
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.plans.commitments import CommitmentTerms, ContractMonth
from sizebook.plans.fleet.figures import ServiceBasis
from sizebook.plans.fleet.inputs import FleetTerms, Running
from sizebook.plans.fleet.months import FleetMonth
from sizebook.plans.ledgers import LONGEST_PLAN, columns
from sizebook.plans.owned import OwnedGpus
from sizebook.plans.serving.inputs import Margins, PriceChanges
from sizebook.plans.serving.traffic_by_month import DemandByMonth
from sizebook.tables.api_prices import ApiAsked
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import unless_waiting
from sizebook.workbooks.book import Book
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.scenario_inputs import drivers_in_use
from sizebook.workbooks.shared_lines import CONFIG, demand_lines, node_lines, or_blank
from sizebook.workbooks.staged_tables import (
    StagedFigures,
    StagedRows,
    found_for_these,
    stage_figures,
    stage_options,
    stage_rows,
)

POOLS = '{separate_prefill}="yes"'
_ANY_POOLS = 'COUNTIF({separate_prefill.all},"yes")>0'
_MONTHLY = (Running, DemandByMonth, PriceChanges, CommitmentTerms, OwnedGpus, ApiAsked)
# What the workbook's own formulas follow: functions see it only where pools are searched for the least cost.
_NATIVE = (
    "growth_per_month",
    "peak_factor",
    "reserved_usd_per_gpu_hour",
    "on_demand_usd_per_gpu_hour",
    *(leaf.name for kind in _MONTHLY for leaf in leaves(kind)),
)
# Lines that say how many GPUs a month needs and which contracts may cover them, beside those that functions follow.
_DEMAND = (
    "requests_per_day",
    "growth_per_month",
    "peak_factor",
    "sign_terms",
    "months",
    "burst_hours",
    "share_nodes",
    *(leaf.name for kind in (Running, DemandByMonth, Margins) for leaf in leaves(kind) if leaf.name not in MOVED),
)
_LOOKED_UP = {"grid"}  # of what services share
_CHOSEN = f'=IF({{model}}="","",IF({{model}}="{CONFIG}",{{config_path}},{{model}}))'


@dataclass(frozen=True)
class Staged:
    """What functions give: figures of each service, the plan's months to compare with, its contracts, and its months
    with GPUs bought and at APIs."""

    figures: StagedFigures
    plan: StagedRows
    plan_columns: tuple[str, ...]
    contracts: StagedRows
    alternatives: StagedRows
    alternatives_hold: str

    def of_the_plan(self, name: str) -> str:
        """Return a reference to a column of the plan's months."""
        return self.plan.block.column(1 + self.plan_columns.index(name), 2)


def services(book: Book) -> tuple[LineSheet, Staged]:
    """Begin the sheet of services."""
    page = new_sheet(
        book,
        "Services",
        "A column a service: what functions are asked and give, each once, then what follows.",
        SERVICES,
        WIDTHS,
    )
    page.heads("Name", cases=[page.resolve(f"={{name.{number}}}") for number in SERVICES])
    page.section("What functions are asked")
    given = {name: f'=IF(AND({POOLS},{{{name}}}<>""),{{{name}}},"")' for name in _NATIVE if name not in MOVED}
    given["requests_per_day"] = f'=IF({{model}}="","",IF({POOLS},{or_blank("requests_per_day")},1))'
    asked = stage_options(page, OF_A_SERVICE, model=_CHOSEN, **given).area()
    page.section("What they share")
    shared = {
        leaf.name: f'=IF(AND({_ANY_POOLS},{{{leaf.name}}}<>""),{{{leaf.name}}},"")'
        for leaf in leaves(FleetTerms)
        if leaf.name not in _LOOKED_UP
    }
    terms = stage_options(page, leaves(FleetTerms), per_case=False, **shared).area()
    page.section("One replica")
    shown = stage_figures(
        page, f"FLEET_BASIS({asked},{terms})", leaves(ServiceBasis), heads=1, blank_where='{model}=""'
    )
    drivers_in_use(page, DRIVERS)
    _traffic(page)
    page.section("Nodes")
    node_lines(page, used, each='IF({model}="",0,{plan_gpus_per_replica})', node="{plan_gpus_per_node}")
    _together(page)
    _racks(page)
    prices(page)
    declared = columns(FleetMonth)
    plan, contracts, alternatives = _compared(page)
    found = found_for_these(book, contracts, _DEMAND)
    hold = f'=IF(OR({{sign_terms}}="none",{{model}}="",{found}),1,0)'
    page.line("contracts_hold", "Contracts were found for this traffic", hold, "", "FLEET_COMMITMENTS, Inputs")
    given = dict.fromkeys((*_DEMAND, *(name for name in _NATIVE if name not in MOVED), "pue"))
    beside = found_for_these(book, alternatives, tuple(given))
    return page, Staged(shown, plan, tuple(column.name for column in declared), contracts, alternatives, beside)


def _traffic(page: LineSheet) -> None:
    page.section("Traffic and rate, in the scenario of the cover")
    page.line("number", "Number", tuple(map(int, SERVICES)), "", "Column on Inputs")
    page.line("shown", "Service", '=IF({model}="","",{name})', "", "Inputs", styles.GENERAL)
    page.line(
        "first_month", "First month of the plan", '=IF({start}="",{first_day},{start})', "", "Inputs", styles.DATE
    )
    page.line("begins", "Begins in month", used('IF({start_month}="",1,{start_month})'), "months", "Inputs")
    page.line(
        "ends",
        "Ends with month",
        used('IF({end_month}="",{months},MIN({months},{end_month}))'),
        "months",
        "Inputs, at most the plan's",
    )
    demand_lines(page, "{input_tokens}+{output_tokens}", used)
    page.line(
        "requests_now",
        "Requests a day at first",
        used("{requests_base}*{use_traffic}"),
        "requests",
        "As above x the scenario's",
    )
    page.line(
        "growth",
        "Growth a month",
        used("{growth_per_month}+{use_growth}"),
        "ratio",
        "Inputs + the scenario's",
        styles.PERCENT,
    )
    page.line(
        "load", "Target load", "=MIN(1,{target_load}*{use_load})", "ratio", "Inputs x the scenario's", styles.PERCENT
    )
    for key, label, end in (
        ("rate", "Rate of a replica", ""),
        ("rate_fast", "if fast", "_p90"),
        ("rate_slow", "if slow", "_p10"),
    ):
        page.line(
            key,
            label,
            used(f"{{plan_requests_per_second{end}}}*{{use_speed}}"),
            "requests/s",
            "FLEET_BASIS x the scenario's",
            styles.RATE,
        )


def _together(page: LineSheet) -> None:
    """Add the part of a node that a replica takes, and with which services it shares nodes, money and racks."""
    power = "{halving}^ROUND(LOG({instances},{halving}),0)"
    page.line(
        "tiles",
        "Fills a node without a gap",
        used(f"IF({{instances}}>0,IF({power}={{instances}},1,0),0)"),
        "",
        "1 where a node holds 1, 2, 4, 8 ... replicas",
    )
    page.line(
        "part",
        "Part of a node",
        used("IF({instances}>0,1/{instances},{nodes_each})"),
        "nodes",
        "1 / replicas of a node; nodes of a larger replica",
        styles.NUMBER,
    )
    place = '" of "&{node_gpus}&" at "&{provider}&" in "&{region}'
    page.line(
        "node_kind",
        "Kind of node",
        f'=IF({{model}}="",{{number}},{{plan_accelerator}}&{place})',
        "",
        "Accelerator by its key, GPUs of a node, provider, region",
        styles.GENERAL,
    )
    page.line(
        "share_kind",
        "Kind of shared node",
        '=IF(AND({share_nodes}="yes",{tiles}=1),{node_kind},{number})',
        "",
        "Its own where it shares none",
        styles.GENERAL,
    )
    for key, label, kind, origin in (
        ("hardware", "Stands in the racks of", "node_kind", "First service on that kind of node"),
        ("stands_with", "Stands on the nodes of", "share_kind", "First service that shares its nodes"),
    ):
        page.line(key, label, f"=MATCH({{{kind}}},{{{kind}.all}},0)", "service", origin)
    page.line(
        "bought_with",
        "Is bought with",
        '=IF({whole_nodes}="yes",{stands_with},{number})',
        "service",
        "Those that share nodes which are paid for whole",
    )


def _racks(page: LineSheet) -> None:
    page.section("Racks")
    held = "MAX(1,MIN(INT({kw_per_rack}/{plan_node_kw}+{rounding}),INT({rack_units}/{plan_node_units})))"
    page.line(
        "nodes_a_rack",
        "Nodes of a rack",
        used(
            unless_waiting(
                f'IF(ISNUMBER({{plan_rack_nodes}}),{{plan_rack_nodes}},IF({{nodes_per_rack}}<>"",{{nodes_per_rack}},'
                f"{held}))"
            )
        ),
        "nodes",
        "Those of a rack-scale system, else as given, else by kW and height",
    )
    page.line("node_kw", "Power of a node", used("{plan_node_kw}"), "kW", "FLEET_BASIS", styles.NUMBER)


def _compared(page: LineSheet) -> tuple[StagedRows, StagedRows, StagedRows]:
    """Stage the plan itself, for checks alone; its contracts, and what is beside renting."""
    book = page.book
    page.part("Compared", "What the plan is asked, to compare the workbook with.")
    page.section("Services")
    asked = stage_options(page, OF_A_SERVICE, compared=True, model=_CHOSEN)
    page.section("What they share")
    terms = stage_options(page, leaves(FleetTerms), per_case=False, compared=True, rows=LONGEST_PLAN)
    of_contracts = [leaf.name for leaf in leaves(ContractMonth)]
    heads = [column.name for column in columns(FleetMonth)]
    of_alternatives = [leaf.name for leaf in leaves(AlternativeMonth)]
    names = ("FLEET_LEDGER", "FLEET_COMMITMENTS", "FLEET_ALTERNATIVES")
    ledger, contracts, alternatives = (f"{name}({asked.area()},{terms.area()})" for name in names)
    return (
        stage_rows(book, ledger, (1 + LONGEST_PLAN, len(heads)), heads=heads, kept="compared"),
        stage_rows(
            book,
            contracts,
            (1 + LONGEST_PLAN * len(SERVICES), len(of_contracts)),
            heads=of_contracts,
            kept="decided",
        ),
        stage_rows(
            book,
            alternatives,
            (1 + LONGEST_PLAN, len(of_alternatives)),
            heads=of_alternatives,
            kept="decided",
        ),
    )
