"""The fit of the serving-time model to measured rows of running servers: robust Gauss-Newton on log(predicted /
measured).

- a number is one value for all rows, shrunk towards its start; on launching the kernels of prompts engines have a
  factor, shrunk towards 1, and on the queue servers to which requests come together, which no estimate takes;
- every group (architecture, system, engine, precision) has an offset of its own in the fit, shrunk towards 0, so that
  one odd benchmark set does not bend the physics; predictions use none;
- copies and rows with wrong inputs are left out. The error is what a fit shows on an architecture, and on an engine x
  GPU pair, of which it saw no row: a group among its sisters would flatter it. The variant of the model was chosen by
  the first, the second is what the tables and bands state.
"""

from collections import Counter
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from serving_recipes import SETTINGS, chunk_tokens, drafted, held_steps, layout_run, recipe_of, rows_of
from serving_rows import listed_twice, one_load, overlapped, share_of_datasheet

from sizebook.core.errors import SizebookError
from sizebook.serving.band import Setting, architecture_of, bits_of
from sizebook.serving.case import Case, case_of, counted_twice, layout_meant, startable
from sizebook.serving.formats import weight_dtype_of
from sizebook.serving.memory import Engine, engine_constants, engine_memory, physical_bytes, requests_that_fit
from sizebook.serving.quantities import ENGINES, Demand, Replica
from sizebook.serving.releases import place_of
from sizebook.serving.shape import side_by_side
from sizebook.serving.time import latency
from sizebook.tables.hardware import accelerator

DATA = Path(__file__).parent.parent / "src" / "sizebook" / "data"
RAN_AS = {"vllm": "0.19", "sglang": "0.5.7"}  # the rules of data/engines.csv that the measured servers ran under
OFFSET_PRIOR = (0.17, 0.2)  # how far a group's offsets of TPOT and TTFT may move from none, in logs
ENGINE_PRIOR = 1.2  # how far an engine's factor, or one of arrivals, may move from 1, in logs
WAVES = "in waves"  # how requests came to a server of measured rows
NOISE_TPOT, NOISE_TTFT = 0.06, 0.25  # logs; beyond it a row counts less
WEIGHT_TTFT = 1.2
ROUNDS_LEFT_OUT = 8  # from the fit to all rows
GROUP_POWER = 0.5  # a group of n rows counts n^(1 - this)
LEVELS = {"engine": ENGINES, "arrivals": (WAVES,)}


class Number(NamedTuple):
    """A number that is fitted: its start, how far it may move in logs, levels with factors, meaning."""

    start: float
    free: float
    levels: tuple[str, ...]
    meaning: str


RATES: dict[str, Number] = {
    "layer_seconds": Number(
        8e-6, 0.7, (), "fixed time of a layer beside its measured kernels; again for its experts, state and indexer"
    ),
    "activation_passes": Number(
        10.0, 0.4, (), "times that a token's activations pass through memory beside them, a layer"
    ),
    "step_seconds": Number(1.5e-3, 0.6, (), "scheduling of one step"),
    "request_seconds": Number(1.5e-5, 0.7, (), "scheduling of one request in one step"),
    "queue_under_way": Number(0.5, 0.5, (), "prompts under way when a request comes to a server with others"),
    "queue_share": Number(0.06, 0.5, ("arrivals",), "share of all other prompts in flight that a request waits for"),
    "eager_seconds": Number(
        3e-4,
        1.0,
        ("engine",),
        "launching the kernels of a layer one by one in a pass of prompts, as layer_seconds counts",
    ),
    "first_token_seconds": Number(0.01, 0.3, (), "fixed time before the first token"),
    "first_token_steps": Number(1.5, 0.3, (), "decode steps waited for before the first token"),
    "draft_acceptance": Number(0.6, 0.15, (), "chance that a drafted token is accepted in an answer of 1,024 tokens"),
    "draft_growth": Number(0.1, 0.5, (), "power of the answer's length with which that chance grows"),
}


@dataclass
class Rows:
    """The measured rows as arrays: cases without rates, loads, levels, groups and measurements."""

    case: Case
    kernels: dict[str, Any]
    levels: dict[str, Any]
    group: Any
    architecture: Any
    pair: Any
    combination: Any
    gpu: Any
    release: Any
    tokens_in: Any
    tokens_out: Any
    concurrency: Any
    ttft: Any
    tpot: Any
    usable: Any


