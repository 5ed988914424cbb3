"""Time of a training run from its FLOPs: utilisation, pipeline bubble, failures and checkpoints, deadlines."""

from math import ceil, exp, sqrt

from sizebook.core.errors import TargetError, require
from sizebook.core.quantities import (
    Days,
    Flops,
    GpuHours,
    Gpus,
    Hours,
    Interleave,
    MicroBatches,
    PeakFlops,
    Pp,
    Ratio,
    Seconds,
    Utilization,
)
from sizebook.core.registry import function, holding
from sizebook.core.sections import DEFAULT
from sizebook.training.quantities import (
    CheckpointSeconds,
    GoodputShare,
    GpuMtbfHours,
    IntervalSeconds,
    MtbfHours,
    RestartSeconds,
)

DEFINITION = "definition: FLOPs over the FLOP/s that all GPUs together sustain (Narayanan et al. 2021, equation 4)"
DALY = "Daly 2006, A higher order estimate of the optimum checkpoint interval; Young 1974, first order"


@function(
    category="training time", source=DEFINITION, formula="n_flops / (gpus * peak_flop_per_s * utilization * goodput)"
)
def train_seconds(
    n_flops: Flops,
    gpus: Gpus,
    peak_flop_per_s: PeakFlops,
    utilization: Utilization,
    goodput: GoodputShare = DEFAULT,
) -> Seconds:
    """Return the wall-clock seconds of a run: FLOPs / (GPUs x peak x utilisation x goodput).

    Utilisation must be of the same kind as the FLOPs: MFU for model FLOPs, HFU where recomputation is counted.
    """
    return n_flops / (gpus * peak_flop_per_s * utilization * goodput)


@function(
    category="training time",
    source=DEFINITION,
    formula="n_flops / (gpus * peak_flop_per_s * utilization * goodput) / 86400",
)
def train_days(
    n_flops: Flops,
    gpus: Gpus,
    peak_flop_per_s: PeakFlops,
    utilization: Utilization,
    goodput: GoodputShare = DEFAULT,
) -> Days:
    """Return the days of a run: its seconds (see TRAIN_SECONDS) / 86 400."""
    return train_seconds(n_flops, gpus, peak_flop_per_s, utilization, goodput) / 86_400


@function(category="training time", source="definition", formula="gpus * seconds / 3600")
def gpu_hours(gpus: Gpus, seconds: Seconds) -> GpuHours:
    """Return the GPU-hours of a run: GPUs x hours, idle ones included."""
    return gpus * seconds / 3600


@function(
    category="training time",
    source=f"{DEFINITION}, solved for the number of GPUs",
    formula="ceil(n_flops / (days * 86400 * peak_flop_per_s * utilization * goodput))",
)
def gpus_for_deadline(
    n_flops: Flops, days: Days, peak_flop_per_s: PeakFlops, utilization: Utilization, goodput: GoodputShare = DEFAULT
) -> Gpus:
    """Return the fewest GPUs that finish in so many days at a given utilisation, rounded up.

    Takes utilisation not to fall with the number of GPUs; over a doubling of the cluster it usually does.
    """
    return ceil(n_flops / (days * 86_400 * peak_flop_per_s * utilization * goodput))


@function(
    category="training time",
    source="Narayanan et al. 2021 (arXiv:2104.04473), sections 2.2.1 and 2.2.2",
    formula="(pp - 1) / (interleave * micro_batches)",
)
def pipeline_bubble(pp: Pp, micro_batches: MicroBatches, interleave: Interleave = DEFAULT) -> Ratio:
    """Return the pipeline's idle time over its busy time: (p - 1) / (v m), with v interleaved chunks a stage."""
    return (pp - 1) / (interleave * micro_batches)


@function(
    category="training time",
    source="failures of independent GPUs add up; Llama 3: 419 in 54 days on 16,384 GPUs (arXiv:2407.21783, section "
    "3.3.4)",
    formula="gpu_mtbf_hours / gpus",
)
def cluster_mtbf_hours(gpus: Gpus, gpu_mtbf_hours: GpuMtbfHours = DEFAULT) -> Hours:
    """Return the mean hours between interruptions of a job: the MTBF of one GPU over the number of GPUs.

    The default of 50 000 hours is the rate of the Llama 3 run (16 384 GPUs x 54 days x 24 / 419 = 50 677), which
    counts every unexpected interruption, hosts, network and software included.
    """
    return gpu_mtbf_hours / gpus


