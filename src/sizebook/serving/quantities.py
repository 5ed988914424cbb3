"""Quantities of serving, and the two sections that its functions take: what is asked of a replica, and how it runs.

A field added to `Demand` or `Replica` is from then on an argument of functions, a key of scenario files, a column of
sweeps and an input of workbooks.
"""

from __future__ import annotations

from typing import Annotated, Any

from sizebook.core.quantities import Dp, Ep, Pp, Tp
from sizebook.core.sections import DEFAULT, Quantity, section
from sizebook.tables.own_rates import RatesFile

# As scenarios and cells write them, and as their makers do.
ENGINE_NAMES = {"vllm": "vLLM", "sglang": "SGLang", "tensorrt-llm": "TensorRT-LLM"}
ENGINES = tuple(ENGINE_NAMES)
WEIGHT_DTYPES = ("bf16", "fp16", "fp8", "fp8_block", "int8", "nvfp4", "mxfp4", "int4_wo")
# What people call weights of four bits that the kernel of a sixteen-bit product unpacks: methods, kernels, files.
INT4_WORDS = ("int4", "awq", "gptq", "marlin", "awq_marlin", "gptq_marlin", "w4a16", "q4_0", "q4_k_m", "q4_k_s")
KV_DTYPES = ("bf16", "fp16", "fp8", "int8")

# What is asked of a replica -------------------------------------------------------------------------------------------

# 1024 tokens in and out is the load that public serving benchmarks quote first.
InputTokens = Annotated[
    int,
    Quantity(
        "mean tokens of a prompt",
        unit="tokens",
        kind="integer",
        minimum=1,
        default=1024,
        label="Tokens of a prompt",
        source="assumption: type your own lengths",
    ),
]
OutputTokens = Annotated[
    int,
    Quantity(
        "mean tokens of an answer",
        unit="tokens",
        kind="integer",
        minimum=1,
        default=1024,
        label="Tokens of an answer",
        source="assumption: type your own lengths",
    ),
]
ContextTokens = Annotated[
    int,
    Quantity(
        "tokens cached of one sequence", unit="tokens", kind="integer", minimum=0,
        source="assumption: type your own lengths",
    ),
]  # fmt: skip
EncoderTokens = Annotated[
    int, Quantity("tokens of an encoder that layers attend to", unit="tokens", kind="integer", minimum=0, default=0)
]
# Beyond the number of sequences that any engine batches, and far within what arithmetic holds exactly.
Concurrency = Annotated[
    int | None,
    Quantity(
        "requests in flight on the whole replica; blank: 1 in a function, the most within the targets in a plan",
        unit="requests",
        kind="integer",
        minimum=1,
        maximum=1_000_000_000,
        default=None,
        label="In flight on a replica",
    ),
]
CacheHitRatio = Annotated[
    float,
    Quantity(
        "share of a prompt's tokens that the prefix cache holds already", unit="ratio", minimum=0, maximum=1, default=0,
        label="Prompt found in the prefix cache",
    ),
]  # fmt: skip


@section
class Demand:
    """What one replica is asked for: lengths of prompts and answers, how many requests at a time, and shared prefixes.

    A sweep fills it with arrays, one row an element; what serves one request serves a million.
    """

    input_tokens: InputTokens = DEFAULT
    output_tokens: OutputTokens = DEFAULT
    concurrency: Concurrency = DEFAULT
    cache_hit_ratio: CacheHitRatio = DEFAULT

    @property
    def in_flight(self) -> int:
        """Requests in flight; one alone where nothing is stated."""
        return 1 if self.concurrency is None else self.concurrency


# How a replica runs ---------------------------------------------------------------------------------------------------

