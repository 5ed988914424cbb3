"""Fits the efficiencies of the training-time model on published runs and writes data/calibration_training.csv.

Run `python calibration/training.py` from the root of the repository. Least squares (Gauss-Newton, Huber weights) on the
logarithm of predicted over measured step time. Runs of one model on one GPU in one source form a group; a group weighs
the same however many rows it has. The spread comes from leaving groups out: every run is predicted by a fit that saw no
run of its group (ten folds), and the quantiles of measured over predicted are shipped beside the values.
"""

from __future__ import annotations

import csv
import datetime
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sizebook.models import catalog
from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Layer, Norm
from sizebook.tables.hardware import Accelerator, accelerator
from sizebook.training.layout import Layout
from sizebook.training.profile import ModelProfile, model_profile
from sizebook.training.quantities import Method, Recipe
from sizebook.training.time import machine, step_time

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "src" / "sizebook" / "data" / "calibration_training.csv"
FOLDS = 10

# Name: start, what it is. Fixed ones are measured elsewhere and only divide what a fit cannot tell apart.
FITTED = {
    "matmul_ampere_bf16": (0.75, "share of the dense peak that bf16 matrix products of layers reach, Ampere"),
    "matmul_hopper_bf16": (0.65, "the same, Hopper"),
    "matmul_hopper_fp8": (0.6, "the same in fp8, Hopper"),
    "matmul_blackwell_bf16": (0.65, "the same, Blackwell"),
    "matmul_blackwell_fp8": (0.6, "the same in fp8 and mxfp8, Blackwell"),
    "matmul_blackwell_fp4": (0.4, "the same in nvfp4, Blackwell"),
    "scores_ampere": (0.5, "share of the bf16 peak that causal attention reaches, masked half not counted, Ampere"),
    "scores_hopper": (0.4, "the same, Hopper"),
    "scores_blackwell": (0.4, "the same, Blackwell"),
    "experts": (0.5, "matrix efficiency of routed experts over that of dense layers"),
    "traffic": (1.0, "bytes that element-wise kernels move over twice the bytes kept for the backward pass"),
    "layer_seconds": (2e-4, "fixed seconds a layer and micro-batch, kernel launches and waits"),
    "tensor_parallel_exposed": (0.7, "share of tensor-parallel communication that compute does not hide"),
    "expert_parallel_exposed": (0.5, "share of the exchange with experts that compute does not hide"),
    "scores_hopper_megatron": (0.5, "the same with the fused kernels of Transformer Engine, Hopper"),
    "hidden_cost": (0.1, "share of hidden communication that the compute beside it loses"),
}
# The few fp8 runs on Hopper cannot tell these two apart, so they stay near what kernels measure on their own.
FIRM = {"matmul_hopper_fp8": 1.0, "scores_hopper_megatron": 1.0}
FIXED = {
    "memory": (0.85, "share of the memory bandwidth that element-wise kernels reach"),
    "link": (0.75, "share of the scale-up link that collectives reach"),
    "network": (0.75, "share of the scale-out link that collectives reach"),
}


