"""Fits the rates of the serving-time model on measured rows and writes them with their errors to src/sizebook/data.

Run `python calibration/serving.py TABLE` from the root of the repository, where TABLE holds measured TTFT and TPOT
(columns as in aiconfigurator's silicon_sample.csv). Needs NumPy. Robust Gauss-Newton on log(predicted / measured):

- a rate is one value for all rows times factors per engine, generation and format, each shrunk towards 1;
- every group (architecture, system, engine, precision) has an offset of its own in the fit, shrunk towards 0, so that
  one odd benchmark set does not bend the physics; predictions use none;
- the error is what each group shows when the fit saw no row of it. Its quantiles are shipped.

The table does not say which runs speculated, nor the format of their cache: `serving_recipes.csv` does, from the public
scripts that ran them. `unstated_speculation` is the one factor on TPOT that serves TensorRT-LLM rows of models with
prediction layers best when nobody says.
"""

from __future__ import annotations

import csv
import datetime
import re
import sys
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from serving_recipes import drafted, layout_run, read_recipes, recipe_of

from sizebook.core.errors import SizebookError
from sizebook.serving.case import (
    ENGINES,
    Case,
    attention_dtype_of,
    case_of,
    dtype_class,
    generation_class,
    layout_meant,
    weight_dtype_of,
)
from sizebook.serving.memory import capacity_sequences
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.shape import side_by_side
from sizebook.serving.time import latency
from sizebook.tables.hardware import accelerator

DATA = Path(__file__).parent.parent / "src" / "sizebook" / "data"
# How far a rate may move from its start, a factor and a group's offset from none, in logs. Chosen among some sixty
# settings by the error on groups left out, so a group that nobody has measured yet may fare a little worse.
PRIOR, OFFSET_PRIOR = 0.2, (0.17, 0.1)
FACTOR_PRIOR = {"engine": 2.0, "generation": 1.2, "engine generation": 2.0, "attention dtype": 0.5, "expert dtype": 0.5}
NOISE_TPOT, NOISE_TTFT = 0.06, 0.25  # logs; beyond it a row counts less
WEIGHT_TTFT = 1.2
ROUNDS_LEFT_OUT = 8  # from the fit to all rows; 20 from the start change the mean error by 0.02 points
GENERATIONS, FORMATS = ("hopper", "blackwell"), ("bf16", "fp8", "fp4", "int4")
LEVELS = {
    "engine": ENGINES,
    "generation": GENERATIONS,
    "engine generation": tuple(f"{e} {g}" for e in ENGINES for g in GENERATIONS),
    "attention dtype": FORMATS,
    "expert dtype": FORMATS,
}