@function(
    category="training time",
    source=DALY,
    formula="if(checkpoint_seconds >= 2 * 3600 * mtbf_hours, 3600 * mtbf_hours, "
    "sqrt(2 * checkpoint_seconds * 3600 * mtbf_hours) * (1 + sqrt(checkpoint_seconds / (2 * 3600 * mtbf_hours)) / 3 "
    "+ checkpoint_seconds / (18 * 3600 * mtbf_hours)) - checkpoint_seconds)",
)
def checkpoint_interval_seconds(mtbf_hours: MtbfHours, checkpoint_seconds: CheckpointSeconds = DEFAULT) -> Seconds:
    """Return the seconds of work between checkpoints that lose least time: Daly's optimum, Young's first order inside.

    sqrt(2 c M) (1 + sqrt(c / 2M) / 3 + c / 18M) - c for a checkpoint time c below 2M, otherwise M.
    """
    mean, cost = mtbf_hours * 3600, checkpoint_seconds
    if cost >= 2 * mean:
        return mean
    return sqrt(2 * cost * mean) * (1 + sqrt(cost / (2 * mean)) / 3 + cost / (18 * mean)) - cost


@function(
    category="training time",
    source=f"{DALY}: exponential failures, expected time per interval",
    formula="interval_seconds / (3600 * mtbf_hours * exp(restart_seconds / (3600 * mtbf_hours)) "
    "* (exp((interval_seconds + checkpoint_seconds) / (3600 * mtbf_hours)) - 1))",
    blanks={"interval_seconds": "CHECKPOINT_INTERVAL_SECONDS(mtbf_hours, checkpoint_seconds)"},
)
@holding("(interval_seconds + checkpoint_seconds + restart_seconds) / (3600 * mtbf_hours) < 700")
def goodput(
    mtbf_hours: MtbfHours,
    checkpoint_seconds: CheckpointSeconds = DEFAULT,
    restart_seconds: RestartSeconds = DEFAULT,
    interval_seconds: IntervalSeconds | None = DEFAULT,
) -> Ratio:
    """Return the share of wall-clock time that advances the run: work over work + checkpoints + lost work + restarts.

    For exponential failures with mean M, interval t, checkpoint c and restart R: t / (M e^(R/M) (e^((t + c)/M) - 1)).
    A blank interval is the best one (CHECKPOINT_INTERVAL_SECONDS). An asynchronous checkpoint counts only the time for
    which it stops the run.
    """
    mean = mtbf_hours * 3600
    interval = interval_seconds or checkpoint_interval_seconds(mtbf_hours, checkpoint_seconds)
    exponent = (interval + checkpoint_seconds + restart_seconds) / mean
    fixes = {
        interval: "Checkpoint more often",
        checkpoint_seconds: "Checkpoint faster",
        restart_seconds: "Restart faster",
    }
    require(
        exponent < 700,
        f"the run never advances: got a failure every {mean:.3g} s, {interval:.3g} s of work between checkpoints, "
        f"{checkpoint_seconds:.3g} s for one and {restart_seconds:.3g} s to restart, want failures less often than "
        f"that. {fixes[max(fixes)]}, or use fewer GPUs.",
    )
    cycle = mean * exp(restart_seconds / mean) * (exp((interval + checkpoint_seconds) / mean) - 1)
    return interval / cycle


@function(
    category="training time",
    source=f"{DEFINITION}, checked against a deadline",
    formula="days - n_flops / (gpus * peak_flop_per_s * utilization * goodput) / 86400",
)
@holding("n_flops / (gpus * peak_flop_per_s * utilization * goodput) / 86400 <= days")
def days_to_spare(
    n_flops: Flops,
    gpus: Gpus,
    days: Days,
    peak_flop_per_s: PeakFlops,
    utilization: Utilization,
    goodput: GoodputShare = DEFAULT,
) -> Days:
    """Return the days left of a deadline after training, or refuse a deadline that cannot be met and say by how
    much."""
    needed = train_days(n_flops, gpus, peak_flop_per_s, utilization, goodput)
    if needed > days:
        enough = gpus_for_deadline(n_flops, days, peak_flop_per_s, utilization, goodput)
        raise TargetError(
            f"deadline missed: got {needed:.3g} days on {gpus} GPUs, want at most {days:g}, short by "
            f"{needed - days:.3g} days ({needed / days - 1:.0%}). Use {enough} GPUs at the same utilisation."
        )
    return days - needed
