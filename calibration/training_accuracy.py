"""What the training-time model is worth on runs it had not seen: a row a group, and the chart of the accuracy page.

Writes data/calibration_training_error.csv, which `sizebook validate` and docs/accuracy.md print, and
docs/training_accuracy.svg, whose message must be the one that follows from that table.
"""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scatter import Axes, scatter
from training_measured import Run

from sizebook.training.bands import kind_of

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "src" / "sizebook" / "data" / "calibration_training_error.csv"
CHART = ROOT / "docs" / "training_accuracy.svg"
SOURCE = "calibration/training.py on calibration/training_runs.csv and measured runs that are not shipped"
HEAD = "group,kind,runs,seen_error,unseen_error,unseen_bias,within_fifth,in_band,source,retrieved"
AXES = Axes(
    title="Left out",
    rows="runs",
    figure="step time",
    unit="s",
    least=0.05,
    most=60_000,
    ticks=(0.05, 0.5, 5, 50, 500, 5000, 50_000),
    series={"dense": "#0072B2", "experts": "#E69F00", "hybrid": "#009E73", "adapters": "#CC79A7"},  # Okabe-Ito
)


# Mean errors of other tools, as they were stated together with the measured runs: on what, the source of those runs.
PEERS = (
    ("Calculon", 0.0365, "its own eight runs: Megatron on A100", "korthikanti", "Isaev et al. 2023, SC23"),
    (
        "SimuMax",
        0.0491,
        "37 of its 43 runs on B200 (all but DeepSeek-V2; 5.6 % over all)",
        "simumax",
        "MooreThreads/SimuMax docs/b200/b200_release_v1.2_summary.md at 4dcaae5",
    ),
    ("llm-analysis", 0.23, "runs that are not recorded", "", "cli99/llm-analysis"),
)
PEER_TABLE = TABLE.with_name("training_peers.csv")
PEER_HEAD = "peer,stated_error,on,runs,seen_error,unseen_error,source,retrieved"


def write_peers(found: Sequence[Run], seen: Any, held: Any) -> None:
    """Write what other tools state of themselves beside our errors on the runs of the same source."""
    today, lines = datetime.date.today().isoformat(), [PEER_HEAD]
    for peer, stated, on, source, said in PEERS:
        at = np.array([bool(source) and run.source == source for run in found])
        ours = [f"{np.mean(np.abs(np.expm1(each[at]))):.4f}" if at.any() else "" for each in (seen, held)]
        lines.append(f'{peer},{stated},{on},{at.sum() or ""},{",".join(ours)},"{said}",{today}')
    PEER_TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_accuracy(found: Sequence[Run], seen: Any, held: Any, inside: Any) -> None:
    """Write the table and the chart from log(predicted / measured) of every run, in the fit and left out of it."""
    kinds = [kind_of(run.work.profile, run.work.setup.method) for run in found]
    groups = np.array([run.group for run in found])
    today, lines = datetime.date.today().isoformat(), [HEAD]
    for name in np.unique(groups):
        for kind in sorted({kinds[i] for i in np.flatnonzero(groups == name)}):
            at = np.array([group == name and each == kind for group, each in zip(groups, kinds, strict=True)])
            off = np.expm1(held[at])
            numbers = (np.mean(np.abs(np.expm1(seen[at]))), np.mean(np.abs(off)), np.mean(off),
                       np.mean(np.abs(off) <= 0.2), np.mean(inside[at]))  # fmt: skip
            cells = ",".join(f"{number:.4f}" for number in numbers)
            lines.append(f"{name},{kind},{at.sum()},{cells},{SOURCE},{today}")
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    measured = np.array([run.seconds for run in found])
    CHART.write_text(scatter(AXES, measured, measured * np.exp(held), kinds), encoding="utf-8")
