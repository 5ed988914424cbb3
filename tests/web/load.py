"""The web service under fire: ``python -m tests.web.load [SECONDS [CLIENTS]]``.

schemathesis sends what the description allows and what it does not; archives that unpack to gigabytes, requests that
drip in, readers that leave and hundreds who follow a batch (`tests.web.web_attacks`); then clients ask side by
side, one question in ten a hostile one. Nothing may end in a server error, every refusal is one message of the house's
form, and afterwards the service holds no more than a fifth more memory than when each of its processes had answered
every kind of question.
"""

import random
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import psutil

ROOT = Path(__file__).resolve().parents[2]
PROBLEM = re.compile(r"(?s).+: got .+, want .+")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
SCENARIOS = [
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("workbooks/scenarios/llama-3.1-8b.toml", "reports/training-llama-3.1-70b.toml",
                 "reports/serving-llama-3.1-70b.toml", "workbooks/scenarios/six-services.toml")
]  # fmt: skip
HOSTILE = ['model = "no-such-model"', 'model = "/etc/passwd"', "model = ", 'model = "gpt-2-small"\ndytpe = "fp8"',
           "x = " + "[" * 10_000, "a" + ".a" * 50_000 + " = 1", "x = " + "9" * 10_000]  # fmt: skip


@contextmanager
def service(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Run the service on a free port of loopback; give its address and process."""
    port = free_port()
    with (folder / "web.log").open("wb") as log:
        words = [sys.executable, "-m", "sizebook", "web", "--port", str(port), "--jobs", "2"]
        process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                httpx.get(f"{address}/health", timeout=5).raise_for_status()
                break
            except httpx.TransportError:
                time.sleep(0.1)
        yield address, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(60)
        assert b"Traceback" not in (folder / "web.log").read_bytes(), (folder / "web.log").read_text()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def fuzzed(address: str, n_examples: int) -> None:
    words = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json", "--checks", CHECKS,
        "--max-examples", str(n_examples), "--seed", "1", "--phases", "examples,coverage,fuzzing",
        "--request-timeout", "300", "--suppress-health-check", "all",
    ]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    print(f"schemathesis: {' '.join(done.stdout.strip().splitlines()[-3:])}", flush=True)  # noqa: T201


class Load:
    """Clients that ask one request after the other until time is up."""

    def __init__(self, address: str, seconds: float) -> None:
        self.address, self.end = address, time.monotonic() + seconds
        self.codes: Counter[int] = Counter()
        self.wrong: list[str] = []
        self.slowest = 0.0

    def client(self, seed: int) -> None:
        rng = random.Random(seed)
        with httpx.Client(base_url=self.address, timeout=300) as asking:
            while time.monotonic() < self.end:
                began = time.monotonic()
                try:
                    self._ask(asking, rng)
                except httpx.HTTPError as error:
                    self.wrong.append(repr(error))
                self.slowest = max(self.slowest, time.monotonic() - began)

    def _ask(self, asking: httpx.Client, rng: random.Random) -> None:
        is_refused = rng.random() < 0.1
        text = rng.choice(HOSTILE if is_refused else SCENARIOS)
        kind = "json" if is_refused else rng.choices(["json", "csv", "xlsx"], [30, 10, 1])[0]
        if kind == "xlsx":
            text = SCENARIOS[0]
        found = asking.post(f"/plans?format={kind}", content=text, headers={"Content-Type": "application/toml"})
        self.codes[found.status_code] += 1
        wanted = 422 if is_refused else 200
        if found.status_code != wanted or (is_refused and not PROBLEM.fullmatch(found.json()["problem"])):
            self.wrong.append(f"{found.status_code} {found.text[:300]}")


def megabytes(process: psutil.Process) -> float:
    """Return what the service and its processes hold; a calculation's own fork comes and goes within a second."""
    found = 0.0
    for each in [process, *process.children()]:
        with suppress(psutil.NoSuchProcess):  # ended since it was listed
            found += each.memory_info().rss / 1e6
    return found


def loaded(address: str, process: psutil.Process, seconds: float, n_clients: int) -> None:
    before = warmed(address, process)
    load = Load(address, seconds)
    clients = [threading.Thread(target=load.client, args=(seed,)) for seed in range(n_clients)]
    most = before
    for each in clients:
        each.start()
    while any(each.is_alive() for each in clients):
        most = max(most, megabytes(process))
        time.sleep(1)
    after = megabytes(process)
    assert not load.wrong, load.wrong[:5]
    print(  # noqa: T201
        f"{n_clients} clients, {seconds:.0f} s, one question in ten hostile: {dict(load.codes)}, 0 wrong, slowest "
        f"{load.slowest:.1f} s; memory {before:.0f} MB before, {most:.0f} at most, {after:.0f} afterwards",
        flush=True,
    )
    assert after < 1.2 * before, (before, after)


def warmed(address: str, process: psutil.Process) -> float:
    """Have every process answer every kind of question; return what the service holds then."""
    asked = [(kind, text) for kind in ("json", "csv") for text in SCENARIOS] + [("xlsx", SCENARIOS[0])]

    def asking() -> None:
        for kind, text in asked:
            where, toml = f"{address}/plans?format={kind}", {"Content-Type": "application/toml"}
            httpx.post(where, content=text, headers=toml, timeout=300).raise_for_status()

    both = [threading.Thread(target=asking) for _ in range(4)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    return megabytes(process)


if __name__ == "__main__":
    duration = float(sys.argv[1]) if len(sys.argv) > 1 else 15.0
    with TemporaryDirectory() as made, service(Path(made)) as (where, running):
        from tests.web.web_attacks import attacked

        fuzzed(where, 20)
        attacked(where, running)
        loaded(where, running, duration, int(sys.argv[2]) if len(sys.argv) > 2 else 50)
