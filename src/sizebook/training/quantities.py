"""Quantities of a training run, and the sections that its functions take: the run, what interrupts it, the whole run.

A field added to a section is from then on an argument of functions, a key of scenario files, a column of sweeps and an
input of the workbook. What a run does is a section of its own, `sizebook.training.recipe.Method`, and so is its layout:
`sizebook.training.layout.Layout`.
"""

from typing import Annotated, Any

from sizebook.core.quantities import Batch, Gpus, Seq, Tokens
from sizebook.core.sections import DEFAULT, Quantity, quantity, section
from sizebook.training.tuning import Examples


def convention_keys() -> tuple[str, ...]:
    """Return the conventions by which FLOPs are counted."""
    from sizebook.models.flops import CONVENTIONS  # here, because closed forms need no models and would pay for them

    return tuple(CONVENTIONS)


# The run --------------------------------------------------------------------------------------------------------------

FlopsConvention = Annotated[
    str,
    Quantity(
        "which FLOPs count, see the documentation",
        choices=convention_keys,
        default="matmul",
        label="FLOPs convention",
        source="convention: the matrix products of the model; workbooks show the others beside it",
    ),
]


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
    mfu: float | None = quantity(
        "MFU of your own in that convention, blank for the predicted step time",
        "ratio",
        above=0,
        maximum=1,
        default=None,
        label="MFU of your own",
    )
    achieved_tflops: float | None = quantity(
        "TFLOP/s that one GPU achieves in that convention, in place of an MFU",
        "TFLOP/s",
        above=0,
        maximum=1e6,
        default=None,
        label="TFLOP/s of your own",
    )

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


# What interrupts it ---------------------------------------------------------------------------------------------------

_MTBF: Any = {"unit": "hours", "above": 0, "maximum": 1e15}
GpuMtbfHours = Annotated[
    float,
    Quantity(
        "mean time between failures of one GPU",
        **_MTBF,
        default=50_000,
        label="Hours between failures of a GPU",
        source="Llama 3, arXiv:2407.21783: failures of its run on 16 384 H100",
    ),
]
MtbfHours = Annotated[float, Quantity("mean time between interruptions of the job", **_MTBF)]
CheckpointSeconds = Annotated[
    float,
    Quantity(
        "seconds that a checkpoint stops the run",
        unit="seconds",
        above=0,
        default=30,
        label="A checkpoint stops the run for",
        source="assumption, to replace with your own",
    ),
]
RestartSeconds = Annotated[
    float,
    Quantity(
        "seconds from a failure to training again",
        unit="seconds",
        minimum=0,
        default=600,
        label="A restart takes",
        source="assumption, to replace with your own",
    ),
]
IntervalSeconds = Annotated[
    float, Quantity("seconds of work between checkpoints, blank for the best", unit="seconds", above=0, default=None)
]
GoodputShare = Annotated[
    float, Quantity("share of the time that advances the run", unit="ratio", above=0, maximum=1, default=1)
]


@section
class Operations:
    """What interrupts a run and what is paid once at its start."""

    gpu_mtbf_hours: GpuMtbfHours = DEFAULT
    checkpoint_seconds: CheckpointSeconds = DEFAULT
    restart_seconds: RestartSeconds = DEFAULT
    start_hours: float = quantity(
        "hours of queueing, loading and ramp-up, paid once",
        "hours",
        minimum=0,
        maximum=1e6,
        default=0,
        label="Queueing and ramp-up",
        source="neutral: none",
    )


# The whole run --------------------------------------------------------------------------------------------------------


@section
class Programme:
    """What a whole run takes over the plan's steady state: restarts, ramp, evaluation, warm-up, slow nodes."""

    programme_factor: float | None = quantity(
        "GPU-hours of a whole run over those of its steady state, blank for the mean of published programmes "
        "(data/training_programmes.csv), 1 for steady state only",
        "ratio",
        minimum=1,
        maximum=100,
        default=None,
        label="Whole run over steady state",
        source="data/training_programmes.csv",
    )
