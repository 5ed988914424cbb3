"""A batch and a sweep on a real Dask scheduler: ``python -m tests.scheduling.cluster [ROWS]``.

Workers are processes on loopback; one is killed half-way, one joins late. At the end every scenario and every partition
is done, none is lost, none stands twice, and the outputs are those of local processes byte for byte.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from tests.batch import kills

N_SCENARIOS = 6
PARTITION = 100_000


class Machines:
    """A scheduler and workers, each a process, all of which end with the block."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        self.scheduler = self._start("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard")
        self.address = self.wait_for("scheduler0.log", r"Scheduler at:\s+(tcp://\S+)")[1]

    def _start(self, kind: str, *words: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{kind}{len(self.processes)}.log").open("wb")
        program = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words]
        self.processes.append(subprocess.Popen(program, stdout=log, stderr=subprocess.STDOUT))
        return self.processes[-1]

    def wait_for(self, log: str, pattern: str) -> re.Match[str]:
        """Return what a log says once it does."""
        give_up = time.monotonic() + 600
        while time.monotonic() < give_up:
            if found := re.search(pattern, (self.folder / log).read_text()):
                return found
            time.sleep(0.1)
        raise TimeoutError(f"{log} does not say {pattern}")

    def worker(self, watched: bool = False) -> subprocess.Popen[bytes]:
        """Start a worker of one thread; watched by a nanny, which starts a killed one anew, or not."""
        return self._start(
            "worker", self.address, "--nthreads", "1", "--nanny" if watched else "--no-nanny", "--no-dashboard",
            "--memory-limit", "4GB", "--local-directory", str(self.folder / "workers"),
        )  # fmt: skip

    def end(self) -> None:
        # One after the other, the scheduler last: a Dask worker that is told to end while its scheduler closes may
        # hang for ever. What it leaves unsaid is no result of ours, so one that still hangs is killed.
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def machines() -> Iterator[Machines]:
    with tempfile.TemporaryDirectory() as folder:
        there = Machines(Path(folder))
        try:
            yield there
        finally:
            there.end()


