# ruff: noqa: E402 - need() must run before the imports of the extra
"""Connections of the service: their number is bounded, and one that sends no whole request in time is closed."""

import asyncio
import logging
import sys
from typing import Any

from sizebook.core.extras import need

need("web")

from uvicorn.protocols.http.h11_impl import H11Protocol

from sizebook.intake.limits import limits

BACKLOG = 16  # connections that wait to be accepted, which are accepted together
_MOST, _OTHER_FILES = 1000, 100
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Type: application/json\r\n"
    b'Content-Length: 76\r\n\r\n{"problem": "busy: got too many connections, want fewer. Ask again later."}\n'
)
_LOG = logging.getLogger(__name__)


def most_connections() -> int:
    """Return how many connections the service keeps: half of what the system's limit on open files leaves."""
    if sys.platform == "win32":
        return _MOST
    import resource

    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MOST if files == resource.RLIM_INFINITY else max(8, min(_MOST, (files - _OTHER_FILES) // 2))


class BoundedProtocol(H11Protocol):
    """HTTP for one connection, which is closed if its request head is late.

    Where there are too many, the one that has waited longest for a request head is closed, else the new one refused.
    """

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, or answer 503 if there are too many at work."""
        super().connection_made(transport)
        if len(self.connections) > (most := most_connections()):
            waiting = [each for each in self.connections if isinstance(each, BoundedProtocol) and each._late]
            if not waiting:
                _LOG.warning("connection refused: got more than %d at work, want fewer. Ask again later", most)
                transport.write(_BUSY)
                transport.close()
                return
            min(waiting, key=lambda each: each._late.when() if each._late else 0.0)._close()
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Read data; a whole request head ends the waiting for it."""
        if self._late is None and self.cycle is not None and self.cycle.response_complete:
            self._await_head()
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._late = self.loop.call_later(limits().request_seconds, self._close)

    def _close(self) -> None:
        self._stop_waiting()
        self.connections.discard(self)
        self.transport.close()

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