# Name: start, levels whose factors are fitted, meaning.
RATES: dict[str, tuple[float, tuple[str, ...], str]] = {
    "weight_bandwidth": (0.8, ("attention dtype",), "share of memory bandwidth at which weights are read"),
    "expert_bandwidth": (0.7, ("expert dtype",), "the same for routed experts"),
    "cache_bandwidth": (0.8, (), "the same for the cache"),
    "decode_compute": (0.55, (), "share of the dense peak in decode steps"),
    "expert_compute_few": (0.1, (), "the same for routed experts that few tokens reach, in any pass"),
    "expert_compute_many": (0.27, (), "the same for routed experts that many tokens reach"),
    "expert_half_tokens": (32.0, (), "tokens of an expert at which it is halfway between the two"),
    "decode_scores": (0.5, (), "share of the 16-bit peak for attention scores in decode steps"),
    "prefill_compute": (0.6, (), "share of the dense peak in prompts"),
    "prefill_scores": (0.45, (), "share of the 16-bit peak for attention scores in prompts"),
    "collective_seconds": (1e-5, (), "latency of one all-reduce"),
    "decode_link": (0.5, ("generation",), "share of the link in decode steps"),
    "prefill_link": (0.8, ("engine generation",), "share of the link in prompts; above 1 where the switch adds up"),
    "exchange_seconds": (4e-5, (), "latency of sending tokens to experts and back, a layer"),
    "activation_passes": (10.0, (), "times that a token's activations pass through memory, a layer"),
    "dispatch_passes": (14.0, (), "the same for each routed expert of a token, an expert layer"),
    "expert_imbalance": (0.1, (), "extra time of the fullest expert shard"),
    "layer_time": (1.0, ("engine generation",), "fixed times of layers, relative to one another"),
    "attention_layer_seconds": (2.5e-5, ("generation",), "fixed time of an attention layer"),
    "dense_layer_seconds": (1e-5, ("generation",), "fixed time of a feed-forward block or shared expert, a layer"),
    "state_layer_seconds": (4e-5, (), "fixed time of a layer with recurrent state"),
    "expert_layer_seconds": (2.4e-5, ("generation", "expert dtype"), "fixed time of routing and experts, a layer"),
    "latent_layer_seconds": (1.2e-5, ("generation",), "extra of latent attention, a layer"),
    "index_layer_seconds": (3.5e-5, (), "extra of an indexer, a layer"),
    "overlap_power": (1.9, (), "power of the smooth maximum of memory and compute time"),
    "step_seconds": (1e-3, ("generation",), "scheduling of one step"),
    "request_seconds": (3e-6, (), "scheduling of one request in one step"),
    "interleave": (1.0, ("engine",), "work of other requests' prompts, over their share of a pass"),
    "first_token_seconds": (0.03, ("engine",), "fixed time before the first token"),
    "prefill_layer_factor": (1.0, (), "fixed layer time in prompts over that in decode steps"),
    "queue": (0.3, ("engine",), "prompts waited for, per (batch - 1)^queue_power"),
    "queue_power": (0.77, (), "growth of the queue with the batch"),
    "first_token_steps": (2.0, ("engine",), "decode steps waited for before the first token"),
    "draft_acceptance": (0.6, (), "chance that a drafted token is accepted in an answer of 1,024 tokens"),
    "draft_growth": (0.1, (), "power of the answer's length with which that chance grows"),
}


@dataclass
class Rows:
    """The measured rows as arrays: cases without rates, loads, levels, groups and measurements."""

    case: Case
    levels: dict[str, Any]
    group: Any
    speculates: Any
    tokens_in: Any
    tokens_out: Any
    concurrency: Any
    ttft: Any
    tpot: Any
    usable: Any


def read_rows(path: Path, recipes: list[dict[str, str]]) -> tuple[Rows, Counter[str]]:
    """Return the rows whose model the catalog can describe, as their recipes ran them, and how many of each problem."""
    kept: list[dict[str, Any]] = []
    problems: Counter[str] = Counter()
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["mode"] != "agg":
                continue
            if not _one_load(row):
                problems["the row states two different loads"] += 1
                continue
            try:
                kept.append(_row(row, recipes))
            except SizebookError as error:
                problems[f"{row['model_path']}: {error}"] += 1
    return _stacked(kept), problems


def _one_load(row: dict[str, str]) -> bool:
    """Return whether the concurrency in the row's name is the batch times the attention ranks of its columns."""
    named = re.search(r"_c(\d+)", row["id"])
    return named is None or int(named[1]) == int(row["batch_size"]) * max(1, int(row["attention_dp_size"] or 1))


def _row(row: dict[str, str], recipes: list[dict[str, str]]) -> dict[str, Any]:
    recipe = recipe_of(row, recipes)
    gpu = accelerator(row["system"])
    engine = {"trtllm": "tensorrt-llm"}.get(row["backend"], row["backend"])
    degrees = (row[f"{n}_size"] for n in ("tp", "attention_dp", "moe_ep"))
    tp, dp, ep = (max(1, int(d or 1)) for d in degrees)
    concurrency = int(row["batch_size"]) * dp
    tp, dp, ep, _ = layout_meant(tp, dp, min(ep, tp * dp), gpu.scale_up_domain)
    tp, dp, ep = layout_run(recipe, tp, dp, ep, concurrency)
    dtype = weight_dtype_of(row["model_path"], row["moe_quant_mode"] or None)
    replica = Replica(engine=engine, weight_dtype=dtype, kv_dtype=recipe.get("kv_dtype"), tp=tp, dp=dp, ep=ep)
    case = case_of(row["model_path"], gpu.key, replica)
    group = f"{case.shape}|{gpu.key}|{engine}|{row['precision']}"
    return {
        "case": case,
        "engine": engine,
        "drafted": drafted(recipe, dp),
        "generation": generation_class(gpu),
        "engine generation": f"{engine} {generation_class(gpu)}",
        "attention dtype": dtype_class(attention_dtype_of(case.shape, dtype)),
        "expert dtype": dtype_class(dtype),
        "group": group,
        "load": (int(row["isl"]), int(row["osl"]), concurrency),
        "measured": (float(row["silicon_ttft_ms"]) / 1e3, float(row["silicon_tpot_ms"]) / 1e3),
        "capacity": capacity_sequences(case, gpu, engine, int(row["isl"]) + int(row["osl"])) * dp,
        "name": f"{row['model_path']} {gpu.key} {engine} {row['precision'] or 'bf16'}",
    }


