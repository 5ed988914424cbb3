"""Writes what `serving.py` fitted: the numbers, the bands, the accuracy tables and the chart of
docs/serving_accuracy.md."""

from __future__ import annotations

import csv
import datetime
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from serving import DATA, LAYOUT, LEVELS, RATES, Rows
from serving_chart import scatter
from serving_folds import (
    ARCHITECTURE,
    GPU,
    NEW_GPU,
    PAIR,
    Fold,
    Folds,
    Quantiles,
    covered_fitted,
    covered_unseen,
    fitted_bands,
    throughput,
    unseen_bands,
)

from sizebook.serving.band import FITTED, KERNELS, NOTHING, UNSEEN

DOCS = DATA.parents[2] / "docs"
HERE = "calibration/serving.py"
TABLE = "measured by InferenceMAX and NVIDIA Dynamo runs, silicon_sample.csv of aiconfigurator (Apache-2.0)"
SOURCE = f"{HERE}; {TABLE}"
HOST_MARGIN = 2.0  # how far above the busiest measured server the ceiling of one server is assumed
# Of GPUs whose kernels nobody measured some are not of this maker: half as far again, in logs.
WIDER_FOR_NOTHING = 1.5
FIGURES = {"tpot": "TPOT", "ttft": "TTFT", "throughput": "throughput"}


def write_all(
    theta: Any, unstated: float, rows: Rows, folds: Folds, problems: Counter[str], served: tuple[float, float]
) -> None:
    """Write every table and the chart, and print the accuracy."""
    today = datetime.date.today().isoformat()
    write_rates(DATA / "calibration_serving.csv", theta, unstated, rows, served, today)
    write_bands(DATA / "calibration_serving_error.csv", rows, folds, today)
    text = accuracy(rows, folds, problems)
    (DOCS / "serving_accuracy_table.md").write_text(text, encoding="utf-8")
    fold = folds.named(PAIR)
    chart = scatter(rows.tpot, fold.ran[1], [name.split()[2] for name in rows.group])
    (DOCS / "serving_accuracy.svg").write_text(chart, encoding="utf-8")
    print(text)


