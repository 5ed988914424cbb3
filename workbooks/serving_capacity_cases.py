"""Cases of `serving_capacity.xlsx`: the plan in a few rows each, so that tornado and two-way table recalculate."""

from __future__ import annotations

from dataclasses import dataclass

from serving_capacity_basis import Staged
from serving_capacity_inputs import DRIVERS

from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import unless_waiting
from sizebook.workbooks.book import Book
from sizebook.workbooks.cost_ranges import range_rows
from sizebook.workbooks.finance import SCENARIOS
from sizebook.workbooks.timeline import MOST, SUM, Timeline
from sizebook.workbooks.tornado import ENDS, Steps

TRAFFIC = Steps("traffic", "Traffic", (0.5, 0.75, 1, 1.5, 2))
PRICES = Steps("price", "GPU prices", (0.8, 1, 1.2))
_HEADS = (
    *(driver.label for driver in DRIVERS),
    "Prices over time",
    "Arrivals now, requests/s",
    "Growth a month",
    "Requests/s a replica takes",
    "On demand, USD",
    "Reserved, USD",
    "Hours a day on demand",
    "Share of the hour reserved for",
    "A reserved GPU less its hours, USD",
    "A step of GPUs in one hour, USD",
)
_NEUTRAL = tuple(f"={driver.neutral}" for driver in DRIVERS)
_FORMATS = tuple(driver.number_format for driver in DRIVERS)
_IN_USE = tuple(f"={{use_{driver.name}}}" for driver in DRIVERS)


@dataclass(frozen=True)
class Case:
    """A case: what each driver is in it, and whether prices follow their dated levels."""

    key: str
    label: str
    drivers: tuple[str, ...]
    dated: str = "1"


def all_cases() -> tuple[Case, ...]:
    """Return every case that the workbook evaluates."""
    fast, slow = (
        f"={{use_speed}}*{{plan_tokens_per_second_{end}}}/{{plan_tokens_per_second}}" for end in ("p90", "p10")
    )
    found = [
        Case("plan", "As the plan: no scenario", _NEUTRAL, "0"),
        Case("now", "The scenario of the cover", _IN_USE),
        Case("fast", "Replicas as fast as 1 in 10 measurements", _with(speed=fast)),
        Case("slow", "Replicas as slow as 1 in 10 measurements", _with(speed=slow)),
        Case("cheap", "Providers as cheap as 1 in 10", _at_end("low")),
        Case("dear", "Providers as dear as 1 in 10", _at_end("high")),
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


def _at_end(end: str) -> tuple[str, ...]:
    """Return the drivers at one end of the prices."""
    return _with(**{kind: f"={{use_{kind}}}*{{{kind}_{end}}}/{{{kind}_price}}" for kind in ("on_demand", "reserved")})


def cases(book: Book, staged: Staged) -> None:
    """Add the sheet of cases: the load of each month, the GPUs reserved for it, and what the month costs."""
    page = Timeline(
        book,
        "Cases",
        "The whole plan once a case: load, what is reserved, cost. One formula for all of a block.",
        _HEADS,
    )
    page.calendar()
    page.section("Load planned for, in replicas at the mean of the day")
    rows = {}
    for case in all_cases():
        rows[case.key] = page.row
        load = "=$L§*(1+$M§)^({month}-1)/$N§"
        page.fill_before(_before(case, staged), _FORMATS)
        page.row_of(f"load_{case.key}", case.label, load, "replicas", styles.NUMBER)
    for title, key, unit, formula, total in (
        ("GPUs reserved", "held", "GPUs", _RESERVED, MOST),
        ("Cost", "usd", "USD", _COST.format(ranks=staged.ranks, sorted=staged.by_rank), SUM),
    ):
        page.section(title)
        for case in all_cases():
            own = formula.replace("@", str(rows[case.key])).replace("CASE", case.key)
            page.row_of(f"{key}_{case.key}", case.label, own, unit, total=total)
    range_rows(page, "usd_now")
    page.finish()


# Columns of a case: D to J its drivers, K whether prices follow their levels, L arrivals, M growth, N what a replica
# takes, O and P prices, Q hours a day that may exceed what is reserved, R the share of the hour that is reserved for, S
# and T what a reserved GPU costs a month beside those hours on demand, and what these cost.
_RESERVED = "={on}*-INT((INT({rounding}-{load_CASE}*$R@)-{spare_replicas})/{step})*{step_gpus}"
_COST = (
    "=IF({{on}}=0,0,(1+$K@*({{price_level_now}}-1))*($S@*{{held_CASE}}+$T@*SUMPRODUCT(({ranks}<=$Q@)"
    "*-INT((INT({{rounding}}-{{load_CASE}}*{sorted})-{{spare_replicas}})/{{step}}))))"
)


def _before(case: Case, staged: Staged) -> tuple[str, ...]:
    return (
        *case.drivers,
        f"={case.dated}",
        "={requests_per_day}*$D§/{seconds_a_day}*MAX(1,{burst_factor}*$J§)",
        "={growth_per_month}+$E§",
        "={plan_requests_per_second}*$F§*MIN(1,{target_load}*$I§)",
        "=IF(ISNUMBER({on_demand_price}),{on_demand_price}*$G§,NA())",
        "=IF(ISNUMBER({reserved_price}),{reserved_price}*$H§,NA())",
        "="
        + unless_waiting(
            "IFERROR(IF($P§>=$O§,{hours_a_day}-1,MIN({hours_a_day}-1,INT({hours_a_day}*$P§/$O§+{rounding}))),"
            "{hours_a_day}-1)"
        ),
        f"=INDEX({staged.by_rank},1+$Q§)",
        "={hours_a_month}*($P§-$O§*$Q§/{hours_a_day})",
        "={hours_a_month}*$O§/{hours_a_day}*{step_gpus}",
    )


def cost(case: str) -> str:
    """Return the reference to what a case costs in all months."""
    return f"{{usd_{case}.total}}"
