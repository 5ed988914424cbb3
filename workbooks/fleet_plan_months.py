"""The monthly sheets of `fleet_plan.xlsx`: one row a month, one column a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fleet_plan_lines import SERVICES, Staged, gpus, month_label, peak_rate, requests_a_day, used

from sizebook.plans.fleet.inputs import MONTHS
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.page import Page, new_page
from sizebook.workbooks.wording import counted, usd

_COLUMNS = "CDEFG"
_HOURS = 730
_WIDTHS = (16, 16, 16, 16, 16, 16, 18)


@dataclass(frozen=True)
class Sheets:
    """Where the months stand: their rows, the same on every monthly sheet, and the columns of the summary."""

    rows: tuple[int, int]
    summary: Mapping[str, str]


def months(book: Book, staged: Staged) -> Sheets:
    """Add the monthly sheets and the summary."""
    rows = _sheet(
        book, "Peak GPUs", "GPUs that the busiest hour needs.", lambda n, c, r: used(gpus(book, peak_rate(book, n)))
    )
    _sheet(
        book, "Mean GPUs", "GPUs that the mean of the day needs.",
        lambda n, c, r: used(gpus(book, f"{requests_a_day(book, n)}/86400")),
    )  # fmt: skip
    first, last = rows
    _sheet(
        book, "Reserved GPUs", "GPUs under contract: a share of the mean at the start of each term.",
        lambda n, c, r: used(
            f"ROUNDUP({{reserve_share}}*INDEX('Mean GPUs'!{c}${first}:{c}${last},"
            f"INT({n}/{{term_months}})*{{term_months}}+1)/{{step_gpus}}-0.000000001,0)*{{step_gpus}}"
        ),
    )  # fmt: skip
    _sheet(book, "Burst hours", "GPU-hours on demand in the month.", _burst_hours)
    _sheet(
        book, "Cost", "USD in the month, reserved and burst.",
        lambda n, c, r: f"={_HOURS}*'Reserved GPUs'!{c}{r}*{{reserved_price}}+'Burst hours'!{c}{r}*{{burst_price}}",
    )  # fmt: skip
    _sheet(book, "Energy", "kWh in the month.", lambda n, c, r: _energy(book, n, c, r))
    summary = _summary(book, rows, staged)
    return Sheets(rows, summary)


def _burst_hours(_month: int, column: str, row: int) -> str:
    """Return GPU-hours beyond the reserved: in the busy hours up to the peak, in the others up to the mean."""
    over_peak, over_mean = (
        f"MAX(0,'{s}'!{column}{row}-'Reserved GPUs'!{column}{row})" for s in ("Peak GPUs", "Mean GPUs")
    )
    return f"={_HOURS}/24*({over_peak}*{{burst_hours}}+{over_mean}*(24-{{burst_hours}}))"


def _energy(book: Book, month: int, column: str, row: int) -> str:
    hours = f"({_HOURS}*'Reserved GPUs'!{column}{row}+'Burst hours'!{column}{row})"
    busy = f"MIN(1,{requests_a_day(book, month)}/86400/{{rate}}*{{gpus_each}}*{_HOURS}/{hours})"
    drawn = book.call("SERVING_KWH", gpus=1, tdp_watts="{watts}", utilized=busy, hours=hours)
    return used(f"IF({hours}=0,0,{drawn})")


def _sheet(book: Book, name: str, subtitle: str, formula: Callable[[int, str, int], str]) -> tuple[int, int]:
    """Add a monthly sheet; ``formula`` gives a cell's formula from its month, column and row."""
    page = new_page(book, name, subtitle, ("",) * 4, _WIDTHS, portrait=True)
    page.section("Month by month")
    first = page.row + 1
    rows = []
    for month in range(MONTHS):
        row = first + month
        cells = [
            page.book.resolve(formula(month, column, row), name, service)
            for column, service in zip(_COLUMNS, SERVICES, strict=True)
        ]
        rows.append([month_label(month), *cells, f"=SUM(C{row}:G{row})"])
    heads = ["Month", *(page.book.resolve(f"={{name.{service}}}", name) for service in SERVICES), "Together"]
    found = page.table(heads, rows, [look.GENERAL, *[look.WHOLE] * 6])
    page.sheet.freeze_panes = f"C{first}"
    page.finish()
    return found


def _summary(book: Book, rows: tuple[int, int], staged: Staged) -> dict[str, str]:
    page = new_page(book, "Summary", "All services together, month by month.", ("",) * 6, (16,) * 9, portrait=True)
    page.section("Month by month")
    heads = [
        "Month",
        "At peak",
        "At the mean",
        "Reserved",
        "Reserved, USD",
        "Burst, USD",
        "Together, USD",
        "kWh",
        "tCO2e",
    ]
    burst_prices = book.every_case("burst_price", "burst_price")
    table = [[month_label(month), *_totals(book, rows[0] + month, burst_prices)] for month in range(MONTHS)]
    page.table(heads, table, [look.GENERAL, *[look.WHOLE] * 3, *[look.NUMBER] * 4, look.RATE])
    page.sheet.freeze_panes = f"C{rows[0]}"
    _messages(page, staged)
    page.finish()
    names = ("peak", "mean", "reserved", "reserved_usd", "burst_usd", "cost", "energy", "co2e")
    return dict(zip(names, "CDEFGHIJ", strict=True))


def _totals(book: Book, row: int, burst_prices: str) -> list[str]:
    return [
        f"='Peak GPUs'!H{row}",
        f"='Mean GPUs'!H{row}",
        f"='Reserved GPUs'!H{row}",
        f"=H{row}-G{row}",
        f"=SUMPRODUCT('Burst hours'!C{row}:G{row},{burst_prices})",
        f"=Cost!H{row}",
        f"=Energy!H{row}",
        f"={book.call('SERVING_CO2E_KG', energy_kwh=f'I{row}', grams_per_kwh='{grams.1}')}/1000",
    ]


def _messages(page: Page, staged: Staged) -> None:
    """Add the titles of the charts."""
    months = staged.months
    page.section("Titles of the charts")
    first, last = ({name: months.month(name, n) for name in months.letters} for n in (1, MONTHS))
    gpus = counted(last["peak_gpus"])
    total = usd(f"SUM({months.months('usd')})")
    for key, label, formula in (
        ("gpus_message", "GPUs at peak", f'="From "&{counted(first["peak_gpus"])}&" to "&{gpus}&" GPUs at peak"'),
        ("reserve_message", "Reserved and burst",
         f'={counted(last["reserved_gpus"])}&" of "&{gpus}&" GPUs are reserved in the last month"'),
        ("month_message", "Cost", f'="From "&{usd(first["usd"])}&" to "&{usd(last["usd"])}&" a month"'),
        ("money_message", "Cost by year", f'={total}&" over three years"'),
    ):  # fmt: skip
        page.statement(key, label, formula, "Months")
