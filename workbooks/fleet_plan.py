"""Describes `fleet_plan.xlsx`: several models over 36 months; GPUs reserved and burst, money, energy and carbon."""

from __future__ import annotations

from pathlib import Path

from fleet_plan_checks import checks
from fleet_plan_lines import SERVICES, Staged, inputs, plan, replicas
from fleet_plan_months import Sheets, months

from sizebook.plans.fleet.inputs import MONTHS
from sizebook.scenarios.files import parse, read_toml
from sizebook.scenarios.fleet import FleetScenario
from sizebook.workbooks import look
from sizebook.workbooks.building import Book
from sizebook.workbooks.canvas import Chart
from sizebook.workbooks.inputs import workbook_inputs
from sizebook.workbooks.page import Page, new_page
from sizebook.workbooks.pages import checks_page, cover, notes_page
from sizebook.workbooks.wording import between, counted

FILE, TITLE = "fleet_plan.xlsx", "Fleet plan"
_SCENARIO = Path(__file__).resolve().parent / "scenarios" / "three-services.toml"
EXAMPLE = workbook_inputs(parse(FleetScenario, read_toml(_SCENARIO), _SCENARIO.name))
FUNCTIONS = (
    "FLEET_LEDGER",
    "FLEET_FIGURES",
    "REQUEST_SECONDS",
    "MAX_CONCURRENCY",
    "REQUESTS_AFTER",
    "PEAK_REQUESTS_PER_SECOND",
    "REPLICAS_FOR_TRAFFIC",
    "GPU_SPEC",
    "SERVING_ERROR",
    "SERVING_KWH",
    "SERVING_CO2E_KG",
)
NOTES = (
    "Plan and Months hold the plan itself, the one that 'sizebook plan fleet' prints and the report shows for the same "
    "inputs. Result shows its figures; the monthly sheets derive them service by service, and Checks compares the two.",
    "A service is a model on its own replicas. Its rate is the requests in flight on a replica over the time of a "
    "request.",
    "Peak GPUs take the busiest hour, mean GPUs the mean of the day, both at the target load and with spare replicas.",
    "A node is never shared: it holds replicas of one service, or part of one replica. By whole nodes all its GPUs are "
    "paid for. A spare covers the loss of a replica, or of all replicas on a node.",
    "Reserved: so large a share of the mean at the start of each term, rounded up to a replica or a node, paid around "
    "the clock until the term ends. Burst: what the busiest hours need beyond that, and growth within a term.",
    "A reserved price that is left blank is the catalog's median for the term, where that is not above the one on "
    "demand.",
    "Ranges: GPUs and money if every service's replicas are as fast, or as slow, as 1 in 10 measurements of "
    "throughput. In a single month the slower fleet may cost less, where it holds more reserved GPUs before growth "
    "needs them.",
    "Energy: reserved GPUs draw power around the clock, idle or busy; burst GPUs while they are rented.",
    "Left out: changes of price, newer GPUs and models within the three years, network and storage.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover(
        book, "What several models need over three years as traffic grows: GPUs reserved and burst, and money."
    )
    inputs(book)
    staged = plan(book)
    replicas(book)
    sheets = months(book, staged)
    result(book, staged)
    charts(book, staged, sheets)
    checks_page(book, checks(book, staged, sheets), SERVICES)
    notes_page(book, FUNCTIONS, NOTES)
    front()


def result(book: Book, staged: Staged) -> None:
    page = new_page(book, "Result", "The figures to hand on.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    ledger = staged.months
    total = {name: f"SUM({ledger.months(name)})" for name in ledger.letters}
    # The slower fleet may be the cheaper one, where it reserves more before growth needs them.
    every = ",".join(total[name] for name in ("usd_least", "usd", "usd_most"))
    tiles = [
        ("USD over three years", f"={total['usd']}", look.NUMBER,
         between(f"MIN({every})", f"MAX({every})", " measured")),
    ]  # fmt: skip
    for label, month in (("first", 1), ("last", MONTHS)):
        ends = (ledger.month(f"peak_gpus_{end}", month) for end in ("fewest", "most"))
        under = between(*ends, after=" measured", text=counted)
        tiles.append((f"GPUs at peak, {label} month", f"={ledger.month('peak_gpus', month)}", look.WHOLE, under))
    page.tiles(
        [
            *tiles,
            ("Energy in MWh", f"={total['energy_kwh']}/1000", look.RATE, "over three years"),
            ("Carbon in tCO2e", f"={total['co2e_kg']}/1000", look.RATE, "location-based"),
        ]
    )
    _by_year(page, staged)
    _by_service(page)
    page.finish()


def _by_year(page: Page, staged: Staged) -> None:
    ledger = staged.months
    page.section("By year")
    money = ("reserved_usd", "burst_usd", "usd")
    rows = []
    for year in range(MONTHS // 12):
        part = {
            name: f"{ledger.month(name, 12 * year + 1)}:{ledger.month(name, 12 * year + 12).partition('!')[2]}"
            for name in ledger.letters
        }
        rows.append([f"Year {year + 1}", f"=MAX({part['peak_gpus']})", *(f"=SUM({part[name]})" for name in money)])
    every = [f"=SUM({ledger.months(name)})" for name in money]
    rows.append(["Together", f"=MAX({ledger.months('peak_gpus')})", *every])
    shown = page.table(
        ["Year", "GPUs at peak", "Reserved, USD", "Burst, USD", "Together, USD"], rows,
        [look.GENERAL, look.WHOLE, *[look.NUMBER] * 3], total=True,
    )  # fmt: skip
    page.chart(Chart("stacked", "{money_message.1}", "USD", look.WHOLE, (shown[0], shown[1] - 1), "DE"))


def _by_service(page: Page) -> None:
    page.section("By service")
    names = ("peak_gpus_first", "peak_gpus_last", "usd", "usd_last")
    rows = [
        [f'=IF({{model.{service}}}="","",{{{key}.{service}}})' for key in ("name", *(f"plan_{name}" for name in names))]
        for service in SERVICES
    ]
    page.table(
        ["Service", "GPUs, first month", "GPUs, last month", "USD over three years", "USD in the last month"], rows,
        [look.GENERAL, *[look.WHOLE] * 2, *[look.NUMBER] * 2], blanks=True,
    )  # fmt: skip


def charts(book: Book, staged: Staged, sheets: Sheets) -> None:
    page = new_page(book, "Charts", "Month by month.", ("", ""), (34, 28, 28, 28, 28), portrait=True)
    ledger = staged.months
    rows = (ledger.first, ledger.last)

    def letters(*names: str) -> str:
        return "".join(ledger.letters[name] for name in names)

    page.section("GPUs at peak")
    page.chart(Chart("stacked", "{gpus_message.1}", "GPUs", look.WHOLE, sheets.rows, "CDEFG", of_sheet="Peak GPUs"))
    page.section("Reserved and burst")
    shown = letters("peak_gpus", "mean_gpus", "reserved_gpus")
    page.chart(Chart("lines", "{reserve_message.1}", "GPUs", look.WHOLE, rows, shown, of_sheet=ledger.sheet))
    page.section("Cost")
    shown = letters("reserved_usd", "burst_usd")
    page.chart(Chart("stacked", "{month_message.1}", "USD a month", look.WHOLE, rows, shown, of_sheet=ledger.sheet))
    page.finish()
