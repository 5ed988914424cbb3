"""What a planner knows of nodes that a provider may take back."""

from sizebook.core.sections import AskedBy, quantity, section
from sizebook.plans.quantities import gpu_hour_price


@section
class Interruptions(AskedBy, key="interruptions_per_hour", refused=False):
    """How often a provider takes a spot node back, at what notice, and how often enough replicas must serve."""

    interruptions_per_hour: float = quantity(
        "how often an hour a provider takes back one spot node, 0 for never",
        "1/hour",
        minimum=0,
        maximum=60,
        default=0,
        zero="none",
        label="Interruptions of a node an hour",
        source="assumption: type your own",
    )
    notice_seconds: float = quantity(
        "seconds from the provider's notice to the loss of the node",
        "seconds",
        minimum=0,
        maximum=86_400,
        default=30,
        label="Notice of an interruption",
        source="Google Cloud and Azure: 30 s; AWS: two minutes",
    )
    replacement_seconds: float = quantity(
        "seconds until the provider gives another node; its replicas start after that",
        "seconds",
        minimum=0,
        maximum=1e6,
        default=300,
        label="Wait for another node",
        source="assumption: type your own",
    )
    served_share: float = quantity(
        "share of the time in which enough replicas must serve",
        "ratio",
        above=0,
        below=1,
        default=0.999,
        label="Time with enough replicas",
        source="assumption: all but nine hours a year",
    )
    spot_usd_per_gpu_hour: float | None = gpu_hour_price(
        "price of a GPU-hour on spot, blank for the catalog's median", "Spot GPU-hour"
    )