@dataclass(frozen=True)
class Run:
    """One published run: what it trained, on what, how, and its measured seconds a step."""

    group: str
    gpu: Accelerator
    method: Method
    profile: ModelProfile
    layout: Layout
    n_micro: int
    seconds: float


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def described(row: dict[str, str]) -> Architecture:
    """Return a GPT of the given dimensions: plain feed-forward blocks, heads as wide as the model, tied head."""
    d_model, n_heads, vocab = int(row["d_model"]), int(row["n_heads"]), int(row["vocab"])
    layer = Layer(
        (
            Norm("a", d_model),
            Attention(d_model, n_heads, n_heads, d_model // n_heads),
            Norm("b", d_model),
            FeedForward(d_model, int(row["d_ff"]), gated=False),
        )
    )
    tokens, head = Embedding("tokens", vocab, d_model), Head(vocab, d_model, tied=True)
    layers = (layer,) * int(row["n_layers"])
    return Architecture("gpt", d_model, vocab, None, (tokens,), layers, (Norm("n", d_model),), head)


def runs() -> list[Run]:
    """Return every run of calibration/training_runs.csv."""
    known = {row["model"]: described(row) for row in read_csv(HERE / "training_models.csv")}
    profiles: dict[tuple[str, int], ModelProfile] = {}
    found = []
    for row in read_csv(HERE / "training_runs.csv"):
        n = {k: int(row[k]) for k in ("gpus", "seq", "batch", "micro_batch", "tp", "pp", "cp", "ep", "interleave")}
        key = row["model"], n["seq"]
        if key not in profiles:
            architecture = known.get(row["model"]) or catalog.architecture(row["model"])
            profiles[key] = model_profile(architecture, n["seq"])
        dp = n["gpus"] // (n["tp"] * n["pp"] * n["cp"])
        layout = Layout(
            **{name: n[name] for name in ("tp", "pp", "cp", "ep", "interleave", "micro_batch")},
            dp=dp,
            zero_stage=int(row["zero_stage"]),
            sequence_parallel=not row["group"].startswith("narayanan"),
            recompute=row["recompute"],
        )
        flash = not row["group"].startswith(("narayanan", "korthikanti"))
        recipe = Recipe(stack=row["stack"], flash_attention=flash, dropout=not flash)
        n_micro = max(1, round(n["batch"] / dp / n["micro_batch"]))
        seconds = n_micro * n["micro_batch"] * dp * n["seq"] / n["gpus"] / float(row["tokens_per_s_per_gpu"])
        limit = float(row["power_limit_watts"]) if row["power_limit_watts"] else None
        method = Method(compute_dtype=row["dtype"], power_limit_watts=limit, recipe=recipe)
        gpu = accelerator(row["gpu"])
        found.append(Run(row["group"], gpu, method, profiles[key], layout, n_micro, seconds))
    return found


def named(logs: np.ndarray) -> dict[str, float]:
    """Return the fitted values by name; a share is at most 1, and a matrix product never reaches its whole peak."""
    ceiling = {"traffic": math.inf, "layer_seconds": math.inf}
    return {
        name: min(float(np.exp(log)), ceiling.get(name, 0.9 if name.startswith(("matmul", "scores")) else 1.0))
        for name, log in zip(FITTED, logs, strict=True)
    }


def residuals(found: list[Run], logs: np.ndarray) -> np.ndarray:
    """Return log(predicted / measured) of each run for the logarithms of the fitted values."""
    values = named(logs) | {name: value for name, (value, _) in FIXED.items()}
    kinds = {(r.gpu.key, r.method): r.gpu for r in found}
    rates = {(key, method): machine(gpu, method, values) for (key, method), gpu in kinds.items()}
    predicted = [
        step_time(r.profile, r.layout, r.method.recipe, rates=rates[r.gpu.key, r.method], n_micro=r.n_micro).total
        for r in found
    ]
    return np.log(np.array(predicted) / np.array([r.seconds for r in found]))


def fit(found: list[Run], steps: int = 14) -> np.ndarray:
    """Return the logarithms of the fitted values: damped Gauss-Newton with Huber weights and a weak prior on the
    start."""
    start = np.log([value for value, _ in FITTED.values()])
    sizes = {group: sum(r.group == group for r in found) for group in {r.group for r in found}}
    weights = np.array([sizes[r.group] ** -0.5 for r in found])
    prior = np.array([FIRM.get(name, 0.05) for name in FITTED])
    logs = start.copy()
    for _ in range(steps):
        at = residuals(found, logs)
        robust = weights * np.sqrt(np.minimum(1, 0.15 / np.maximum(np.abs(at), 1e-9)))
        slopes = np.stack([(residuals(found, logs + 1e-3 * unit) - at) / 1e-3 for unit in np.eye(len(logs))], axis=1)
        left = slopes.T @ (robust[:, None] ** 2 * slopes) + np.diag(prior)
        right = slopes.T @ (robust**2 * at) + prior * (logs - start)
        logs = logs - np.clip(np.linalg.solve(left, right), -0.3, 0.3)
    return logs


def unseen(found: list[Run]) -> np.ndarray:
    """Return the residual of each run under a fit that saw none of its group."""
    groups = sorted({r.group for r in found})
    fold = {group: index % FOLDS for index, group in enumerate(groups)}
    out = np.zeros(len(found))
    for each in range(FOLDS):
        logs = fit([r for r in found if fold[r.group] != each])
        held = [index for index, r in enumerate(found) if fold[r.group] == each]
        out[held] = residuals([found[index] for index in held], logs)
    return out


def main() -> None:
    found = runs()
    logs = fit(found)
    seen, held = residuals(found, logs), unseen(found)
    for label, each in (("seen", seen), ("held out", held)):
        print(f"{label}: mean absolute error {np.mean(np.abs(np.expm1(each))):.1%}, runs {len(found)}")
    for source in sorted({r.group.split()[0] for r in found}):
        part = held[[r.group.startswith(source) for r in found]]
        print(
            f"  {source:16} {len(part):4} runs, held out {np.mean(np.abs(np.expm1(part))):.1%}, bias "
            f"{np.mean(part):+.1%}"
        )
    # Quantiles over groups rather than rows: sources with long tables would hide the others.
    sizes = {group: sum(r.group == group for r in found) for group in {r.group for r in found}}
    order = np.argsort(-held)
    cumulative = np.cumsum([1 / sizes[found[i].group] for i in order]) / len(sizes)
    low, middle, high = (math.exp(-held[order[np.searchsorted(cumulative, q)]]) for q in (0.1, 0.5, 0.9))
    write(logs, (low, middle, high), len(found), float(np.mean(np.abs(np.expm1(held)))))


def write(logs: np.ndarray, band: tuple[float, float, float], n_runs: int, error: float) -> None:
    today = datetime.date.today().isoformat()
    source = "calibration/training.py on calibration/training_runs.csv"
    lines = ["name,value,low,high,runs,meaning,source,retrieved"]
    for name, value in named(logs).items():
        lines.append(f'{name},{value:.4g},,,{n_runs},"{FITTED[name][1]}",{source},{today}')
    for name, (value, meaning) in FIXED.items():
        lines.append(f'{name},{value:.4g},,,,"{meaning}",assumed: NCCL and STREAM measurements lie near,{today}')
    meaning = (
        "measured over predicted step time of runs that the fit had not seen: median, 10th and 90th percentile by "
        "group; "
        f"mean absolute error {error:.3f}"
    )
    lines.append(f'time_ratio,{band[1]:.4g},{band[0]:.4g},{band[2]:.4g},{n_runs},"{meaning}",{source},{today}')
    partial = OUTPUT.with_suffix(".part")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    partial.replace(OUTPUT)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
