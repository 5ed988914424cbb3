"""Fits the efficiencies of the training-time model on published runs and writes data/calibration_training.csv.

Run `python calibration/training.py` from the root of the repository. Least squares (Gauss-Newton, Huber weights) on the
logarithm of predicted over measured step time, each value held near a start that kernels measured on their own suggest.
A group is a model family on a generation of accelerators in a framework; its weight grows with the root of its rows.
Bands come from leaving groups out: every run is predicted by a fit that saw no run of its model family on its
generation, and the quantiles of measured over predicted are shipped by family in data/calibration_training_bands.csv.
"""

import datetime
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from command import parser
from training_accuracy import write_accuracy, write_peers
from training_bands import DATA, SOURCE, bands, covered, kind_of_run, replace_file, write_bands
from training_measured import Run, runs

from sizebook.calibrating.fitting import Prior, group_weights
from sizebook.calibrating.fitting import fit as least
from sizebook.training.machine import Machine, machine
from sizebook.training.time import step_time

# Name: start, how firmly it is held there (weight of one logarithm), what it is.
FITTED = {
    "matmul_ampere_bf16": (0.75, 1, "share of the dense peak that bf16 matrix products of layers reach, Ampere"),
    "matmul_ada_bf16": (0.6, 4, "the same, Ada"),
    "matmul_ada_fp8": (0.45, 1, "the same in fp8, Ada"),
    "matmul_hopper_bf16": (0.65, 1, "the same, Hopper"),
    "matmul_hopper_fp8": (0.55, 1, "the same in fp8, Hopper"),
    "matmul_blackwell_bf16": (0.65, 1, "the same, Blackwell"),
    "matmul_blackwell_superchip_bf16": (0.65, 1, "the same, Blackwell superchips"),
    "matmul_blackwell_fp8": (0.5, 1, "the same in fp8 and mxfp8, Blackwell"),
    "fp4_over_fp8_blackwell": (
        1.5,
        4,
        "times the rate of fp8 at which products run in nvfp4, Blackwell; kernels: 1.48 on B200 and GB200, 1.52 on "
        "B300 and GB300, median of 2772 shapes of at least 4096 a side, fastest engine (aiconfigurator, Apache-2.0)",
    ),
    "matmul_cdna_bf16": (0.5, 2, "the same, CDNA"),
    "matmul_cdna_fp8": (0.45, 2, "the same in fp8, CDNA"),
    "matmul_cdna_fp4": (0.25, 8, "the same in mxfp4, CDNA: no run was read"),
    "matmul_tpu_bf16": (0.7, 1, "the same, TPUs with arrays of 256 x 256: from v6e on"),
    "matmul_tpu_128_bf16": (0.75, 1, "the same, TPUs with arrays of 128 x 128: up to v5p"),
    "matmul_trainium_bf16": (0.55, 1, "the same, Trainium"),
    "scores_ampere": (0.45, 2, "share of the bf16 peak that causal attention reaches, masked half not counted, Ampere"),
    "scores_ada": (0.4, 8, "the same, Ada"),
    "scores_hopper": (0.3, 2, "the same, Hopper"),
    "scores_hopper_megatron": (0.45, 2, "the same with the fused kernels of Transformer Engine, Hopper"),
    "scores_blackwell": (0.3, 2, "the same, Blackwell, kernels of PyTorch"),
    "scores_blackwell_megatron": (0.4, 2, "the same with the fused kernels of Transformer Engine, Blackwell"),
    "scores_cdna": (0.24, 8, "the same, CDNA: no run was read"),
    "scores_tpu": (0.3, 4, "the same, TPU"),
    "scores_trainium": (0.2, 4, "the same, Trainium"),
    "scores_triton": (
        0.6,
        2,
        "share of those rates that attention in Triton reaches, the default of llm-foundry's benchmarks until 2024 "
        "(scripts/train/benchmarking/submit_benchmarks.py, --attn_impl triton); nothing that is planned takes it",
    ),
    "head_width": (
        60,
        4,
        "width of heads at which attention runs at half of its rate; heads of 64 run at three quarters of those of 128 "
        "(Shah et al. 2024, arXiv:2407.08608, figure 5)",
    ),
    "states": (0.05, 1, "share of the bf16 peak that scans of recurrent layers reach"),
    "states_blackwell": (0.025, 1, "the same, Blackwell, whose tensor cores kernels in Triton did not know"),
    "expert_width_hopper": (1000, 1, "width inside an expert at which its products run at half the rate of dense ones"),
    "expert_width_blackwell": (1500, 1, "the same, Blackwell"),
    "traffic_megatron": (
        1.2,
        1,
        "bytes that element-wise kernels move over twice the bytes kept for the backward pass",
    ),
    "traffic_fsdp": (1.5, 1, "the same, compiled PyTorch"),
    "traffic_deepspeed": (3.0, 1, "the same where no kernels are fused"),
    "traffic_xla": (1.2, 2, "the same, XLA on TPUs"),
    "state_traffic": (6, 1, "times that what enters a recurrent mixer passes memory on top, in 16 bits"),
    "bias_traffic": (4, 1, "times that what leaves experts passes memory to have biases added, in 16 bits"),
    "quantize_fsdp": (6, 1, "bytes moved to cast an input of a matrix to fewer bits, kernels of PyTorch"),
    "gather_exposed_fsdp": (0.3, 1, "share of ZeRO-3's exchange that FSDP does not start ahead of need"),
    "gather_exposed_deepspeed": (0.7, 4, "the same, DeepSpeed"),
    "hook_seconds_deepspeed": (2e-3, 2, "seconds that its hooks take of each layer in each micro-batch"),
    "block_seconds_megatron": (1e-3, 1, "seconds that launching a block of a layer takes in each micro-batch"),
    "block_seconds_fsdp": (2e-3, 1, "the same, PyTorch"),
    "block_seconds_xla": (1e-4, 4, "the same, XLA on TPUs"),
    "step_seconds": (0.03, 1, "fixed seconds of a step: the optimizer's launches, what is logged and synchronised"),
    "power": (1.0, 1, "exponent by which Blackwell's products follow its watts for each FLOP/s"),
    "expert_seconds": (4e-3, 1, "the same of a block of experts on top"),
    "expert_seconds_superchip": (4e-3, 1, "the same of superchips, whose recipes capture graphs"),
    "permute": (6, 1, "times that tokens pass memory on their way to experts and back, in the width they are sent in"),
    "tensor_parallel_exposed": (0.8, 2, "share of tensor-parallel communication that compute does not hide"),
    "expert_parallel_exposed": (0.6, 2, "share of the exchange with experts that compute does not hide"),
    "hidden_cost": (0.1, 4, "share of hidden communication that the compute beside it loses"),
    "dequantize": (3.0, 1, "bytes moved to expand 4-bit weights over those of their two formats"),
    "dequantize_deepspeed": (3.0, 1, "the same where no kernels are fused"),
    "growth": (0.01, 1, "share by which compute grows with every doubling of the GPUs: waits for the slowest"),
}
_ASSUMED = "assumed: NCCL and STREAM measurements lie near"
_OF_EXPERTS = (
    "median of bf16 experts 512 to 768 wide on H100 and H200 with 512 tokens each or more, fastest engine, over dense "
    "products of 0.80 (aiconfigurator, Apache-2.0)"
)
_OF_LAUNCHES = "counted: about 40 kernels forward and twice as many backward, 8 microseconds each"
_OF_ACTIVATION = "counted: what enters the activation function is read once, what leaves it is written once"
_OF_INT8 = "median of GPT-3 175B with int8 matrices (AQT), MLPerf Training v4.0 and v4.1, all else as fitted"
# Fixed ones are measured elsewhere and only divide what a fit cannot tell apart, or stand alone on runs of their own.
FIXED = {
    "memory": (0.85, "share of the memory bandwidth that element-wise kernels reach", _ASSUMED),
    "link": (0.75, "share of the scale-up link that collectives reach", _ASSUMED),
    "network": (0.75, "share of the scale-out link that collectives reach", _ASSUMED),
    "matmul_tpu_int8": (0.42, "share of the int8 peak that products reach, TPUs from v6e on: 4 runs", _OF_INT8),
    "matmul_tpu_128_int8": (0.635, "the same, TPUs up to v5p: 8 runs", _OF_INT8),
    "expert_width_fsdp": (
        460,
        "width inside an expert at which its grouped products run at half the rate of dense ones, PyTorch",
        _OF_EXPERTS,
    ),
    "expert_seconds_fsdp": (
        1e-3,
        "seconds that launching a block of experts takes on top, PyTorch with one grouped product for all",
        _OF_LAUNCHES,
    ),
    "expert_traffic_fsdp": (
        0.5,
        "bytes that element-wise kernels move inside experts over twice the bytes kept, PyTorch",
        _OF_ACTIVATION,
    ),
    "permute_fsdp": (
        2.667,
        "times that tokens pass memory on their way to experts and back, PyTorch",
        "counted: read and written once before and once after their products, backward as often, where a kernel counts "
        "thrice",
    ),
    "adapter_traffic": (
        1,
        "times that what enters a matrix with an adapter passes memory on top, and half of what leaves it",
        "counted: the first factor reads what enters, the second writes what leaves, a fused kernel adds it",
    ),
    "adapter_traffic_deepspeed": (
        3,
        "the same where no kernels are fused",
        "counted: dropout reads and writes what enters, the first factor reads it; what leaves the second is written, "
        "read and written as it is scaled, read with the product and written as it is added: 3 and 6 passes",
    ),
}
# Runs of these sources had attention kernels in Triton: their scores tell nothing of what later kernels reach.
IN_TRITON = frozenset({"llm-foundry"})
UNBOUNDED = (
    "traffic", "state_traffic", "bias_traffic", "quantize", "block_seconds", "expert_seconds", "hook_seconds",
    "expert_width", "permute", "head_width", "dequantize", "power", "fp4_over_fp8",
)  # fmt: skip
STARTS = np.log([start for start, _, _ in FITTED.values()])
FIRMNESS = 0.08 * np.array([firm for _, firm, _ in FITTED.values()])


