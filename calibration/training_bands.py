"""Places the ends of bands of training runs: quantiles of measured over predicted of runs that a fit had not seen.

Written by calibration/training.py to data/calibration_training_bands.csv, by family: what is trained, on which
generation, in which framework.
"""

import datetime
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from training_measured import Run

from sizebook.calibrating.fitting import band
from sizebook.training.bands import UNMEASURED, families, kind_of

DATA = Path(__file__).parents[1] / "src" / "sizebook" / "data"
SOURCE = "calibration/training.py on calibration/training_runs.csv and measured runs that are not shipped"
# With fewer groups than these a tenth of them lies beyond any that was seen, so that they place no 10th or 90th
# percentile (split conformal: 0.1 (n + 1) is a whole group from nine on). Such a family takes the ends of its kind.
FEWEST_GROUPS = 9
# What nobody measured reaches as far out as any family of so many groups does.
FEWEST_OF_WIDEST = 3


class Ends(NamedTuple):
    """One row of the table: a family, its ends, how many runs and groups it has, and whose groups placed the ends."""

    family: str
    low: float
    high: float
    runs: int
    groups: int
    placed_by: str
    highest_mfu: str = ""
    highest_narrow_mfu: str = ""


def bands(found: Sequence[Run], held: np.ndarray) -> list[Ends]:
    """Return the ends of every family that was measured, every group weighing the same: of its own runs, of all of its
    kind where it has few groups, of the widest where the kind has few."""
    members: dict[str, list[int]] = {}
    for index, run in enumerate(found):
        for name in (kind_of_run(run), *families_of(run)):
            members.setdefault(name, []).append(index)
    groups = {name: len({found[i].group for i in indices}) for name, indices in members.items()}
    seen = {name: _ends(found, held, members[name]) for name in members if groups[name] >= FEWEST_OF_WIDEST}
    placed = {name: ends for name, ends in seen.items() if groups[name] >= FEWEST_GROUPS}
    every = [_ends(found, held, range(len(found))), *seen.values()]
    placed[UNMEASURED] = (min(low for low, _ in every), max(high for _, high in every))
    rows = []
    for name in sorted({name for run in found for name in families_of(run)}):
        by = next(each for each in (name, name.split()[0], UNMEASURED) if each in placed)
        highest = (_highest([found[i] for i in members[name]], narrow) for narrow in (False, True))
        rows.append(Ends(name, *placed[by], len(members[name]), groups[name], by, *highest))
    return [*rows, Ends(UNMEASURED, *placed[UNMEASURED], 0, 0, UNMEASURED)]


def _highest(found: Sequence[Run], narrow: bool) -> str:
    """Return the highest MFU of runs in 16 bits or in fewer, blank where there is none."""
    reached = [mfu_of(run) for run in found if run.work.setup.method.narrow == narrow]
    return f"{max(reached):.3f}" if reached else ""


def mfu_of(run: Run) -> float:
    """Return the share of the peak that a run reached, matrix products and causal scores counted."""
    setup = run.work.setup
    n_flops = setup.batches.tokens * run.work.counted("matmul")
    return n_flops / (setup.gpus * setup.peak_flop_per_s * run.seconds)


def kind_of_run(run: Run) -> str:
    """Return what a run trains."""
    return kind_of(run.work.profile, run.work.setup.method)


def families_of(run: Run) -> tuple[str, ...]:
    """Return the families of a run, the narrowest first."""
    return families(run.work.profile, run.work.setup.gpu, run.work.setup.method)


def _ends(found: Sequence[Run], held: np.ndarray, indices: Iterable[int]) -> tuple[float, float]:
    chosen = list(indices)
    low, _, high = band(np.exp(-held[chosen]), [found[i].group for i in chosen])
    return low, high


def covered(found: Sequence[Run], held: np.ndarray) -> np.ndarray:
    """Return whether each run lies in a band that was made, like its prediction, without its model family on its
    generation."""
    out = np.zeros(len(found), bool)
    units = np.array([run.unit for run in found])
    for unit in np.unique(units):
        rest = np.flatnonzero(units != unit)
        known = {row.family: (row.low, row.high) for row in bands([found[i] for i in rest], held[rest])}
        for i in np.flatnonzero(units == unit):
            low, high = next((known[name] for name in families_of(found[i]) if name in known), known[UNMEASURED])
            out[i] = low <= math.exp(-held[i]) <= high
    return out


def write_bands(rows: Sequence[Ends], error: float) -> None:
    today = datetime.date.today().isoformat()
    lines = [
        "# Measured over predicted step time of runs whose model family and generation the fit had not seen: 10th and",
        f"# 90th percentile, every group weighing the same. Mean absolute error over all of them {error:.3f}.",
        f"# placed_by: whose groups placed the ends; fewer than {FEWEST_GROUPS} place none, and the kind's or the",
        "# widest are taken. highest_mfu: the most of the peak that any of the runs reached in 16 bits, and in fewer.",
        "family,low,high,runs,groups,placed_by,highest_mfu,highest_narrow_mfu,source,retrieved",
    ]
    lines += [
        f"{row.family},{row.low:.4g},{row.high:.4g},{row.runs},{row.groups},{row.placed_by},"
        f"{row.highest_mfu},{row.highest_narrow_mfu},{SOURCE},{today}"
        for row in rows
    ]
    replace_file(DATA / "calibration_training_bands.csv", lines)


def replace_file(path: Path, lines: Sequence[str]) -> None:
    partial = path.with_suffix(".part")
    partial.write_text("\n".join(lines) + "\n", encoding="utf-8")
    partial.replace(path)
    print("\n".join(lines))
