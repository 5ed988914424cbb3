"""A running service answers although others hold connections open, and refuses by the head of a request alone."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TOKEN = "a token of the test"
SECONDS = 4
HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
KEY = f"Authorization: Bearer {TOKEN}\r\n".encode()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a service that may open 200 files and gives a request few seconds."""
    port, log = _free_port(), tmp_path_factory.mktemp("service") / "log"
    service = f"{sys.executable} -m sizebook --limit request_seconds={SECONDS} web --port {port} --jobs 1"
    environment = {**os.environ, "SIZEBOOK_WEB_TOKEN": TOKEN}
    with log.open("wb") as lines:
        process = subprocess.Popen(
            ["bash", "-c", f"ulimit -n 200; exec {service}"], env=environment, stdout=lines, stderr=lines
        )
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
    assert "Traceback" not in Path(log).read_text()


def asked(port: int, sent: bytes) -> bytes:
    """Return all that the service answers until it closes the connection, or nothing comes for long."""
    with socket.create_connection(("127.0.0.1", port), timeout=3 * SECONDS) as connection:
        connection.sendall(sent)
        found = b""
        while part := connection.recv(65_536):
            found += part
    return found


def test_silent_connections_do_not_keep_others_out(port: int) -> None:
    silent = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(230)]
    answer = asked(port, HEAD + KEY + b"Connection: close\r\n\r\n")
    for each in silent:
        each.close()
    assert answer.startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize("sent", [b"", HEAD])
def test_a_request_that_does_not_come_is_closed(sent: bytes, port: int) -> None:
    begun = time.monotonic()
    assert asked(port, sent) == b""
    assert SECONDS - 1 < time.monotonic() - begun < 2.5 * SECONDS


@pytest.mark.parametrize(
    ("head", "status", "problem"),
    [
        (b"Host: 127.0.0.1\r\n", b"401", b"no token: got a request without the token"),
        (b"Host: 127.0.0.1@evil.com\r\n" + KEY, b"400", b"bad host: got no single host name"),
        (b"Host:\r\n" + KEY, b"400", b"bad host: got no single host name"),
        (b"Host: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n" + KEY, b"400", b"two lengths: got Content-Length and"),
    ],
)
def test_a_request_is_refused_before_its_body_comes(head: bytes, status: bytes, problem: bytes, port: int) -> None:
    sent = b"POST /batches HTTP/1.1\r\nContent-Length: 19000000\r\n" + head
    begun = time.monotonic()
    answer = asked(port, sent + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 " + status) and problem in answer and answer.count(b"HTTP/1.1") == 1
    assert time.monotonic() - begun < SECONDS - 1
