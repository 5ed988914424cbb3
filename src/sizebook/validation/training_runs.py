"""What the training-time model is worth on measured runs that its fit had not seen, by group.

calibration/training.py predicts every run by a fit without its model family on its generation and writes the errors
to data/calibration_training_error.csv; the runs themselves are not shipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.core.tables import Row, table
from sizebook.core.units import percent


@dataclass(frozen=True)
class GroupError:
    """Mean errors of the runs of one group and kind: absolute in the fit and left out, signed left out; shares of the
    runs within a fifth of the measurement, and in a band that was made without them."""

    group: str
    kind: str
    runs: int
    seen_error: float
    unseen_error: float
    unseen_bias: float
    within_fifth: float
    in_band: float


def errors() -> tuple[GroupError, ...]:
    """Return the rows of data/calibration_training_error.csv."""
    return tuple(
        GroupError(
            row["group"],
            row["kind"],
            runs=int(row["runs"]),
            seen_error=float(row["seen_error"]),
            unseen_error=float(row["unseen_error"]),
            unseen_bias=float(row["unseen_bias"]),
            within_fifth=float(row["within_fifth"]),
            in_band=float(row["in_band"]),
        )
        for row in table("calibration_training_error")
    )


def over_runs(rows: Sequence[GroupError], figure: str) -> float:
    """Return the mean of a figure over all runs."""
    total: float = sum(row.runs * getattr(row, figure) for row in rows)
    return total / sum(row.runs for row in rows)


def over_groups(rows: Sequence[GroupError], figure: str) -> float:
    """Return the mean of a figure over groups, each weighing the same."""
    names = sorted({row.group for row in rows})
    return sum(over_runs([row for row in rows if row.group == name], figure) for name in names) / len(names)


def chart_title() -> str:
    """Return what the chart of docs/training_accuracy.svg says: how many runs lie within a fifth of the measurement."""
    return f"{100 * over_runs(errors(), 'within_fifth'):.0f} % of runs lie within a fifth of the measurement"


def summary() -> str:
    """Return the errors over all runs in one line."""
    rows = errors()
    return (
        f"training runs left out: {_runs(rows)} of {len({row.group for row in rows})} groups, mean "
        f"error {percent(over_runs(rows, 'unseen_error'))}, of groups {percent(over_groups(rows, 'unseen_error'))}, "
        f"in band {percent(over_runs(rows, 'in_band'))}, by group {percent(over_groups(rows, 'in_band'))}"
    )


def accuracy_section() -> list[str]:
    """Return the section of the accuracy page: the chart, the errors by kind and by group, and other tools."""
    rows = errors()
    kinds, groups = sorted({row.kind for row in rows}), sorted({row.group for row in rows})
    return [
        "## Training runs left out",
        "",
        "Seconds of a step of measured runs. Each is predicted by a fit that saw nothing of its model family on its",
        "generation of accelerators, and its band was made without them too. A group is a model family on a generation",
        "in a framework; *in the fit* is the error of the rates that ship. Written by `calibration/training.py`.",
        "",
        f"![Predicted against measured step time: {chart_title()}](training_accuracy.svg)",
        "",
        "| kind | runs | groups | in the fit | left out | mean of groups | bias | in band | by group |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(_kind(kind, [row for row in rows if row.kind == kind]) for kind in kinds),
        _kind("**all**", rows),
        "",
        "Other tools beside it, with the errors stated of them; none was run again here. Ours are on runs of the same",
        "source.",
        "",
        "| tool | stated | on | our runs | ours, in the fit | ours, left out | source |",
        "|---|--:|---|--:|--:|--:|---|",
        *map(_peer, table("training_peers")),
        "",
        "| group | runs | in the fit | left out | bias | in band |",
        "|---|--:|--:|--:|--:|--:|",
        *(_group(name, [row for row in rows if row.group == name]) for name in groups),
    ]


def _kind(name: str, rows: Sequence[GroupError]) -> str:
    groups = [percent(over_groups(rows, figure)) for figure in ("unseen_error", "in_band")]
    seen, unseen, bias, inside = _percents(rows)
    cells = (_runs(rows), len({row.group for row in rows}), seen, unseen, groups[0], bias, inside, groups[1])
    return f"| {name} | {' | '.join(map(str, cells))} |"


def _group(name: str, rows: Sequence[GroupError]) -> str:
    return f"| {name} | {' | '.join([str(_runs(rows)), *_percents(rows)])} |"


def _runs(rows: Sequence[GroupError]) -> int:
    return sum(row.runs for row in rows)


def _percents(rows: Sequence[GroupError]) -> list[str]:
    return [percent(over_runs(rows, figure)) for figure in ("seen_error", "unseen_error", "unseen_bias", "in_band")]


def _peer(row: Row) -> str:
    ours = [percent(float(row[name])) if row[name] else "" for name in ("seen_error", "unseen_error")]
    stated = percent(float(row["stated_error"]))
    return f"| {row['peer']} | {stated} | {row['on']} | {row['runs']} | {' | '.join(ours)} | {row['source']} |"
