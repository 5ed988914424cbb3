"""What planning workbooks share beside the plan: calendar, constants, dated prices and currency, quarters and years."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from openpyxl.utils import get_column_letter

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import Argument, Quantity, quantity_of
from sizebook.formulas.money import HOURS_PER_YEAR
from sizebook.functions import find
from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.plans.training.inputs import USABLE_SHARE
from sizebook.scenarios.money import Currency
from sizebook.serving.traffic import SECONDS_PER_DAY
from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book, Place
from sizebook.workbooks.canvas import Tile
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.print_marks import fold_blank, print_to
from sizebook.workbooks.scenario_inputs import RATE
from sizebook.workbooks.text_formulas import part, range_text
from sizebook.workbooks.timeline import SUM, Timeline, some_months

START = Argument(
    "start",
    Quantity("any day of the first month", kind="date", label="First month", source="assumption: type your own"),
    "=DATE(2027,1,1)",
)
_RUNS_FROM = replace(START.quantity, meaning="day on which the run starts, in the first month", label="First day")
FIRST_DAY = replace(START, quantity=_RUNS_FROM)
CURRENCY = Argument("currency", quantity_of(Currency), "USD")


@dataclass(frozen=True)
class Constant:
    """A constant that formulas name, with where it comes from."""

    label: str
    value: float
    unit: str
    origin: str


_LIFE = {argument.name: argument.default for argument in find("EMBODIED_CO2E_KG").arguments}
_WALL = {argument.name: argument.default for argument in find("SERVING_KWH").arguments}
CONSTANTS = {
    "hours_a_month": Constant("Hours of a month", HOURS_PER_MONTH, "hours", "8 760 hours of a year / 12"),
    "hours_a_day": Constant("Hours of a day", 24, "hours", "Definition"),
    "seconds_a_day": Constant("Seconds of a day", SECONDS_PER_DAY, "seconds", "Definition"),
    "seconds_an_hour": Constant("Seconds of an hour", 3600, "seconds", "Definition"),
    "months_a_quarter": Constant("Months of a quarter", 3, "months", "Definition"),
    "months_a_year": Constant("Months of a year", 12, "months", "Definition"),
    "months_of_three_years": Constant("Months of three years", 36, "months", "Definition"),
    "thousand": Constant("Thousand", 1000, "", "Watts of a kW, grams of a kg"),
    "million": Constant("Million", 10**6, "", "Tokens of a Mtok"),
    "billion": Constant("Billion", 10**9, "", "Bytes of a GB"),
    "terabyte": Constant("Terabyte", 10**12, "bytes", "Definition"),
    "byte_bits": Constant("Bits of a byte", 8, "bits", "Definition"),
    "usable_share": Constant(
        "Memory that a driver leaves", USABLE_SHARE, "ratio", "79.19 of 80 GiB on an H100, measured"
    ),
    "busy_share": Constant(
        "Busy server over its GPUs' TDP",
        _WALL["busy_over_tdp"],
        "ratio",
        "MLPerf Inference v5.1, 8 x B200; SERVING_KWH",
    ),
    "idle_share": Constant(
        "Idle server over its GPUs' TDP", _WALL["idle_over_tdp"], "ratio", "An assumption; SERVING_KWH"
    ),
    "life_hours": Constant(
        "Hours that a GPU works in its life",
        _LIFE["lifetime_years"] * HOURS_PER_YEAR * _LIFE["busy"],
        "hours",
        f"{_LIFE['lifetime_years']} years, {_LIFE['busy']:.0%} busy; EMBODIED_CO2E_KG",
    ),
    "half": Constant("Part of a contract that is prepaid", 0.5, "ratio", "Paid at signing: part"),
    "rounding": Constant("Rounding", 1e-9, "", "What comparisons leave to rounding"),
}


def constant_lines(page: LineSheet, *keys: str) -> None:
    """Add the constants that formulas name, each with where it comes from."""
    page.unprinted_from = page.unprinted_from or page.row  # a list to look at on the screen
    page.section("Constants")
    for key in keys:
        one = CONSTANTS[key]
        page.constant(key, one.label, one.value, one.unit, one.origin, styles.GENERAL)


_RATES = f"{{{RATE.name}.all}}"


def _end_of_rates(function: str) -> str:
    return f"IF(COUNT({_RATES})=0,1,{function}({_RATES}))"


# What holds of the sheet of rates, for the sheet of checks.
RATES_HOLD = (
    ("Dates of rates rise", "=MIN({price_order.all},{rate_order.all})=1", "Rates: each with its day, none twice"),
    (
        "Amounts in another currency have a rate",
        f'=({{currency}}="USD")=(COUNT({_RATES})=0)',
        "Rates against the currency: none in USD",
    ),
    (
        "Exchange rates of months lie between those of Rates",
        f"=SUMPRODUCT({{on.all}}*(({{currency_rate.all}}<{_end_of_rates('MIN')})"
        f"+({{currency_rate.all}}>{_end_of_rates('MAX')})))=0",
        "Each month against the lowest and the highest of Rates; 1 in USD",
    ),
)


def currency_rate(book: Book) -> str:
    """Return the formula of what 1 USD is in the currency of Inputs: not available where it has no rate."""
    level = dated_level(book, "rate_date", "rate_per_usd", from_first=True).removeprefix("=")
    return f'=IF(({{currency}}="USD")=(COUNT({_RATES})=0),{level},NA())'


def level_and_rate_rows(page: Timeline) -> None:
    """Add the rows of the level of GPU prices in each month, and of what 1 USD is in the currency."""
    level = dated_level(page.book, "price_date", "price_level", from_first=False)
    page.row_of("price_level_now", "Level of GPU prices", level, "ratio", styles.NUMBER)
    page.row_of("currency_rate", "Exchange rate", currency_rate(page.book), f"{MONEY} per USD", styles.NUMBER)


def usd_row(page: Timeline, cost: str) -> None:
    """Add the row of a cost in USD, which `MEAN_RATE` rests on; ``cost`` is its row in the currency."""
    page.row_of("month_in_usd", "Cost in USD", f"={{{cost}}}/({{currency_rate}}+1-{{on}})", "USD", total=SUM)


# What 1 USD is in the currency over all months, by what each of them costs: of a book with `usd_row`.
MEAN_RATE = "IF({month_in_usd.total}=0,1,{month_usd.total}/{month_in_usd.total})"


def dated_level(book: Book, dates: str, levels: str, *, from_first: bool) -> str:
    """Return the formula of the level that holds on the first day of a month.

    Before the first date it is 1, or that of the first with ``from_first``.
    """
    days, values = (book.every_case(name, name) for name in (dates, levels))
    latest = f"SUMPRODUCT(MAX(({days}<={{starts}})*{days}))"
    if from_first:
        found = f"SUMIF({days},MAX(MIN({days}),{latest}),{values})"
    else:
        found = f"IF({latest}=0,1,SUMIF({days},{latest},{values}))"
    return f"=IF(COUNT({days})=0,1,{found})*{{on}}"


def months_table(page: LineSheet, rows: Mapping[str, str], months: str = "{months}") -> tuple[int, int]:
    """Add a table of some rows of the months, each with its head, for charts to draw; return its rows.

    ``months`` is a reference to how many there are. Each has its row as the workbook is filled; those beyond the plan
    are folded, so that charts leave them out. Where somebody then makes the plan longer, its rows are every second
    month, third and so on up to the last; of a shorter one the rows left over are blank.
    """
    filled = page.book.addin_calls.when_filled(page.book.resolve(months, ""))
    apart = part(f'ROUNDUP({months}/IF({filled}="",{months},{filled}),0)')
    drawn = part(f"ROUNDUP({months}/{apart},0)")
    table = []
    first = page.row + 1
    for row in range(first, first + LONGEST_PLAN):
        number = f"ROWS($A${first}:$A{row})"
        at = f"{months}-{apart}*({drawn}-{number})"
        starts = f'=IF({drawn}>={number},INDEX({{starts.all}},{at}),"")'
        table.append([starts, *(f'=IF($B{row}="","",INDEX({{{name}.all}},{at}))' for name in rows)])
    first, last = page.table(["Month", *rows.values()], table, [styles.MONTH, *[styles.WHOLE] * len(rows)], blanks=True)
    fold_blank(page.sheet, f"$B${first}:$B${last}")  # a line of Excel's falls to 0 at a blank text
    return first, last


def is_unchanged(name: str, months: str = "{months}") -> str:
    """Return the expression of whether a figure is the same in every month, but for rounding; one alone among them."""
    each = some_months(name, "1", months)
    return part(f"MAX({each})-MIN({each})<={{rounding}}*MAX({each})")


def busiest_month(name: str) -> str:
    """Return the expression of the first month of the plan in which a figure is the largest."""
    return part(f"MATCH(MAX({{{name}.all}}),{{{name}.all}},0)")


def months_tiles(name: str, label: str, ends: str, shown: str, write: Callable[[str], str]) -> list[Tile]:
    """Return a figure of the first month, the last and that of the most as tiles, each over its range.

    ``ends`` names the ends of the range: "fewest most".
    """
    most = busiest_month(name)
    either = f'IF({is_unchanged(name)},"every month","most: month "&{most})'
    tiles = []
    for month, said in (("1", '"month 1"'), ("{months}", '"month "&{months}'), (most, part(either))):
        figure, low, high = (f"INDEX({{{key}.all}},{month})" for key in (name, *(f"{name}_{e}" for e in ends.split())))
        tiles.append((f'="{label}, "&{said}', f"={figure}", shown, range_text(low, high, text=write)))
    return tiles


def course_said(name: str, write: Callable[[str], str], after: str, months: str = "{months}") -> str:
    """Return the expression of how a figure goes, for the title of a chart: what it is at first and in the last month,
    in the busiest where that lies between and above both, and once where it never changes."""
    first, last, most = (
        write(part(each)) for each in (f"{{{name}.1}}", f"INDEX({{{name}.all}},{months})", f"MAX({{{name}.all}})")
    )
    at = busiest_month(name)
    between = part(f"AND({at}>1,INDEX({{{name}.all}},{months})<MAX({{{name}.all}}))")
    course = f'"From "&{first}&" to "&{last}&"{after}"&IF({between},", "&{most}&" in month "&{at},"")'
    unchanged = f'{last}&IF({months}=1,"{after}","{after.removesuffix(" a month")} in every month")'
    return f"IF({is_unchanged(name, months)},{part(unchanged)},{part(course)})"


def years_sheet(
    book: Book, rows: tuple[tuple[str, str, str, str], ...], more: Callable[[LineSheet], int] = lambda _: 0
) -> None:
    """Add the sheet of totals by year and by quarter: key of a row of months, label, unit and number format each.

    ``more`` adds totals of a workbook's own, and returns how many columns they take.
    """
    n_years, n_quarters = LONGEST_PLAN // 12, LONGEST_PLAN // 3
    page = new_sheet(
        book,
        "Years",
        "Totals of the months, by year and by quarter of the plan.",
        cases=("",) * n_quarters,
        widths=(34, 12, 16, *[13] * n_quarters),
    )
    for title, key, count in (("By year", "year", n_years), ("By quarter", "quarter", n_quarters)):
        page.section(title)
        head, cases, length = page.row + 1, tuple(map(str, range(1, count + 1))), f"months_a_{key}"
        numbers = [f"{key.capitalize()} of the plan", None, None, *range(1, count + 1)]
        table: list[list[Any]] = [numbers]
        for at, (name, label, unit, _) in enumerate(rows, head + 1):
            book.place(f"{name}_by_{key}", Place(page.sheet.title, at, cases, first=5))
            letters = [get_column_letter(5 + number) for number in range(count)]
            ends = ((f"({at}${head}-1)*{{{length}}}+1", f"{at}${head}*{{{length}}}") for at in letters)
            cells = [f"=IF(ISERROR($D{at}),$D{at},SUM({some_months(name, *of_it)}))" for of_it in ends]
            table.append([label, unit, f"={{{name}.total}}", *cells])
        formats = [[styles.GENERAL] * (3 + count)] + [
            [styles.GENERAL, styles.GENERAL, *[shown] * (1 + count)] for *_, shown in rows
        ]
        page.table(["Figure", "Unit", "Total", *[""] * count], table, formats)
    n_printed = max(n_years, more(page) - 3)  # of them the first three stand before the years
    page.finish()
    print_to(page.sheet, "E", book.resolve("{quarter.total}", ""), least=n_printed)
