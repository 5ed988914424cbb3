"""The inputs of `fleet_plan.xlsx`: one column a service, and what services share."""

from sizebook.core.sections import leaves
from sizebook.plans.commitments import CommitmentTerms
from sizebook.plans.fleet.inputs import (
    MOST_SERVICES,
    BusyHours,
    Ceilings,
    FleetTerms,
    Racks,
    Replacement,
    Running,
    Service,
    ServiceTraffic,
)
from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.plans.owned import OwnedGpus
from sizebook.plans.serving.inputs import Energy, Latencies, Margins, PlacedPrices, PriceChanges
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.plans.serving.traffic_by_month import DemandByMonth
from sizebook.scenarios.statement import Overheads
from sizebook.serving.quantities import PoolLayout
from sizebook.tables.api_prices import ApiAsked
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.declared_inputs import declare, declare_all
from sizebook.workbooks.finance import CURRENCY, constant_lines
from sizebook.workbooks.line_sheet import new_sheet
from sizebook.workbooks.scenario_inputs import Driver
from sizebook.workbooks.shared_lines import copy_section, model_input

MOVED = frozenset(leaf.name for leaf in leaves(Replacement))  # filling writes months as values in their place
OF_A_SERVICE = tuple(leaf for leaf in leaves(Service) if leaf.name not in MOVED)
SERVICES = tuple(str(number) for number in range(1, MOST_SERVICES + 1))
HEADINGS = {
    Service: "Replica",
    ServiceTraffic: "Traffic",
    Latencies: "Targets, in place of requests in flight",
    PlacedPrices: "Prices, and where its nodes stand",
    RequestStream: "Requests one by one",
    PoolLayout: "Prefill and decode in pools of their own",
    Running: "First and last month",
    DemandByMonth: "Demand by month, in place of requests a day",
    PriceChanges: "Prices over time",
    CommitmentTerms: "Contracts of GPUs",
    OwnedGpus: "GPUs bought in place of rented",
    ApiAsked: "An API in place of GPUs",
    Overheads: "What is paid beside GPUs, and what it earns",
    FleetTerms: "Calendar",
    Margins: "Margins of the fleet",
    BusyHours: "Busy hours",
    Energy: "Energy and carbon",
    Racks: "Nodes and racks",
    Ceilings: "Ceilings",
}
WIDTHS = (32, *[15] * len(SERVICES), 10, 35)  # thirteen services a page, the others and the rest on the next
DRIVERS = (
    Driver("traffic", "Traffic", 1, 0.8, 1.25, "requests a day of every service over those of Inputs"),
    Driver("growth", "Added growth a month", 0, -0.02, 0.02, "added to the growth a month of every service"),
    Driver("speed", "Speed of a replica", 1, 1.05, 0.9, "rate of a replica over the predicted one"),
    Driver("on_demand", "On-demand price", 1, 0.9, 1.15, "price on demand over that of Inputs"),
    Driver("reserved", "Reserved price", 1, 0.9, 1.15, "prices of contracts to sign over those of Inputs"),
    Driver("load", "Target load", 1, 1.1, 0.9, "target load over that of Inputs, at most all of it"),
)


def used(formula: str) -> str:
    """Return a formula that gives 0 in the column of a service without a model."""
    return f'=IF({{model}}="",0,{formula})'


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = new_sheet(
        book,
        "Inputs",
        "Change the pale yellow cells only. One column a service; columns without a model are folded: the + above "
        "them unfolds. What all services share stands below.",
        SERVICES,
        WIDTHS,
    )
    page.input_heads(cases=[f"Service {number}" for number in SERVICES])
    page.section("Models")
    named = next(leaf for leaf in OF_A_SERVICE if leaf.name == "name")
    first, *others = (f"Service {number}" for number in SERVICES)
    declare(page, named, default=first, required=False, per_case=tuple(others))
    model_input(page, per_case=True)
    declare_all(page, Service, HEADINGS, left_out={"name", "model", *MOVED}, per_case=True)
    declare_all(page, FleetTerms, HEADINGS)
    declare_all(page, Overheads, HEADINGS)
    declare(page, CURRENCY)
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
    for key, label, value, unit, origin in (
        ("longest_plan", "Longest plan", LONGEST_PLAN, "months", "Columns of the sheets of months"),
        ("halving", "Halves of a place", 2, "", "Shared nodes are cut in halves, quarters, eighths"),
    ):
        page.constant(key, label, value, unit, origin, styles.GENERAL)
    page.constant(
        "first_day", "First month where none is given", "=DATE(2027,1,1)", "", "So that months have dates", styles.DATE
    )
    copy_section(page, "Fleet plan")
