"""Describes `serving_capacity.xlsx`: traffic and latency targets in; replicas, GPUs, money, energy and carbon out."""

from pathlib import Path

from serving_capacity_basis import basis
from serving_capacity_cases import PRICES, TRAFFIC, cases, cost
from serving_capacity_checks import checks
from serving_capacity_inputs import DRIVERS, inputs
from serving_capacity_lines import calculation, drawn
from serving_capacity_months import PERIODS, months
from serving_capacity_result import result

from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.scenarios.serving import ServingScenario
from sizebook.workbooks.book import Book
from sizebook.workbooks.common_sheets import checks_sheet, cover_sheet, notes_sheet
from sizebook.workbooks.finance import years_sheet
from sizebook.workbooks.input_cells import workbook_inputs
from sizebook.workbooks.scenario_inputs import SCENARIO, scenarios_sheet
from sizebook.workbooks.tornado import sensitivity_sheet

FILE, TITLE = "serving_capacity.xlsx", "Serving capacity"
_SCENARIO = Path(__file__).resolve().parents[1] / "reports" / "serving-llama-3.1-70b.toml"
EXAMPLE = workbook_inputs(parse(ServingScenario, read_toml(_SCENARIO), _SCENARIO.name))
FUNCTIONS = (
    "SERVING_BASIS",
    "DAY_SHARES",
    "TRAFFIC_BY_MONTH",
    "SERVING_CURVE",
    "SERVING_LEDGER",
    "SERVING_COMMITMENTS",
    "SERVING_ALTERNATIVES",
    "SERVING_WEIGHT_BYTES",
    "CACHE_BYTES_AVAILABLE",
    "KV_BYTES_PER_TOKEN",
    "MAX_CONCURRENCY",
    "TTFT_SECONDS",
    "TPOT_SECONDS",
)
NOTES = (
    "Functions of sizebook say what one replica does, each called once on a hidden sheet, its value held beside it. "
    "All else, from traffic to money, energy and carbon, is ordinary formulas, which need no add-in.",
    "With the scenario base and no dated rates the months are those of 'sizebook plan serve' and of its report for the "
    "same inputs; Checks compares the two.",
    "The load of a replica is the most requests in flight at which both targets hold, or the one given.",
    "Latencies are those of a closed loop: a finished request is replaced at once. Requests beyond what the cache "
    "holds wait, which counts in the time to first token.",
    "Replicas follow the hours of the day, at the target load and with spare ones. GPUs under contract are paid around "
    "the clock to the end of the contract, the others on demand by the hour; by whole nodes, all GPUs of the nodes "
    "they stand on.",
    "Contracts to sign are those of the least cost for the inputs as they stand, SERVING_COMMITMENTS. Scenarios, cases "
    "and ranges keep them. Without the add-in they stay as they were signed, and Checks says where traffic is another.",
    "GPUs bought and an API are the plan's, SERVING_ALTERNATIVES, for the inputs as they stand: scenarios do not "
    "change them. Without the add-in they stay as they were filled, and Checks says where the plan is another.",
    "Ranges: GPUs and money if replicas are as fast, or as slow, as 1 in 10 measurements; latencies at the 10th and "
    "90th percentile of measured over predicted.",
    "Where prompts and answers have pools of their own, workers are searched for the least cost of the inputs as they "
    "stand. Scenarios, Sensitivity and Two-way keep those workers and do not search them again.",
    "A reserved price that is left blank is the catalog's median for a year, if that is not above the one on demand.",
    "Left out: the regret of contracts (the command and the report have it) and the gateway. People, storage and "
    "egress are in the statement of Months, not in its cost of GPUs.",
)


def build(book: Book) -> None:
    """Put the sheets of the workbook together."""
    front = cover_sheet(
        book, "How many GPUs a traffic needs at the latency that was promised, for how much a month.", SCENARIO
    )
    inputs(book)
    scenarios_sheet(book, DRIVERS, TRAFFIC, PRICES)
    page, staged = basis(book)
    months(book, staged)
    years_sheet(book, PERIODS)
    cases(book, staged)
    sensitivity_sheet(book, DRIVERS, (TRAFFIC, PRICES), cost, "cost of all months")
    calculation(page)
    result(book, *drawn(page, staged))
    checks_sheet(book, checks(staged))
    notes_sheet(book, FUNCTIONS, NOTES)
    front()