def write_rates(path: Path, theta: Any, unstated: float, rows: Rows, served: tuple[float, float], today: str) -> None:
    """Write one row a number and one a factor, with the rows that it was fitted on."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", "level", "key", "value", "rows", "meaning", "source", "retrieved"])
        for name, level, at, n in LAYOUT.places:
            if level == "all":
                writer.writerow([name, level, "", _text(theta[at]), len(rows.tpot), RATES[name].meaning, SOURCE, today])
                continue
            for k in range(n):
                count = int(rows.levels[level][:, k].sum())
                said = f"factor on it, {LEVELS[level][k]}"
                writer.writerow([name, level, LEVELS[level][k], _text(theta[at + k]), count, said, SOURCE, today])
        said = "factor on a decode step where a model can speculate and nobody says whether it did"
        at = int(rows.speculates.sum())
        writer.writerow(["unstated_speculation", "all", "", f"{unstated:.2f}", at, said, SOURCE, today])
        for name, most in zip(("host_requests_per_second", "host_tokens_per_second"), served, strict=True):
            unit = "requests" if "requests" in name else "output tokens"
            said = (
                f"assumed: {HOST_MARGIN:g} times the most {unit} a second that one measured server reached ({most:.0f})"
            )
            writer.writerow([name, "all", "", f"{most * HOST_MARGIN:.0f}", len(rows.tpot), said, SOURCE, today])


def _text(log: float) -> str:
    return f"{float(np.exp(log)):.6g}"


def write_bands(path: Path, rows: Rows, folds: Folds, today: str) -> None:
    """Write quantiles of measured over predicted: of each combination in the fit, and of what it had not seen.

    They are of estimates by the table's own columns, as a planner rarely knows more of a server.
    """
    models = dict(zip(rows.combination.tolist(), (name.split()[0] for name in rows.group), strict=True))
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        names = "figure basis architecture model gpu engine p10 p50 p90 rows groups meaning source retrieved"
        writer.writerow(names.split())
        for figure, bands in unseen_bands(rows, folds).items():
            for basis, band in bands.items():
                shown = _widened(band) if basis == NOTHING else band
                writer.writerow([figure, basis, "", "", "", "", *_quantiles(shown), _MEANING[basis], SOURCE, today])
        for figure, bands in fitted_bands(rows, folds).items():
            for combination, band in bands.items():
                names = combination.split()
                words = [names[0], models[combination], *names[1:]]
                writer.writerow([figure, FITTED, *words, *_quantiles(band), _MEANING[FITTED], SOURCE, today])


_MEANING = {
    FITTED: "measured over predicted where this combination was in the fit",
    UNSEEN: "measured over predicted, each group by fits without its architecture, and without its engine x GPU",
    KERNELS: "the same, by fits without any server of its GPU",
    NOTHING: "the same, without the GPU's kernels either; half as far again in logs, as an assumption for other makers",
}


def _quantiles(band: Quantiles) -> list[str]:
    return [f"{band.low:.4f}", f"{band.middle:.4f}", f"{band.high:.4f}", str(band.rows), str(band.groups)]


def _widened(band: Quantiles) -> Quantiles:
    low, high = (band.middle * (end / band.middle) ** WIDER_FOR_NOTHING for end in (band.low, band.high))
    return Quantiles(band.basis, low, band.middle, high, band.rows, band.groups)


def summary(rows: Rows, ttft: Any, tpot: Any, at: Any) -> list[str]:
    """Return rows, groups, TPOT mean, median and mean of groups, TTFT median error, throughput mean error."""
    off = np.abs(tpot / rows.tpot - 1)
    first = np.abs(ttft / rows.ttft - 1)[at]
    rate = np.abs(throughput(rows, ttft, tpot) / throughput(rows, rows.ttft, rows.tpot) - 1)[at]
    groups = np.unique(rows.group[at])
    of_groups = np.mean([off[at & (rows.group == name)].mean() for name in groups])
    figures = (off[at].mean(), np.median(off[at]), of_groups, np.median(first), rate.mean())
    return [str(int(at.sum())), str(len(groups)), *(f"{100 * f:.1f}" for f in figures)]


_HEAD = (
    "| what | rows | groups | TPOT mean % | TPOT median % | TPOT mean of groups % | TTFT median % "
    "| throughput mean % |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
)


def accuracy(rows: Rows, folds: Folds, problems: Counter[str]) -> str:
    """Return docs/serving_accuracy_table.md: error by fold, coverage and width of the bands, every group."""
    whole = np.ones(len(rows.tpot), bool)
    text = [
        "# Errors of serving estimates\n\nWritten by `calibration/serving.py`.\n\n## By what the fit had not seen\n\n"
    ]
    text.append(_HEAD)
    for fold in (*folds.every, folds.fitted):
        said = "nothing left out: rows that the fit saw" if fold.name == "none" else f"{fold.name} left out"
        for words, found in (("", fold.ran), (", by the table's columns alone", fold.told)):
            text.append(f"| {said}{words} | {' | '.join(summary(rows, *found, whole))} |\n")
    text += ["\n## Bands\n\n", *_coverage(rows, folds)]
    fold = folds.named(PAIR)
    text += [f"\n## Every group, {PAIR} left out, as the rows ran\n\n", _HEAD, *_groups(rows, fold)]
    text.append("\nLeft out:\n\n")
    text += [f"- {times} rows: {_PROBLEMS.get(problem, problem)}\n" for problem, times in problems.items()]
    return "".join(text)


_PROBLEMS = {
    "copy_of": "the same measurement listed twice",
    "disagg": "disaggregated runs labelled as aggregated",
    "queued": "TTFT of tens of seconds under a cap on running requests that is not stated",
    "two_loads": "name and columns state different loads",
}


def _groups(rows: Rows, fold: Fold) -> list[str]:
    dense = (rows.case.shape.n_experts == 0) & (rows.ttft < 5)
    named = [("models with prediction layers, TensorRT-LLM", rows.speculates), ("dense models, TTFT under 5 s", dense)]
    named += [(str(group), rows.group == group) for group in np.unique(rows.group)]
    return [f"| {name} | {' | '.join(summary(rows, *fold.ran, at))} |\n" for name, at in named if at.any()]


def _coverage(rows: Rows, folds: Folds) -> list[str]:
    """Return the table of how many measurements lie in a band that was made without them, and how wide it is."""
    head = "| figure | band | judged on | rows inside % | mean of groups % | p90 / p10 |\n"
    lines = [head, "| --- | --- | --- | ---: | ---: | ---: |\n"]
    unseen = ((UNSEEN, PAIR), (UNSEEN, ARCHITECTURE), (KERNELS, GPU), (NOTHING, NEW_GPU))
    for figure, name in FIGURES.items():
        for basis, fold in unseen:
            found = covered_unseen(rows, folds, fold, basis, figure)
            numbers = f"{100 * found.rows:.0f} | {100 * found.groups:.0f} | {found.width:.2f}"
            lines.append(f"| {name} | {basis} | {fold} left out | {numbers} |\n")
        found = covered_fitted(rows, folds, figure)
        numbers = f"{100 * found.rows:.0f} | {100 * found.groups:.0f} | {found.width:.2f}"
        lines.append(f"| {name} | {FITTED} | other loads and layouts of the combination | {numbers} |\n")
    return lines