def read_rows(
    folder: Path, recipes: list[dict[str, str]], *, told: bool = False, own: bool = False
) -> tuple[Rows, Counter[str]]:
    """Return the clean rows whose model the catalog describes, and the count of problems.

    They are as their recipes ran them, or, of the same rows, what their own columns have ``told``, or their own
    checkpoints where these name the format by their ``own`` words. A row is left out
    where no engine starts the layout that it ran in, as sweeps refuse it.
    """
    flagged = rows_of(folder / "serving_flags.csv")
    flags = {row["id"]: row["flags"].split(";")[0].split(":")[0] for row in flagged}
    kept: list[dict[str, Any]] = []
    problems: Counter[str] = Counter()
    every = [row for path in sorted(folder.glob("serving_measured*.csv")) for row in rows_of(path)]
    clean = [row for row in every if row["mode"] == "agg" and row["id"] not in flags]
    flags |= dict.fromkeys(listed_twice(clean), "copy_of")
    for row in every:
        if row["mode"] != "agg":
            continue
        problem = flags.get(row["id"]) or ("" if one_load(row) else "two_loads")
        if problem:
            problems[problem] += 1
            continue
        try:
            kept.append(_row(row, recipe_of(row, recipes), told=told or own, own=own))
        except SizebookError as error:
            problems[f"{row['model_path']}: {error}"] += 1
    for k in kept:  # a host took their requests, whatever lay in the cache: no fit sees them, its ceiling does
        if k["share"] > 1:
            k["capacity"] = 0
            problems["impossible"] += 1
    return _stacked(kept), problems


def _row(row: dict[str, str], recipe: dict[str, str], *, told: bool, own: bool) -> dict[str, Any]:
    gpu = accelerator(row["system"])
    engine = {"trtllm": "tensorrt-llm"}.get(row["backend"], row["backend"])
    degrees = (row[f"{n}_size"] for n in ("tp", "attention_dp", "moe_ep"))
    tp, dp, ep = (max(1, int(d or 1)) for d in degrees)
    concurrency = int(row["batch_size"]) * dp
    tp, dp, ep, _ = layout_meant(tp, dp, min(ep, tp * dp), gpu.scale_up_domain)
    dtype = weight_dtype_of(row["model_path"], None if own else row["moe_quant_mode"] or None)
    columns = Replica(engine=engine, weight_dtype=dtype, tp=tp, dp=dp, ep=ep)
    tp, dp, ep = layout_run(recipe, tp, dp, ep, concurrency)
    ran = replace(columns, kv_dtype=recipe.get("kv_dtype"), tp=tp, dp=dp, ep=ep)
    case = startable(case_of(row["model_path"], gpu.key, ran))
    setting = recipe_of(row, SETTINGS)
    case = replace(case, chunk_tokens=chunk_tokens(setting, int(row["isl"])) or case.chunk_tokens)
    if told:
        if counted_twice(columns.tp, columns.dp, columns.ep, gpu.scale_up_domain):
            columns = replace(columns, tp=tp, dp=dp, ep=ep)  # as no estimate takes such columns
        case, dp, recipe, setting = case_of(row["model_path"], gpu.key, columns), columns.dp, {}, {}
    case = replace(case, overlapped=overlapped(engine, row["backend_version"], gpu))
    held = held_steps(setting, dp, concurrency)
    memory = engine_memory(case, physical_bytes(gpu), ran_with(engine))
    group = f"{case.shape}|{gpu.key}|{engine}|{row['precision']}"
    return {
        "case": case,
        "engine": engine,
        "architecture": architecture_of(case.shape),
        "pair": f"{engine} {gpu.key}",
        "combination": _combination(case, gpu.key, engine, bool(drafted(recipe, dp))),
        "gpu": gpu.key,
        "release": row["backend_version"] if place_of(row["backend_version"]) else "",
        "share": 0.0 if drafted(recipe, dp) else share_of_datasheet(case, row, concurrency / dp),
        "drafted": drafted(recipe, dp),
        "arrivals": "" if told else _arrivals(row, engine),
        "held": held,
        "group": group,
        "load": (int(row["isl"]), int(row["osl"]), concurrency),
        "measured": (float(row["silicon_ttft_ms"]) / 1e3, float(row["silicon_tpot_ms"]) / 1e3),
        "capacity": requests_that_fit(case, memory, int(row["isl"]), int(row["osl"])) * dp,
        "name": f"{row['model_path']} {gpu.key} {engine} {row['precision'] or 'bf16'}",
    }


