"""The text of docs/serving_accuracy.md and its tables: error by fold, coverage and width of bands, every group."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from serving_fit import DATA, RATES, Rows
from serving_folds import (
    ARCHITECTURE,
    GPU,
    LONG,
    MANY,
    NEW_GPU,
    PAIR,
    Folds,
    covered_fitted,
    covered_sources,
    covered_unseen,
    throughput,
)

from sizebook.core.tables import table
from sizebook.serving.band import CONTEXT, FEW_OF_RANK, FITTED, KERNELS, LOADED, NOTHING, UNSEEN, known_of
from sizebook.serving.quantities import ENGINES

TEMPLATE = Path(__file__).parent / "serving_accuracy.template.md"
FIGURES = {"tpot": "TPOT", "ttft": "TTFT", "throughput": "throughput"}
SERVED = ("h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "gb200")
PROBLEMS = {
    "copy_of": "the same measurement listed twice",
    "impossible": "faster than the datasheet's peak and bandwidth allow",
    "disagg": "disaggregated runs labelled as aggregated",
    "queued": "TTFT of tens of seconds under a cap on running requests that is not stated",
    "two_loads": "name and columns state different loads",
}
_HEAD = (
    "| what | rows | groups | TPOT mean % | TPOT median % | TPOT mean of groups % | TTFT median % "
    "| throughput mean % |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
)


def page(rows: Rows, folds: Folds, problems: Counter[str], host: tuple[float, ...], rates: dict[str, Any]) -> str:
    """Return docs/serving_accuracy.md: the template with the figures of this run."""
    whole = np.ones(len(rows.tpot), bool)
    fold = folds.named(PAIR)
    names = ("tpot", "median", "groups", "ttft", "rate")
    found = {f"pair_{n}": v for n, v in zip(names, summary(rows, *fold.ran, whole)[2:], strict=True)}
    found |= {f"told_{n}": v for n, v in zip(names, summary(rows, *fold.told, whole)[2:], strict=True)}
    found |= {f"nested_{n}": v for n, v in zip(names, summary(rows, *folds.nested.told, whole)[2:], strict=True)}
    return TEMPLATE.read_text(encoding="utf-8").format(
        **found,
        chosen="; ".join(f"{name}: {times}" for name, times in folds.nested.chosen.most_common()),
        n_numbers=len(RATES),
        n_rows=_grouped(len(rows.tpot)),
        n_groups=len(np.unique(rows.group)),
        n_wrong=sum(times for problem, times in problems.items() if problem in PROBLEMS),
        level_known=f"{100 * level_known(rows, fold.ran[1]):.1f}",
        n_sources=len({each.group for each in folds.published}),
        few=FEW_OF_RANK,
        no_server=", ".join(f"`{row['key']}`" for row in table("hardware") if known_of(row["key"]) == KERNELS),
        by_source=f"{100 * covered_sources(rows, folds, 'tpot').groups:.0f}",
        ttft_by_source=f"{100 * covered_sources(rows, folds, 'ttft').groups:.0f}",
        kernels=_kernels(),
        eager=" ms, ".join(f"{1e3 * rates[engine]['eager_seconds']:.2f}" for engine in ENGINES) + " ms",
        first=f"{1e3 * rates[ENGINES[0]]['first_token_seconds']:.0f}",
        host_requests=f"{host[0]:.0f}",
        host_tokens=_grouped(host[1]),
    )


def _grouped(number: float) -> str:
    return f"{number:,.0f}".replace(",", " ")


def summary(rows: Rows, ttft: Any, tpot: Any, at: Any) -> list[str]:
    """Return rows, groups, TPOT mean, median and mean of groups, TTFT median error, throughput mean error."""
    off = np.abs(tpot / rows.tpot - 1)
    first = np.abs(ttft / rows.ttft - 1)[at]
    rate = np.abs(throughput(rows, ttft, tpot) / throughput(rows, rows.ttft, rows.tpot) - 1)[at]
    groups = np.unique(rows.group[at])
    of_groups = np.mean([off[at & (rows.group == name)].mean() for name in groups])
    figures = (off[at].mean(), np.median(off[at]), of_groups, np.median(first), rate.mean())
    return [str(int(at.sum())), str(len(groups)), *(f"{100 * f:.1f}" for f in figures)]


def _by_fold(rows: Rows, folds: Folds) -> str:
    """Return the errors of each fold, as the rows ran and by their columns alone."""
    whole, lines = np.ones(len(rows.tpot), bool), []
    for words, found in (("", folds.nested.ran), (", by the table's columns alone", folds.nested.told)):
        said = f"{PAIR} left out, variant chosen without it (nested)"
        lines.append(f"| {said}{words} | {' | '.join(summary(rows, *found, whole))} |\n")
    for fold in (*folds.every, folds.fitted):
        if fold.name in (LONG, MANY):
            continue
        said = "nothing left out: rows that the fit saw" if fold.name == "none" else f"{fold.name} left out"
        for words, found in (("", fold.ran), (", by the table's columns alone", fold.told)):
            lines.append(f"| {said}{words} | {' | '.join(summary(rows, *found, whole))} |\n")
    return (_HEAD + "".join(lines)).rstrip()


def level_known(rows: Rows, tpot: Any) -> float:
    """Return the mean error of TPOT if each group's level were known: its best one factor, taken from its own rows."""
    off = np.zeros(len(tpot))
    for group in np.unique(rows.group):
        ratio = (tpot / rows.tpot)[rows.group == group]
        off[rows.group == group] = min((np.abs(f * ratio - 1) for f in np.linspace(0.3, 3, 541)), key=np.mean)
    return float(off.mean())


