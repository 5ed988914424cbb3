"""What GPU-hours of services cost and draw in `fleet_plan.xlsx`, at each end of prices, and what their rates need."""

from __future__ import annotations

from fleet_plan_inputs import used

from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import unless_waiting
from sizebook.workbooks.catalog_lookups import number_or_not_listed, unlisted_statement
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.shared_lines import or_blank

# Lines of what may be not listed, and the inputs that give it.
KNOWN = {"on_demand_price": "on_demand_usd_per_gpu_hour", "grams": "grams_per_kwh"}


def prices(page: LineSheet) -> None:
    """Add what a GPU-hour of each service costs and draws, and what its rate needs, now and before the scenario."""
    page.section("Prices and power")
    _on_demand(page)
    _reserved(page)
    _in_the_scenario(page)
    _power(page)
    _needs(page)
    page.section("Before the scenario, for the cases of What-if")
    _before_the_scenario(page)
    _units(page)
    unlisted_statement(page, KNOWN)
    _at_work(page)


def _on_demand(page: LineSheet) -> None:
    on_demand = "{on_demand_usd_per_gpu_hour}"
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


def _reserved(page: LineSheet) -> None:
    reserved = "{reserved_usd_per_gpu_hour}"
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


def _in_the_scenario(page: LineSheet) -> None:
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


def _power(page: LineSheet) -> None:
    page.line("watts", "Power of a GPU", used("{plan_tdp_watts}"), "watts", "FLEET_BASIS: its TDP")
    page.line(
        "grams",
        "Carbon of the grid",
        '=IF({grams_per_kwh}="",MAX({plan_listed_grams_per_kwh.all}),{grams_per_kwh})',
        "gCO2e/kWh",
        "As given, else the grid's",
        styles.NUMBER,
    )


def _needs(page: LineSheet) -> None:
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


def _before_the_scenario(page: LineSheet) -> None:
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


def _units(page: LineSheet) -> None:
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
    page.line(
        "steps_of_unit",
        "Reserved for a unit at the mean",
        "={reserve_share}*{unit_gpus}/{step_paid}",
        "steps",
        "Share reserved x GPUs of a unit / GPUs paid for together",
        styles.NUMBER,
    )
    page.line(
        "reserved_step",
        "Reserved, all GPUs paid for together",
        "={reserved_price}*{step_paid}",
        "USD/hour",
        "GPU-hour reserved x GPUs paid for together",
        styles.RATE,
    )


def _at_work(page: LineSheet) -> None:
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