def ran_with(engine: str) -> Engine:
    """Return what an engine took on the measured servers.

    InferenceX starts hybrids in SGLang without a prefix cache (qwen3.5_*.sh: --disable-radix-cache): a request then
    takes one state, and one for each token that a step checks, of the cache that all share.
    """
    constants = engine_constants(engine, RAN_AS.get(engine, ""))
    if engine != "sglang":
        return constants
    alone = {"state_copies": 1.0, "state_copies_drafting": 2.0, "state_copies_per_draft": 1.0}
    return replace(constants, state_share=0.0, state_aside=0.0, **alone)


def _arrivals(row: dict[str, str], engine: str) -> str:
    """Return how requests came to a server that passes prompts before it decodes on, which SGLang does.

    Where all of them are alike (rows without a day) they start together, so they end, and the next come, together.
    """
    return WAVES if engine == "sglang" and "measured=" not in row["silicon_data_source"] else ""


def _combination(case: Case, gpu: str, engine: str, drafts: bool) -> str:
    """Return what has a band of its own: architecture, bits of a weight, whether it drafts, accelerator, engine."""
    return " ".join((*Setting(architecture_of(case.shape), bits_of(case.expert_bytes), drafts, False).key, gpu, engine))


def _stacked(kept: list[dict[str, Any]]) -> Rows:
    cases = [k["case"] for k in kept]
    shape = side_by_side([c.shape for c in cases], np.array)
    plain = {f.name: np.array([float(getattr(c, f.name)) for c in cases]) for f in fields(Case)[2:]}
    plain["draft_tokens"] = np.array([float(k["drafted"] or 0) for k in kept])
    plain["tokens_per_step"] = np.zeros(len(kept))  # as the fit finds
    plain["held_steps"] = np.array([k["held"] for k in kept])
    load, measured = (np.array([k[name] for k in kept], float) for name in ("load", "measured"))
    levels = {n: np.array([[k[n] == key for key in keys] for k in kept], float) for n, keys in LEVELS.items()}
    kernels = {name: np.array([c.rates[name] for c in cases]) for name in cases[0].rates if name not in RATES}
    names: dict[str, str] = {}
    for k in kept:
        names.setdefault(k["group"], k["name"])
    group = np.array([names[k["group"]] for k in kept])
    of = (np.array([k[name] for k in kept]) for name in ("architecture", "pair", "combination", "gpu", "release"))
    usable = np.array([k["capacity"] for k in kept]) >= load[:, 2]
    case = Case(shape=shape, rates={}, **plain)
    return Rows(case, kernels, levels, group, *of, *load.T, *measured.T, usable)


def part(rows: Rows, at: Any) -> Rows:
    """Return some of the rows."""
    shape = side_by_side([rows.case.shape], lambda column: column[0][at])
    case = Case(shape=shape, rates={}, **{f.name: getattr(rows.case, f.name)[at] for f in fields(Case)[2:]})
    kernels, levels = ({name: values[at] for name, values in of.items()} for of in (rows.kernels, rows.levels))
    rest = (getattr(rows, f.name)[at] for f in fields(Rows)[3:])
    return Rows(case, kernels, levels, *rest)


class Layout:
    """Where each rate and factor sits in the vector that is fitted, its start and how freely it may move."""

    def __init__(self, numbers: dict[str, Number]) -> None:
        self.places: list[tuple[str, str, int, int]] = []
        start, free = [], []
        for name, number in numbers.items():
            self.places.append((name, "all", len(start), 1))
            start.append(np.log(number.start))
            free.append(number.free)
            for level in number.levels:
                self.places.append((name, level, len(start), len(LEVELS[level])))
                start += [0.0] * len(LEVELS[level])
                free += [ENGINE_PRIOR] * len(LEVELS[level])
        self.start, self.free = np.array(start), np.array(free)

    def rates(self, theta: Any, rows: Rows) -> dict[str, Any]:
        logs: dict[str, Any] = {}
        for name, level, at, n in self.places:
            value = theta[at] if level == "all" else rows.levels[level] @ theta[at : at + n]
            logs[name] = logs.get(name, 0.0) + value
        return {**rows.kernels, **{name: np.exp(value) for name, value in logs.items()}}


LAYOUT = Layout(RATES)