def _ceiling(name: str) -> float:
    """Return the most that a value may be: a share is at most 1, and a matrix product never reaches its whole peak."""
    return math.inf if name.startswith(UNBOUNDED) else 0.9 if name.startswith(("matmul", "scores")) else 1.0


CEILINGS = np.log([_ceiling(name) for name in FITTED])


def named(logs: np.ndarray) -> dict[str, float]:
    """Return the fitted values by name."""
    return {name: float(np.exp(log)) for name, log in zip(FITTED, np.minimum(logs, CEILINGS), strict=True)}


def predicted(found: Sequence[Run], logs: np.ndarray) -> np.ndarray:
    """Return the seconds of each run's step for the logarithms of the fitted values."""
    values = named(logs) | {name: value for name, (value, _, _) in FIXED.items()}
    rates: dict[tuple[object, ...], Machine] = {}
    out = []
    for run in found:
        setup, in_triton = run.work.setup, run.source in IN_TRITON
        key = (setup.gpu.key, setup.method, in_triton)
        if key not in rates:
            reached = machine(setup.gpu, setup.method, values)
            slower = values["scores_triton"] if in_triton else 1.0
            rates[key] = replace(reached, scores=slower * reached.scores)
        out.append(_seconds(run, rates[key]))
    return np.array(out)


