"""Quantities of a fleet's traffic, of percentiles and of the closed serving formulas, shared by several functions."""

from typing import Annotated

from sizebook.core.sections import Quantity

Requests = Annotated[float, Quantity("number of requests", unit="requests", minimum=0, maximum=1e15)]
RequestRate = Annotated[float, Quantity("requests a second", unit="requests/s", minimum=0)]
ReplicaRate = Annotated[
    float,
    Quantity("requests a second that one replica takes", unit="requests/s", above=0, predicted_by="TOKENS_PER_SECOND"),
]
TokenRate = Annotated[float, Quantity("output tokens a second", unit="tokens/s", above=0)]
Load = Annotated[
    float,
    Quantity(
        "share of a replica's rate to plan for",
        unit="ratio",
        above=0,
        maximum=1,
        default=0.8,
        label="Target load",
        source="assumption: a fifth is left for what a mean hides",
    ),
]
PeakFactor = Annotated[
    float,
    Quantity(
        "busiest hour over the mean of the day",
        unit="ratio",
        minimum=1,
        maximum=1000,
        default=2,
        label="Busiest hour over the mean",
        source="assumption, to replace with your own",
    ),
]
Growth = Annotated[
    float,
    Quantity(
        "growth of traffic a month (0.05 is 5 %)",
        unit="ratio",
        above=-1,
        maximum=1,
        default=0,
        label="Growth a month",
        source="neutral: traffic stays",
    ),
]
MonthsFromNow = Annotated[float, Quantity("months from now", unit="months", minimum=0, maximum=1200)]
SpareReplicas = Annotated[
    int, Quantity("replicas kept for failures (k of N + k)", minimum=0, maximum=1_000_000, default=1)
]
Replicas = Annotated[int, Quantity("number of replicas", minimum=0)]
GpusPerReplica = Annotated[int, Quantity("GPUs of one replica: tp x pp x dp", minimum=1)]
Utilized = Annotated[
    float, Quantity("share of the throughput that traffic uses", unit="ratio", above=0, maximum=1, default=1)
]
UsdPerMtok = Annotated[float, Quantity("price of a million tokens", unit="USD/Mtok", minimum=0)]
Share = Annotated[float, Quantity("share of a whole", unit="ratio", minimum=0, maximum=1)]
CachedShare = Annotated[
    float, Quantity("share of the prompt that an API has cached", unit="ratio", minimum=0, maximum=1, default=0)
]
CachedDiscount = Annotated[
    float,
    Quantity(
        "what a cached input token costs less (0.9: a tenth)",
        unit="ratio",
        minimum=0,
        maximum=1,
        default=0.9,
        source="assumption: a tenth of the price; type your provider's",
    ),
]

# Results and bands ----------------------------------------------------------------------------------------------------

SignedBytes = Annotated[float, Quantity("memory left, negative where it does not suffice", unit="bytes")]
Acceptance = Annotated[float, Quantity("share of drafted tokens that are accepted", unit="ratio", minimum=0, maximum=1)]
Figure = Annotated[
    str, Quantity("figure whose band is asked for", choices=("tpot", "ttft", "throughput"), default="tpot")
]
MeasuredModel = Annotated[
    str, Quantity("model whose own measurements give the band, blank for one that nobody measured", default="")
]
Quantile = Annotated[
    str, Quantity("which quantile of measured over predicted", choices=("p10", "p50", "p90"), default="p90")
]
PERCENTILES = ("p50", "p90", "p95", "p99")
RequestPercentile = Annotated[
    str | None,
    Quantity(
        "percentile of requests: p50, p90, p95 or p99, found by simulation; blank for the mean of a steady load",
        choices=PERCENTILES,
        default=None,
        label="Percentile of requests",
    ),
]


def share_of(percentile: str) -> float:
    """Return the share of requests that a percentile such as p95 is named after."""
    return float(percentile[1:]) / 100


KvBytes = Annotated[float, Quantity("cache of one prompt", unit="bytes", minimum=0)]
LinkRate = Annotated[float, Quantity("rate of a link, one way", unit="bytes/s", above=0)]
GpuCount = Annotated[float, Quantity("GPUs before rounding", minimum=0)]
TokensPerStep = Annotated[float, Quantity("tokens that one decode step yields", unit="tokens", minimum=0)]
