"""Fits the closed forms of `sizebook.serving.kernels` to measured kernels and writes src/sizebook/data/kernels.csv.

Run `python calibration/kernels.py FOLDER` from the root of the repository, where FOLDER holds the Parquet files of
kernel times that aiconfigurator published (NVIDIA, Apache-2.0). Needs NumPy and Polars; about a minute.

Of every operation, accelerator and shape the fastest measurement counts, over engines and over the formats that hold
the same weights: an engine's own table is off by large factors wherever a slow path was measured, and the fastest is
what the machine can do. Each accelerator's numbers are shrunk towards those of the median accelerator, which stand in
the table as `typical` for all that nobody measured. One shape in five is left out of each fit; `error` is the median
error on those.
"""

import csv
import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from command import parser
from kernel_operations import OPERATIONS, SYSTEMS, Operation

from sizebook.tables.hardware import Accelerator, accelerator

OUTPUT = Path(__file__).parent.parent / "src" / "sizebook" / "data" / "kernels.csv"
SOURCE = (
    "calibration/kernels.py on kernel tables of aiconfigurator 0.12 "
    "(Copyright NVIDIA CORPORATION & AFFILIATES, Apache-2.0): the fastest over engines"
)
COLUMNS = ("launch_seconds", "growth_seconds", "bandwidth", "compute", "passes", "half", "skew")
MOST_POINTS = 6000  # of one fit; a fifth of them judges it
LEFT_OUT = 5  # one shape in so many
DATA_WEIGHT = 10.0  # of one point: its scatter is about 0.3 in logs
TOWARDS_TYPICAL = 0.35  # how far an accelerator's numbers may move from the median one's, in logs


def machine(chip: Accelerator) -> dict[str, float]:
    """Return the datasheet numbers that shares are of: bandwidth, link, and the peak that each format multiplies at."""
    half = float(chip.peaks["bf16"])
    eight = float(chip.peaks.get("fp8", half))
    peaks = {"bf16": half, "fp8": eight, "int8": float(chip.peaks.get("int8", half)), "int4": half}
    peaks["fp4"] = float(chip.peaks.get("fp4", half))
    peaks["mxfp4"] = eight if "fp4" in chip.peaks else half
    link = float(chip.scale_up_bytes_per_s or chip.pcie_bytes_per_s or 0)
    return {**peaks, "bandwidth": float(chip.memory_bandwidth_bytes_per_s), "link": link}


def fitted(
    operation: Operation, points: pl.DataFrame, gpu: dict[str, float], form: str, around: Any
) -> tuple[Any, float]:
    """Return the numbers of one accelerator and format, and the median error on the shapes left out."""
    if points.height > MOST_POINTS:
        points = points.sample(MOST_POINTS, seed=1)
    unseen = (points.select(pl.struct(operation.shape).hash(seed=7))).to_series().to_numpy() % LEFT_OUT == 0
    x = {c: points[c].to_numpy().astype(float) for c in points.columns if points[c].dtype.is_numeric()}
    seconds = x.pop("milliseconds") / 1e3
    names = list(operation.start)
    start = np.log([around[name] if around else operation.start[name][0] for name in names])
    free = np.array([min(operation.start[n][1], TOWARDS_TYPICAL) if around else operation.start[n][1] for n in names])

    def off(theta: Any, at: Any) -> Any:
        p = {name: np.exp(theta[i]) for i, name in enumerate(names)}
        return np.log(operation.seconds({k: v[at] for k, v in x.items()}, p, gpu, form) / seconds[at])

    at = ~unseen if 0 < unseen.sum() < len(unseen) else np.ones(len(unseen), bool)
    theta = start.copy()
    weight_of_data = DATA_WEIGHT * min(1.0, 3000 / at.sum())
    for _ in range(40):
        now = off(theta, at)
        slopes = np.stack([(off(theta + 1e-4 * unit, at) - now) / 1e-4 for unit in np.eye(len(theta))], 1)
        weight = weight_of_data / np.sqrt(1 + (now / 0.15) ** 2)
        normal = slopes.T @ (slopes * weight[:, None]) + np.diag(free**-2.0)
        step = -np.linalg.solve(normal, slopes.T @ (weight * now) + (theta - start) * free**-2.0)
        theta = theta + np.clip(step, -0.4, 0.4)
        if np.abs(step).max() < 1e-3:
            break
    # Nothing is faster than the datasheet: small shapes that stay in the chip's cache would say so.
    for i, name in enumerate(names):
        theta[i] = (
            min(theta[i], 0.0) if name in ("bandwidth", "compute", "skew") and operation.name != "reduce" else theta[i]
        )
    judged = off(theta, unseen if unseen.any() else at)
    return np.exp(theta), float(np.median(np.abs(np.expm1(judged))))


