"""Quantities of serving, and the two sections that its functions take: what is asked of a replica, and how it runs.

A field added to `Demand` or `Replica` is from then on an argument of functions, a key of scenario files, a column of
sweeps and an input of workbooks.
"""

from typing import Annotated

from sizebook.core.quantities import INT4_METHODS, Dp, Ep, Pp, Tp
from sizebook.core.sections import DEFAULT, AskedBy, Quantity, quantity, section
from sizebook.tables.own_rates import RatesFile

# As scenarios and cells write them, and as their makers do.
ENGINE_NAMES = {"vllm": "vLLM", "sglang": "SGLang", "tensorrt-llm": "TensorRT-LLM"}
ENGINES = tuple(ENGINE_NAMES)
WEIGHT_DTYPES = ("bf16", "fp16", "fp8", "fp8_block", "int8", "nvfp4", "mxfp4", "int4_wo")
# What people call weights of four bits that the kernel of a sixteen-bit product unpacks: methods, kernels, files.
INT4_WORDS = ("int4", *INT4_METHODS, "q4_0", "q4_k_m", "q4_k_s")
KV_DTYPES = ("bf16", "fp16", "fp8", "int8")

# What is asked of a replica -------------------------------------------------------------------------------------------

# 1024 tokens in and out is the load that public serving benchmarks quote first.
InputTokens = Annotated[
    int,
    Quantity(
        "mean tokens of a prompt",
        unit="tokens",
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
        minimum=1,
        default=1024,
        label="Tokens of an answer",
        source="assumption: type your own lengths",
    ),
]
ContextTokens = Annotated[
    int,
    Quantity(
        "tokens cached of one sequence", unit="tokens", minimum=0,
        source="assumption: type your own lengths"
    )
]  # fmt: skip
EncoderTokens = Annotated[
    int, Quantity("tokens of an encoder that layers attend to", unit="tokens", minimum=0, default=0)
]
# Beyond the number of sequences that any engine batches, and far within what arithmetic holds exactly.
Concurrency = Annotated[
    int | None,
    Quantity(
        "requests in flight on the whole replica; blank: 1 in a function, the most within the targets in a plan",
        unit="requests",
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
        label="Prompt found in the prefix cache", source="neutral: every prompt is new",
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
    str, Quantity("serving engine", choices=ENGINES, default="vllm", label="Serving engine", source="data/engines.csv")
]
Version = Annotated[str, Quantity("engine release of data/engines.csv, blank for the newest", default="")]
WeightDtype = Annotated[
    str | None,
    Quantity(
        "format of the weights, blank for the checkpoint's own",
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
        choices=KV_DTYPES,
        default=None,
        label="Format of the cache",
        source="data/engines.csv",
    ),
]
# Terms are summed one by one; nobody drafts more, and a larger number would hold the cell for ever.
MOST_DRAFTED = 1000
Drafted = Annotated[int, Quantity("tokens drafted in a step", minimum=0, maximum=MOST_DRAFTED, default=1)]


@section
class Replica:
    """How one replica runs: layout, formats, engine, drafts, own rates, experts read, release, memory, adapters."""

    tp: Tp = DEFAULT
    pp: Pp = DEFAULT
    dp: Dp = DEFAULT
    ep: Ep = DEFAULT
    weight_dtype: WeightDtype = DEFAULT
    kv_dtype: KvDtype = DEFAULT
    engine: Engine = DEFAULT
    draft_tokens: int | None = quantity(
        "tokens drafted in a step, 0 for none, blank where unknown",
        "tokens",
        minimum=0,
        maximum=MOST_DRAFTED,
        default=None,
        zero="no speculation",
        label="Tokens drafted in a step",
    )
    tokens_per_step: float | None = quantity(
        "tokens that a step yields, blank for what was measured",
        "tokens",
        minimum=1,
        maximum=MOST_DRAFTED + 1,
        default=None,
        label="Tokens that a step yields",
    )
    # 0 rather than blank, so that a column of a sweep is a number.
    max_running: int = quantity(
        "most requests that a replica runs at once, 0 for as many as its memory holds",
        "requests",
        minimum=0,
        maximum=1_000_000_000,
        default=0,
        zero="as many as memory holds",
        label="Most requests running",
        source="neutral: memory alone limits them",
    )
    rates_file: RatesFile = DEFAULT
    experts_read: str = quantity(
        "experts whose weights a step reads: those that its tokens visit, or all, as slow kernels of engines do",
        choices=("visited", "all"),
        default="visited",
        label="Experts read in a step",
        source="assumption: current kernels read the experts that are visited",
    )
    release: str = quantity(
        "release of the engine such as 0.11.0, whose defaults hold where nothing else is stated; blank: unknown",
        default="",
        label="Release of the engine",
    )
    # 0 rather than blank, so that a column of a sweep is a number.
    memory_utilization: float = quantity(
        "share of a GPU's memory that the engine takes, 0 for its default; TensorRT-LLM: of what weights leave",
        "ratio",
        minimum=0,
        maximum=1,
        default=0,
        zero="the engine's default",
        label="Share of memory for the engine",
        source="data/engines.csv",
    )
    adapters: int = quantity(
        "low-rank adapters that lie in a GPU's memory and are asked for alike, 0 for none",
        "adapters",
        minimum=0,
        maximum=100_000,
        default=0,
        label="Adapters served together",
        source="neutral: none",
        zero="none",
    )
    adapter_rank: int = quantity(
        "rank that adapters have room for, on all matrices but experts",
        minimum=1,
        maximum=100_000,
        default=16,
        label="Rank of the adapters",
        source="convention: what vLLM gives room for by default",
    )

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


@section
class PoolLayout(AskedBy, key="separate_prefill"):
    """Workers that read prompts apart from those that decode, whose layout is the replica's; blanks are searched."""

    separate_prefill: bool = quantity(
        "whether prompts and answers have pools of workers of their own, the cache sent from one to the other",
        default=False,
        label="Prompts in a pool of their own",
        source="neutral: one pool does both",
    )
    prefill_tp: int | None = quantity(
        "GPUs of a prefill worker that split each layer, blank to search",
        "GPUs",
        minimum=1,
        maximum=1024,
        default=None,
        label="Tensor parallel, prefill worker",
    )
    prefill_dp: int | None = quantity(
        "attention ranks of a prefill worker that share its experts, blank to search",
        "GPUs",
        minimum=1,
        maximum=1024,
        default=None,
        label="Attention data parallel, prefill worker",
    )
    prefill_workers: int | None = quantity(
        "prefill workers beside the decode workers of one replica, blank to search",
        "workers",
        minimum=1,
        maximum=1024,
        default=None,
        label="Prefill workers of a replica",
    )
    decode_workers: int | None = quantity(
        "decode workers of one replica, blank to search",
        "workers",
        minimum=1,
        maximum=1024,
        default=None,
        label="Decode workers of a replica",
    )
    transfer_bytes_per_second: float | None = quantity(
        "rate at which a GPU of a prefill worker sends cache, blank for the network of data/hardware.csv",
        "bytes/s",
        above=0,
        default=None,
        label="Cache sent, a GPU",
        source="data/hardware.csv",
    )


# Traffic, fleets and money --------------------------------------------------------------------------------------------

# A quadrillion requests is past all traffic, and a fleet for more would be a count that no cell holds exactly.