Engine = Annotated[
    str,
    Quantity(
        "serving engine",
        kind="choice",
        choices=ENGINES,
        default="vllm",
        label="Serving engine",
        source="data/engines.csv",
    ),
]
Version = Annotated[str, Quantity("engine release of data/engines.csv, blank for the newest", kind="text", default="")]
WeightDtype = Annotated[
    str | None,
    Quantity(
        "format of the weights, blank for the checkpoint's own",
        kind="choice",
        choices=WEIGHT_DTYPES,
        means=tuple((word, "int4_wo") for word in INT4_WORDS),
        default=None,
        label="Format of the weights",
        source="data/models.csv",
    ),
]
KvDtype = Annotated[
    str | None,
    Quantity(
        "format of the cache, blank for the engine's default",
        kind="choice",
        choices=KV_DTYPES,
        default=None,
        label="Format of the cache",
        source="data/engines.csv",
    ),
]
# Terms are summed one by one; nobody drafts more, and a larger number would hold the cell for ever.
MOST_DRAFTED = 1000
Drafted = Annotated[
    int, Quantity("tokens drafted in a step", kind="integer", minimum=0, maximum=MOST_DRAFTED, default=1)
]
DraftTokens = Annotated[
    int | None,
    Quantity(
        "tokens drafted in a step, 0 for none, blank where unknown",
        unit="tokens",
        kind="integer",
        minimum=0,
        maximum=MOST_DRAFTED,
        default=None,
        label="Tokens drafted in a step",
        zero="no speculation",
    ),
]
StatedTokensPerStep = Annotated[
    float | None,
    Quantity(
        "tokens that a step yields, blank for what was measured",
        unit="tokens",
        minimum=1,
        maximum=MOST_DRAFTED + 1,
        default=None,
        label="Tokens that a step yields",
    ),
]
# 0 rather than blank, so that a column of a sweep is a number.
MaxRunning = Annotated[
    int,
    Quantity(
        "most requests that a replica runs at once, 0 for as many as its memory holds",
        unit="requests",
        kind="integer",
        minimum=0,
        maximum=1_000_000_000,
        default=0,
        label="Most requests running",
        zero="as many as memory holds",
    ),
]
# 0 rather than blank, so that a column of a sweep is a number.
MemoryUtilization = Annotated[
    float,
    Quantity(
        "share of a GPU's memory that the engine takes, 0 for its default; TensorRT-LLM: of what weights leave",
        unit="ratio",
        minimum=0,
        maximum=1,
        default=0,
        label="Share of memory for the engine",
        zero="the engine's default",
        source="data/engines.csv",
    ),
]
ExpertsRead = Annotated[
    str,
    Quantity(
        "experts whose weights a step reads: those that its tokens visit, or all, as slow kernels of engines do",
        kind="choice",
        choices=("visited", "all"),
        default="visited",
        label="Experts read in a step",
        source="assumption: current kernels read the experts that are visited",
    ),
]
EngineRelease = Annotated[
    str,
    Quantity(
        "release of the engine such as 0.11.0, whose defaults hold where nothing else is stated; blank: unknown",
        kind="text",
        default="",
        label="Release of the engine",
    ),
]


@section
class Replica:
    """How one replica runs: layout, formats, engine, drafts and yield, own rates, experts read, release, memory."""

    tp: Tp = DEFAULT
    pp: Pp = DEFAULT
    dp: Dp = DEFAULT
    ep: Ep = DEFAULT
    weight_dtype: WeightDtype = DEFAULT
    kv_dtype: KvDtype = DEFAULT
    engine: Engine = DEFAULT
    draft_tokens: DraftTokens = DEFAULT
    tokens_per_step: StatedTokensPerStep = DEFAULT
    max_running: MaxRunning = DEFAULT
    rates_file: RatesFile = DEFAULT
    experts_read: ExpertsRead = DEFAULT
    release: EngineRelease = DEFAULT
    memory_utilization: MemoryUtilization = DEFAULT

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tp * self.pp * self.dp

    @property
    def layout(self) -> str:
        """The layout in words, degrees of 1 left out."""
        degrees = [f"{n}{v}" for n, v in (("tp", self.tp), ("pp", self.pp), ("dp", self.dp), ("ep", self.ep)) if v > 1]
        return " ".join(degrees) or "tp1"


# Separate pools of workers --------------------------------------------------------------------------------------------

SeparatePrefill = Annotated[
    bool,
    Quantity(
        "whether prompts and answers have pools of workers of their own, the cache sent from one to the other",
        kind="flag", default=False, label="Prompts in a pool of their own",
    ),
]  # fmt: skip
_WORKERS: Any = {"kind": "integer", "minimum": 1, "maximum": 1024, "default": None}
PrefillTp = Annotated[
    int | None,
    Quantity(
        "GPUs of a prefill worker that split each layer, blank to search", unit="GPUs", **_WORKERS,
        label="Tensor parallel, prefill worker",
    ),
]  # fmt: skip
PrefillDp = Annotated[
    int | None,
    Quantity(
        "attention ranks of a prefill worker that share its experts, blank to search", unit="GPUs", **_WORKERS,
        label="Attention data parallel, prefill worker",
    ),
]  # fmt: skip
PrefillWorkers = Annotated[
    int | None,
    Quantity(
        "prefill workers beside the decode workers of one replica, blank to search", unit="workers", **_WORKERS,
        label="Prefill workers of a replica",
    ),
]  # fmt: skip
DecodeWorkers = Annotated[
    int | None,
    Quantity(
        "decode workers of one replica, blank to search", unit="workers", **_WORKERS,
        label="Decode workers of a replica",
    ),
]  # fmt: skip
TransferRate = Annotated[
    float | None,
    Quantity(
        "rate at which a GPU of a prefill worker sends cache, blank for the network of data/hardware.csv",
        unit="bytes/s", above=0, default=None, label="Cache sent, a GPU",
        source="data/hardware.csv",
    ),
]  # fmt: skip


