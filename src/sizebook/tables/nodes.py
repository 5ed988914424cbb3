"""What a node takes in a data centre: its power at most, its height, and the rack that it comes as, where it does."""

from dataclasses import dataclass

from sizebook.core.tables import by_key


@dataclass(frozen=True)
class NodeFacts:
    """A node of ``data/nodes.csv``: GPUs, kW at most, rack units; ``rack_nodes`` of them are a rack, None for any."""

    gpus: int
    kw: float
    rack_units: int
    rack_nodes: int | None
    source: str


def listed_node(gpu: str, gpus_per_node: int) -> NodeFacts | None:
    """Return the maker's node of an accelerator with so many GPUs, None where the table lists none."""
    row = by_key("nodes", "gpu").get(gpu)
    if row is None or int(row["gpus_per_node"]) != gpus_per_node:
        return None
    rack_nodes = int(row["rack_nodes"]) if row["rack_nodes"] else None
    return NodeFacts(gpus_per_node, float(row["node_kw"]), int(row["rack_units"]), rack_nodes, row["source"])