def scheduled(theta: Any, engine: str) -> dict[str, float]:
    """Return the scheduling of an engine from a fitted vector: each number times the engine's factor."""
    logs: dict[str, float] = {}
    for name, level, at, _ in LAYOUT.places:
        if level in ("all", "engine"):
            place = LEVELS[level].index(engine) if level == "engine" else 0
            logs[name] = logs.get(name, 0.0) + float(theta[at + place])
    return {name: float(np.exp(log)) for name, log in logs.items()}


def predict(theta: Any, rows: Rows, layout: Layout = LAYOUT) -> tuple[Any, Any]:
    """Return TTFT and TPOT."""
    case = Case(**{**rows.case.__dict__, "rates": layout.rates(theta, rows)})
    demand = Demand(input_tokens=rows.tokens_in, output_tokens=rows.tokens_out, concurrency=rows.concurrency)
    found = latency(case, demand)
    return found.ttft_seconds, found.tpot_seconds


def logs_off(theta: Any, rows: Rows, layout: Layout) -> Any:
    """Return log(predicted / measured), TPOT then TTFT."""
    ttft, tpot = predict(theta, rows, layout)
    return np.concatenate([np.log(tpot / rows.tpot), np.log(ttft / rows.ttft)])


def fit(rows: Rows, theta: Any = None, rounds: int = 20, layout: Layout = LAYOUT) -> Any:
    """Return the fitted vector: Gauss-Newton with pseudo-Huber weights, priors and offsets of groups."""
    theta = layout.start.copy() if theta is None else theta.copy()
    names, member = np.unique(rows.group, return_inverse=True)
    n, n_groups, n_theta = len(rows.tpot), len(names), len(theta)
    counts = np.bincount(member)
    base = np.maximum(counts[member], 5.0) ** -GROUP_POWER
    base = np.concatenate([base / base.mean(), WEIGHT_TTFT * base / base.mean()])
    scale = np.concatenate([np.full(n, NOISE_TPOT), np.full(n, NOISE_TTFT)])
    offsets = np.zeros((2 * n, 2 * n_groups))
    offsets[np.arange(2 * n), np.concatenate([member, member + n_groups])] = 1
    penalty = np.concatenate([layout.free, *(np.full(n_groups, o) for o in OFFSET_PRIOR)]) ** -2.0
    shift = np.zeros(2 * n_groups)
    for _ in range(rounds):
        now = logs_off(theta, rows, layout)
        off = now + offsets @ shift
        slopes = np.stack([(logs_off(theta + 1e-4 * unit, rows, layout) - now) / 1e-4 for unit in np.eye(n_theta)], 1)
        slopes = np.clip(slopes, -10, 10)
        joint = np.hstack([slopes, offsets])
        weight = base / np.sqrt(1 + (off / scale) ** 2)
        pull = np.concatenate([(theta - layout.start), shift]) * penalty
        normal = joint.T @ (joint * weight[:, None]) + np.diag(penalty)
        step = -np.linalg.solve(normal, joint.T @ (weight * off) + pull)
        theta, shift = theta + np.clip(step[:n_theta], -0.5, 0.5), shift + step[n_theta:]
    return theta


Pair = tuple[Any, Any]  # TTFT and TPOT of every row, seconds


def left_out(rows: Rows, bare: Rows, theta: Any, units: Any) -> tuple[Pair, Pair]:
    """Return TTFT and TPOT of every row as predicted by a fit that saw no row of its unit: an architecture, a pair.

    Twice: as the rows ran, and as their own columns alone describe them.
    """
    ran, told = np.zeros((2, len(rows.tpot))), np.zeros((2, len(rows.tpot)))
    for unit in np.unique(units):
        inside = units == unit
        fitted = fit(part(rows, ~inside), theta, rounds=ROUNDS_LEFT_OUT)
        ran[:, inside] = predict(fitted, part(rows, inside))
        told[:, inside] = predict(fitted, part(bare, inside))
    return (ran[0], ran[1]), (told[0], told[1])


def part_with(rows: Rows, **changed: Any) -> Rows:
    """Return the rows with other fields of their cases."""
    return replace(rows, case=Case(**{**rows.case.__dict__, **changed}))


def with_typical_kernels(rows: Rows, typical: dict[str, Any]) -> Rows:
    """Return the rows as if nobody had measured kernels of their accelerators."""
    return replace(rows, kernels=typical)


def most_served(rows: Rows) -> tuple[float, float]:
    """Return the most requests and output tokens a second that one measured server reached."""
    requests = rows.concurrency / (rows.ttft + rows.tpot * (rows.tokens_out - 1))
    return float(requests.max()), float((requests * rows.tokens_out).max())