def _stacked(kept: list[dict[str, Any]]) -> Rows:
    cases = [k["case"] for k in kept]
    shape = side_by_side([c.shape for c in cases], np.array)
    plain = {f.name: np.array([float(getattr(c, f.name)) for c in cases]) for f in fields(Case)[2:]}
    plain["draft_tokens"] = np.array([float(k["drafted"] or 0) for k in kept])
    plain["tokens_per_step"] = np.zeros(len(kept))  # as the fit finds
    plain["unstated"] = np.ones(len(kept))
    load, measured = (np.array([k[name] for k in kept], float) for name in ("load", "measured"))
    levels = {n: np.array([[k[n] == key for key in keys] for k in kept], float) for n, keys in LEVELS.items()}
    names = {}
    for k in kept:
        names.setdefault(k["group"], k["name"])
    group = np.array([names[k["group"]] for k in kept])
    speculates = (levels["engine"][:, 2] > 0) & (shape.n_mtp_layers > 0)
    usable = np.array([k["capacity"] for k in kept]) >= load[:, 2]
    case = Case(shape=shape, rates={}, **plain)
    return Rows(case, levels, group, speculates, *load.T, *measured.T, usable)


def part(rows: Rows, at: Any) -> Rows:
    """Return some of the rows."""
    shape = side_by_side([rows.case.shape], lambda column: column[0][at])
    case = Case(shape=shape, rates={}, **{f.name: getattr(rows.case, f.name)[at] for f in fields(Case)[2:]})
    levels = {name: hot[at] for name, hot in rows.levels.items()}
    rest = (getattr(rows, f.name)[at] for f in fields(Rows)[2:])
    return Rows(case, levels, *rest)


class Layout:
    """Where each rate and factor sits in the vector that is fitted, its start and how freely it may move."""

    def __init__(self) -> None:
        self.places: list[tuple[str, str, int, int]] = []
        start, free = [], []
        for name, (value, levels, _) in RATES.items():
            self.places.append((name, "all", len(start), 1))
            start.append(np.log(value))
            free.append(PRIOR)
            for level in levels:
                self.places.append((name, level, len(start), len(LEVELS[level])))
                start += [0.0] * len(LEVELS[level])
                free += [FACTOR_PRIOR[level]] * len(LEVELS[level])
        self.start, self.free = np.array(start), np.array(free)

    def rates(self, theta: Any, rows: Rows) -> dict[str, Any]:
        logs: dict[str, Any] = {}
        for name, level, at, n in self.places:
            value = theta[at] if level == "all" else rows.levels[level] @ theta[at : at + n]
            logs[name] = logs.get(name, 0.0) + value
        return {name: np.exp(value) for name, value in logs.items()}


LAYOUT = Layout()


def predict(theta: Any, rows: Rows) -> tuple[Any, Any]:
    """Return TTFT and TPOT."""
    case = Case(**{**rows.case.__dict__, "rates": LAYOUT.rates(theta, rows)})
    demand = Demand(input_tokens=rows.tokens_in, output_tokens=rows.tokens_out, concurrency=rows.concurrency)
    found = latency(case, demand)
    return found.ttft_seconds, found.tpot_seconds


def logs_off(theta: Any, rows: Rows) -> Any:
    """Return log(predicted / measured), TPOT then TTFT."""
    ttft, tpot = predict(theta, rows)
    return np.concatenate([np.log(tpot / rows.tpot), np.log(ttft / rows.ttft)])


