"""The nodes of a fleet by accelerator and place, their racks and their power, month by month."""

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.plans.fleet.inputs import FleetTerms
from sizebook.plans.fleet.months import ServiceLoad
from sizebook.plans.fleet.nodes import fills_nodes, nodes_of_a_rack, nodes_together, places_by_key
from sizebook.plans.serving.nodes import node_facts
from sizebook.tables.nodes import NodeFacts


@dataclass(frozen=True)
class NodeGroup:
    """Nodes of one kind at one place: the services on them, and nodes, racks and kW in the busiest hours of months.

    ``own_nodes`` are the nodes if services shared none.
    """

    gpu: str
    place: str
    names: tuple[str, ...]
    node: NodeFacts
    nodes_per_rack: int
    nodes: tuple[int, ...]
    own_nodes: tuple[int, ...]
    racks: tuple[int, ...]
    site_kw: tuple[float, ...]


def hardware_of(each: ServiceLoad) -> tuple[str, int, str, str]:
    """Return what services must have in common to stand on the same nodes: accelerator, node, provider, region."""
    prices = each.service.prices
    place = ((prices.provider or "").casefold(), (prices.region or "").casefold())
    return each.replica.setup.gpu, each.replica.packing.gpus_per_node, *place


def groups_sharing_nodes(services: Sequence[ServiceLoad], terms: FleetTerms) -> tuple[tuple[int, ...], ...]:
    """Return which services share nodes: those of the same hardware whose replicas fill nodes without a gap."""

    def key(at: int) -> object:
        shared = terms.racks.share_nodes and fills_nodes(services[at].replica.packing)
        return hardware_of(services[at]) if shared else at

    return places_by_key(key(at) for at in range(len(services)))


def node_groups(services: Sequence[ServiceLoad], terms: FleetTerms) -> tuple[NodeGroup, ...]:
    """Return the nodes, racks and power of every kind of node. Nodes of one kind stand in the same racks."""
    shared = groups_sharing_nodes(services, terms)
    return tuple(
        _stand(services, [each for each in shared if each[0] in members], terms)
        for members in places_by_key(map(hardware_of, services))
    )


def _stand(services: Sequence[ServiceLoad], shared: list[tuple[int, ...]], terms: FleetTerms) -> NodeGroup:
    members = sorted(at for each in shared for at in each)
    first = services[members[0]]
    facts = node_facts(first.replica.setup.gpu, first.replica.packing.gpus_per_node)
    held = nodes_of_a_rack(facts, terms.racks)
    nodes = [sum(_nodes(services, each, month) for each in shared) for month in range(terms.months)]
    own = [sum(_nodes(services, (at,), month) for at in members) for month in range(terms.months)]
    return NodeGroup(
        first.replica.setup.gpu,
        ", ".join(place for place in (first.service.prices.provider, first.service.prices.region) if place),
        tuple(services[at].service.name for at in members),
        facts,
        held,
        nodes=tuple(nodes),
        own_nodes=tuple(own),
        racks=tuple(-(-n // held) for n in nodes),
        site_kw=tuple(n * facts.kw * terms.energy.pue for n in nodes),
    )


def _nodes(services: Sequence[ServiceLoad], members: Sequence[int], month: int) -> int:
    return nodes_together(
        [services[at].replica.packing for at in members], [services[at].peak[month] for at in members]
    )
