"""Describes `fleet_plan.xlsx`: 1 to 20 services over 1 to 60 months; GPUs, shared nodes, racks, power, money."""

from pathlib import Path

from fleet_plan_checks import checks
from fleet_plan_inputs import DRIVERS, inputs
from fleet_plan_loads import calendar, each_service, groups
from fleet_plan_months import PERIODS, months, ranks
from fleet_plan_result import by_service, result, texts
from fleet_plan_services import services
from fleet_plan_whatif import PRICES, TRAFFIC, what_if

from sizebook.scenarios.fleet import FleetScenario
from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.workbooks.book import Book
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.finance import years_sheet
from sizebook.workbooks.input_cells import workbook_inputs
from sizebook.workbooks.scenario_inputs import SCENARIO, scenarios_sheet
from sizebook.workbooks.tornado import sensitivity_sheet
from sizebook.workbooks.what_if import case_cost

FILE, TITLE = "fleet_plan.xlsx", "Fleet plan"
_SCENARIO = Path(__file__).resolve().parent / "scenarios" / "six-services.toml"
EXAMPLE = workbook_inputs(parse(FleetScenario, read_toml(_SCENARIO), _SCENARIO.name))
FUNCTIONS = (
    "FLEET_ALTERNATIVES",
    "FLEET_BASIS",
    "FLEET_COMMITMENTS",
    "FLEET_LEDGER",
    "PEAK_OF_DAY",
    "TRAFFIC_BY_MONTH",
)
NOTES = (
    "Functions of sizebook say what one replica of each service does, what its node is and which contracts to sign, "
    "each once, its value held beside it. All else, from growth to money and carbon, is ordinary formulas.",
    "With the scenario base and no dated prices the months are those of 'sizebook plan fleet' and of its report for "
    "the same inputs; Checks compares every row of the two.",
    "A service is a model on its own replicas. Peak GPUs take the busiest hour, mean GPUs the mean of the day, both at "
    "the target load and with spare replicas, from the month in which it begins to the one with which it ends.",
    "A replica never straddles nodes unless it is larger than one. Replicas of which a node holds 1, 2, 4, 8 ... share "
    "nodes: parts of nodes add up and are rounded up. Others have nodes of their own.",
    "By whole nodes all GPUs of a node are paid for, and services that share nodes are bought together, at one price; "
    "the cost is split by the part of the nodes that each takes at peak.",
    "Reserved: existing contracts, and those to sign for the least cost of the inputs, each paid around the clock to "
    "its end, also after the plan. A scenario, or inputs that change without functions, leave them as signed.",
    "Burst: what hours need beyond contracts, up to the peak in the busy ones and up to the mean in the others.",
    "Racks hold nodes of one kind: as given, or as many as power and height allow; GB200 NVL72 is a rack itself. Power "
    "is that of nodes at their most, times the PUE.",
    "Ranges: GPUs and money if every service's replicas are as fast, or as slow, as 1 in 10 measurements of "
    "throughput.",
    "Where prompts and answers have pools of their own, workers are searched for the least cost of the inputs as they "
    "stand; a scenario does not search them again.",
    "Left out: newer GPUs and models within the months, network and storage, switches, the supply of burst GPUs.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover_sheet(
        book,
        "What several services need as traffic grows: GPUs, nodes that they share, racks, power and money.",
        SCENARIO,
    )
    inputs(book)
    scenarios_sheet(book, DRIVERS, TRAFFIC, PRICES)
    page, staged = services(book)
    group = groups(page)
    together = calendar(book)
    each_service(book, group, staged.contracts)
    ranks(page)
    months(together, book, group, staged)
    texts(page)
    page.finish()
    years_sheet(book, PERIODS, by_service)
    what_if(book, group)
    sensitivity_sheet(book, DRIVERS, (TRAFFIC, PRICES), case_cost, "cost of all months")
    result(book)
    checks_sheet(book, checks(staged, group))
    notes_sheet(book, FUNCTIONS, NOTES)
    front()
