"""Kills batches at random points and resumes them: ``python -m tests.surfaces.kills 50 [SEED]``.

After each kill no output is torn and no process lives on; at the end every scenario is done, and none was made again
that the journal held as done.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

N_SCENARIOS = 6
MODELS = ("gpt-2-small", "pythia-6.9b", "llama-3.1-8b")
GONE_WITHIN_SECONDS = 5.0


def table(folder: Path, n_scenarios: int = N_SCENARIOS) -> Path:
    path = folder / "scenarios.csv"
    lines = [f"row{i},{MODELS[i % len(MODELS)]},bf16" for i in range(n_scenarios)]
    path.write_text("\n".join(["name,model,dtype", *lines]) + "\n", encoding="utf-8")
    return path


def start(scenarios: Path, out: Path) -> subprocess.Popen[str]:
    """Start a batch that resumes, in a session of its own."""
    words = [sys.executable, "-m", "sizebook", "batch", str(scenarios), "-o", str(out), "--jobs", "2", "--resume"]
    return subprocess.Popen(
        words, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=os.environ | {"TMPDIR": str(scenarios.parent / "temp")},
    )  # fmt: skip


def session(leader: int) -> dict[int, str]:
    """The live processes of a session and their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == leader and state != "Z":
                found[int(folder.name)] = (folder / "cmdline").read_text()
        except (OSError, ValueError):
            continue
    return found


def kill(process: subprocess.Popen[str], victim: str, rng: random.Random) -> None:
    """Kill a worker, the parent, or all at once."""
    workers = [pid for pid, line in session(process.pid).items() if "spawn_main" in line]
    chosen = {"worker": [rng.choice(workers)] if workers else [], "parent": [process.pid],
              "both": [process.pid, *workers]}[victim]  # fmt: skip
    for pid in chosen:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


@dataclass(frozen=True)
class Found:
    """What a journal says: the state of every scenario and how often it was begun."""

    states: dict[str, str]
    attempts: dict[str, int]

    @property
    def done(self) -> set[str]:
        return {name for name, state in self.states.items() if state == "done"}


def journal(out: Path) -> Found:
    if not (out / "journal.sqlite").exists():
        return Found({}, {})
    database = sqlite3.connect(out / "journal.sqlite")
    try:
        rows = database.execute("SELECT name, state, attempts FROM scenario").fetchall()
    except sqlite3.OperationalError:  # killed before it had a table
        rows = []
    database.close()
    return Found({row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows})


def torn(out: Path) -> list[str]:
    """The outputs that are not whole."""
    bad = [path.name for path in out.glob("row*.pdf") if b"%%EOF" not in path.read_bytes()[-64:]]
    for path in out.glob("row*.xlsx"):
        with zipfile.ZipFile(path) as archive:
            if archive.testzip():
                bad.append(path.name)
    return bad


def written(out: Path, names: set[str]) -> dict[str, int]:
    """When the files of scenarios were written."""
    return {path.name: path.stat().st_mtime_ns for path in out.glob("row*") if path.stem in names}


def one_kill(scenarios: Path, out: Path, victim: str, rng: random.Random, most_seconds: float) -> bool:
    """Start, kill at a random point and check; return whether the batch had finished before."""
    before = journal(out).done
    times = written(out, before)
    process = start(scenarios, out)
    give_up = time.monotonic() + rng.uniform(0.2, most_seconds)
    while time.monotonic() < give_up and process.poll() is None:
        time.sleep(0.02)
    finished = process.poll() is not None
    if not finished:
        kill(process, victim, rng)
    said, _ = process.communicate(timeout=300)
    assert "Traceback" not in said, said
    if victim != "worker" and not finished:
        gone_by = time.monotonic() + GONE_WITHIN_SECONDS
        while session(process.pid) and time.monotonic() < gone_by:
            time.sleep(0.05)
        assert not session(process.pid), session(process.pid)
    assert torn(out) == []
    assert before <= journal(out).done, f"lost: {before - journal(out).done}"
    assert {name: at for name, at in written(out, before).items() if name in times} == times, "made twice"
    return finished or process.returncode == 0


def complete(scenarios: Path, out: Path, n_scenarios: int) -> None:
    """Resume to the end and check that nothing is missing and nothing left over."""
    process = start(scenarios, out)
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said
    found = journal(out)
    names = {f"row{i}" for i in range(n_scenarios)}
    assert found.done == names
    assert torn(out) == []
    files = {f"{name}.{ending}" for name in names for ending in ("pdf", "xlsx")}
    assert {path.name for path in out.iterdir()} == files | {"index.html", "index.xlsx", "journal.sqlite"}
    assert [path.name for path in (scenarios.parent / "temp").iterdir()] == []


def rounds(folder: Path, n_kills: int, seed: int, n_scenarios: int = N_SCENARIOS, most_seconds: float = 9.0) -> None:
    """Kill so many times, worker, parent and both in turn; whenever a batch is whole, begin another."""
    rng, n_batches = random.Random(seed), 0
    scenarios = table(folder, n_scenarios)
    (folder / "temp").mkdir()
    out = folder / "out0"
    for number in range(n_kills):
        victim = ("worker", "parent", "both")[number % 3]
        if one_kill(scenarios, out, victim, rng, most_seconds):
            complete(scenarios, out, n_scenarios)
            n_batches += 1
            out = folder / f"out{n_batches}"
    complete(scenarios, out, n_scenarios)
    print(f"{n_kills} kills, {n_batches + 1} batches whole, nothing lost, twice or torn")  # noqa: T201


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        rounds(Path(made), int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
