"""Spreadsheet functions of fleet plans: the ledger of all services together, and the figures of each service."""

from itertools import zip_longest
from typing import Annotated, Any

from sizebook.core.coercion import as_rows, is_blank
from sizebook.core.errors import InputError, named
from sizebook.core.once import once
from sizebook.core.registry import function, takes
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.plans.alternatives import AlternativeMonth
from sizebook.plans.columns import sections_of, side_by_side, width_of
from sizebook.plans.commitments import ContractMonth
from sizebook.plans.fleet.figures import basis, figures
from sizebook.plans.fleet.inputs import FleetInputs, FleetTerms, Service
from sizebook.plans.fleet.months import FleetMonth
from sizebook.plans.fleet.nodes import fills_nodes, nodes_together
from sizebook.plans.fleet.plan import FleetPlan, months_of_contracts, plan_fleet
from sizebook.plans.fleet.replaced import with_moved_requests
from sizebook.plans.ledgers import Ledger, LedgerRows, as_table, ledger_rows, with_blanks
from sizebook.plans.serving.nodes import Packing

Services = Annotated[
    list[list[Any]],
    Quantity(
        "services as a range: names of their inputs (name, model, gpu, requests_per_day ...) in the first column, then "
        "one column a service; a column without a model stays out",
        label="Services",
    ),
]
FiguresByService = Annotated[list[list[Any]], Quantity("a row with the names of the services, then one figure a row")]
SOURCE = "sizebook.plans.fleet.plan over data/hardware.csv, data/prices.csv and data/calibration_serving.csv"


def _plan(services: Any, terms: FleetTerms) -> tuple[dict[int, Service], FleetPlan]:
    found = sections_of(Service, services, "service")
    return found, once(plan_fleet, FleetInputs(service=tuple(found.values()), terms=terms))


@function(category="serving", source=SOURCE)
@takes("simulation")
def fleet_ledger(services: Services, terms: FleetTerms = DEFAULT, rows: LedgerRows = DEFAULT) -> Ledger:
    """Return a fleet plan month by month, all services together: GPUs, nodes, racks, power, cost, energy, carbon.

    Names in the first row, then a row a month. The figures of 'sizebook plan fleet' for the same inputs, computed by
    the same plan. The last columns are GPUs and cost if replicas are as fast, or as slow, as 1 in 10 measurements.
    """
    _, plan = _plan(services, terms)
    return ledger_rows(FleetMonth, plan, rows)


@function(category="serving", source=SOURCE)
@takes("simulation")
def fleet_commitments(services: Services, terms: FleetTerms = DEFAULT, rows: LedgerRows = DEFAULT) -> Ledger:
    """Return the contracts of a fleet month by month, service by service: those that run, and what to sign for.

    Names in the first row, then the months of the first column of services, of the second and so on; blank where there
    is no model, and where services are bought together but for the first. A contract is paid to its end, also after the
    plan's; which to sign is the exact optimum for the GPUs that are needed.
    """
    found, plan = _plan(services, terms)
    n_rows, places = max(rows, terms.months), list(found)
    table = as_table(ContractMonth, ())
    blank = [[""] * len(table[0])] * n_rows
    contracts = {places[each.members[0]]: months_of_contracts(plan, each, n_rows) for each in plan.purchases}
    for column in range(1, 1 + width_of(services)):
        table += as_table(ContractMonth, contracts[column])[1:] if column in contracts else blank
    return table


@function(category="serving", source="sizebook.plans.fleet.alternatives over the plan and data/api_prices.csv")
@takes("simulation")
def fleet_alternatives(services: Services, terms: FleetTerms = DEFAULT, rows: LedgerRows = DEFAULT) -> Ledger:
    """Return the months of a fleet with GPUs rented, with GPUs bought, and at APIs; names in the first row.

    Blank is what is not asked: bought GPUs without their price, APIs without their names.
    """
    _, plan = _plan(services, terms)
    return with_blanks(as_table(AlternativeMonth, plan.alternative_months), rows)


