# ruff: noqa: E402 - need() must run before the imports of the extra
"""Refuses requests whose body is too large or arrives too slowly."""

from __future__ import annotations

import asyncio

from sizebook.core.extras import need

need("web")

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class RequestLimits:
    """ASGI middleware that limits the bytes of a request's body and the seconds until it is complete."""

    def __init__(self, app: ASGIApp, most: int, seconds: float) -> None:
        self.app, self.most, self.seconds = app, most, seconds
        self.too_slow = (
            f"too slow: got a request that was incomplete after {seconds:g} s, want all of it. Send it faster, or "
            "raise the limit request_seconds where the service is started."
        )
        self.too_large = (
            f"too large: got a request of more than {most} bytes, want at most as many. Send less, or raise the limit "
            "request_bytes where the service is started."
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting the bytes of its body."""
        n_bytes, is_whole = 0, False
        deadline = asyncio.get_running_loop().time() + self.seconds

        async def counted() -> Message:
            nonlocal n_bytes, is_whole
            try:  # after the body, only the end of the connection is awaited, without a deadline
                async with asyncio.timeout_at(None if is_whole else deadline):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, self.too_slow) from None
            is_whole = not message.get("more_body", False)
            n_bytes += len(message.get("body", b""))
            if n_bytes > self.most:
                raise HTTPException(413, self.too_large)
            return message

        stated = dict(scope.get("headers", ())).get(b"content-length", b"0")
        if stated.isdigit() and int(stated) > self.most:
            await JSONResponse({"problem": self.too_large}, 413)(scope, receive, send)
        else:
            await self.app(scope, counted, send)
