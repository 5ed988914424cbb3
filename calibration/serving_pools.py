"""Compares pools with measured ones, none of which entered the fit, and writes their bands and the table of errors.

Run `python calibration/serving_pools.py FOLDER` from the root of the repository with the folder `serving.py` takes.
Only rows that say how many requests were in flight can be compared, and whose workers are known: from the table, or
from `serving_pools.csv`, every entry for their loads in the lists of InferenceX from November 2025 to April 2026, with
the drafts and the most requests at once that its file names. A run of which several entries may be true is in doubt and
left out; each run counts once. Scheduling comes from fits that saw no server of the engine on the GPU, nothing else is
fitted. The form in which experts' compute grows with their tokens was chosen with a look at the time per token of rows
whose workers the table states.
"""

import csv
import datetime
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from command import parser
from serving_fit import DATA, ROUNDS_LEFT_OUT, fit, part, read_rows, scheduled
from serving_folds import quantiles
from serving_recipes import Row, read_recipes, recipe_of, rows_of
from serving_tables import TABLE

from sizebook.serving.band import ANY, ONE, POOLS, SEVERAL, workers_in_words
from sizebook.serving.case import Case, case_of
from sizebook.serving.formats import weight_dtype_of
from sizebook.serving.memory import memory_of, requests_that_fit
from sizebook.serving.pools import Pool, Pools, pooled
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.shape import ServingShape
from sizebook.tables.hardware import accelerator

LISTED = rows_of(Path(__file__).with_suffix(".csv"))
OUTPUT = DATA.parents[2] / "docs" / "serving_pools_table.md"
NAMES: dict[ServingShape, str] = {}  # of models: those that are alike are one
SIDES = ("prefill", "decode")
FIGURES = ("ttft", "tpot", "throughput")
SOURCE = f"calibration/serving_pools.py; {TABLE}"


@dataclass(frozen=True)
class Measured:
    """One measured run of pools: its names, its case, its load, and seconds measured."""

    group: str
    pair: str
    wide: str
    workers: str
    pools: Pools
    demand: Demand
    ttft: float
    tpot: float


def stated(row: Row) -> Row:
    """Return a row of pools with its load and what the one list that fits it says; nothing where workers are not known.

    A list has to agree with the workers that a row states, and says the rest: drafts, and most requests at once.
    """
    in_flight = re.search(r"concurrency=(\d+)", row["silicon_data_source"])
    if row["mode"] != "disagg" or not in_flight:
        return {}
    gpus = {f"{side}_gpus": str(_degree(row, side, "tp") * _degree(row, side, "attention_dp")) for side in SIDES}
    row = {**row, **gpus, "concurrency": in_flight[1]}
    workers = [f"{side}_num_workers" for side in SIDES]
    fits = [
        each for each in LISTED if recipe_of(row, [each]) and all(row[name] in ("", each[name]) for name in workers)
    ]
    if len(fits) == 1 and fits[0]["draft_tokens"]:
        return row | {name: said for name, said in fits[0].items() if said} | {"concurrency": in_flight[1]}
    return row if row["decode_num_workers"] else {}


def once(rows: list[Row]) -> list[Row]:
    """Return runs once each, those that state their workers first: a copy has the same load and the same times."""
    runs: dict[tuple[str, ...], Row] = {}
    for row in sorted(filter(None, rows), key=lambda each: not each["decode_batch_size"]):
        times = f"{float(row['silicon_ttft_ms']):.0f}", f"{float(row['silicon_tpot_ms']):.2f}"
        runs.setdefault((row["system"], row["backend"], row["isl"], row["osl"], row["concurrency"], *times), row)
    return list(runs.values())


def _degree(row: Row, side: str, name: str) -> int:
    return max(1, int(row[f"{side}_{name}_size"] or 1))


def measured(row: Row) -> Measured:
    """Return a run from its row."""
    engine = {"trtllm": "tensorrt-llm"}.get(row["backend"], row["backend"])
    gpu = accelerator(row["system"])
    dtype = weight_dtype_of(row["model_path"], row["moe_quant_mode"] or row["gemm_quant_mode"] or None)

    def replica(side: str, **settings: Any) -> Replica:
        tp, dp, ep = (_degree(row, side, name) for name in ("tp", "attention_dp", "moe_ep"))
        if engine == "sglang" and dp > 1 and tp * dp > gpu.gpus_per_node:
            ep = tp * dp  # its exchange of experts between servers (DeepEP) sets that, whatever was asked
        return Replica(engine=engine, weight_dtype=dtype, tp=tp, dp=dp, ep=min(ep, tp * dp), **settings)

    def pool(side: str, ran: Replica) -> Pool:
        return Pool(case_of(row["model_path"], gpu.key, ran), int(row[f"{side}_num_workers"]))

    in_flight, isl, osl = (int(row[name]) for name in ("concurrency", "isl", "osl"))
    # Rows that state workers look like runs without drafts: by lengths, concurrency and workers 104 of 150 stand only
    # in lists without, 36 in both, 9 in none, 1 in one with drafts alone.
    settings = {name: float(row.get(name, "0")) for name in ("draft_tokens", "max_running", "memory_utilization")}
    ran = replica("decode", **settings)
    decode = pool("decode", ran)
    room = int(decode.ranks * requests_that_fit(decode.case, memory_of(decode.case, gpu.key, ran), isl, osl))
    capacity = room if "max_running" in row else in_flight
    link = float(gpu.scale_out_bytes_per_s or gpu.pcie_bytes_per_s or 0)
    pools = Pools(pool("prefill", replica("prefill", draft_tokens=0)), decode, capacity, link)
    model = NAMES.setdefault(decode.case.shape, row["model_path"])
    return Measured(
        group=f"{model} {row['system']} {row['backend']} {row['precision']}",
        pair=f"{engine} {gpu.key}",
        wide=f"{row['backend']}, {'attention data' if decode.case.dp > 1 else 'tensor'} parallel",
        workers=workers_in_words(decode.workers),
        pools=pools,
        demand=Demand(input_tokens=isl, output_tokens=osl, concurrency=in_flight),
        ttft=float(row["silicon_ttft_ms"]) / 1e3,
        tpot=float(row["silicon_tpot_ms"]) / 1e3,
    )


