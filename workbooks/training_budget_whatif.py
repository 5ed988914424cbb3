"""Cases of `training_budget.xlsx` in a row each, so that tornado and two-way table recalculate by formulas."""

from __future__ import annotations

from training_budget_inputs import DRIVERS

from sizebook.workbooks import look
from sizebook.workbooks.building import Book, Place
from sizebook.workbooks.finance import SCENARIOS
from sizebook.workbooks.page import new_page
from sizebook.workbooks.sensitivity import ENDS, Steps

TOKENS = Steps("tokens", "Tokens", (0.5, 0.75, 1, 1.5, 2))
PRICES = Steps("price", "GPU prices", (0.8, 1, 1.2))
_LETTERS = dict(zip((driver.name for driver in DRIVERS), "CDEFG", strict=True))
_HOURS, _COST = "H", "I"


def cost(case: str) -> str:
    """Return the reference to what a case costs."""
    return f"{{usd_{case}}}"


def _cases() -> dict[str, tuple[str, dict[str, str]]]:
    """Return label and drivers of each case by its key; a driver that is not named is that of the cover."""
    found: dict[str, tuple[str, dict[str, str]]] = {
        "now": ("The scenario of the cover", {}),
        "base": ("Scenario base", {driver.name: f"={driver.neutral}" for driver in DRIVERS}),
    }
    for scenario in SCENARIOS[1:]:
        own = {driver.name: f"={{case_{driver.name}.{scenario}}}" for driver in DRIVERS}
        found[scenario] = (f"Scenario {scenario}", own)
    for driver in DRIVERS:
        for end in ENDS:
            changed = {driver.name: f"={{case_{driver.name}.{end}}}"}
            found[f"{driver.name}_{end}"] = (f"{driver.label}, {end}", changed)
    for down in TOKENS.numbers:
        for across in PRICES.numbers:
            pair = {"tokens": f"={{use_tokens}}*{TOKENS.step(down)}", "price": f"={{use_price}}*{PRICES.step(across)}"}
            found[f"two_{down}_{across}"] = (f"Two-way, tokens {down}, price {across}", pair)
    return found


def what_if(book: Book) -> None:
    """Add the sheet of cases: the drivers of each, its GPU-hours, its cost. One formula a column."""
    page = new_page(
        book, "What-if", "The whole run of the middle case once a row: its drivers, GPU-hours and cost.",
        ("",) * 6, (40, *[15] * 6, 20, 16),
    )  # fmt: skip
    page.section("Prices over time")
    page.constant(
        "mean_level", "Mean level of GPU prices", "=SUMPRODUCT({share.all},{price_level_now.all})", "ratio",
        "Months, by share of the run", look.NUMBER,
    )  # fmt: skip
    page.section("Cases")
    first = page.row + 1
    every = _cases()
    rows = []
    for at, (key, (label, changed)) in enumerate(every.items(), first):
        drivers = [changed.get(driver.name, f"={{use_{driver.name}}}") for driver in DRIVERS]
        rows.append([label, *drivers, _hours(at), _usd(at)])
        for name, column in (("hours", _HOURS), ("usd", _COST)):
            book.place(f"{name}_{key}", Place(page.sheet.title, at, ("",), first=ord(column) - ord("A") + 1))
    page.table(
        ["Case", *(driver.label for driver in DRIVERS), "GPU-hours", "Cost, USD"], rows,
        [look.GENERAL, *(driver.number_format for driver in DRIVERS), look.WHOLE, look.WHOLE],
    )  # fmt: skip
    page.finish()


def _hours(row: int) -> str:
    steady = "{tokens}*@tokens/{tokens_a_step}*{plan_step_seconds.middle}*{use_speed}/@speed/{plan_goodput.middle}"
    text = f"={{gpus}}*({steady}*MAX(1,{{factor}}+@whole)/{{seconds_an_hour}}+{{start_hours}})"
    return _in_row(text, row)


def _usd(row: int) -> str:
    return _in_row(f"={_HOURS}{row}*{{price}}*@price*{{mean_level}}+{{other_usd}}*@other", row)


def _in_row(formula: str, row: int) -> str:
    for name, letter in _LETTERS.items():
        formula = formula.replace(f"@{name}", f"${letter}{row}")
    return formula