def sizebook(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sizebook", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def until(done: int, out: Path, process: subprocess.Popen[str]) -> None:
    """Wait until so many rows stand done in the files of a batch, whose journal only the batch may open."""
    give_up = time.monotonic() + 600
    while len(list(out.glob("[a-z]*[0-9].*"))) < done and process.poll() is None:
        assert time.monotonic() < give_up, "no progress"
        time.sleep(0.05)


def table(path: Path, n_rows: int) -> None:
    """Write a table of serving estimates in which every row differs."""
    at = pl.int_range(n_rows, eager=True)
    pl.DataFrame({
        "model": "llama-3.1-70b", "gpu": "h100-sxm", "engine": "vllm", "tp": 8,
        "input_tokens": 100 + at % 4000, "output_tokens": 50 + at % 1000, "concurrency": 1 + at % 256,
    }).write_parquet(path)  # fmt: skip


def whole(out: Path, names: set[str], again: set[str]) -> None:
    """Check that everything is done, and begun once but for what a dead worker had."""
    found = kills.journal(out)
    assert found.done == names, names ^ found.done
    assert found.attempts == dict.fromkeys(names, 1) | {name: found.attempts[name] for name in again}, found.attempts


def batch_with_a_death(there: Machines, folder: Path) -> None:
    """Run a batch: a worker dies when some scenarios are done, another joins then."""
    scenarios, out = kills.table(folder, N_SCENARIOS), folder / "batch"
    first, _ = there.worker(), there.worker()
    process = sizebook("batch", str(scenarios), "-o", str(out), "--scheduler", there.address)
    until(4, out, process)
    os.kill(first.pid, signal.SIGKILL)
    there.worker()
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0 and f"{N_SCENARIOS} of {N_SCENARIOS} scenarios done" in said, said
    names = {f"row{at}" for at in range(N_SCENARIOS)}
    whole(out, names, set())
    assert kills.torn(out) == []
    local = folder / "local"
    assert sizebook("batch", str(scenarios), "-o", str(local), "--jobs", "2").wait(600) == 0
    ours = {path.name: path.read_bytes() for path in out.iterdir() if path.suffix != ".sqlite"}
    assert ours == {path.name: path.read_bytes() for path in local.iterdir() if path.suffix != ".sqlite"}
    print(f"{N_SCENARIOS} scenarios, one worker killed, one late: 0 lost, 0 twice, equal to local processes")  # noqa: T201


def stopped_and_resumed(there: Machines, folder: Path) -> None:
    """Stop a batch by Ctrl-C and resume it with local processes: what was done stays as it is."""
    scenarios, out = folder / "scenarios.csv", folder / "stopped"
    process = sizebook("batch", str(scenarios), "-o", str(out), "--scheduler", there.address)
    until(5, out, process)  # files: two of each scenario
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 1 and "Traceback" not in said, said
    before = kills.journal(out)
    assert before.done and len(before.done) < N_SCENARIOS, before
    times = kills.written(out, before.done)
    process = sizebook("batch", str(scenarios), "-o", str(out), "--jobs", "2", "--resume")
    said, _ = process.communicate(timeout=600)
    assert f"{N_SCENARIOS} of {N_SCENARIOS} scenarios done, {len(before.done)} of them before" in said, said
    assert {name: at for name, at in kills.written(out, before.done).items() if name in times} == times
    print(f"stopped after {len(before.done)}, the others by local processes")  # noqa: T201


def scheduler_death(folder: Path) -> None:
    """Kill the scheduler under a batch and resume on another one: one message, and what was done stays as it is."""
    scenarios, out = folder / "scenarios.csv", folder / "orphaned"
    with machines() as first:
        first.worker()
        process = sizebook("batch", str(scenarios), "-o", str(out), "--scheduler", first.address)
        until(3, out, process)
        first.scheduler.kill()
        said, _ = process.communicate(timeout=600)
        gone = (
            f"sizebook: scheduler gone: got no answer from {first.address}, want it to run until the work is done. "
            "Start it again, and the command with --resume.\n"
        )
        bar, _, after = said.partition("sizebook: ")  # of progress
        assert process.returncode == 2 and len(bar.splitlines()) <= 1 and f"sizebook: {after}" == gone, said
    before = kills.journal(out)
    assert before.done and len(before.done) < N_SCENARIOS, before
    times = kills.written(out, before.done)
    with machines() as second:
        second.worker()
        process = sizebook("batch", str(scenarios), "-o", str(out), "--scheduler", second.address, "--resume")
        said, _ = process.communicate(timeout=600)
    assert f"{N_SCENARIOS} of {N_SCENARIOS} scenarios done, {len(before.done)} of them before" in said, said
    assert {name: at for name, at in kills.written(out, before.done).items() if name in times} == times
    print(f"scheduler killed after {len(before.done)} of {N_SCENARIOS}: one message, the others on another scheduler")  # noqa: T201


def sweep_with_a_death(there: Machines, folder: Path, n_rows: int) -> None:
    """Run a sweep of partitions: a worker dies half-way, another joins; every row is there once."""
    given, out = folder / "rows", folder / "answers"
    given.mkdir()
    n_parts = n_rows // PARTITION
    for number in range(n_parts):
        table(given / f"part{number}.parquet", PARTITION)
    victim = there.worker()
    began = time.monotonic()
    process = sizebook("sweep", str(given), "-o", str(out), "--scheduler", there.address)
    until(n_parts // 2, out, process)
    os.kill(victim.pid, signal.SIGKILL)
    there.worker()
    said, _ = process.communicate(timeout=3600)
    took = time.monotonic() - began
    assert f"{n_rows} of {n_rows} rows estimated in {n_parts} of {n_parts} partitions" in said, said
    whole(out, {f"part{number}" for number in range(n_parts)}, set())
    found = pl.scan_parquet(out / "*.parquet").select(pl.len(), pl.col("tpot_seconds").null_count()).collect()
    assert found.row(0) == (n_rows, 0)
    print(f"{n_rows} rows in {n_parts} partitions in {took:.0f} s, one worker killed, one late: 0 lost, 0 twice")  # noqa: T201


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made, machines() as running:
        batch_with_a_death(running, Path(made))
        stopped_and_resumed(running, Path(made))
        scheduler_death(Path(made))
        sweep_with_a_death(running, Path(made), int(sys.argv[1]) if len(sys.argv) > 1 else 400_000)
