"""Fits the kernels of AMD's accelerators to their own measured times and writes them to src/sizebook/data/kernels.csv.

Run `python calibration/kernels_amd.py FOLDER` from the root of the repository, where FOLDER holds the CSV files below
`aiter/configs` of github.com/ROCm/aiter (MIT): the microseconds of the fastest matrix product and of the fastest routed
experts of many shapes, tuned on GPUs told apart by their compute units, 304 of MI300X and MI325X, 256 of MI350X and
MI355X. `kernels_amd.csv` holds published all-reduces, `attention_amd.csv` the published speed of attention over a
prompt. What else aiter does not tune, attention of decode steps among it, stays that of the median accelerator.

Servers do not read experts as the tuned kernels do: `servers_amd.csv` holds published times per token of MI300X. Dense
models are as predicted, those with experts 27 to 61 % slower. So experts of 304 units take the share of bandwidth at
which these servers, each source counting as one, are off least. Needs NumPy and Polars.
"""

import csv
import datetime
import math
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any

import polars as pl
from command import parser
from kernel_operations import OPERATIONS, PASSES, Operation
from kernels import COLUMNS, OUTPUT, fitted, line, machine, write
from serving_exam import asked_of

from sizebook.serving.estimate import estimate
from sizebook.serving.memory import memory_of
from sizebook.tables.hardware import accelerator

# The accelerator whose datasheet shares are of, and those that have its compute units.
CHIPS = {304: ("mi300x", "mi325x"), 256: ("mi355x", "mi350x")}
REDUCES = Path(__file__).with_suffix(".csv")
ATTENTION = REDUCES.with_name("attention_amd.csv")
SERVERS = REDUCES.with_name("servers_amd.csv")
SERVED_UNITS = 304
AITER = "calibration/kernels_amd.py on tuned kernels of github.com/ROCm/aiter e4048607 (MIT), {units} compute units"
PUBLISHED = "calibration/kernels_amd.py on calibration/kernels_amd.csv (pull requests of vLLM and SGLang)"
SERVED = "; share of bandwidth: servers of calibration/servers_amd.csv"
READ = "calibration/kernels_amd.py on calibration/attention_amd.csv (github.com/ROCm/aiter, MIT)"
FEWEST = 30  # shapes of one fit; the 24 products in 16 bits with 304 units are no tuned ones
BOTH = ("bf16", "fp8")  # formats that all of them multiply in: where one has too few shapes it takes the others' shares
PRODUCT_FORMATS = {"bf16": "bf16", "a8w8": "fp8", "a4w4": "fp4"}  # by what a file's name says
# By what numbers activations and weights are in.
EXPERT_FORMATS = {
    ("bfloat16", "bfloat16"): "bf16", ("float8", "float8"): "fp8", ("float4", "float4"): "fp4",
    ("float8", "float4"): "mxfp4", ("bfloat16", "float4"): "mxfp4",
}  # fmt: skip
KEYS = {
    "product": ["m", "n", "k"],
    "experts": ["num_tokens", "hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size", "even"],
}
WHOLE = pl.Int64


def tables(folder: Path) -> list[tuple[str, pl.DataFrame]]:
    """Return the tuned tables by the names of their files."""
    paths = [path for path in sorted(folder.rglob("*.csv")) if "untuned" not in path.name]
    read = [(path.name, pl.read_csv(path, infer_schema_length=None, ignore_errors=True)) for path in paths]
    return [(name, table) for name, table in read if {"cu_num", "us"} <= set(table.columns)]


def products(folder: Path) -> pl.DataFrame:
    """Return matrix products of at least four million weights: smaller ones leave most compute units idle."""
    parts = []
    for name, table in tables(folder):
        form = next((form for word, form in PRODUCT_FORMATS.items() if word in name), None)
        if form is None or not {"M", "N", "K"} <= set(table.columns):
            continue
        if "q_dtype_w" in table.columns:
            table = table.filter(pl.col("q_dtype_w").str.contains("float8"))
        sizes = (pl.col(column).cast(WHOLE).alias(column.lower()) for column in ("M", "N", "K"))
        parts.append(table.select(*_timed(form), *sizes))
    big = (pl.col("n") * pl.col("k") >= 2**22) & (pl.min_horizontal("n", "k") >= 256) & pl.col("m").is_in(PASSES)
    return _fastest(pl.concat(parts).filter(big), "product")


def experts(folder: Path) -> pl.DataFrame:
    """Return routed experts with a gate, visited evenly, of passes as large as engines put together."""
    names = {"num_tokens": "token", "hidden_size": "model_dim", "inter_size": "inter_dim", "topk": "topk",
             "num_experts": "expert"}  # fmt: skip
    parts = []
    for _, table in tables(folder):
        if "token" not in table.columns or "q_dtype_a" not in table.columns:
            continue
        for (activations, weights), form in EXPERT_FORMATS.items():
            at = pl.col("q_dtype_a").str.contains(activations) & pl.col("q_dtype_w").str.contains(weights)
            sizes = (pl.col(theirs).cast(WHOLE).alias(ours) for ours, theirs in names.items())
            part = table.filter(at & (pl.col("use_g1u1") == 1) & (pl.col("token") <= PASSES[-1]))
            parts.append(part.select(*_timed(form), *sizes, moe_tp_size=pl.lit(1), even=pl.lit(1)))
    return _fastest(pl.concat(parts), "experts")