def groups(rows: Rows, folds: Folds, problems: Counter[str]) -> str:
    """Return docs/serving_accuracy_table.md: every group as a fit saw it that had none of its engine on its GPU."""
    said = f"Written by `calibration/serving.py`: {PAIR} left out, as the rows ran."
    text = [f"# Errors of every group\n\n{said}\n\n", _HEAD]
    dense = (rows.case.shape.n_experts == 0) & (rows.ttft < 5)
    named = [("dense models, TTFT under 5 s", dense)]
    named += [(str(group), rows.group == group) for group in np.unique(rows.group)]
    ran = folds.named(PAIR).ran
    text += [f"| {name} | {' | '.join(summary(rows, *ran, at))} |\n" for name, at in named if at.any()]
    text.append("\nLeft out:\n\n")
    text += [f"- {times} rows: {PROBLEMS.get(problem, problem)}\n" for problem, times in problems.items()]
    text += [f"\n## By what was left out\n\n{_by_fold(rows, folds)}\n", f"\n## Bands\n\n{_coverage(rows, folds)}\n"]
    return "".join(text)


def _coverage(rows: Rows, folds: Folds) -> str:
    """Return the table of how many measurements lie in a band that was made without them, and how wide it is."""
    head = "| figure | band | judged on | rows inside % | mean of groups % | p90 / p10 | interval score |\n"
    lines = [head, "| --- | --- | --- | ---: | ---: | ---: | ---: |\n"]
    unseen = ((UNSEEN, PAIR), (UNSEEN, ARCHITECTURE), (CONTEXT, LONG), (LOADED, MANY))
    unseen += ((KERNELS, GPU), (NOTHING, NEW_GPU))
    for figure, name in FIGURES.items():
        judged = [(b, f"{fold} left out", covered_unseen(rows, folds, fold, b, figure)) for b, fold in unseen]
        judged.append((FITTED, "other releases of the combination", covered_fitted(rows, folds, figure)))
        judged.append(("as each has", "published servers, their source left out", covered_sources(rows, folds, figure)))
        for basis, on, found in judged:
            numbers = f"{100 * found.rows:.0f} | {100 * found.groups:.0f} | {found.width:.2f} | {found.score:.2f}"
            lines.append(f"| {name} | {basis} | {on} | {numbers} |\n")
    return "".join(lines).rstrip()


def _kernels() -> str:
    """Return the median error of the closed forms by operation: the middle of all rows, the worst."""
    text = ["| operation | accelerators | shapes | middle % | worst % |\n| --- | ---: | ---: | ---: | ---: |\n"]
    with (DATA / "kernels.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["gpu"] in SERVED and row["error"]]
    for operation in dict.fromkeys(row["operation"] for row in rows):
        mine = [row for row in rows if row["operation"] == operation]
        errors = np.array([float(row["error"]) for row in mine]) * 100
        shapes = _grouped(sum(int(row["points"]) for row in mine))
        gpus = len({row["gpu"] for row in mine})
        name, middle, worst = operation.replace("_", " "), np.median(errors), errors.max()
        text.append(f"| {name} | {gpus} | {shapes} | {middle:.0f} | {worst:.0f} |\n")
    return "".join(text).rstrip()
