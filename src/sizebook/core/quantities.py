"""The quantities that functions share: one name, meaning, unit and range each, for arguments and results alike.

An argument's type is one of these, so `d_model` means the same in every function, wizard and error message.
"""

from typing import Annotated, Any

from sizebook.core.sections import Quantity

HOURS_PER_MONTH = 730.0  # 8760 / 12
DAYS_PER_MONTH = HOURS_PER_MONTH / 24
MONTHS_PER_YEAR = 12


def _keys(table: str, column: str) -> tuple[str, ...]:
    from sizebook.core.tables import by_key  # here, because most functions need no table and would pay for reading CSV

    return tuple(by_key(table, column))


# Dimensions of a model -----------------------------------------------------------------------------------------------

DModel = Annotated[int, Quantity("hidden size: width of the residual stream", minimum=1)]
DFf = Annotated[int, Quantity("inner width of the feed-forward block", minimum=1)]
DHead = Annotated[int, Quantity("width of one attention head", minimum=1)]
DAttn = Annotated[int, Quantity("summed width of all attention heads", minimum=1)]
DIn = Annotated[int, Quantity("width of the input of a projection", minimum=1)]
DOut = Annotated[int, Quantity("width of the output of a projection", minimum=1)]
NLayers = Annotated[int, Quantity("number of layers (blocks) in the stack", minimum=1)]
NHeads = Annotated[int, Quantity("number of query heads", minimum=1)]
NKvHeads = Annotated[
    int, Quantity("number of key and value heads, blank for as many as query heads", minimum=1, default=None)
]
Vocab = Annotated[int, Quantity("number of entries in the vocabulary", minimum=1)]
NPositions = Annotated[
    int, Quantity("number of learned positions, 0 for none (rotary or sinusoidal)", minimum=0, default=0)
]

# How a model is built ------------------------------------------------------------------------------------------------

Bias = Annotated[bool, Quantity("whether projections carry a bias", default=True)]
Gated = Annotated[
    bool, Quantity("whether the feed-forward block is gated (SwiGLU, GEGLU): three matrices", default=False)
]

# Published models ----------------------------------------------------------------------------------------------------

Model = Annotated[
    str,
    Quantity(
        "published model of the catalog, in any case, with or without its organisation, or the path of a config.json",
        label="Model",
        source="data/models.csv",
    ),
]

# Storage -------------------------------------------------------------------------------------------------------------


def dtype_keys() -> tuple[str, ...]:
    """Return the number formats of ``data/dtypes.csv``."""
    return _keys("dtypes", "dtype")


# Methods and kernels that people name for weights of four bits with a scale a group.
INT4_METHODS = ("awq", "gptq", "marlin", "awq_marlin", "gptq_marlin", "w4a16")
Dtype = Annotated[
    str,
    Quantity(
        "number format that weights are stored in",
        choices=dtype_keys,
        means=tuple((word, "int4_wo") for word in INT4_METHODS),
        default="bf16",
        label="Number format of the weights",
        source="data/dtypes.csv",
    ),
]
ParameterCount = Annotated[int, Quantity("number of parameters", unit="parameters", minimum=0)]

# Results -------------------------------------------------------------------------------------------------------------

Parameters = Annotated[int, Quantity("trainable parameters", unit="parameters", minimum=0)]
Bytes = Annotated[int, Quantity("memory or storage", unit="bytes", minimum=0)]
MemoryBytes = Annotated[float, Quantity("memory, an estimate", unit="bytes", minimum=0)]
Bits = Annotated[float, Quantity("storage per weight, scales included", unit="bits")]

# Hardware ------------------------------------------------------------------------------------------------------------


def gpu_keys() -> tuple[str, ...]:
    """Return the accelerators of ``data/hardware.csv``."""
    return _keys("hardware", "key")


# Text, not a choice: `sizebook.tables.hardware.accelerator` forgives spellings and names the candidates.
Gpu = Annotated[
    str,
    Quantity(
        "accelerator, form factor included, such as h100-sxm",
        kind="text",
        choices=gpu_keys,
        label="Accelerator",
        source="data/hardware.csv",
    ),
]

# Training: compute and time ------------------------------------------------------------------------------------------

# Ten times the longest context that is published: beyond it, a search over layouts would hold the cell for seconds.
Seq = Annotated[
    int,
    Quantity(
        "tokens in one sequence",
        unit="tokens",
        minimum=1,
        maximum=100_000_000,
        default=4096,
        label="Tokens in a sequence",
        source="assumption: a usual length of pre-training",
    ),
]
Batch = Annotated[
    int,
    Quantity(
        "sequences in one optimizer step, all GPUs together",
        unit="sequences",
        minimum=1,
        maximum=1_000_000_000,
        default=None,
        label="Sequences in a step",
    ),
]
Tokens = Annotated[
    float, Quantity("tokens trained on", unit="tokens", above=0, maximum=1e18, label="Tokens to train on")
]
FlopsPerToken = Annotated[float, Quantity("FLOPs that one token costs", unit="FLOP/token", above=0)]
Flops = Annotated[float, Quantity("floating-point operations of the whole run", unit="FLOP", above=0)]
PeakFlops = Annotated[float, Quantity("dense peak of one GPU in the dtype that multiplies", unit="FLOP/s", above=0)]
TokenRate = Annotated[float, Quantity("tokens a second on one GPU", unit="tokens/s", above=0)]
Utilization = Annotated[
    float,
    Quantity(
        "share of the peak that model FLOPs reach (MFU)", unit="ratio", above=0, maximum=1, predicted_by="STEP_SECONDS"
    ),
]
Gpus = Annotated[int, Quantity("number of GPUs", unit="GPUs", minimum=1, maximum=1_000_000_000, label="GPUs")]
Seconds = Annotated[float, Quantity("duration", unit="seconds", minimum=0)]
Days = Annotated[float, Quantity("duration", unit="days", above=0)]
Hours = Annotated[float, Quantity("duration", unit="hours", above=0, default=HOURS_PER_MONTH)]
Ratio = Annotated[float, Quantity("share of a whole", unit="ratio")]