# What a run took at which rates: most values of a fit leave most accelerators' rates as they are.
_KNOWN: dict[int, dict[Machine, float]] = {}


def _seconds(run: Run, rates: Machine) -> float:
    known = _KNOWN.setdefault(id(run), {})
    if rates not in known:
        if len(known) > 2 * len(FITTED):
            known.clear()
        work = run.work
        step = step_time(work.profile, work.layout, work.setup.method, rates=rates, n_micro=work.micro_batches)
        known[rates] = step.total
    return known[rates]


def residuals(found: Sequence[Run], logs: np.ndarray) -> np.ndarray:
    """Return log(predicted / measured) of each run."""
    return np.log(predicted(found, logs) / np.array([r.seconds for r in found]))


def weights_of(found: Sequence[Run]) -> np.ndarray:
    """Return the weight of each run: its group's grows with the root of its rows; loosely stated runs count less."""
    return group_weights([run.group for run in found]) * np.array([0.4 if run.loose else 1.0 for run in found])


def fit(found: Sequence[Run], start: np.ndarray = STARTS, steps: int = 12) -> np.ndarray:
    """Return the logarithms of the fitted values, each held near its start."""
    prior = Prior(STARTS, FIRMNESS, CEILINGS)
    return least(lambda logs: residuals(found, logs), prior, weights_of(found), first=start, steps=steps)