def ratios(run: Measured, rates: dict[str, float]) -> tuple[float, ...]:
    """Return measured over predicted TTFT, TPOT and throughput."""

    def refitted(pool: Pool) -> Pool:
        case: Case = replace(pool.case, rates={**pool.case.rates, **rates})
        return replace(pool, case=case)

    pools = replace(run.pools, prefill=refitted(run.pools.prefill), decode=refitted(run.pools.decode))
    found, tokens = pooled(pools, run.demand), run.demand.output_tokens
    rate = run.demand.in_flight * tokens / (run.ttft + run.tpot * (tokens - 1))
    return run.ttft / found.ttft_seconds, run.tpot / found.tpot_seconds, rate / found.tokens_per_second


def main() -> None:
    """Write and print the table, and write the bands."""
    asked = parser(__doc__)
    asked.add_argument("folder", type=Path)
    folder = asked.parse_args().folder
    with (folder / "serving_measured.csv").open(encoding="utf-8", newline="") as lines:
        runs = [measured(row) for row in once([stated(row) for row in csv.DictReader(lines)])]
    rows, _ = read_rows(folder, read_recipes())
    rows = part(rows, rows.usable)
    whole = fit(rows)
    fits: dict[str, Any] = {}
    for pair in sorted({run.pair for run in runs}):
        seen = rows.pair != pair
        fits[pair] = whole if seen.all() else fit(part(rows, seen), whole, rounds=ROUNDS_LEFT_OUT)
    found = np.array([ratios(run, scheduled(fits[run.pair], run.pair.split()[0])) for run in runs])
    text = table(runs, found)
    OUTPUT.write_text(text, encoding="utf-8")
    write_bands(runs, found)
    print(text)


def table(runs: list[Measured], found: Any) -> str:
    """Return the errors of all rows, by layout and by group, and the share of rows inside a band made without them."""
    of: dict[str, list[int]] = defaultdict(list)
    names: tuple[Callable[[Measured], str], ...] = (
        lambda _: "all rows", lambda run: f"{run.workers} decode worker{'s' * (run.workers == SEVERAL)}",
        lambda run: run.wide, lambda run: run.group,
    )  # fmt: skip
    for name in names:
        for at, run in sorted(enumerate(runs), key=lambda each: name(each[1])):
            of[name(run)].append(at)
    text = [
        "| what | rows | TTFT median error % | TPOT mean error % | TPOT median error % | throughput median error % |\n",
        "| --- | ---: | ---: | ---: | ---: | ---: |\n",
    ]
    for what, at in of.items():
        off = np.abs(1 / found[at] - 1) * 100
        first, token, rate = np.median(off, axis=0)
        text.append(f"| {what} | {len(at)} | {first:.0f} | {off[:, 1].mean():.1f} | {token:.1f} | {rate:.1f} |\n")
    text += ["\n| figure | decode workers | rows inside the band of other engine x GPU pairs % | p90 / p10 |\n"]
    text += ["| --- | --- | ---: | ---: |\n"]
    groups, pairs = np.array([run.group for run in runs]), np.array([run.pair for run in runs])
    for figure, workers, here in parts(runs):
        ratio = found[:, FIGURES.index(figure)]
        inside = []
        for pair in np.unique(pairs[here]):
            own, others = here & (pairs == pair), here & (pairs != pair)
            band = quantiles(ratio[others], groups[others], POOLS)
            inside += [*((ratio[own] >= band.low) & (ratio[own] <= band.high))]
        band = quantiles(ratio[here], groups[here], POOLS)
        text.append(f"| {figure} | {workers} | {np.mean(inside) * 100:.0f} | {band.high / band.low:.2f} |\n")
    return "".join(text)


def parts(runs: list[Measured]) -> list[tuple[str, str, Any]]:
    """Return figures with the rows that share a band: the time to first token by the number of decode workers.

    Where there are several, a request may meet one whose places are taken while others have some free, and has waited
    for up to 0.83 of an answer; where there is one, it cannot.
    """
    of = np.array([run.workers for run in runs])
    every = np.ones(len(runs), bool)
    by_workers = [("ttft", each, of == each) for each in (ONE, SEVERAL)]
    return [*by_workers, ("tpot", ANY, every), ("throughput", ANY, every)]


def write_bands(runs: list[Measured], found: Any) -> None:
    """Write the quantiles of measured over predicted, every group counting as one."""
    groups, today = np.array([run.group for run in runs]), datetime.date.today().isoformat()
    with (DATA / "calibration_serving_pools.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        heads = ["figure", "decode_workers", "p10", "p50", "p90", "rows", "groups", "meaning", "source", "retrieved"]
        writer.writerow(heads)
        for figure, workers, here in parts(runs):
            band = quantiles(found[here, FIGURES.index(figure)], groups[here], POOLS)
            said = "measured over predicted of separate pools, scheduling by fits without the engine x GPU"
            shown = (f"{each:.4f}" for each in (band.low, band.middle, band.high))
            writer.writerow([figure, workers, *shown, band.rows, band.groups, said, SOURCE, today])


if __name__ == "__main__":
    main()