def rows_of(operation: Operation, folder: Path, today: str) -> list[list[str]]:
    """Return the table rows of one operation: one an accelerator and format, and the typical of each format."""
    points = operation.points(folder)
    parts = {(SYSTEMS[str(k[0])], str(k[1])): part for k, part in points.group_by("system", "format")}
    gpus = {key: machine(accelerator(key)) for key, _ in parts}
    names, lines = list(operation.start), []
    for form in sorted({form for _, form in parts}):
        mine = {key: part for (key, f), part in sorted(parts.items()) if f == form and key != "arc-pro-b60"}
        alone = [fitted(operation, part, gpus[key], form, None)[0] for key, part in mine.items()]
        typical = dict(zip(names, np.exp(np.median(np.log(alone), axis=0)), strict=True))
        lines.append(line("typical", operation.name, form, typical, SOURCE, "", "", today))
        for key, part in {k: p for (k, f), p in sorted(parts.items()) if f == form}.items():
            values, error = fitted(operation, part, gpus[key], form, typical)
            numbers = dict(zip(names, values, strict=True))
            lines.append(line(key, operation.name, form, numbers, SOURCE, str(part.height), f"{error:.3f}", today))
            print(operation.name, form, key, part.height, f"median error on shapes left out {error:.1%}", flush=True)
    return lines


def line(gpu: str, operation: str, form: str, p: dict[str, float], source: str, *judged: str) -> list[str]:
    """Return one row of the table; ``judged`` are the points behind it, their error, and the day."""
    points, error, today = judged
    numbers = [f"{p[name]:.4g}" if name in p else "" for name in COLUMNS]
    return [gpu, operation, form, *numbers, points, error, source, today]


def write(lines: list[list[str]], output: Path) -> None:
    """Replace the rows of the accelerators of these lines in the table; those of others stay, behind them."""
    with output.open(encoding="utf-8", newline="") as table:
        names, *old = csv.reader(table)
    mine = {row[0] for row in lines}
    kept = [row for row in old if row[0] not in mine]
    with output.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([*lines, *kept] if "typical" in mine else [*kept, *lines])


# Attention of heads wider than 256. Triton's kernel on Hopper keeps 30 to 37 % of the arithmetic busy and 33 to 45 % of
# the memory; kernels of Blackwell in data centres take such heads as they take others.
WIDE = (("decode_attention", "wide_decode"), ("prefill_attention", "wide_prefill"))
TRITON = {"bandwidth": "0.39", "compute": "0.33", "half": "0"}
WIDE_SOURCE = "calibration/kernels.py: heads of 512 in Triton on Hopper, vLLM pull 43257"
FLASH = ("b200-sxm", "b300-sxm", "gb200", "gb300")
FLASH_SOURCE = "calibration/kernels.py: as narrower heads, trtllm-gen (TensorRT-LLM pull 17772, SGLang pull 25006)"


def wide(lines: list[list[str]]) -> list[list[str]]:
    """Return the rows of attention with heads wider than 256: those of Triton, or of kernels that take them."""
    found = []
    for narrow, name in WIDE:
        for gpu, _, form, *rest in (row for row in lines if row[1] == narrow and row[0] in ("typical", *FLASH)):
            numbers = dict(zip(COLUMNS, rest, strict=False))
            if gpu == "typical":
                numbers |= {column: share for column, share in TRITON.items() if numbers[column]}
            source = WIDE_SOURCE if gpu == "typical" else FLASH_SOURCE
            found.append([gpu, name, form, *numbers.values(), "", "", source, rest[-1]])
    return found


def main() -> None:
    """Fit every operation and write the table."""
    asked = parser(__doc__)
    asked.add_argument("folder", type=Path)
    folder, today = asked.parse_args().folder, datetime.date.today().isoformat()
    lines = [line for operation in OPERATIONS for line in rows_of(operation, folder, today)]
    write([*lines, *wide(lines)], OUTPUT)


if __name__ == "__main__":
    main()