@function(category="serving", source=SOURCE)
@takes("simulation")
def fleet_figures(services: Services, terms: FleetTerms = DEFAULT) -> FiguresByService:
    """Return figures of each service of a fleet plan: a replica, prices of GPU-hours, first and last month, cost.

    Names of the figures in the first column, those of the services in the first row, in the columns of the range; a
    column without a model is blank. The prices are those of the plan: a reserved one that nobody states is never above
    the one on demand.
    """
    found, plan = _plan(services, terms)
    return side_by_side(found, [figures(each, terms) for each in plan.services], width_of(services))


@function(category="serving", source=SOURCE)
@takes("simulation")
def fleet_basis(services: Services, terms: FleetTerms = DEFAULT) -> FiguresByService:
    """Return what formulas of a fleet start from, of each service: one replica, its node, listed prices, power, grid.

    Names in the first column, a column a service. Traffic, growth, margins and prices of your own play no part, but
    where prefill and decode have pools of their own, which are those of the least cost. What no table lists is blank.
    """
    found = sections_of(Service, services, "service")
    shown = []
    for each in with_moved_requests(tuple(found.values()), terms):
        with named(each.name):
            shown.append(basis(each, terms))
    return side_by_side(found, shown, width_of(services))


ReplicaCounts = Annotated[Any, Quantity("replicas of each service, as a list or a range", label="Replicas")]
ReplicaSizes = Annotated[
    Any, Quantity("GPUs of one replica of each service, as a list or a range", label="GPUs of a replica")
]
NodeSize = Annotated[int, Quantity("GPUs of a node", unit="GPUs", minimum=1, label="GPUs of a node")]
NodeCount = Annotated[int, Quantity("nodes", unit="nodes", minimum=0)]


@function(category="serving", source="sizes that divide each other fill bins: Coffman, Garey and Johnson 1987")
def shared_nodes(replica_counts: ReplicaCounts, replica_sizes: ReplicaSizes, node_size: NodeSize) -> NodeCount:
    """Return the nodes of services that share them: replicas x part of a node, summed and rounded up.

    A replica shares where a node holds 1, 2, 4, 8 ... of it, and so takes a whole, a half, a quarter ...; others, and
    those larger than a node, have nodes of their own.
    """
    counts, sizes = _paired(replica_counts, replica_sizes)
    packings = [Packing(node_size, size) for size in sizes]
    sharing = [pair for pair in zip(packings, counts, strict=True) if fills_nodes(pair[0])]
    alone = sum(packing.nodes(n) for packing, n in zip(packings, counts, strict=True) if not fills_nodes(packing))
    return alone + (nodes_together(*zip(*sharing, strict=True)) if sharing else 0)


def _paired(replica_counts: Any, replica_sizes: Any) -> tuple[list[int], list[int]]:
    """Return counts and the sizes that stand beside them; places that are blank in both stay out."""
    counts, sizes = (
        [cell for row in as_rows(cells) or [[cells]] for cell in row] for cells in (replica_counts, replica_sizes)
    )
    pairs = [pair for pair in zip_longest(counts, sizes) if not all(map(is_blank, pair))]
    for at, pair in enumerate(pairs, 1):
        if not all(_is_whole(cell) for cell in pair) or pair[0] < 0 or pair[1] < 1:
            shown = " of size ".join("blank" if is_blank(cell) else f"{cell!r}" for cell in pair)
            raise InputError(
                f"bad pair of replicas and size: got {shown} in pair {at}, want a whole number of replicas, 0 or more, "
                "beside a size of 1 or more. Correct the lists."
            )
    if not pairs:
        raise InputError("no replicas: got blank lists, want counts and their sizes. Fill the lists.")
    return [int(count) for count, _ in pairs], [int(size) for _, size in pairs]


def _is_whole(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool) and float(cell).is_integer()
