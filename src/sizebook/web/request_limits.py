# ruff: noqa: E402 - need() must run before the imports of the extra
"""Refuses requests before their body is read: without the token, from another site, unclear, too large, too slow."""

import asyncio
import hmac
import ipaddress
import re

from sizebook.core.extras import need

need("web")

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::[0-9]{1,5})?", re.ASCII)
Refusal = tuple[int, str, dict[str, str]]


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refusal(headers: list[tuple[bytes, bytes]], token: str) -> Refusal | None:
    """Return status, problem and headers of the answer to a request that may not be read; None for one that may."""
    found = {name: value.decode("latin-1") for name, value in headers}
    names = [name for name, _ in headers]
    host = _HOST.fullmatch(found.get(b"host", ""))
    if host is None or names.count(b"host") > 1:
        return (
            400,
            "bad host: got no single host name, want the header Host with a name and a port. Correct it.",
            _CLOSE,
        )
    if b"content-length" in found and b"transfer-encoding" in found:
        return 400, "two lengths: got Content-Length and Transfer-Encoding, want one of them. Leave one out.", _CLOSE
    name = host[1].strip("[]")
    if not token and not is_loopback(name):  # a foreign name that resolves to this machine
        return 403, f"another host: got {name}, want 127.0.0.1 or localhost. Use it.", _CLOSE
    origin = found.get(b"origin", "")
    if origin and origin.partition("://")[2] != found[b"host"]:
        return 403, "another site: got a request of another page, want one of this service. Ask it.", _CLOSE
    scheme, _, given = found.get(b"authorization", "").partition(" ")
    if token and not (scheme.casefold() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())):
        problem = "no token: got a request without the token, want the header Authorization: Bearer TOKEN. Add it."
        return 401, problem, {"WWW-Authenticate": "Bearer", **_CLOSE}
    return None


_CLOSE = {"Connection": "close"}  # what follows on the connection is the body that is not read


class RequestLimits:
    """ASGI middleware that refuses requests by their head, and limits bytes and seconds of their body."""

    def __init__(self, app: ASGIApp, most: int, seconds: float, token: str) -> None:
        self.app, self.most, self.seconds, self.token = app, most, seconds, token
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
        if scope["type"] == "http" and (refused := refusal(list(scope["headers"]), self.token)):
            status, problem, headers = refused
            await JSONResponse({"problem": problem}, status, headers)(scope, receive, send)
            return
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
