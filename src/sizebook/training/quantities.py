"""Quantities of training, and the sections that its functions take: the run, the recipe and what interrupts it.

A field added to a section is from then on an argument of functions, a key of scenario files, a column of sweeps and an
input of the workbook. The layout is a section of its own: `sizebook.training.layout.Layout`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any

from sizebook.core.quantities import Batch, Gpus, Seq, Tokens
from sizebook.core.registry import DEFAULT, Quantity, section
from sizebook.core.tables import by_key
from sizebook.tables.own_rates import RatesFile
from sizebook.training.tuning import (
    USUAL_RANK,
    WEIGHT_BYTES,
    Examples,
    FrozenBits,
    FrozenWeightBytes,
    LoraOn,
    LoraRank,
    Tuning,
    contradiction,
)

RECOMPUTE = ("lightest", "none", "selective", "every-other-matmul", "full")
MODULES = ("layernorm", "moe_act", "mla_up_proj", "mlp", "moe", "core_attn")
FORMATS = ("bf16", "fp16", "fp8", "mxfp8", "nvfp4", "mxfp4")


def optimizer_keys() -> tuple[str, ...]:
    """Return the optimizers of ``data/optimizers.csv``."""
    return tuple(by_key("optimizers", "optimizer"))


def stack_keys() -> tuple[str, ...]:
    """Return the frameworks of ``data/training_stacks.csv``."""
    return tuple(by_key("training_stacks", "stack"))


def convention_keys() -> tuple[str, ...]:
    """Return the conventions by which FLOPs are counted."""
    from sizebook.models.flops import CONVENTIONS  # here, because closed forms need no models and would pay for them

    return tuple(CONVENTIONS)


# The run --------------------------------------------------------------------------------------------------------------

FlopsConvention = Annotated[
    str,
    Quantity(
        "which FLOPs count, see the documentation", kind="choice", choices=convention_keys, default="matmul",
        label="FLOPs convention",
    ),
]  # fmt: skip
Mfu = Annotated[
    float | None,
    Quantity(
        "MFU of your own in that convention, blank for the predicted step time", unit="ratio", above=0, maximum=1,
        default=None, label="MFU of your own",
    ),
]  # fmt: skip
AchievedTflops = Annotated[
    float | None,
    Quantity(
        "TFLOP/s that one GPU achieves in that convention, in place of an MFU", unit="TFLOP/s", above=0, maximum=1e6,
        default=None, label="TFLOP/s of your own",
    ),
]  # fmt: skip


@section
class Batches:
    """What one optimizer step works on, all GPUs together."""

    batch: Batch
    seq: Seq = DEFAULT

    @property
    def tokens(self) -> int:
        """Tokens of one step."""
        return self.batch * self.seq


@section
class Pace:
    """How FLOPs are counted, and the rate at which they are done where it is known and not predicted."""

    flops_convention: FlopsConvention = DEFAULT
    mfu: Mfu = DEFAULT
    achieved_tflops: AchievedTflops = DEFAULT

    def utilization(self, peak_flop_per_s: float) -> float | None:
        """Return the share of the peak that was given, in either of its spellings, or None where time is predicted."""
        return self.mfu if self.achieved_tflops is None else self.achieved_tflops * 1e12 / peak_flop_per_s


@section
class Run:
    """A cluster, the tokens to train on and how they come; how fast, where that is known."""

    gpus: Gpus
    tokens: Tokens
    batches: Batches
    examples: Examples = DEFAULT
    pace: Pace = DEFAULT


# The recipe -----------------------------------------------------------------------------------------------------------

Recompute = Annotated[
    str,
    Quantity(
        "what the backward pass recomputes: lightest (what fits, none where no GPU is known), none, selective "
        "(attention scores), every-other-matmul, full (every layer)",
        kind="choice", choices=RECOMPUTE, default="lightest", label="Recomputation",
    ),
]  # fmt: skip
RecomputeModules = Annotated[
    str,
    Quantity(
        f"modules that are recomputed, of {', '.join(MODULES)}; other words are a remark", kind="text", default="",
        label="Modules recomputed",
    ),
]  # fmt: skip
Offload = Annotated[
    str,
    Quantity(
        "what moves to the host: optimizer, activations, activations of N layers; other words are a remark",
        kind="text", default="", label="Moved to the host",
    ),
]  # fmt: skip
STATE_FORMATS = ("fp32", "bf16", "fp8")
GradientDtype = Annotated[
    str | None,
    Quantity(
        "format in which gradients accumulate, blank for the framework's or bf16 where only that fits", kind="choice",
        choices=STATE_FORMATS[:2], default=None, label="Format of gradients",
    ),
]  # fmt: skip
OptimizerDtype = Annotated[
    str | None,
    Quantity(
        "format of an optimizer's states, blank for the optimizer's own or bf16 where only that fits", kind="choice",
        choices=STATE_FORMATS, default=None, label="Format of optimizer states",
    ),
]  # fmt: skip
NicGbit = Annotated[
    float | None,
    Quantity(
        "network of one GPU, oversubscription taken off, blank for the reference system's", unit="Gbit/s", above=0,
        maximum=1e6, default=None, label="Network of a GPU",
    ),
]  # fmt: skip
ComputeDtype = Annotated[
    str,
    Quantity(
        "format that matrices multiply in", kind="choice", choices=FORMATS, default="bf16",
        label="Format that matrices multiply in",
    ),
]  # fmt: skip
PowerLimitWatts = Annotated[
    float | None,
    Quantity(
        "power that a GPU is capped at, blank for its TDP", unit="watts", above=0, maximum=1e5, default=None,
        label="Power limit of a GPU",
    ),
]  # fmt: skip
OptimizerName = Annotated[
    str,
    Quantity(
        "optimizer, a key of data/optimizers.csv", kind="choice", choices=optimizer_keys, default="adamw",
        label="Optimizer",
    ),
]  # fmt: skip
StackName = Annotated[
    str,
    Quantity(
        "training framework, a key of data/training_stacks.csv", kind="choice", choices=stack_keys, default="megatron",
        label="Training framework",
    ),
]  # fmt: skip
FlashAttention = Annotated[
    bool,
    Quantity("whether attention keeps no scores (flash attention)", kind="flag", default=True, label="Flash attention"),
]
FusedLoss = Annotated[
    bool | None,
    Quantity(
        "whether the loss is one kernel that keeps no logits in fp32, blank for where only that fits", kind="flag",
        default=None, label="Fused loss",
    ),
]  # fmt: skip
Dropout = Annotated[bool, Quantity("whether dropout masks are kept", kind="flag", default=False, label="Dropout")]
ExpertImbalance = Annotated[
    float,
    Quantity(
        "tokens of the fullest expert over the mean", unit="ratio", minimum=1, maximum=1000, default=1,
        label="Fullest expert over the mean",
    ),
]  # fmt: skip


@section
class Recipe:
    """What is trained and how, apart from the layout. ``lora_rank`` above 0 freezes the model and trains adapters.

    ``tuning`` says it in one word and fills what is left blank: rank 16, and 4 bits of a frozen weight in ``q...``.
    ``frozen_weight_bytes`` is what a frozen weight takes: 2 in bf16, 0.5 and scales for a 4-bit base (QLoRA, 4.127 bits
    with double quantisation: Dettmers et al. 2023, arXiv:2305.14314).
    """

    optimizer: OptimizerName = DEFAULT
    stack: StackName = DEFAULT
    flash_attention: FlashAttention = DEFAULT
    fused_loss: FusedLoss = DEFAULT
    dropout: Dropout = DEFAULT
    expert_imbalance: ExpertImbalance = DEFAULT
    tuning: Tuning = DEFAULT
    lora_rank: LoraRank = DEFAULT
    lora_on: LoraOn = DEFAULT
    frozen_weight_bytes: FrozenWeightBytes = DEFAULT
    frozen_bits: FrozenBits = DEFAULT
    optimizer_dtype: OptimizerDtype = DEFAULT
    gradient_dtype: GradientDtype = DEFAULT
    recompute_modules: RecomputeModules = DEFAULT
    offload: Offload = DEFAULT

    def __post_init__(self) -> None:
        if self.tuning is None:
            return
        in_bits = self.frozen_bits is not None or self.frozen_weight_bytes != WEIGHT_BYTES
        if self.tuning == "full" and self.lora_rank:
            raise contradiction(self.tuning, f"lora_rank {self.lora_rank}")
        if self.tuning in ("lora", "dora") and self.frozen_bytes < 1:
            raise contradiction(self.tuning, f"{self.frozen_bytes:g} bytes of a frozen weight")
        if self.tuning != "full" and not self.lora_rank:
            object.__setattr__(self, "lora_rank", USUAL_RANK)
        if self.tuning.startswith("q") and not in_bits:
            object.__setattr__(self, "frozen_bits", 4.0)

    @property
    def magnitudes(self) -> bool:
        """Whether adapters train a magnitude of each output too (DoRA)."""
        return self.tuning in ("dora", "qdora")

    @property
    def trained(self) -> str:
        """What is trained, in one word of `TUNINGS`."""
        if not self.lora_rank:
            return "full"
        return ("q" if self.frozen_bytes < 1 else "") + ("dora" if self.magnitudes else "lora")

    @property
    def frozen_bytes(self) -> float:
        """Bytes of a frozen weight; four bits carry their scales (QLoRA's 4.127 bits)."""
        if self.frozen_bits is None:
            return self.frozen_weight_bytes
        return 0.516 if self.frozen_bits == 4 else self.frozen_bits / 8

    @cached_property
    def modules(self) -> frozenset[str]:
        """The modules that are recomputed. What stands in brackets is a remark, so that published words can be kept."""
        text = re.sub(r"\([^)]*\)?", " ", self.recompute_modules.casefold())
        return frozenset(re.split(r"[^a-z0-9_]+", text)) & frozenset(MODULES)

    @cached_property
    def offloads_optimizer(self) -> bool:
        return "optimizer" in self.offload.casefold()

    def offloaded_share(self, n_layers: int) -> float:
        """Return the share of the kept activations that moves to the host: all of them, or those of N layers."""
        text = self.offload.casefold()
        if "activation" not in text:
            return 0.0
        counted = re.search(r"(\d+)\s+layers?", text)
        if counted:
            return min(1.0, int(counted[1]) / max(n_layers, 1))
        return FUSED_MLP_SHARE if "mlp" in text else 1.0


# What the inside of feed-forward blocks holds of a layer's activations, about: more in experts.
FUSED_MLP_SHARE = 0.6


@section
class Method:
    """The recipe, at what format and power a GPU multiplies, the network it has, and rates of one's own runs."""

    compute_dtype: ComputeDtype = DEFAULT
    power_limit_watts: PowerLimitWatts = DEFAULT
    nic_gbit_per_s: NicGbit = DEFAULT
    recipe: Recipe = DEFAULT
    rates_file: RatesFile = DEFAULT


# What interrupts it ---------------------------------------------------------------------------------------------------

_MTBF: Any = {"unit": "hours", "above": 0, "maximum": 1e15}
GpuMtbfHours = Annotated[
    float,
    Quantity("mean time between failures of one GPU", **_MTBF, default=50_000, label="Hours between failures of a GPU"),
]
MtbfHours = Annotated[float, Quantity("mean time between interruptions of the job", **_MTBF)]
CheckpointSeconds = Annotated[
    float,
    Quantity(
        "seconds that a checkpoint stops the run", unit="seconds", above=0, default=30,
        label="A checkpoint stops the run for",
    ),
]  # fmt: skip
RestartSeconds = Annotated[
    float,
    Quantity(
        "seconds from a failure to training again", unit="seconds", minimum=0, default=600, label="A restart takes"
    ),
]
IntervalSeconds = Annotated[
    float, Quantity("seconds of work between checkpoints, blank for the best", unit="seconds", above=0, default=None)
]
StartHours = Annotated[
    float,
    Quantity(
        "hours of queueing, loading and ramp-up, paid once", unit="hours", minimum=0, maximum=1e6, default=0,
        label="Queueing and ramp-up",
    ),
]  # fmt: skip
GoodputShare = Annotated[
    float, Quantity("share of the time that advances the run", unit="ratio", above=0, maximum=1, default=1)
]


@section
class Operations:
    """What interrupts a run and what is paid once at its start."""

    gpu_mtbf_hours: GpuMtbfHours = DEFAULT
    checkpoint_seconds: CheckpointSeconds = DEFAULT
    restart_seconds: RestartSeconds = DEFAULT
    start_hours: StartHours = DEFAULT


# The whole run --------------------------------------------------------------------------------------------------------

ProgrammeFactor = Annotated[
    float | None,
    Quantity(
        "GPU-hours of a whole run over those of its steady state, blank for the default by number of GPUs "
        "(data/training_programmes.csv), 1 for steady state only",
        unit="ratio", minimum=1, maximum=100, default=None, label="Whole run over steady state",
    ),
]  # fmt: skip


@section
class Programme:
    """What a whole run takes over the plan's steady state: restarts, ramp, evaluation, warm-up, slow nodes."""

    programme_factor: ProgrammeFactor = DEFAULT
