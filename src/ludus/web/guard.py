"""Only a browser on this machine, showing this page, may send requests. Every answer carries strict security headers.

A foreign page in the same browser can send requests to this machine too, but it cannot forge the headers Host and
Origin. So a request with another host (DNS rebinding: a foreign name that points here) or another origin is refused.
"""

from __future__ import annotations

import contextlib

from h11 import LocalProtocolError
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.web.body import LARGEST

METHODS = ("GET", "HEAD", "POST")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


class Guard:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            # The server itself has answered a body that broke off half-way; nothing can be sent any more.
            with contextlib.suppress(LocalProtocolError):
                await send(message)

        refused = self._refusal(scope)
        await (self._app if refused is None else refused)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        if headers.getlist("host") not in [[host] for host in self._hosts]:
            return _refuse(403, "this page answers on this machine alone, under its own address.")
        if any(origin not in {f"http://{host}" for host in self._hosts} for origin in headers.getlist("origin")):
            return _refuse(403, "another page may not ask this one.")
        if scope["method"] not in METHODS:
            return _refuse(405, f"there are {', '.join(METHODS)} here.")
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()) or len(length) > 12 or int(length) > LARGEST:
            return _refuse(413, f"a request is {LARGEST:,} bytes at most.")
        return None


def _refuse(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)


def hosts_of(host: str, port: int) -> frozenset[str]:
    """The values of the header Host that are accepted."""
    names = {"127.0.0.1", "localhost", "[::1]", host}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))
