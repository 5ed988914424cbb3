"""Quantities of serving functions: traffic, latency, layouts of a replica, money per token."""

from __future__ import annotations

from typing import Annotated

from sizebook.formulas.serving_case import ENGINES, KV_DTYPES, WEIGHT_DTYPES
from sizebook.registry import Quantity

Engine = Annotated[str, Quantity("serving engine", kind="choice", choices=ENGINES)]
Version = Annotated[str, Quantity("engine release of data/engines.csv, blank for the newest", kind="text")]
WeightDtype = Annotated[
    str | None, Quantity("format of the weights, blank for the checkpoint's own", kind="choice", choices=WEIGHT_DTYPES)
]
KvDtype = Annotated[
    str | None, Quantity("format of the cache, blank for the engine's default", kind="choice", choices=KV_DTYPES)
]
AttentionDp = Annotated[int, Quantity("attention data parallelism inside one replica", kind="integer", minimum=1)]
InputTokens = Annotated[int, Quantity("tokens of a prompt", unit="tokens", kind="integer", minimum=1)]
OutputTokens = Annotated[int, Quantity("tokens of an answer", unit="tokens", kind="integer", minimum=1)]
ContextTokens = Annotated[int, Quantity("tokens cached of one sequence", unit="tokens", kind="integer", minimum=0)]
Concurrency = Annotated[int, Quantity("requests in flight on the whole replica", kind="integer", minimum=1)]
# A quadrillion requests is past all traffic, and a fleet for more would be a count that no cell holds exactly.
Requests = Annotated[float, Quantity("number of requests", unit="requests", minimum=0, maximum=1e15)]
RequestRate = Annotated[float, Quantity("requests a second", unit="requests/s", minimum=0)]
ReplicaRate = Annotated[float, Quantity("requests a second that one replica takes", unit="requests/s", above=0)]
TokenRate = Annotated[float, Quantity("output tokens a second", unit="tokens/s", above=0)]
Load = Annotated[float, Quantity("share of a replica's rate to plan for", unit="ratio", above=0, maximum=1)]
PeakFactor = Annotated[float, Quantity("busiest hour over the mean hour", unit="ratio", minimum=1)]
Growth = Annotated[float, Quantity("growth of traffic a month (0.05 is 5 %)", unit="ratio", above=-1, maximum=1)]
Months = Annotated[float, Quantity("months from now", minimum=0)]
Spare = Annotated[int, Quantity("replicas kept for failures (k of N + k)", kind="integer", minimum=0)]
Replicas = Annotated[int, Quantity("number of replicas", kind="integer", minimum=0)]
GpusPerReplica = Annotated[int, Quantity("GPUs of one replica: tp x pp x dp", kind="integer", minimum=1)]
Utilized = Annotated[float, Quantity("share of the throughput that traffic uses", unit="ratio", above=0, maximum=1)]
UsdPerMtok = Annotated[float, Quantity("price of a million tokens", unit="USD/Mtok", minimum=0)]
Share = Annotated[float, Quantity("share of a whole", unit="ratio", minimum=0, maximum=1)]
Seconds = Annotated[float, Quantity("duration", unit="seconds", minimum=0)]
SignedBytes = Annotated[float, Quantity("memory left, negative where it does not suffice", unit="bytes")]
Acceptance = Annotated[float, Quantity("share of drafted tokens that are accepted", unit="ratio", minimum=0, maximum=1)]
# Terms are summed one by one; nobody drafts more, and a larger number would hold the cell for ever.
Drafted = Annotated[int, Quantity("tokens drafted in a step", kind="integer", minimum=0, maximum=1000)]
DraftTokens = Annotated[
    int | None,
    Quantity("tokens drafted in a step, 0 for none, blank where unknown", kind="integer", minimum=0, maximum=1000),
]
StatedTokensPerStep = Annotated[
    float | None, Quantity("tokens that a step yields, blank for what was measured", unit="tokens", minimum=1)
]
Figure = Annotated[
    str, Quantity("figure whose band is asked for", kind="choice", choices=("tpot", "ttft", "throughput"))
]
Quantile = Annotated[
    str, Quantity("which quantile of measured over predicted", kind="choice", choices=("p10", "p50", "p90"))
]
KvBytes = Annotated[float, Quantity("cache of one prompt", unit="bytes", minimum=0)]
LinkRate = Annotated[float, Quantity("rate of a link, one way", unit="bytes/s", above=0)]
OverTdp = Annotated[float, Quantity("power at the wall over the TDP of the GPUs", unit="ratio", minimum=0)]
GpuCount = Annotated[float, Quantity("GPUs before rounding", minimum=0)]
TokensPerStep = Annotated[float, Quantity("tokens that one decode step yields", unit="tokens", minimum=0)]
