"""What somebody may do to the web service who means it no good: part of ``python -m tests.web.load``.

Whatever is done, others are answered meanwhile, and afterwards the service holds no more connections than before.
"""

import io
import socket
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from urllib.parse import urlsplit

import httpx
import psutil

N_SLOW, N_LEAVING, N_FOLLOWING = 200, 200, 200
ANSWERED_WITHIN_SECONDS = 20.0  # on a busy machine; idle it is some milliseconds
SCENARIOS = b"name,model\n" + b"".join(b"row%d,gpt-2-small\n" % at for at in range(20))


def attacked(address: str, process: psutil.Process) -> None:
    """Try all of it; print what it came to."""
    before = len(process.net_connections())
    said = [bombed(address), dripped(address), followed(address), left(address)]
    deadline = time.monotonic() + 30
    while len(process.net_connections()) > before + 10 and time.monotonic() < deadline:
        time.sleep(0.5)
    after = len(process.net_connections())
    assert after <= before + 10, (before, after)
    print(f"attacks: {'; '.join(said)}; connections {before} before, {after} after", flush=True)  # noqa: T201


@contextmanager
def meanwhile(address: str) -> Iterator[list[float]]:
    """Ask as others do until the end of the block; every question is answered, and in time."""
    seconds: list[float] = []
    is_over = threading.Event()

    def asking() -> None:
        while not is_over.is_set():
            began = time.monotonic()
            httpx.get(f"{address}/health", timeout=60).raise_for_status()
            seconds.append(time.monotonic() - began)
            is_over.wait(0.1)

    other = threading.Thread(target=asking)
    other.start()
    try:
        yield seconds
    finally:
        is_over.set()
        other.join()
    assert seconds and max(seconds) < ANSWERED_WITHIN_SECONDS, seconds


def bombs() -> Iterator[tuple[str, bytes]]:
    """Workbooks of kilobytes: one part of 2 GB, 100 000 parts, an archive whose sizes are wrong."""
    for name, n_parts, n_bytes in (("large", 1, 2_000_000_000), ("many", 100_000, 0)):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for at in range(n_parts):
                with archive.open(f"xl/worksheets/sheet{at}.xml", "w", force_zip64=True) as part:
                    for _ in range(n_bytes // 10_000_000):
                        part.write(bytes(10_000_000))
        yield name, made.getvalue()
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(50_000_000))
    content = made.getvalue()  # sizes are 4 bytes, at 22 of the part's head and at 24 of its line in the directory
    line = content.rindex(b"PK\x01\x02")
    yield "lying", content[:22] + b"\x10\0\0\0" + content[26 : line + 24] + b"\x10\0\0\0" + content[line + 28 :]


def bombed(address: str) -> str:
    """Send archives that unpack to more than there is memory."""
    scenario = ("s.toml", b'model = "gpt-2-small"')
    for name, content in bombs():
        with meanwhile(address):
            for where, files in (
                ("workbooks", {"template": (f"{name}.xlsx", content), "scenario": scenario}),
                ("batches", {"scenarios": (f"{name}.xlsx", content)}),
            ):
                found = httpx.post(f"{address}/{where}", files=files, timeout=120)
                assert found.status_code in (413, 422), (name, found.status_code, found.text[:300])
                assert ": got " in found.json()["problem"]
    return "6 archives refused"


def _connected(address: str) -> socket.socket:
    place = urlsplit(address)
    return socket.create_connection((place.hostname, place.port), timeout=60)


def dripped(address: str) -> str:
    """Begin requests that come a byte at a time."""
    head = b"POST /plans HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n"
    slow = [_connected(address) for _ in range(N_SLOW)]
    try:
        with meanwhile(address) as seconds:
            for at in range(10):
                for each in slow:
                    each.sendall(head if at == 0 else b" ")
                time.sleep(0.5)
            plan = httpx.post(f"{address}/plans", json={"model": "gpt-2-small"}, timeout=60)
            assert plan.status_code == 200, plan.text
    finally:
        for each in slow:
            each.close()
    return f"{N_SLOW} slow requests, others answered after {max(seconds):.2f} s at most"


def _batch(address: str) -> str:
    began = httpx.post(f"{address}/batches?formats=json,csv", files={"scenarios": ("s.csv", SCENARIOS)}, timeout=60)
    assert began.status_code == 202, began.text
    return str(began.json()["id"])


def followed(address: str) -> str:
    """Follow one batch hundreds of times; everybody is told of its end."""
    batch = _batch(address)
    told: list[str] = []

    def following() -> None:
        with httpx.stream("GET", f"{address}/batches/{batch}/events", timeout=300) as found:
            told.append([line for line in found.iter_lines() if line.startswith("data: ")][-1])

    clients = [threading.Thread(target=following) for _ in range(N_FOLLOWING)]
    with meanwhile(address) as seconds:
        for each in clients:
            each.start()
        for each in clients:
            each.join()
    assert len(told) == N_FOLLOWING
    assert all('"state": "done"' in each and '"done": 20' in each for each in told), told[:1]
    return f"{N_FOLLOWING} followed a batch, others answered after {max(seconds):.2f} s at most"


def left(address: str) -> str:
    """Leave in the midst: of a download, of the events of a batch, and of uploads."""
    batch = _batch(address)
    while httpx.get(f"{address}/batches/{batch}", timeout=60).json()["state"] == "running":
        time.sleep(0.5)
    host = b"HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    form = b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 999\r\n\r\n--x\r\n"
    asked = (
        f"GET /batches/{batch}/files/index.html ".encode() + host + b"\r\n",
        b"POST /batches " + host + form,
        f"GET /batches/{batch}/events ".encode() + host + b"\r\n",
        b"POST /plans " + host + b"Content-Type: application/json\r\nContent-Length: 999\r\n\r\n{",
    )
    with meanwhile(address) as seconds:
        for at in range(N_LEAVING):
            with closing(_connected(address)) as client, suppress(ConnectionError):
                client.sendall(asked[at % len(asked)])
                if at % 2 == 0:  # what the others asked for is not whole, so that nothing comes
                    client.recv(100)
    return f"{N_LEAVING} left in the midst, others answered after {max(seconds):.2f} s at most"
