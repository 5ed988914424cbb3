"""Cases of `serving_capacity.xlsx`: the plan in a few rows each, so that tornado and two-way table recalculate."""

from dataclasses import dataclass

from serving_capacity_basis import Staged
from serving_capacity_inputs import DRIVERS
from serving_capacity_months import contract_usd

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.cost_ranges import range_rows
from sizebook.workbooks.scenario_inputs import SCENARIOS, Steps
from sizebook.workbooks.timeline import SUM, Timeline
from sizebook.workbooks.tornado import ENDS

TRAFFIC = Steps("traffic", "Traffic", (0.5, 0.75, 1, 1.5, 2))
PRICES = Steps("price", "GPU prices", (0.8, 1, 1.2))
_HEADS = (
    *(driver.label for driver in DRIVERS),
    "Load now, replicas",
    "1 + growth a month",
    "On demand, USD",
    "Reserved, USD",
    "Reserved for three years, USD",
)
_NEUTRAL = tuple(f"={driver.neutral}" for driver in DRIVERS)
_FORMATS = tuple(driver.number_format for driver in DRIVERS)
_IN_USE = tuple(f"={{use_{driver.name}}}" for driver in DRIVERS)


@dataclass(frozen=True)
class Case:
    """A case: what each driver is in it, the row of how prices went, and the price for three years where no driver
    gives it."""

    key: str
    label: str
    drivers: tuple[str, ...]
    level: str = "price_level_now"
    three_years: str = ""


def all_cases() -> tuple[Case, ...]:
    """Return every case that the workbook evaluates."""
    fast, slow = (
        f"={{use_speed}}*{{plan_tokens_per_second_{end}}}/{{plan_tokens_per_second}}" for end in ("p90", "p10")
    )
    found = [
        Case("plan", "As the plan: no scenario", _NEUTRAL, "price_course"),
        Case("now", "The scenario of the cover", _IN_USE),
        Case("fast", "Replicas as fast as 1 in 10 measurements", _with(speed=fast)),
        Case("slow", "Replicas as slow as 1 in 10 measurements", _with(speed=slow)),
        _at_end("cheap", "Providers as cheap as 1 in 10", "low"),
        _at_end("dear", "Providers as dear as 1 in 10", "high"),
        Case("base", "Scenario base", _NEUTRAL),
    ]
    for scenario in SCENARIOS[1:]:
        drivers = tuple(f"={{case_{driver.name}.{scenario}}}" for driver in DRIVERS)
        found.append(Case(scenario, f"Scenario {scenario}", drivers))
    for driver in DRIVERS:
        for end in ENDS:
            changed = _with(**{driver.name: f"={{case_{driver.name}.{end}}}"})
            found.append(Case(f"{driver.name}_{end}", f"{driver.label}, {end}", changed))
    for down in TRAFFIC.numbers:
        for across in PRICES.numbers:
            price = f"*{PRICES.step(across)}"
            factors = {"traffic": f"*{TRAFFIC.step(down)}", "on_demand": price, "reserved": price}
            changed = tuple(one + factors.get(driver.name, "") for driver, one in zip(DRIVERS, _IN_USE, strict=True))
            found.append(Case(f"two_{down}_{across}", f"Two-way, traffic {down}, price {across}", changed))
    return tuple(found)


def _with(**formulas: str) -> tuple[str, ...]:
    return tuple(formulas.get(driver.name, one) for driver, one in zip(DRIVERS, _IN_USE, strict=True))


def _at_end(key: str, label: str, end: str) -> Case:
    """Return the case of one end of the prices."""
    prices = {kind: f"={{use_{kind}}}*{{{kind}_{end}}}/{{{kind}_price}}" for kind in ("on_demand", "reserved")}
    three_years = f"=IF(ISNUMBER({{reserved_3y_price}}),{{reserved_3y_{end}}}*{{use_reserved}},NA())"
    return Case(key, label, _with(**prices), three_years=three_years)


def cases(book: Book, staged: Staged) -> None:
    """Add the sheet of cases: the load of each month, and what it costs."""
    page = Timeline(
        book,
        "Cases",
        "The whole plan once a case: load and cost under the contracts of the plan. One formula for all of a block.",
        _HEADS,
    )
    page.calendar()
    page.section("Steps of GPUs beyond contracts, all hours of the mean day")
    rows = {}
    beyond = f"{_needed(staged)}-{{reserved_steps}}"
    for case in all_cases():
        rows[case.key] = page.row
        page.fill_before(_before(case), _FORMATS)
        steps = f"=IF({{on}}=0,0,SUMPRODUCT(({beyond}>0)*({beyond})))"
        page.row_of(f"beyond_{case.key}", case.label, steps, "steps", styles.NUMBER)
    page.section("Cost")
    for case in all_cases():
        page.row_of(f"usd_{case.key}", case.label, _cost(case, rows[case.key]), MONEY, total=SUM)
    range_rows(page, "usd_now")
    page.finish()


# Columns of a case: D to J its drivers, K its load in the first month, L growth, M to O prices. Contracts are those of
# the plan in every case.
def _needed(staged: Staged) -> str:
    """Return the steps of GPUs that each hour of the mean day needs, an array; a step is bought together."""
    load = f"$K§*{{course}}*$L§^({{month}}-1)*{staged.by_rank}"
    return f"-INT((INT({{rounding}}-{load})-{{spare_replicas}})/{{step}})"


def _cost(case: Case, row: int) -> str:
    contracts = contract_usd(case.level, (f"$N{row}", f"$O{row}"))
    on_demand = f"{{{case.level}}}*$M{row}*{{beyond_{case.key}}}*{{step_gpus}}*{{hours_a_month}}/{{hours_a_day}}"
    return f"=IF({{on}}=0,0,{{currency_rate}}*({contracts}+{on_demand}))"


def _before(case: Case) -> tuple[str, ...]:
    return (
        *case.drivers,
        "={requests_base}*$D§/{seconds_a_day}*MAX(1,{burst_factor}*$J§)*{working_day}"
        "/({plan_requests_per_second}*$F§*MIN(1,{target_load}*$I§))",
        "=1+{growth_per_month}+$E§",
        "=IF(ISNUMBER({on_demand_price}),{on_demand_price}*$G§,NA())",
        "=IF(ISNUMBER({reserved_price}),{reserved_price}*$H§,NA())",
        case.three_years or "=IF(ISNUMBER({reserved_3y_price}),{reserved_3y_price}*$H§,NA())",
    )


def cost(case: str) -> str:
    """Return the reference to what a case costs in all months."""
    return f"{{usd_{case}.total}}"
