"""A Hub on the loopback interface: serves the files of one repository, honours range requests, and counts bytes."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """The files that the server answers with, whether it demands a token or ignores ranges, and what it was asked.

    ``listed`` is what it says instead of its list of files; ``endless`` how many bytes each part goes on for.
    """

    files: dict[str, bytes]
    token: str = ""
    ranges: bool = True
    listed: bytes = b""
    endless: int = 0
    url: str = ""
    requests: list[str] = field(default_factory=list)
    bytes_sent: int = 0


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve a hub until the block ends; ``hub.url`` is what HF_ENDPOINT is set to."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def _answer(self, with_body: bool) -> None:
            hub.requests.append(f"{self.command} {self.path} {self.headers.get('Range', '')}".strip())
            match = re.fullmatch(r"/(test-org/[\w-]+)/resolve/main/(.+)", self.path)
            tree = re.fullmatch(r"/api/models/(test-org/[\w-]+)/tree/main(\?.*)?", self.path)
            if tree is not None and tree[1] == "test-org/tiny":
                entries = [{"type": "file", "path": n, "size": len(c), "oid": ""} for n, c in hub.files.items()]
                self._send(hub.listed or json.dumps(entries).encode(), with_body, kind="application/json")
            elif match is None or match[1] != "test-org/tiny":
                self._refuse(404, "RepoNotFound")
            elif hub.token and self.headers.get("Authorization") != f"Bearer {hub.token}":
                self._refuse(403, "GatedRepo")
            elif match[2] not in hub.files:
                self._refuse(404, "EntryNotFound")
            else:
                self._send(hub.files[match[2]], with_body)

        def _refuse(self, status: int, code: str) -> None:
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _send(self, content: bytes, with_body: bool, kind: str = "application/octet-stream") -> None:
            asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")) if hub.ranges else None
            part = content[int(asked[1]) : int(asked[2]) + 1] if asked else content
            self.send_response(206 if asked else 200)
            self.send_header("Content-Type", kind)
            self.send_header("ETag", f'"{abs(hash(content)):x}"')
            self.send_header("X-Repo-Commit", COMMIT)
            more = hub.endless if kind == "application/octet-stream" else 0
            self.send_header("Content-Length", str(len(part) + more))
            self.end_headers()
            if with_body:
                hub.bytes_sent += len(part)
                self.wfile.write(part)
                self._go_on(more)

        def _go_on(self, n_bytes: int) -> None:
            """Send zeros until nobody listens any more."""
            with suppress(OSError):
                for _ in range(n_bytes >> 16):
                    self.wfile.write(bytes(1 << 16))
                    hub.bytes_sent += 1 << 16

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    return Handler
