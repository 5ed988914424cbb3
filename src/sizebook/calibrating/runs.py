"""Tables of measured runs: the columns of `sizebook sweep` and what was measured, every row checked before any fit."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sizebook.calibrating import benchmark_results, training_logs
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


@dataclass(frozen=True)
class RunTable:
    """A table of runs, a benchmark's result or a trainer's log; ``stated`` are columns that all its runs share."""

    path: Path
    stated: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.path.name

    @cached_property
    def columns(self) -> list[str]:
        """Its columns, those stated last; errors: a file that is no table, a column that is stated and there."""
        if self.is_result:
            own = list(dict.fromkeys(name for row in self._results for name, cell in row.items() if cell is not None))
            own = [name for name in own if name not in self.stated]
            wanted = training_logs.OF_THE_RUN if self._is_log else benchmark_results.OF_THE_SERVER
            if missing := [name for name in wanted if name not in (*own, *self.stated)]:
                raise InputError(
                    f"{self.name}: settings missing: got no {', '.join(missing)}, want each. Add "
                    f"{' '.join(f'--set {name}=...' for name in missing)}"
                )
        else:
            check_kind(self.path)
            if not self.path.is_file():
                raise InputError(f"cannot read: got no file {self.path}, want a table of runs. Check the path.")
            own = columns_and_rows(self.path)[0]
            if twice := [name for name in own if name in self.stated]:
                raise InputError(
                    f"{self.name}: stated twice: got {twice[0]} as a column and by --set, want one. Remove one."
                )
        return [*own, *self.stated]

    @property
    def is_result(self) -> bool:
        """Whether it is what a benchmark or a trainer wrote."""
        return self._is_log or self.path.suffix.casefold() in benchmark_results.KINDS

    @property
    def _is_log(self) -> bool:
        return self.path.suffix.casefold() in training_logs.KINDS

    @cached_property
    def _results(self) -> list[dict[str, Any]]:
        return training_logs.log_rows(self.path) if self._is_log else benchmark_results.result_rows(self.path)

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the rows with their lines: the first under the heads is 2, the first result 1."""
        frames = (frame.iter_rows(named=True) for frame in pieces(self.path)) if not self.is_result else [self._results]
        first = 1 if self.is_result else 2
        for line, row in enumerate((row for frame in frames for row in frame), start=first):
            if line > MOST_RUNS + 1:
                raise InputError(f"too many runs: got more than {MOST_RUNS:,} in {self.name}, want fewer. Take some.")
            yield line, row | dict(self.stated)


def check_apart(tables: Sequence[Path], output: Path) -> None:
    """Refuse a table that is given twice, whose runs would count twice, and rates in the place of measured runs."""
    seen: set[Path] = set()
    for table in tables:
        if (place := table.resolve()) in seen:
            raise InputError(f"table given twice: got {table.name} again, want each once. Remove one.")
        seen.add(place)
    if output.resolve() in seen:
        raise InputError(f"output over input: got -o {output.name}, a table of runs, want another file. Name another.")


def read(table: RunTable, readers: Mapping[str, Reader]) -> list[Run]:
    """Return the runs of a table, or refuse it with every bad row by line: none is dropped."""
    columns = table.columns
    plan = plan_of(columns, table.name)
    if "rates_file" in columns:
        raise InputError(
            f"{table.name}: own rates among the runs: got a column rates_file, want none. Remove the column."
        )
    reader = readers[plan](columns)
    found, bad = [], []
    for line, row in table.rows():
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
                f"implausible rate: got a {figure} of {value:.4g} {unit}, {times:.3g} times the "
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
