"""The services of `fleet_plan.xlsx`, a column each: what functions give, then traffic, nodes, prices and who shares."""

from __future__ import annotations

from dataclasses import dataclass

from fleet_plan_inputs import DRIVERS, SERVICES, WIDTHS

from sizebook.core.sections import leaves
from sizebook.plans.fleet.figures import ServiceBasis
from sizebook.plans.fleet.inputs import FleetTerms, Running, Service
from sizebook.plans.fleet.months import FleetMonth
from sizebook.plans.ledgers import LONGEST_PLAN, columns
from sizebook.plans.serving.inputs import PriceChanges
from sizebook.plans.serving.traffic_by_month import DemandByMonth
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import unless_waiting
from sizebook.workbooks.book import Book
from sizebook.workbooks.catalog_lookups import number_or_not_listed, unlisted_statement
from sizebook.workbooks.finance import drivers_in_use
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.shared_lines import CONFIG, demand_lines, node_lines, or_blank
from sizebook.workbooks.staged_tables import StagedFigures, StagedRows, stage_figures, stage_options, stage_rows

POOLS = '{separate_prefill}="yes"'
_ANY_POOLS = 'COUNTIF({separate_prefill.all},"yes")>0'
# What the workbook's own formulas follow: functions see it only where pools are searched for the least cost.
_NATIVE = (
    "growth_per_month",
    "peak_factor",
    "reserved_usd_per_gpu_hour",
    "on_demand_usd_per_gpu_hour",
    *(leaf.name for kind in (Running, DemandByMonth, PriceChanges) for leaf in leaves(kind)),
)
# Lines of what may be not listed, and the inputs that give it.
KNOWN = {"on_demand_price": "on_demand_usd_per_gpu_hour", "grams": "grams_per_kwh"}
_LOOKED_UP = {"grid"}  # of what services share
_CHOSEN = f'=IF({{model}}="","",IF({{model}}="{CONFIG}",{{config_path}},{{model}}))'


@dataclass(frozen=True)
class Staged:
    """What functions give: figures of each service, and the plan's months to compare with."""

    figures: StagedFigures
    plan: StagedRows
    plan_columns: tuple[str, ...]

    def of_the_plan(self, name: str) -> str:
        """Return a reference to a column of the plan's months."""
        return self.plan.block.column(1 + self.plan_columns.index(name), 2)


def services(book: Book) -> Staged:
    """Add the sheet of services."""
    page = new_sheet(
        book,
        "Services",
        "A column a service: what functions are asked and give, each once, then what follows.",
        SERVICES,
        WIDTHS,
    )
    page.heads("Name", cases=[page.resolve(f"={{name.{number}}}") for number in SERVICES])
    page.section("What functions are asked")
    given = {name: f'=IF(AND({POOLS},{{{name}}}<>""),{{{name}}},"")' for name in _NATIVE}
    given["requests_per_day"] = f'=IF({{model}}="","",IF({POOLS},{or_blank("requests_per_day")},1))'
    asked = stage_options(page, leaves(Service), model=_CHOSEN, **given).area()
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
    _prices(page)
    page.finish()
    declared = columns(FleetMonth)
    return Staged(shown, _compared(book), tuple(column.name for column in declared))