@section
class PoolLayout:
    """Workers that read prompts apart from those that decode, whose layout is the replica's; blanks are searched."""

    separate_prefill: SeparatePrefill = DEFAULT
    prefill_tp: PrefillTp = DEFAULT
    prefill_dp: PrefillDp = DEFAULT
    prefill_workers: PrefillWorkers = DEFAULT
    decode_workers: DecodeWorkers = DEFAULT
    transfer_bytes_per_second: TransferRate = DEFAULT


# Traffic, fleets and money --------------------------------------------------------------------------------------------

# A quadrillion requests is past all traffic, and a fleet for more would be a count that no cell holds exactly.
Requests = Annotated[float, Quantity("number of requests", unit="requests", minimum=0, maximum=1e15)]
RequestsPerDay = Annotated[
    float, Quantity("requests a day now", unit="requests", above=0, maximum=1e15, label="Requests a day")
]
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
        "busiest hour over the mean of the day", unit="ratio", minimum=1, maximum=1000, default=2,
        label="Busiest hour over the mean",
        source="assumption, to replace with your own",
    ),
]  # fmt: skip
Growth = Annotated[
    float,
    Quantity(
        "growth of traffic a month (0.05 is 5 %)", unit="ratio", above=-1, maximum=1, default=0, label="Growth a month"
    ),
]
MonthsFromNow = Annotated[float, Quantity("months from now", unit="months", minimum=0, maximum=1200)]
Spare = Annotated[
    int,
    Quantity(
        "failure domains whose loss the fleet covers", kind="integer", minimum=0, maximum=10_000, default=1,
        label="Failures to cover",
        source="assumption: one failure at a time",
    ),
]  # fmt: skip
SpareReplicas = Annotated[
    int,
    Quantity("replicas kept for failures (k of N + k)", kind="integer", minimum=0, maximum=1_000_000, default=1),
]
Replicas = Annotated[int, Quantity("number of replicas", kind="integer", minimum=0)]
GpusPerReplica = Annotated[int, Quantity("GPUs of one replica: tp x pp x dp", kind="integer", minimum=1)]
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
BusyOverTdp = Annotated[
    float, Quantity("power at the wall of a busy server over the TDP of its GPUs", unit="ratio", minimum=0, default=1.3)
]
IdleOverTdp = Annotated[
    float,
    Quantity("power at the wall of an idle server over the TDP of its GPUs", unit="ratio", minimum=0, default=0.3),
]

# Results and bands ----------------------------------------------------------------------------------------------------

SignedBytes = Annotated[float, Quantity("memory left, negative where it does not suffice", unit="bytes")]
Acceptance = Annotated[float, Quantity("share of drafted tokens that are accepted", unit="ratio", minimum=0, maximum=1)]
Figure = Annotated[
    str,
    Quantity("figure whose band is asked for", kind="choice", choices=("tpot", "ttft", "throughput"), default="tpot"),
]
MeasuredModel = Annotated[
    str,
    Quantity("model whose own measurements give the band, blank for one that nobody measured", kind="text", default=""),
]
Quantile = Annotated[
    str,
    Quantity("which quantile of measured over predicted", kind="choice", choices=("p10", "p50", "p90"), default="p90"),
]
PERCENTILES = ("p50", "p90", "p95", "p99")
RequestPercentile = Annotated[
    str | None,
    Quantity(
        "percentile of requests: p50, p90, p95 or p99, found by simulation; blank for the mean of a steady load",
        kind="choice", choices=PERCENTILES, default=None, label="Percentile of requests",
    ),
]  # fmt: skip


def share_of(percentile: str) -> float:
    """Return the share of requests that a percentile such as p95 is named after."""
    return float(percentile[1:]) / 100


SeenLatency = Annotated[
    str,
    Quantity(
        "what of a request is asked for: seconds to its first token, per token, or altogether",
        kind="choice", choices=("ttft", "tpot", "request"), default="ttft",
    ),
]  # fmt: skip
KvBytes = Annotated[float, Quantity("cache of one prompt", unit="bytes", minimum=0)]
LinkRate = Annotated[float, Quantity("rate of a link, one way", unit="bytes/s", above=0)]
GpuCount = Annotated[float, Quantity("GPUs before rounding", minimum=0)]
TokensPerStep = Annotated[float, Quantity("tokens that one decode step yields", unit="tokens", minimum=0)]
