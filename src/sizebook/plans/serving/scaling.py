"""What a new replica waits for before it serves."""

from sizebook.core.sections import quantity, section


@section
class Scaling:
    """How fast weights are read, and what stands beside that."""

    load_bytes_per_second: float = quantity(
        "rate at which a node reads weights from disk or network",
        "bytes/s",
        above=0,
        default=5e9,
        label="Weights read, a node",
        source="assumption: one NVMe drive",
    )
    start_seconds: float = quantity(
        "seconds that a replica takes to start beside reading its weights: node, container, graphs of kernels",
        "seconds",
        minimum=0,
        maximum=1e6,
        default=120,
        label="Start beside the weights",
        source="assumption: type your own",
    )