# Layout --------------------------------------------------------------------------------------------------------------

# No cluster is wider, and products of degrees stay numbers that a cell holds.
_DEGREE: Any = {"minimum": 1, "maximum": 1_000_000, "default": 1}

Tp = Annotated[
    int, Quantity("tensor-parallel degree", **_DEGREE, label="Tensor parallel", source="neutral: nothing is split")
]
Pp = Annotated[int, Quantity("pipeline stages", **_DEGREE, label="Pipeline stages", source="neutral: nothing is split")]
Dp = Annotated[
    int,
    Quantity(
        "data-parallel degree; of attention inside one replica where serving",
        **_DEGREE,
        label="Data parallel",
        source="neutral: nothing is split; a training plan takes what the other degrees leave over",
    ),
]
Cp = Annotated[
    int, Quantity("context-parallel degree", **_DEGREE, label="Context parallel", source="neutral: nothing is split")
]
Ep = Annotated[
    int, Quantity("expert-parallel degree", **_DEGREE, label="Expert parallel", source="neutral: nothing is split")
]
Etp = Annotated[
    int,
    Quantity(
        "tensor-parallel degree inside experts",
        **_DEGREE,
        label="Tensor parallel inside experts",
        source="neutral: nothing is split",
    ),
]
MicroBatch = Annotated[
    int,
    Quantity(
        "sequences in one micro-batch on one GPU",
        **_DEGREE,
        label="Sequences in a micro-batch",
        source="neutral: the smallest",
    ),
]
MicroBatches = Annotated[int, Quantity("micro-batches a pipeline runs in one step", minimum=1)]
Interleave = Annotated[
    int,
    Quantity(
        "model chunks a pipeline stage holds (1: not interleaved)",
        **_DEGREE,
        label="Chunks of a stage",
        source="neutral: not interleaved",
    ),
]
ZeroStage = Annotated[
    int,
    Quantity(
        "ZeRO stage: 0 none, 1 optimizer, 2 gradients too, 3 weights too",
        minimum=0,
        maximum=3,
        default=1,
        label="ZeRO stage",
        source="assumption: a distributed optimizer, as published runs have",
    ),
]
SCHEDULES = ("1f1b", "zero-bubble", "dualpipe")
Schedule = Annotated[
    str,
    Quantity(
        "how a pipeline is run: 1f1b (with chunks: interleaved), zero-bubble, dualpipe",
        choices=SCHEDULES,
        default="1f1b",
        label="Schedule of the pipeline",
        source="assumption: the schedule of most published runs",
    ),
]
SequenceParallel = Annotated[
    bool,
    Quantity(
        "whether norms and residuals are split over the tensor-parallel group",
        default=True,
        label="Sequence parallel",
        source="assumption: on, as Megatron-LM is run",
    ),
]

# Money, energy and carbon --------------------------------------------------------------------------------------------

GpuHours = Annotated[float, Quantity("GPU-hours: GPUs x hours", unit="GPU-hours", minimum=0)]
Price = Annotated[float, Quantity("price of one GPU for one hour", unit="USD/GPU-hour", minimum=0)]
Usd = Annotated[float, Quantity("money", unit="USD", minimum=0)]
OtherUsd = Annotated[
    float,
    Quantity(
        "storage, traffic and staff in one sum",
        unit="USD",
        minimum=0,
        default=0,
        label="Other costs",
        source="neutral: none",
    ),
]
Watts = Annotated[float, Quantity("mean electrical power of one GPU while it works", unit="watts", minimum=0)]
# One value for every plan.
Pue = Annotated[
    float,
    Quantity(
        "power usage effectiveness: facility power over IT power",
        unit="ratio",
        minimum=1,
        maximum=10,
        default=1.25,
        label="PUE",
        source="assumption: between hyperscale halls (1.1) and the industry's mean (1.56, Uptime Institute 2024), as "
        "colocation is built",
    ),
]
HostShare = Annotated[
    float,
    Quantity(
        "power of host, network and storage over the power of the GPUs (0.3: 8 x B200 at the wall)",
        unit="ratio",
        minimum=0,
        maximum=10,
        default=0.3,
        label="Host and network over GPU power",
        source="MLPerf Inference v5.1, 8 x B200 at the wall: 1.30 x TDP",
    ),
]
Busy = Annotated[
    float,
    Quantity(
        "share of the hours in which the GPU is used",
        unit="ratio",
        above=0,
        maximum=1,
        default=0.85,
        label="Hours in use",
        source="Luccioni et al. 2022 (arXiv:2211.02001), section 4.1: 85 % of six years",
    ),
]
KilowattHours = Annotated[float, Quantity("electrical energy", unit="kWh", minimum=0)]
GramsPerKwh = Annotated[float, Quantity("greenhouse gases per energy", unit="gCO2e/kWh", minimum=0)]
KilogramsCo2e = Annotated[float, Quantity("greenhouse gases", unit="kgCO2e")]