def fit(rows: Rows, theta: Any = None, rounds: int = 20) -> Any:
    """Return the fitted vector: Gauss-Newton with pseudo-Huber weights, priors and offsets of groups."""
    theta = LAYOUT.start.copy() if theta is None else theta.copy()
    names, member = np.unique(rows.group, return_inverse=True)
    n, n_groups, n_theta = len(rows.tpot), len(names), len(theta)
    counts = np.bincount(member)
    base = np.maximum(counts[member], 5.0) ** -0.1
    base = np.concatenate([base / base.mean(), WEIGHT_TTFT * base / base.mean()]) ** 2
    scale = np.concatenate([np.full(n, NOISE_TPOT), np.full(n, NOISE_TTFT)])
    offsets = np.zeros((2 * n, 2 * n_groups))
    offsets[np.arange(2 * n), np.concatenate([member, member + n_groups])] = 1
    penalty = np.concatenate([LAYOUT.free, *(np.full(n_groups, o) for o in OFFSET_PRIOR)]) ** -2.0
    shift = np.zeros(2 * n_groups)
    for _ in range(rounds):
        now = logs_off(theta, rows)
        off = now + offsets @ shift
        slopes = np.stack([(logs_off(theta + 1e-4 * unit, rows) - now) / 1e-4 for unit in np.eye(n_theta)], 1)
        slopes = np.clip(slopes, -10, 10)
        joint = np.hstack([slopes, offsets])
        weight = base / np.sqrt(1 + (off / scale) ** 2)
        pull = np.concatenate([(theta - LAYOUT.start), shift]) * penalty
        normal = joint.T @ (joint * weight[:, None]) + np.diag(penalty)
        step = -np.linalg.solve(normal, joint.T @ (weight * off) + pull)
        theta, shift = theta + np.clip(step[:n_theta], -0.5, 0.5), shift + step[n_theta:]
    return theta


def unstated_factor(theta: Any, bare: Rows) -> float:
    """Return the factor on TPOT that serves rows that may speculate best, too slow counting as much as too fast."""
    if not bare.speculates.any():
        return 1.0
    at = bare.speculates
    ratio = predict(theta, bare)[1][at] / bare.tpot[at]
    return float(min(np.linspace(0.6, 1, 41), key=lambda f: (np.maximum(f * ratio, 1 / (f * ratio)) - 1).mean()))


def left_out(rows: Rows, bare: Rows, theta: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """Return TTFT and TPOT of every row as predicted by a fit that saw no row of its group.

    Twice: as the rows ran, and as their own columns alone describe them, nobody saying whether they speculate.
    """
    ran, told = np.zeros((2, len(rows.tpot))), np.zeros((2, len(rows.tpot)))
    for group in np.unique(rows.group):
        inside = rows.group == group
        fitted = fit(part(rows, ~inside), theta, rounds=ROUNDS_LEFT_OUT)
        ran[:, inside] = predict(fitted, part(rows, inside))
        unseen = part(bare, inside)
        ttft, tpot = predict(fitted, unseen)
        factor = unstated_factor(fitted, part(bare, ~inside))
        told[:, inside] = ttft, np.where(unseen.speculates, tpot * factor, tpot)
    return (ran[0], ran[1]), (told[0], told[1])


def main() -> None:
    """Fit, cross-validate, write the tables and print what was reached."""
    from serving_tables import write_errors, write_rates

    path = Path(sys.argv[1])
    rows, problems = read_rows(path, read_recipes())
    bare, _ = read_rows(path, [])
    for problem, times in problems.items():
        print(f"left out {times} rows: {problem}")
    usable, told = part(rows, rows.usable), part(bare, rows.usable)
    theta = fit(usable)
    by_run, by_columns = left_out(usable, told, theta)
    today = datetime.date.today().isoformat()
    write_rates(DATA / "calibration_serving.csv", theta, unstated_factor(theta, told), usable, today)
    missing = (len(rows.tpot), problems["the row states two different loads"])
    write_errors(usable, by_run, by_columns, missing, today)


if __name__ == "__main__":
    main()
