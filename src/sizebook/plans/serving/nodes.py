"""Replicas on nodes: how many one node holds, what is lost with it, GPUs in whole nodes, and the node itself."""

import math
from dataclasses import dataclass

from sizebook.serving.traffic import WallPower
from sizebook.tables.hardware import accelerator
from sizebook.tables.nodes import NodeFacts, listed_node

ASSUMED_UNITS = 8  # of a node that data/nodes.csv does not list: that of a DGX H100


@dataclass(frozen=True)
class Packing:
    """Replicas on nodes. A replica never shares a node with part of another: it fits in one, or takes whole ones."""

    gpus_per_node: int
    gpus_per_replica: int
    basis: str = "given"

    @property
    def instances_per_node(self) -> int:
        """Whole replicas that a node holds; 0 where a replica is larger than a node."""
        return self.gpus_per_node // self.gpus_per_replica

    @property
    def nodes_per_replica(self) -> int:
        """Nodes that a replica touches, 1 where it fits in one."""
        return -(-self.gpus_per_replica // self.gpus_per_node)

    @property
    def node_share(self) -> float:
        """The part of a node that a replica takes, or the nodes of one that is larger."""
        return 1 / self.instances_per_node if self.instances_per_node else float(self.nodes_per_replica)

    def lost_with(self, domain: str) -> int:
        """Return the replicas that the loss of one failure domain takes: all on a node, or one."""
        return max(1, self.instances_per_node) if domain == "node" else 1

    def nodes(self, replicas: int) -> int:
        """Return the nodes that some replicas stand on, packed as closely as they go."""
        if self.instances_per_node:
            return -(-replicas // self.instances_per_node)
        return replicas * self.nodes_per_replica

    def together(self, whole_nodes: bool) -> tuple[int, int]:
        """Return the replicas and GPUs that are paid for together: one replica, or one node and what it holds.

        With whole nodes a replica larger than a node comes with all nodes that it touches.
        """
        if not whole_nodes:
            return 1, self.gpus_per_replica
        return max(1, self.instances_per_node), self.nodes_per_replica * self.gpus_per_node

    def replicas_in(self, gpus: int, whole_nodes: bool) -> int:
        """Return the replicas that so many GPUs hold, in whole nodes where these are paid for whole."""
        n_replicas, n_gpus = self.together(whole_nodes)
        return gpus // n_gpus * n_replicas

    def gpus(self, replicas: int, whole_nodes: bool) -> int:
        """Return the GPUs to pay for: those of the replicas, or all of the nodes that they stand on."""
        n_replicas, n_gpus = self.together(whole_nodes)
        return -(-replicas // n_replicas) * n_gpus


def node_facts(gpu: str, gpus_per_node: int) -> NodeFacts:
    """Return the maker's node, or for others GPUs x TDP x 1.3 at the wall and the height of a DGX H100."""
    found = listed_node(gpu, gpus_per_node)
    if found is not None:
        return found
    watts = accelerator(gpu).tdp_watts or math.nan
    kw = gpus_per_node * watts * WallPower().busy_over_tdp / 1000
    return NodeFacts(
        gpus_per_node, kw, ASSUMED_UNITS, rack_nodes=None, source=f"GPUs x TDP at the wall; {ASSUMED_UNITS} U assumed"
    )
