"""Tables of measured runs: the columns of `sizebook sweep` and what was measured, every row checked before any fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import REQUIRED, Argument, Quantity
from sizebook.sweeps.streaming import check_kind, columns_and_rows, pieces
from sizebook.tables.own_rates import FIGURES, LEAST, MOST, SERVING, TRAINING, Setup

# Columns of what was measured, and the figure of a plan that each is held against.
_SECONDS = Quantity("as measured", unit="seconds", above=0, maximum=1e9)
_RATE = Quantity("as measured", unit="tokens/s", above=0, maximum=1e12)
MEASURED = {
    TRAINING: {"measured_step_seconds": ("step", _SECONDS), "measured_tokens_per_s_per_gpu": ("step", _RATE)},
    SERVING: {
        "measured_tpot_seconds": ("tpot", _SECONDS),
        "measured_ttft_seconds": ("ttft", _SECONDS),
        "measured_tokens_per_second": ("throughput", _RATE),
    },
}
GROUP = "group"
THROUGHPUT = FIGURES[SERVING][-1]
MOST_RUNS = 20_000
_SHOWN = 10


@dataclass(frozen=True)
class Run:
    """One measured run: its line, what its rates are looked up by, what is left out with it, and how to predict it.

    ``predicted`` gives each measured figure under factors on seconds, in the unit of ``measured``.
    """

    line: int
    setup: Setup
    kind: str
    group: str
    measured: Mapping[str, float]
    predicted: Callable[[Mapping[str, float]], Mapping[str, float]]


Reader = Callable[[list[str]], Callable[[int, dict[str, Any]], Run]]


def plan_of(columns: list[str], where: str) -> str:
    """Return whether a table holds training or serving runs: its measured columns decide."""
    found = [plan for plan, names in MEASURED.items() if set(names) & set(columns)]
    if len(found) == 1:
        return found[0]
    wanted = " or ".join(", ".join(names) for names in MEASURED.values())
    raise InputError(
        f"{where}: not measured runs: got {' and '.join(found) or 'no measured column'}, want {wanted}. "
        "Add what was measured, one plan a table."
    )


def rows(table: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a table with their lines, the first under the heads being 2."""
    line = 1
    for frame in pieces(table):
        for row in frame.iter_rows(named=True):
            line += 1
            if line > MOST_RUNS + 1:
                raise InputError(f"too many runs: got more than {MOST_RUNS:,} in {table.name}, want fewer. Take some.")
            yield line, row


def check_apart(tables: Sequence[Path], output: Path) -> None:
    """Refuse a table that is given twice, whose runs would count twice, and rates in the place of measured runs."""
    seen: set[Path] = set()
    for table in tables:
        if (place := table.resolve()) in seen:
            raise InputError(f"table given twice: got {table.name} again, want each once. Remove one.")
        seen.add(place)
    if output.resolve() in seen:
        raise InputError(f"output over input: got -o {output.name}, a table of runs, want another file. Name another.")


def check(table: Path) -> list[str]:
    """Return the columns of a table, or refuse a file that is none."""
    check_kind(table)
    if not table.is_file():
        raise InputError(f"cannot read: got no file {table}, want a table of runs. Check the path.")
    return columns_and_rows(table)[0]


def read(table: Path, readers: Mapping[str, Reader]) -> list[Run]:
    """Return the runs of a table, or refuse it with every bad row by line: none is dropped."""
    columns = check(table)
    plan = plan_of(columns, table.name)
    if "rates_file" in columns:
        raise InputError(
            f"{table.name}: own rates among the runs: got a column rates_file, want none. Remove the column."
        )
    reader = readers[plan](columns)
    found, bad = [], []
    for line, row in rows(table):
        try:
            found.append(_near(reader(line, row)))
        except SizebookError as error:
            bad.append(f"line {line}: {error}")
    if bad:
        more = [f"and {len(bad) - _SHOWN} more"] if len(bad) > _SHOWN else []
        n_bad = f"{len(bad)} bad row{'s' if len(bad) > 1 else ''}"
        raise InputError("\n  ".join([f"{table.name}: {n_bad}, nothing was fitted", *bad[:_SHOWN], *more]))
    if not found:
        raise InputError(f"{table.name}: no runs: got an empty table, want one run a row. Add rows.")
    return found


def _near(run: Run) -> Run:
    """Return a run that rates can be fitted to: what was measured lies as near to what is predicted as factors may go.

    A step of 1e9 seconds is a slip of the unit, not a slow cluster, and would turn every rate of its setup.
    """
    shipped = run.predicted({})
    for figure, value in run.measured.items():
        times = value / shipped[figure]
        if not LEAST <= times <= MOST:
            unit = "tokens/s" if figure == THROUGHPUT else "s"
            raise InputError(
                f"beyond what rates can be: got a {figure} of {value:.4g} {unit}, {times:.3g} times the "
                f"{shipped[figure]:.4g} {unit} of the shipped rates, want {LEAST:g} to {MOST:g} times. Correct its "
                "unit, or what the row says of the run."
            )
    return run


def measured(plan: str, row: Mapping[str, Any]) -> dict[str, float]:
    """Return the measured cells of a row by column; errors: none, a number that is not one, or one figure twice."""
    given = {
        name: float(coerce(Argument(name, quantity, REQUIRED), row[name]))
        for name, (_, quantity) in MEASURED[plan].items()
        if name in row and not is_blank(row[name])
    }
    if not given:
        raise InputError(f"nothing measured: got no {' or '.join(MEASURED[plan])}, want one of them. Fill it in.")
    if plan == TRAINING and len(given) > 1:
        raise InputError(f"measured twice: got {' and '.join(given)}, want one of them. Leave one blank.")
    return given


def group_of(row: Mapping[str, Any]) -> str:
    """Return what a run is left out together with: its group where the table names one, else its model."""
    name = row.get(GROUP)
    return str(row["model"] if name is None or is_blank(name) else name)