def used(formula: str) -> str:
    """Return a formula that gives 0 in the column of a service without a model."""
    return f'=IF({{model}}="",0,{formula})'


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
    page.line(
        "bought_from",
        "Bought from month",
        "={longest_plan}+1-SUMPRODUCT(MAX(({bought_with.all}={bought_with})*({longest_plan}+1-{begins.all})))",
        "months",
        "First month of those that are bought together",
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


def _prices(page: LineSheet) -> None:
    page.section("Prices and power")
    on_demand, reserved = (f"{{{kind}_usd_per_gpu_hour}}" for kind in ("on_demand", "reserved"))
    listed = number_or_not_listed("{plan_listed_on_demand_usd_per_gpu_hour}")
    page.line(
        "on_demand_price",
        "GPU-hour on demand",
        used(f'IF({on_demand}="",{listed},{on_demand})'),
        "USD/GPU-hour",
        "As given, else the catalog's median",
        styles.RATE,
    )
    page.line(
        "listed_term",
        "GPU-hour of the term, listed",
        '=IF({model}="","",IF({term_months}>={long_term},{plan_listed_reserved_3y_usd_per_gpu_hour},'
        "{plan_listed_reserved_1y_usd_per_gpu_hour}))",
        "USD/GPU-hour",
        "For a year, or for three",
        styles.RATE,
    )
    for end in ("low", "high"):
        page.line(
            f"on_demand_{end}",
            f"GPU-hour on demand, {end}",
            used(
                f'IF({on_demand}="",{number_or_not_listed(f"{{plan_listed_on_demand_{end}_usd_per_gpu_hour}}")},'
                f"{on_demand})"
            ),
            "USD/GPU-hour",
            "As given, else the 10th or 90th percentile of providers",
            styles.RATE,
        )
    page.line(
        "reserved_price",
        "GPU-hour reserved",
        used(
            unless_waiting(
                f'IF({reserved}="",IF(ISNUMBER({{listed_term}}),MIN({{listed_term}},{{on_demand_price}}),'
                f"{{on_demand_price}}),{reserved})"
            )
        ),
        "USD/GPU-hour",
        "As given, else the catalog's median, never above on demand",
        styles.RATE,
    )
    for end in ("low", "high"):
        of_term = f"IF({{term_months}}>={{long_term}},{_listed('3y', end)},{_listed('1y', end)})"
        taken = f"IF(N({{listed_term}})>N({{on_demand_price}}),{{on_demand_{end}}},MIN({of_term},{{on_demand_{end}}}))"
        page.line(
            f"reserved_{end}",
            f"GPU-hour reserved, {end}",
            used(f'IF({reserved}="",IF(ISNUMBER({{listed_term}}),{taken},{{on_demand_{end}}}),{reserved})'),
            "USD/GPU-hour",
            "As given, else the 10th or 90th percentile of providers, never above on demand",
            styles.RATE,
        )
    for kind, label in (("on_demand", "GPU-hour on demand, scenario"), ("reserved", "GPU-hour reserved, scenario")):
        for end in ("low", "high"):
            page.line(
                f"{kind}_{end}_now",
                f"{label}, {end}",
                f"={{{kind}_{end}}}*{{use_{kind}}}",
                "USD/GPU-hour",
                "x the scenario's",
                styles.RATE,
            )
        page.line(
            f"{kind}_now", label, f"={{{kind}_price}}*{{use_{kind}}}", "USD/GPU-hour", "x the scenario's", styles.RATE
        )
    first = "".join(
        f"+ABS({{{key}}}-INDEX({{{key}.all}},{{bought_with}}))"
        for key in ("on_demand_price", "reserved_price", "price_change")
    )
    page.line(
        "price_apart",
        "Prices apart from the first's",
        used(first.removeprefix("+")),
        "USD/GPU-hour",
        "Those that share whole nodes pay one price",
        styles.RATE,
    )
    page.line("watts", "Power of a GPU", used("{plan_tdp_watts}"), "watts", "FLEET_BASIS: its TDP")
    page.line(
        "grams",
        "Carbon of the grid",
        '=IF({grams_per_kwh}="",MAX({plan_listed_grams_per_kwh.all}),{grams_per_kwh})',
        "gCO2e/kWh",
        "As given, else the grid's",
        styles.NUMBER,
    )
    for key, label, rate in (
        ("need", "Replicas for a request a day", "rate"),
        ("need_fast", "if fast", "rate_fast"),
        ("need_slow", "if slow", "rate_slow"),
    ):
        page.line(
            key,
            label,
            f"=IF({{{rate}}}=0,0,1/({{{rate}}}*{{load}}*{{seconds_a_day}}))",
            "replicas",
            "1 / (rate x target load x seconds of a day)",
            "0.000E+00",
        )
    page.section("Before the scenario, for the cases of What-if")
    page.line("requests_first", "Requests a day", used("{requests_base}"), "requests", "As above")
    page.line(
        "growth_first", "1 + growth a month", '=IF({model}="",1,1+{growth_per_month})', "ratio", "Inputs", styles.NUMBER
    )
    page.line(
        "need_first",
        "Replicas for a request a day, full load",
        used("IF({plan_requests_per_second}=0,0,1/({plan_requests_per_second}*{seconds_a_day}))"),
        "replicas",
        "1 / (rate x seconds of a day)",
        "0.000E+00",
    )
    page.line(
        "unit_part",
        "Part of a unit",
        used('IF({whole_nodes}="yes",{part},1)'),
        "units",
        "Units are nodes, or replicas",
        styles.NUMBER,
    )
    page.line(
        "unit_gpus",
        "GPUs of a unit",
        used('IF({whole_nodes}="yes",{node_gpus},{gpus_each})'),
        "GPUs",
        "Of a node, or of a replica",
    )
    page.line("step_paid", "GPUs paid for together", "=MAX(1,{step_gpus})", "GPUs", "As above, at least 1")
    unlisted_statement(page, KNOWN)
    asked = f'PEAK_OF_DAY("flat",{or_blank("hours_active")},{or_blank("time_zones")})'
    page.line(
        "peak_now",
        "Busiest hour over the mean",
        used(f'IF({{hours_active}}="",{{peak_factor}},{asked})*{{working_day}}'),
        "ratio",
        "Inputs, or hours and time zones of users; on a working day",
        styles.NUMBER,
    )
    page.line(
        "work",
        "GPUs at work for a request a day",
        "=IF({rate}=0,0,{gpus_each}/({rate}*{seconds_a_day}))",
        "GPUs",
        "GPUs / rate / seconds of a day",
        "0.000E+00",
    )


def _listed(years: str, end: str) -> str:
    return f"{{plan_listed_reserved_{years}_{end}_usd_per_gpu_hour}}"


def _compared(book: Book) -> StagedRows:
    """Stage the plan itself, on a hidden sheet: nothing but checks refers to it."""
    page = new_sheet(book, "Compared", "What the plan is asked, to compare the workbook with.", SERVICES)
    page.sheet.sheet_state = "hidden"
    page.heads("Name")
    page.section("Services")
    asked = stage_options(page, leaves(Service), compared=True, model=_CHOSEN)
    page.section("What they share")
    terms = stage_options(page, leaves(FleetTerms), per_case=False, compared=True, rows=LONGEST_PLAN)
    page.finish()
    declared = columns(FleetMonth)
    return stage_rows(
        book,
        f"FLEET_LEDGER({asked.area()},{terms.area()})",
        (1 + LONGEST_PLAN, len(declared)),
        heads=[column.name for column in declared],
        kept="compared",
    )
