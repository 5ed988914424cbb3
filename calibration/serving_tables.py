"""Writes what `serving.py` fitted: the rates, their errors by engine and generation, and the accuracy table as text."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from serving import DATA, LAYOUT, LEVELS, RATES, Rows

from sizebook.serving.time import Latency, tokens_per_second

Times = tuple[Any, Any]  # TTFT and TPOT of every row, seconds

HERE = "calibration/serving.py"
TABLE = "measured by InferenceMAX and NVIDIA Dynamo runs, silicon_sample.csv of aiconfigurator (Apache-2.0)"


def write_rates(path: Path, theta: Any, unstated: float, rows: Rows, today: str) -> None:
    """Write one row a rate and one a factor, with the rows that it was fitted on."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", "level", "key", "value", "rows", "meaning", "source", "retrieved"])
        source = f"{HERE}; {TABLE}"
        for name, level, at, n in LAYOUT.places:
            meaning = RATES[name][2]
            if level == "all":
                writer.writerow([name, level, "", _text(theta[at]), len(rows.tpot), meaning, source, today])
                continue
            for k in range(n):
                count = int(rows.levels[level][:, k].sum())
                said = f"factor on it, {LEVELS[level][k]}"
                writer.writerow([name, level, LEVELS[level][k], _text(theta[at + k]), count, said, source, today])
        said = "factor on TPOT where a model can speculate and nobody says whether it did"
        at = int(rows.speculates.sum())
        writer.writerow(["unstated_speculation", "all", "", f"{unstated:.2f}", at, said, source, today])


def _text(log: float) -> str:
    return f"{float(np.exp(log)):.6g}"


def throughput(rows: Rows, ttft: Any, tpot: Any) -> Any:
    """Return output tokens a second of every row."""
    return tokens_per_second(Latency(ttft, tpot, 0, 0), rows.tokens_out, rows.concurrency)


def summary(rows: Rows, ttft: Any, tpot: Any, at: Any) -> list[str]:
    """Return rows, groups, TPOT mean and median error, TTFT median error, throughput mean error."""
    off = np.abs(tpot / rows.tpot - 1)[at]
    first = np.abs(ttft / rows.ttft - 1)[at]
    rate = np.abs(throughput(rows, ttft, tpot) / throughput(rows, rows.ttft, rows.tpot) - 1)[at]
    figures = (off.mean(), np.median(off), np.median(first), rate.mean())
    return [str(int(at.sum())), str(len(np.unique(rows.group[at]))), *(f"{100 * f:.1f}" for f in figures)]


def write_errors(rows: Rows, by_run: Times, by_columns: Times, every: tuple[int, int], today: str) -> None:
    """Write quantiles of measured over predicted and the table of errors, each group left out in turn.

    Quantiles are of estimates by the table's own columns, as a planner rarely knows more of a server.
    """
    lines = [["any", "any", np.ones(len(rows.tpot), bool)]]
    for e, engine in enumerate(LEVELS["engine"]):
        for g, generation in enumerate(LEVELS["generation"]):
            at = (rows.levels["engine"][:, e] > 0) & (rows.levels["generation"][:, g] > 0)
            if at.sum() >= 30:
                lines.append([engine, generation, at])
    with (DATA / "calibration_serving_error.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        head = [
            "engine",
            "generation",
            "figure",
            "p10",
            "p50",
            "p90",
            "rows",
            "groups",
            "meaning",
            "source",
            "retrieved",
        ]
        writer.writerow(head)
        for engine, generation, at in lines:
            for figure, ratio in _ratios(rows, *by_columns).items():
                quantiles = (f"{q:.4f}" for q in np.quantile(ratio[at], (0.1, 0.5, 0.9)))
                counts = (int(at.sum()), len(np.unique(rows.group[at])))
                said = "measured over predicted, each group predicted by a fit that saw no row of it"
                writer.writerow([engine, generation, figure, *quantiles, *counts, said, f"{HERE}; {TABLE}", today])
    write_accuracy(rows, by_run, by_columns, lines, every)


def level_known(rows: Rows, tpot: Any) -> float:
    """Return the mean error of TPOT if each group's level were known: its best one factor, taken from its own rows."""
    off = np.zeros(len(tpot))
    for group in np.unique(rows.group):
        ratio = (tpot / rows.tpot)[rows.group == group]
        off[rows.group == group] = min((np.abs(f * ratio - 1) for f in np.linspace(0.3, 3, 541)), key=np.mean)
    return float(off.mean())


def _ratios(rows: Rows, ttft: Any, tpot: Any) -> dict[str, Any]:
    measured = throughput(rows, rows.ttft, rows.tpot)
    return {"ttft": rows.ttft / ttft, "tpot": rows.tpot / tpot, "throughput": measured / throughput(rows, ttft, tpot)}


def write_accuracy(rows: Rows, by_run: Times, by_columns: Times, lines: list[Any], every: tuple[int, int]) -> None:
    """Write docs/serving_accuracy_table.md and print it."""
    head = "| what | rows | groups | TPOT mean % | TPOT median % | TTFT median % | throughput mean % |\n"
    text = [head, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"]
    whole = lines[0][2]
    text.append(f"| all rows within cache capacity | {' | '.join(summary(rows, *by_run, whole))} |\n")
    text.append(f"| the same by the table's columns alone | {' | '.join(summary(rows, *by_columns, whole))} |\n")
    named = [("models with prediction layers, TensorRT-LLM", rows.speculates)]
    named += [("dense models, TTFT under 5 s", (rows.case.shape.n_experts == 0) & (rows.ttft < 5))]
    named += [(f"{engine}, {generation}", at) for engine, generation, at in lines[1:]]
    named += [(str(group), rows.group == group) for group in np.unique(rows.group)]
    for name, at in named:
        text.append(f"| {name} | {' | '.join(summary(rows, *by_run, at))} |\n")
    text.append(
        f"\nLeft out: {every[0] - len(rows.tpot)} of {every[0]} rows that exceed the cache capacity that we compute, "
        f"and {every[1]} further rows whose name and columns state different loads.\n\n"
        f"If each group's level were known (its best one factor, taken from its own rows), TPOT would still be off by "
        f"{level_known(rows, by_run[1]):.1%} in the mean.\n"
    )
    (DATA.parents[2] / "docs" / "serving_accuracy_table.md").write_text("".join(text), encoding="utf-8")
    print("".join(text))
