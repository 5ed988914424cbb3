"""The sheet of what a reader varies: scenarios and their drivers, steps of two drivers at once, dated prices and rates.

These are inputs of the workbook alone: its formulas take them, no plan does. With the scenario `base` and no dated
rates its figures are the plan's.
"""

from dataclasses import dataclass
from typing import Any

from sizebook.core.sections import Argument, Quantity
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.declared_inputs import declare
from sizebook.workbooks.line_sheet import LineSheet, new_sheet

SCENARIOS = ("base", "low", "high", "own")
DATED = tuple(str(number) for number in range(1, 7))
SCENARIO = Argument(
    "scenario",
    Quantity(
        "drives all sheets: base takes the inputs as they are, the others change them as Scenarios says",
        kind="choice",
        choices=SCENARIOS,
        label="Scenario",
        source="neutral: the inputs as they are",
    ),
    "base",
)
TRIAL_SPAN = "assumption: a span to try, to replace with your own"
_PRICE_DATE = Argument("price_date", Quantity("first day of a price level", kind="date", label="Prices from"), None)
_PRICE_LEVEL = Argument(
    "price_level",
    Quantity(
        "GPU prices over those of Inputs from that day on",
        unit="ratio",
        minimum=0,
        maximum=100,
        label="Level of GPU prices",
        source="your own: the prices that you expect; blank leaves those of Inputs",
    ),
    None,
)
RATE_DATE = Argument("rate_date", Quantity("first day of an exchange rate", kind="date", label="Rate from"), None)
RATE = Argument(
    "rate_per_usd",
    Quantity(
        "units of the currency for 1 USD from that day on",
        unit="currency/USD",
        above=0,
        maximum=1e9,
        label="Rate of the currency",
        source="your own: a published rate of that day; blank for 1",
    ),
    None,
)


@dataclass(frozen=True)
class Driver:
    """What a scenario changes: a factor of an input, or with ``neutral`` 0 what is added to it.

    ``low`` and ``high`` are those of the scenarios of least and most cost: numbers, or formulas.
    """

    name: str
    label: str
    neutral: int
    low: Any
    high: Any
    meaning: str

    @property
    def number_format(self) -> str:
        return styles.SIGNED if self.neutral == 0 else styles.NUMBER

    @property
    def argument(self) -> Argument:
        least: dict[str, Any] = {"minimum": -1} if self.neutral == 0 else {"above": 0}
        quantity = Quantity(self.meaning, unit="ratio", maximum=100, label=self.label, source=TRIAL_SPAN, **least)
        return Argument(f"case_{self.name}", quantity, self.low)


@dataclass(frozen=True)
class Steps:
    """One side of the two-way table: the input ``step_name`` of each of its factors.

    They multiply ``drivers``, the driver of its own name where none is given.
    """

    name: str
    label: str
    factors: tuple[float, ...]
    drivers: tuple[str, ...] = ()

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, len(self.factors) + 1))

    @property
    def in_a_sentence(self) -> str:
        """The label inside a sentence: small letters, but for one that begins with an abbreviation."""
        return self.label if self.label[:2].isupper() else self.label.lower()

    @property
    def argument(self) -> Argument:
        quantity = Quantity(
            f"{self.label[:1].lower()}{self.label[1:]} over those of the scenario",
            unit="ratio",
            above=0,
            maximum=100,
            label=self.label,
            source=TRIAL_SPAN,
        )
        return Argument(f"step_{self.name}", quantity, self.factors[0])

    def step(self, number: str) -> str:
        """Return the reference to one factor."""
        return f"{{step_{self.name}.{number}}}"


def scenarios_sheet(book: Book, drivers: tuple[Driver, ...], down: Steps, across: Steps) -> None:
    """Add the sheet of what scenarios change, of the steps of the two-way table, and of dated prices and rates."""
    page = new_sheet(
        book,
        "Scenarios",
        "What low, high and own change; base takes the inputs as they are. Choose on the cover.",
        cases=DATED,
        widths=(28, *[11] * len(DATED), 10, 20),
    )
    page.cases = SCENARIOS[1:]
    page.input_heads("Driver", origin="What it changes")
    page.section("Drivers")
    for driver in drivers:
        declare(page, driver.argument, per_case=(driver.high, driver.neutral))
    page.part("Two-way", "Steps of the table of two drivers on Sensitivity.", down.numbers)
    page.input_heads("Step", origin="What it changes")
    page.section("Steps")
    for side in (down, across):
        declare(page, side.argument, per_case=side.factors[1:])
    page.part(
        "Rates", "Levels that hold from a day on, as many as are known. Blank: prices stay, amounts are in USD.", DATED
    )
    page.input_heads()
    for title, key, day, of in (
        ("Prices over time", "price_order", _PRICE_DATE, _PRICE_LEVEL),
        ("Currency", "rate_order", RATE_DATE, RATE),
    ):
        page.section(title)
        for argument in (day, of):
            declare(page, argument, per_case=(None,) * (len(DATED) - 1))
        page.line(
            key, "In order", tuple(_in_order(day.name, of.name, at) for at in DATED), "", "1 where it may stand so"
        )
    page.finish()


def drivers_in_use(page: LineSheet, drivers: tuple[Driver, ...]) -> None:
    """Add the lines of what the scenario of the cover changes."""
    page.section("Scenario in use")
    words = page.book.choices("Scenario", SCENARIOS)
    page.line("scenario_number", "Number of the scenario", f"=MATCH({{scenario}},{words},0)", "", "Cover")
    for driver in drivers:
        of = ",".join(f"{{case_{driver.name}.{case}}}" for case in SCENARIOS[1:])
        page.line(
            f"use_{driver.name}",
            driver.label,
            f"=CHOOSE({{scenario_number}},{driver.neutral},{of})",
            "ratio",
            "Scenarios",
            driver.number_format,
        )


def _in_order(day: str, of: str, number: str) -> str:
    """Return the formula of 1 where a level has its day, later than the one before it, or neither is given."""
    own, before = f"{{{day}.{number}}}", f"{{{day}.{int(number) - 1}}}"
    rises = "1" if number == DATED[0] else f'IF({before}="",0,IF({own}>{before},1,0))'
    return f'=IF(({own}="")<>({{{of}.{number}}}=""),0,IF({own}="",1,{rises}))'
