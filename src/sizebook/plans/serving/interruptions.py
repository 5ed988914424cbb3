"""What a planner knows of nodes that a provider may take back."""

from __future__ import annotations

from typing import Annotated

from sizebook.core.sections import DEFAULT, Quantity, section


@section
class Interruptions:
    """How often a node on spot is taken back, with what notice, and the share of time that enough replicas serve."""

    interruptions_per_hour: Annotated[
        float,
        Quantity(
            "how often a provider takes one node on spot back, 0 for never", unit="1/hour", minimum=0, maximum=60,
            default=0, label="Interruptions an hour, a node", zero="none", source="assumption: type your own",
        ),
    ] = DEFAULT  # fmt: skip
    notice_seconds: Annotated[
        float,
        Quantity(
            "seconds between being told and losing the node", unit="seconds", minimum=0, maximum=86_400, default=30,
            label="Notice of an interruption", source="Google Cloud and Azure: 30 s; AWS: two minutes",
        ),
    ] = DEFAULT  # fmt: skip
    replacement_seconds: Annotated[
        float,
        Quantity(
            "seconds until another node is there, before its replicas start", unit="seconds", minimum=0, maximum=1e6,
            default=300, label="Another node", source="assumption: type your own",
        ),
    ] = DEFAULT  # fmt: skip
    served_share: Annotated[
        float,
        Quantity(
            "share of the time in which enough replicas serve", unit="ratio", above=0, below=1, default=0.999,
            label="Time with enough replicas", source="assumption: all but nine hours a year",
        ),
    ] = DEFAULT  # fmt: skip
    spot_usd_per_gpu_hour: Annotated[
        float | None,
        Quantity(
            "price of a GPU-hour on spot, blank for the catalog's median", unit="USD/GPU-hour", minimum=0, maximum=1e6,
            default=None, label="Spot GPU-hour", source="data/prices.csv",
        ),
    ] = DEFAULT  # fmt: skip
