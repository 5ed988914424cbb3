"""Kills batches at random points and resumes them: ``python -m tests.batch.kills 50 [SEED]``.

After each kill no output is torn and no process lives on; at the end every scenario is done, and none was made again
that the journal held as done. Points are random in what the batch has done so far, not in seconds, so that a busy
machine is killed as late as an idle one; a run that ends before its point is none of the kills.
"""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

N_SCENARIOS = 6
MODELS = ("gpt-2-small", "pythia-6.9b", "llama-3.1-8b")
# Of batches in turn; the first start and end in a fraction of the time, so that more kills fall into their writing.
FORMATS = (("json", "csv"), ("json", "csv"), ("pdf", "xlsx"))
GONE_WITHIN_SECONDS = 60.0
IDLE_SECONDS = 120.0  # without any use of a processor: it hangs


def table(folder: Path, n_scenarios: int = N_SCENARIOS) -> Path:
    path = folder / "scenarios.csv"
    lines = [f"row{i},{MODELS[i % len(MODELS)]},bf16" for i in range(n_scenarios)]
    path.write_text("\n".join(["name,model,dtype", *lines]) + "\n", encoding="utf-8")
    return path


def n_rows(scenarios: Path) -> int:
    return len(scenarios.read_text(encoding="utf-8").splitlines()) - 1


def formats_of(out: Path) -> tuple[str, ...]:
    """Return what a batch makes: the formats in turn, by the number at the end of its folder's name."""
    return FORMATS[int(out.name[-1]) % len(FORMATS)]


def start(scenarios: Path, out: Path) -> subprocess.Popen[str]:
    """Start a batch that resumes, in a session of its own."""
    words = [sys.executable, "-m", "sizebook", "batch", str(scenarios), "-o", str(out), "--jobs", "2", "--resume",
             "--formats", ",".join(formats_of(out))]  # fmt: skip
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


def workers(leader: int) -> list[int]:
    return [pid for pid, line in session(leader).items() if "spawn_main" in line]


def kill(process: subprocess.Popen[str], victim: str, rng: random.Random) -> bool:
    """Kill a worker, the parent, or all at once; return whether any was there."""
    there = workers(process.pid)
    chosen = {"worker": [rng.choice(there)] if there else [], "parent": [process.pid],
              "both": [process.pid, *there]}[victim]  # fmt: skip
    for pid in chosen:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return bool(chosen)


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
    for path in out.glob("row*.json"):
        json.loads(path.read_bytes())
    return [*bad, *(path.name for path in out.glob("row*.csv") if not path.read_bytes().endswith(b"\r\n"))]


def written(out: Path, names: set[str]) -> dict[str, int]:
    """When the files of scenarios were written."""
    return {path.name: path.stat().st_mtime_ns for path in out.glob("row*") if path.stem in names}


def steps(process: subprocess.Popen[str], out: Path, n_files: int) -> int:
    """Return how far a batch is: its journal is there, its workers are, and a step for every file it wrote."""
    if not (out / "journal.sqlite").exists():
        return 0
    n_new = len(list(out.glob("row*"))) - n_files
    return 2 + n_new if n_new or workers(process.pid) else 1


def up_to(process: subprocess.Popen[str], out: Path, target: int, share: float) -> bool:
    """Wait until a batch has come so many steps far and a share of the next; return whether it still runs."""
    began, n_files = time.monotonic(), len(list(out.glob("row*")))
    while process.poll() is None and steps(process, out, n_files) < target:
        time.sleep(0.1)
    time.sleep(share * max(time.monotonic() - began, 0.5) / (target + 1))
    return process.poll() is None


def ended(process: subprocess.Popen[str]) -> str:
    """Return what a batch said, however long it took, unless it hangs."""
    used: dict[int, float] = {}
    while True:
        try:
            return process.communicate(timeout=IDLE_SECONDS)[0]
        except subprocess.TimeoutExpired:
            before, used = used, processor_seconds(process.pid)
            assert used != before, f"hangs: {session(process.pid)}"


def processor_seconds(leader: int) -> dict[int, float]:
    """Return what each live process of a session has used."""
    found = {}
    for pid in session(leader):
        with suppress(psutil.NoSuchProcess):
            found[pid] = sum(psutil.Process(pid).cpu_times()[:2])
    return found


def one_kill(scenarios: Path, out: Path, victim: str, rng: random.Random) -> bool:
    """Start, kill at a random point and check; return whether there was somebody to kill."""
    before = journal(out).done
    times, n_left = written(out, before), n_rows(scenarios) - len(before)
    process = start(scenarios, out)
    target = rng.randint(2 if victim == "worker" else 0, 2 + max(2 * n_left - 1, 0))
    killed = up_to(process, out, target, rng.random()) and kill(process, victim, rng)
    if killed and victim != "worker":
        gone_by = time.monotonic() + GONE_WITHIN_SECONDS
        while session(process.pid) and time.monotonic() < gone_by:
            time.sleep(0.05)
        assert not session(process.pid), session(process.pid)
    said = ended(process)
    assert "Traceback" not in said, said
    assert torn(out) == []
    assert before <= journal(out).done, f"lost: {before - journal(out).done}"
    assert {name: at for name, at in written(out, before).items() if name in times} == times, "made twice"
    return killed


def complete(scenarios: Path, out: Path, n_scenarios: int) -> None:
    """Resume to the end and check that nothing is missing and nothing left over."""
    process = start(scenarios, out)
    said = ended(process)
    assert process.returncode == 0, said
    found = journal(out)
    names = {f"row{i}" for i in range(n_scenarios)}
    assert found.done == names
    assert torn(out) == []
    files = {f"{name}.{ending}" for name in names for ending in formats_of(out)}
    assert {path.name for path in out.iterdir()} == files | {"index.html", "index.xlsx", "journal.sqlite"}
    assert [path.name for path in (scenarios.parent / "temp").iterdir()] == []


def rounds(folder: Path, n_kills: int, seed: int, n_scenarios: int = N_SCENARIOS) -> None:
    """Kill so many times, worker, parent and both in turn; whenever a batch is whole, begin another."""
    rng, n_done, n_batches = random.Random(seed), 0, 0
    scenarios = table(folder, n_scenarios)
    (folder / "temp").mkdir()
    out = folder / "out0"
    while n_done < n_kills:
        n_done += one_kill(scenarios, out, ("worker", "parent", "both")[n_done % 3], rng)
        if len(journal(out).done) == n_scenarios:
            complete(scenarios, out, n_scenarios)
            n_batches += 1
            out = folder / f"out{n_batches}"
    complete(scenarios, out, n_scenarios)
    print(f"{n_kills} kills, {n_batches + 1} batches whole, nothing lost, twice or torn")  # noqa: T201


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        rounds(Path(made), int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