def unseen(found: Sequence[Run], whole: np.ndarray) -> np.ndarray:
    """Return the residual of each run under a fit that saw nothing of its model family on its generation. Each is left
    out alone: left out several at a time, what a row adds would hang on which others the alphabet puts beside it."""
    out = np.zeros(len(found))
    for unit in sorted({r.unit for r in found}):
        logs = fit([r for r in found if r.unit != unit], whole, steps=3)
        held = [index for index, r in enumerate(found) if r.unit == unit]
        out[held] = residuals([found[index] for index in held], logs)
    return out


def summary(found: Sequence[Run], each: np.ndarray, label: str) -> None:
    errors = np.abs(np.expm1(each))
    by_group: dict[str, list[float]] = {}
    for run, error in zip(found, errors, strict=True):
        by_group.setdefault(run.group, []).append(float(error))
    groups = np.mean([np.mean(v) for v in by_group.values()])
    print(f"{label}: mean absolute error {np.mean(errors):.1%}, of groups {groups:.1%}, {len(found)} runs")


def by_group(found: Sequence[Run], seen: np.ndarray, held: np.ndarray) -> None:
    for name in sorted({f"{r.group} | {r.source}" for r in found}):
        at = [i for i, r in enumerate(found) if f"{r.group} | {r.source}" == name]
        print(
            f"  {name:52} {len(at):4} seen {np.mean(np.abs(np.expm1(seen[at]))):5.0%} {np.mean(seen[at]):+5.0%}"
            f"   held out {np.mean(np.abs(np.expm1(held[at]))):5.0%} {np.mean(held[at]):+5.0%}"
        )


def main() -> None:
    """Fit, write the tables and print what was reached."""
    asked = parser(__doc__)
    asked.add_argument("--quick", action="store_true", help="fit and print, leave nothing out and write nothing")
    quick = asked.parse_args().quick
    found = runs()
    logs = fit(found)
    seen = residuals(found, logs)
    summary(found, seen, "seen")
    held = seen if quick else unseen(found, logs)
    by_group(found, seen, held)
    for name, value in named(logs).items():
        print(f"    {name:28} {value:9.4g}  start {FITTED[name][0]:g}")
    if quick:
        return
    summary(found, held, "held out")
    stated = [i for i, r in enumerate(found) if r.stated and kind_of_run(r) == "dense"]
    summary([found[i] for i in stated], held[stated], "held out, dense and fully stated")
    inside = covered(found, held)
    print(f"in a band made without them: {np.mean(inside):.1%} of runs")
    write(logs, len(found))
    write_bands(bands(found, held), float(np.mean(np.abs(np.expm1(held)))))
    write_accuracy(found, seen, held, inside=inside)
    write_peers(found, seen, held)


def write(logs: np.ndarray, n_runs: int) -> None:
    today = datetime.date.today().isoformat()
    lines = ["name,value,runs,meaning,source,retrieved"]
    for name, value in named(logs).items():
        lines.append(f'{name},{value:.4g},{n_runs},"{FITTED[name][2]}",{SOURCE},{today}')
    for name, (value, meaning, source) in FIXED.items():
        lines.append(f'{name},{value:.4g},,"{meaning}","{source}",{today}')
    replace_file(DATA / "calibration_training.csv", lines)


if __name__ == "__main__":
    main()
