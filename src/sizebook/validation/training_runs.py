"""What the training-time model is worth on measured runs that its fit had not seen, by group.

calibration/training.py predicts every run by a fit without its model family on its generation and writes the errors
to data/calibration_training_error.csv; the runs themselves are not shipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.core.tables import record, table
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
    return tuple(record(GroupError, row) for row in table("calibration_training_error"))


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


def _runs(rows: Sequence[GroupError]) -> int:
    return sum(row.runs for row in rows)
