"""The inputs of `serving_capacity.xlsx`: those of a serving scenario, and the workbook's own."""

from sizebook.core.sections import leaves
from sizebook.functions import find
from sizebook.plans.commitments import CommitmentTerms
from sizebook.plans.owned import OwnedGpus
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.inputs import Energy, Margins, PriceChanges, Prices, Target, Traffic
from sizebook.plans.serving.pictures import Pictures
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.plans.serving.scaling import Scaling
from sizebook.plans.serving.tenants import Tenants
from sizebook.plans.serving.traffic_by_month import DemandByMonth
from sizebook.scenarios.money import Money
from sizebook.scenarios.scenario_files import ModelScenario
from sizebook.scenarios.serving import ServingScenario
from sizebook.scenarios.statement import Overheads
from sizebook.serving.quantities import PoolLayout, Replica
from sizebook.tables.api_prices import ApiAsked
from sizebook.workbooks.book import Book
from sizebook.workbooks.declared_inputs import declare, declare_all
from sizebook.workbooks.finance import CURRENCY, START, constant_lines
from sizebook.workbooks.scenario_inputs import Driver
from sizebook.workbooks.shared_lines import copy_section, input_page

HEADINGS = {
    ServingScenario: "Replica",
    Replica: "Replica",
    Traffic: "Traffic",
    Target: "Targets",
    Margins: "Margins of the fleet",
    Prices: "Money",
    Energy: "Energy and carbon",
    RequestStream: "Requests one by one",
    PoolLayout: "Prefill and decode in pools of their own",
    Conversation: "Conversations of several turns",
    Scaling: "Starts of replicas",
    Pictures: "Images",
    CommitmentTerms: "Contracts of GPUs",
    DemandByMonth: "Demand by month, in place of requests a day",
    PriceChanges: "Prices over time",
    Overheads: "What is paid beside GPUs, and what it earns",
    Tenants: "Tenants",
    OwnedGpus: "GPUs bought in place of rented",
    ApiAsked: "An API in place of GPUs",
}
# What stands elsewhere on the page; and a workbook holds one plan on one accelerator, and searches no others.
SEARCH = {"plan", "gpus_compared"}
LEFT_OUT = {leaf.name for kind in (ModelScenario, Money) for leaf in leaves(kind)} | {"gpu"} | SEARCH
# What an API asks, to compare with: no part of the scenario.
_API_LABELS = {
    "usd_per_mtok_in": "An API's price for input",
    "usd_per_mtok_out": "An API's price for output",
    "cached_share": "Share that an API has cached",
    "cached_discount": "Discount of cached input",
}
API = tuple(argument for argument in find("API_USD_PER_REQUEST").arguments if argument.name in _API_LABELS)
DRIVERS = (
    Driver("traffic", "Traffic", 1, 0.8, 1.25, "requests a day over those of Inputs"),
    Driver("growth", "Added growth a month", 0, -0.02, 0.02, "added to the growth a month of Inputs"),
    Driver("speed", "Speed of a replica", 1, 1.05, 0.9, "rate of a replica over the predicted one"),
    Driver("on_demand", "On-demand price", 1, 0.9, 1.15, "price on demand over that of Inputs"),
    Driver("reserved", "Reserved price", 1, 0.9, 1.15, "prices of contracts to sign over those of Inputs"),
    Driver("load", "Target load", 1, 1.1, 0.9, "target load over that of Inputs, at most all of it"),
    Driver("bursts", "Bursts over the hour", 1, 0.9, 1.15, "bursts over those of Inputs, at least none"),
)


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = input_page(book, "SERVING_LEDGER")
    declare_all(page, ServingScenario, HEADINGS, left_out=LEFT_OUT)
    page.section("Calendar and currency")
    declare(page, START)
    declare(page, CURRENCY)
    page.unprinted_from = page.row  # what follows serves Calculation, which is not printed either
    page.section("Prices of an API to compare the last month with")
    for argument in API:
        default = None if argument.required else argument.default
        declare(page, argument, required=False, default=default, label=_API_LABELS[argument.name])
    constant_lines(
        page,
        "hours_a_month",
        "hours_a_day",
        "seconds_a_day",
        "months_a_quarter",
        "months_a_year",
        "months_of_three_years",
        "thousand",
        "million",
        "busy_share",
        "idle_share",
        "rounding",
        "half",
    )
    copy_section(page, "Serving capacity")
