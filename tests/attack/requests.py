"""Sends hostile requests to a running service, byte for byte, and judges its answers."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.attack.material import content
from tests.web.load import free_port

TOKEN = "a token of the attacks"
SECONDS = 4  # for a request
KEYS = {"name", "head", "body", "silent", "times", "answer", "said", "closed", "by_hand"}


@contextmanager
def service() -> Iterator[int]:
    """Run a service that may open 200 files and gives a request few seconds; give its port."""
    port = free_port()
    words = f"{sys.executable} -m sizebook --limit request_seconds={SECONDS} web --port {port} --jobs 1"
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as lines:
            process = subprocess.Popen(
                ["bash", "-c", f"ulimit -n 200; exec {words}"],
                env={**os.environ, "SIZEBOOK_WEB_TOKEN": TOKEN}, stdout=lines, stderr=lines,
            )  # fmt: skip
        try:
            for _ in range(300):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.2)
            yield port
        finally:
            process.terminate()
            process.wait()
        assert "Traceback" not in log.read_text(), log.read_text()


def request_problem(case: Mapping[str, Any], port: int) -> str:
    """Return how the answer to a request falls short, empty where it holds."""
    assert not case.keys() - KEYS, case.keys() - KEYS
    with ExitStack() as silent:
        for _ in range(case.get("silent", 0)):
            silent.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        for _ in range(case.get("times", 1)):
            if problem := _problem(case, port):
                return problem
    return ""


def _problem(case: Mapping[str, Any], port: int) -> str:
    head = "\r\n".join(case["head"]).replace("TOKEN", TOKEN).encode()
    begun = time.monotonic()
    answer = _asked(port, head + content(case.get("body", "")))
    took = time.monotonic() - begun
    if case.get("closed"):  # a request that does not come whole
        return "" if answer == b"" and SECONDS - 1 < took < 3 * SECONDS else f"after {took:.1f} s {answer[:200]!r}"
    first, _, rest = answer.partition(b"\r\n")
    if first != f"HTTP/1.1 {case['answer']}".encode() or answer.count(b"HTTP/1.1") != 1:
        return f"answers {answer[:300]!r}, want {case['answer']}"
    if case["said"].encode() not in rest.partition(b"\r\n\r\n")[2]:
        return f"says {rest[-500:]!r}, want {case['said']!r}"
    return ""


def _asked(port: int, sent: bytes) -> bytes:
    """Return all that the service answers until it closes the connection, or nothing comes for long."""
    with socket.create_connection(("127.0.0.1", port), timeout=3 * SECONDS) as connection:
        connection.sendall(sent)
        found = b""
        while part := connection.recv(65_536):
            found += part
    return found
