"""How long filling a shipped workbook takes, over its floors: openpyxl loading and saving it, the engine alone.

Run `python benchmarks/filling.py`. Each line is the least of `ROUNDS` in a process of its own, in processor seconds
with those of the calculating process, over both floors of the same run; memory is the most that a process held.
"""

import multiprocessing
import multiprocessing.connection
import os
import resource
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sizebook.calculation.callbacks import Calls
from sizebook.calculation.engine import loaded
from sizebook.calculation.kept_model import KEPT
from sizebook.calculation.package import Package
from sizebook.calculation.preparation import prepare
from sizebook.cli.fill import values_for
from sizebook.functions import load
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill

ROUNDS = 3
BATCH = 5  # workbooks that one process fills one after the other
ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {
    "serving_capacity.xlsx": ROOT / "reports" / "serving-llama-3.1-70b.toml",
    "fleet_plan.xlsx": ROOT / "workbooks" / "scenarios" / "six-services.toml",
}
Inputs = Mapping[str, Any]


def openpyxl(template: Path, given: Inputs, folder: Path) -> Callable[[], object]:
    from openpyxl import load_workbook  # here and not above: filling needs no openpyxl, and holds none of its memory

    return lambda: load_workbook(template).save(folder / "copied.xlsx")


def engine(template: Path, given: Inputs, folder: Path) -> Callable[[], object]:
    """Return the work of the engine alone, on a filled workbook whose formulas are rewritten already."""
    package = Package.read(fill(template, given, folder / "filled.xlsx").path)
    prepared = prepare(package, load())
    return lambda: loaded(prepared, Calls(load(), prepared), template.name).evaluate_all()


def first_fill(template: Path, given: Inputs, folder: Path) -> Callable[[], object]:
    """Return a filling that finds no rewritten formulas."""

    def work() -> None:
        for file in folder.glob("cache/sizebook/*"):
            file.unlink()
        KEPT.note(b"")
        fill(template, given, folder / "out.xlsx")

    return work


def next_fill(template: Path, given: Inputs, folder: Path) -> Callable[[], object]:
    """Return a filling as in a new process, which finds rewritten formulas and keeps no model."""
    fill(template, given, folder / "out.xlsx")

    def work() -> None:
        KEPT.note(b"")
        fill(template, given, folder / "out.xlsx")

    return work


def batch(template: Path, given: Inputs, folder: Path) -> Callable[[], object]:
    """Return the filling of scenarios that differ in their requests: what hangs on these is worked out for each."""
    asked = {name: value for name, value in given.items() if name.startswith("requests_per_day")}
    scenarios = [{**given, **{name: value * (10 + number) / 10 for name, value in asked.items()}}
                 for number in range(BATCH)]  # fmt: skip
    return lambda: [fill(template, each, folder / f"{number}.xlsx") for number, each in enumerate(scenarios)]


FLOORS, WORK = (openpyxl, engine), (first_fill, next_fill, batch)


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _measure(name: str, number: int, line: multiprocessing.connection.Connection) -> None:
    """Send the least seconds and the most MiB of one work."""
    make = (*FLOORS, *WORK)[number]
    template, best = bundled("workbooks") / name, float("inf")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["XDG_CACHE_HOME"] = str(Path(scratch) / "cache")
        given = values_for(EXAMPLES[name], template, None)
        work = make(template, given, Path(scratch))
        for _ in range(ROUNDS):
            start = _processor_seconds()
            work()
            best = min(best, _processor_seconds() - start)
    peaks = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    line.send((best / (BATCH if make is batch else 1), max(peaks) / 1024))


def measured(name: str, number: int) -> tuple[float, float]:
    """Return seconds and MiB of one work, done in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_measure, args=(name, number, theirs))
    process.start()
    found: tuple[float, float] = ours.recv()
    process.join()
    return found


def main() -> None:
    print(f"{'':36} {'seconds':>8} {'MiB':>6} {'x openpyxl':>11} {'x engine':>9}")
    for name in EXAMPLES:
        floors: list[float] = []
        for number, work in enumerate((*FLOORS, *WORK)):
            seconds, mebibytes = measured(name, number)
            floors += [seconds] if work in FLOORS else []
            ratios = "" if work in FLOORS else f" {seconds / floors[0]:11.1f} {seconds / floors[1]:9.1f}"
            print(f"{f'{name}: {work.__name__}':36} {seconds:8.2f} {mebibytes:6.0f}{ratios}", flush=True)


if __name__ == "__main__":
    main()
