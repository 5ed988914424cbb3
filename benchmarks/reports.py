"""Times reports and batches: `python benchmarks/reports.py [N_REPORTS]`; prints a line a measurement with its aim.

Where other work runs on the machine, seconds of the processor (of this process and those it starts) say more than those
on the clock; both are printed.
"""

import gc
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sizebook.batch.formats import FORMATS, Outputs, file_contents, produce_files
from sizebook.batch.journal import Outcome, journal
from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.batch.runner import RunOptions, run_batch
from sizebook.batch.scenario_list import Row
from sizebook.plans.contents import Figure
from sizebook.reports.charts.svg import svg
from sizebook.reports.render import html, pdf
from sizebook.scenarios.scenario_files import read_toml
from sizebook.sources.bundled import bundled

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.scheduling.cluster import machines

SERVING = Path(__file__).resolve().parents[1] / "reports" / "serving-llama-3.1-70b.toml"
VALUES = {"model": "llama-3.1-8b", "as_of": "2026-11-21"}


@dataclass
class Taken:
    """Seconds on the clock and of the processor."""

    clock: float = 0.0
    processor: float = 0.0


@contextmanager
def measured() -> Iterator[Taken]:
    taken = Taken()
    clock, processor = time.perf_counter(), _processor()
    yield taken
    taken.clock, taken.processor = time.perf_counter() - clock, _processor() - processor


def _processor() -> float:
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def best(*works: Callable[[], object], times: int = 7) -> list[Taken]:
    """Return the least of several runs of each, after one that loads what is loaded once.

    Works run in turns: a machine whose speed changes meanwhile then slows all of them, not one.
    """
    for work in works:
        work()
    runs: list[list[Taken]] = [[] for _ in works]
    for _ in range(times):
        for work, taken_before in zip(works, runs, strict=True):
            gc.collect()  # what the one before left is not this one's
            with measured() as taken:
                work()
            taken_before.append(taken)
    return [Taken(min(run.clock for run in each), min(run.processor for run in each)) for each in runs]


def said(what: str, taken: Taken, aim: str) -> None:
    print(f"{what:58} {taken.clock:8.3f} s clock {taken.processor:8.3f} s processor   {aim}", flush=True)


def planned() -> PlannedScenario:
    return plan_scenario(VALUES, "benchmark", Path.cwd())


def of_new_charts(work: Callable[[], object]) -> Callable[[], object]:
    """Return work as it is for a scenario whose charts were not drawn before."""

    def done() -> None:
        svg.cache_clear()
        work()

    return done


def serving() -> None:
    """Time a serving scenario as a batch makes them one after another: its report, and its workbook with it."""

    def made(formats: tuple[str, ...]) -> Callable[[], object]:
        values = read_toml(SERVING)
        return of_new_charts(lambda: file_contents(plan_scenario(values, "benchmark", SERVING.parent), formats))

    report, both = best(made(("pdf",)), made(("pdf", "xlsx")))
    said("a serving scenario to PDF", report, "aim 0.9 s of the processor")
    said("the same with its workbook, which is attached", both, "aim 1.44 s: a thousand in 12 minutes on two cores")


def against_weasyprint() -> None:
    """Time a report from its plan to PDF beside WeasyPrint alone on the finished HTML."""
    import weasyprint

    report = planned().report
    page, base = html(report), f"{bundled('templates')}/"

    alone, whole, attached = best(
        lambda: weasyprint.HTML(string=page, base_url=base).write_pdf(pdf_variant="pdf/ua-1"),
        of_new_charts(lambda: pdf(planned().report)),
        of_new_charts(lambda: FORMATS["pdf"].content(planned())),
        times=15,
    )
    ratio = whole.processor / alone.processor
    said("WeasyPrint alone on the finished HTML", alone, "")
    said("report: plan, charts, HTML, PDF", whole, f"{ratio:.2f} x of it by the processor (aim 1.25)")
    said("the same with scenario and figures attached", attached, "")


def without_pdf(folder: Path) -> None:
    """Time what a scenario costs beside its plan and its PDF."""

    def produced() -> None:
        for number in range(20):
            produce_files(planned(), folder, f"s{number}", ("json", "csv"))

    [taken] = best(produced)
    each = 1000 * taken.processor / 20
    said("20 scenarios to JSON and CSV, planned and written", taken, f"{each:.1f} ms each by the processor (aim 5)")


def rows(folder: Path, n: int) -> list[Row]:
    return [Row(f"row {at}", folder, f"row{at}", VALUES | {"title": f"Row {at}"}) for at in range(n)]


def _shown(outcomes: Iterator[Outcome], _n: int) -> Iterator[Outcome]:
    return outcomes


def on_processes(folder: Path, n: int) -> Taken:
    """Time reports on one and on two processes; return what two took."""
    taken = {}
    for jobs in (1, 2):
        with measured() as taken[jobs]:
            run_batch(rows(folder, n), folder / f"jobs{jobs}", RunOptions(jobs, ("pdf",)), _shown)
        said(f"{n} reports on {jobs} process{'es' if jobs > 1 else ''}", taken[jobs], "")
    ratio = taken[1].clock / taken[2].clock
    print(f"{'':58} {ratio:.2f} x by the clock (aim 1.8), load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return taken[2]


def on_dask(folder: Path, n: int, processes: Taken) -> None:
    """Time the same reports on two workers of a Dask scheduler, which send their files back."""
    with machines() as there:
        for _ in range(2):
            there.worker()
        with measured() as taken:
            run_batch(rows(folder, n), folder / "dask", RunOptions(2, ("pdf",), scheduler=there.address), _shown)
    # The workers' processor time counts where they have ended; this line has the clock's alone.
    ratio = taken.clock / processes.clock
    print(f"{f'{n} reports on 2 Dask workers':58} {taken.clock:8.3f} s clock {ratio:24.2f} x of two processes")


def resumed(folder: Path, n: int = 1000) -> None:
    """Time the resume of a batch that is finished."""
    every, out = rows(folder, n), folder / "resumed"
    out.mkdir()
    with journal(out, ("pdf",)) as record:
        record.enter(every, resume=False)
        for row in every:
            path = out / f"{row.name}.pdf"
            path.write_bytes(b"%PDF")
            record.record_outcome(Outcome(row, Outputs({"pdf": path}, (Figure("usd", "Cost", "USD", 1.0),))))
    order = RunOptions(1, ("pdf",), resume=True)
    run_batch(every, out, order, _shown)
    [taken] = best(lambda: run_batch(every, out, order, _shown), times=3)
    said(f"resume of a finished batch of {n}", taken, "aim 1 s")


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        serving()
        against_weasyprint()
        without_pdf(folder / "formats")
        resumed(folder)
        on_dask(folder, n, on_processes(folder, n))


if __name__ == "__main__":
    main()
