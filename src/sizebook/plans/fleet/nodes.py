"""Nodes and racks of a fleet: which services stand together, on how many nodes, in how many racks.

A replica never straddles nodes unless it is larger than one. It shares nodes where a node holds 1, 2, 4, 8 ... of it,
that is as a whole, a half, a quarter or an eighth: such places fill nodes without a gap, so that their sum, rounded up,
is reached by placing the largest first. Of nodes of eight GPUs that is every replica; these places are the partitions
of 8, 4, 2 and 1 GPUs that an NVSwitch node is cut into. Others (three of a node of six) have nodes of their own.
"""

import math
from collections.abc import Hashable, Iterable, Sequence

from sizebook.plans.fleet.inputs import Racks
from sizebook.plans.serving.inputs import Margins
from sizebook.plans.serving.nodes import Packing
from sizebook.tables.nodes import NodeFacts


def fills_nodes(packing: Packing) -> bool:
    """Return whether replicas are a whole, a half, a quarter ... of a node, and so share nodes without a gap."""
    held = packing.instances_per_node
    return held > 0 and held & (held - 1) == 0


def nodes_together(packings: Sequence[Packing], replicas: Sequence[int]) -> int:
    """Return the nodes of services that stand together: ceil(sum of replicas x part of a node)."""
    if len(packings) == 1:
        return packings[0].nodes(replicas[0])
    return math.ceil(sum(each.node_share * n for each, n in zip(packings, replicas, strict=True)))


def places_by_key(keys: Iterable[Hashable]) -> tuple[tuple[int, ...], ...]:
    """Return the places of equal keys, groups in the order of their first."""
    found: dict[Hashable, list[int]] = {}
    for at, key in enumerate(keys):
        found.setdefault(key, []).append(at)
    return tuple(map(tuple, found.values()))


def nodes_of_a_rack(node: NodeFacts, racks: Racks) -> int:
    """Return the nodes of a rack: those of a rack-scale system, those stated, or what its power and height hold.

    At least one: `fits` tells whether that one fits.
    """
    if node.rack_nodes is not None:
        return node.rack_nodes
    if racks.nodes_per_rack is not None:
        return racks.nodes_per_rack
    by_height = racks.rack_units // node.rack_units
    by_power = (
        math.floor(racks.kw_per_rack / node.kw + 1e-9) if node.kw == node.kw else by_height
    )  # NaN: no power is published
    return max(1, min(by_power, by_height))


def fits(node: NodeFacts, racks: Racks) -> bool:
    """Return whether a node fits in a rack, as far as the plan works that out."""
    stated = node.rack_nodes is not None or racks.nodes_per_rack is not None
    too_strong = node.kw > racks.kw_per_rack * (1 + 1e-9)  # never where no power is published
    return stated or (not too_strong and node.rack_units <= racks.rack_units)


def bought_together(margins: Margins, racks: Racks) -> bool:
    """Return whether services that share nodes are bought as one: by whole nodes that are shared."""
    return margins.whole_nodes and racks.share_nodes
