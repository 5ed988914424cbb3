# ruff: noqa: E402 - the extra is asked for before what stands on it
"""Refuses requests that are too large, however they state their size."""

from __future__ import annotations

from sizebook.core.extras import need

need("web")

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Bounded:
    """An ASGI application before another: bodies have at most so many bytes."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most
        self.said = (
            f"too large: got a request of more than {most} bytes, want at most as many. Send less, or raise the limit "
            "request_bytes where the service is started."
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting what comes of its body."""
        n_bytes = 0

        async def counted() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > self.most:
                raise HTTPException(413, self.said)
            return message

        stated = dict(scope.get("headers", ())).get(b"content-length", b"0")
        if stated.isdigit() and int(stated) > self.most:
            await JSONResponse({"problem": self.said}, 413)(scope, receive, send)
        else:
            await self.app(scope, counted, send)
