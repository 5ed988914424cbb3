"""What GPU-hours of services cost and draw in `fleet_plan.xlsx`, at each end of prices, and what their rates need."""

from fleet_plan_inputs import used

from sizebook.workbooks import styles
from sizebook.workbooks.catalog_lookups import unlisted_statement
from sizebook.workbooks.gpu_hour_lines import KINDS, gpu_hour_lines
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.shared_lines import or_blank

# Lines of what may be not listed, and the inputs that give it.
KNOWN = {"on_demand_price": "on_demand_usd_per_gpu_hour", "grams": "grams_per_kwh"}


def prices(page: LineSheet) -> None:
    """Add what a GPU-hour of each service costs and draws, and what its rate needs, now and before the scenario."""
    page.section("Prices and power")
    gpu_hour_lines(page, used, ends_now=True)
    _apart(page)
    _power(page)
    _needs(page)
    page.section("Before the scenario, for the cases of What-if")
    _before_the_scenario(page)
    _units(page)
    unlisted_statement(page, KNOWN)
    _at_work(page)


def _apart(page: LineSheet) -> None:
    first = "INDEX({{{0}.all}},{{bought_with}})"
    prices = (f"ABS({{{key}}}-{first.format(key)})" for key in (*(f"{kind}_price" for kind in KINDS), "price_change"))
    terms = (f"IF({{{key}}}={first.format(key)},0,1)" for key in ("sign_terms", "prepay"))
    for key, label, apart, unit, origin in (
        ("price_apart", "Prices apart from the first's", prices, "USD/GPU-hour", "pay one price"),
        ("terms_apart", "Terms of contracts apart from the first's", terms, "", "sign on the same terms"),
    ):
        page.line(key, label, used("+".join(apart)), unit, f"Those that share whole nodes {origin}", styles.RATE)


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