def _timed(form: str) -> tuple[pl.Expr, ...]:
    milliseconds = (pl.col("us").cast(pl.Float64) / 1e3).alias("milliseconds")
    return pl.col("cu_num").cast(WHOLE).alias("units"), pl.lit(form).alias("format"), milliseconds


def _fastest(points: pl.DataFrame, name: str) -> pl.DataFrame:
    keys = ["units", "format", *KEYS[name]]
    found = points.filter(pl.col("milliseconds") > 0).group_by(keys)
    return found.agg(pl.col("milliseconds").min()).sort(keys)


def reduces() -> pl.DataFrame:
    """Return the published all-reduces, of messages of two bytes an element.

    GPUs of a node are joined pair by pair: n of them have n - 1 of a GPU's seven links, so the message counts as if it
    went over all of them.
    """
    rows = published(REDUCES)
    return pl.DataFrame(
        {
            **_of_units(rows),
            "num_gpus": [int(row["num_gpus"]) for row in rows],
            "message_size": [int(row["message_bytes"]) / 2 * 7 / (int(row["num_gpus"]) - 1) for row in rows],
            "milliseconds": [float(row["microseconds"]) / 1e3 for row in rows],
        }
    )


def prompts() -> pl.DataFrame:
    """Return the published attention of prompts, whose FLOPs count the half of the scores that a mask leaves."""
    rows, sizes = published(ATTENTION), ("batch_size", "num_heads", "num_key_value_heads", "head_dim", "isl")
    columns = {name: [int(row[name]) for row in rows] for name in sizes}
    flops = 2 * pl.col("batch_size") * pl.col("num_heads") * pl.col("head_dim") * pl.col("isl") ** 2
    speed = pl.Series("speed", [float(row["tera_flops"]) * 1e9 for row in rows])
    return pl.DataFrame({**_of_units(rows), **columns, "step": [0] * len(rows)}).with_columns(
        milliseconds=flops / speed
    )


def published(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table of published figures."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _of_units(rows: list[dict[str, str]]) -> dict[str, list[Any]]:
    units = {chips[0]: units for units, chips in CHIPS.items()}
    return {"units": [units[row["gpu"]] for row in rows], "format": [""] * len(rows)}


def lines_of(operation: Operation, points: pl.DataFrame, source: str, today: str, fewest: int) -> list[list[str]]:
    """Return the rows of one operation: one a format and accelerator that has the compute units."""
    found = []
    parts = points.partition_by("units", "format", as_dict=True)
    for form in sorted(points["format"].unique()):
        measured = [units for units in CHIPS if (units, form) in parts and parts[units, form].height >= fewest]
        for units, chips in CHIPS.items():
            if units not in measured and (not measured or form not in BOTH):
                continue
            of = units if units in measured else measured[0]
            part, gpu = parts[of, form], machine(accelerator(CHIPS[of][0]))
            values, error = fitted(operation, part, gpu, form, None)
            print(
                operation.name, form, chips[0], part.height, f"median error on shapes left out {error:.1%}", flush=True
            )
            numbers = dict(zip(operation.start, values, strict=True))
            judged = str(part.height), f"{error:.3f}", today
            found += [line(chip, operation.name, form, numbers, source.format(units=of), *judged) for chip in chips]
    return found


def logs_off(row: dict[str, str], share: float) -> float:
    """Return log(predicted / published) of a server's time per token, with experts at a share of bandwidth."""
    case, _, demand, replica = asked_of(row)
    at = replace(case, rates={**case.rates, "experts_bandwidth": share})
    found = estimate(at, memory_of(at, row["gpu"], replica), demand)
    return math.log(float(found.tpot_seconds) / float(row["tpot"]))


def served_share(rows: list[dict[str, str]]) -> float:
    """Return the share of bandwidth with which servers are off least, each source counting as one."""
    sources = {row["source"] for row in rows}

    def off(share: float) -> float:
        return mean(mean(abs(logs_off(row, share)) for row in rows if row["source"] == each) for each in sources)

    return min((round(0.01 * step, 2) for step in range(10, 101)), key=off)


def as_served(lines: list[list[str]]) -> list[list[str]]:
    """Return the rows with experts of the accelerators that servers were published of at those servers' share."""
    rows = [row for row in published(SERVERS) if asked_of(row)[0].shape.n_experts]
    for source in {row["source"] for row in rows}:
        share = served_share([row for row in rows if row["source"] != source])
        off = mean(abs(math.expm1(logs_off(row, share))) for row in rows if row["source"] == source)
        print(f"experts at {share} by the others: TPOT of {source} off {off:.1%}")
    share, at, said = served_share(rows), 3 + COLUMNS.index("bandwidth"), -2
    return [
        [*row[:at], f"{share:g}", *row[at + 1 : said], row[said] + SERVED, row[-1]]
        if row[0] in CHIPS[SERVED_UNITS] and row[1] == "experts"
        else row
        for row in lines
    ]


def main() -> None:
    """Fit what was measured and replace the rows of these accelerators in the table."""
    asked = parser(__doc__)
    asked.add_argument("folder", type=Path)
    folder, today = asked.parse_args().folder, datetime.date.today().isoformat()
    of = {operation.name: operation for operation in OPERATIONS}
    lines = lines_of(of["product"], products(folder), AITER, today, FEWEST)
    lines += lines_of(of["experts"], experts(folder), AITER, today, FEWEST)
    lines += lines_of(of["reduce"], reduces(), PUBLISHED, today, 1)
    lines += lines_of(of["prefill_attention"], prompts(), READ, today, 1)
    write(as_served(lines), OUTPUT)


if __name__ == "__main__":
    main()
