"""Who may ask: a browser on this machine, from this page alone. And what each answer forbids the browser to do.

A page of somebody else's, open in the same browser, can send requests to this machine too. It cannot forge the headers
Host and Origin; so a request with another host (a name that was made to point here) or from another origin is refused.
"""

from __future__ import annotations

import contextlib

from h11 import LocalProtocolError
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus.web.asked import LARGEST

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
    """Around the whole application."""

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
            # A body that stopped being HTTP half-way was answered by the server itself, and there is nobody to tell.
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
    """The values of Host under which the page is itself."""
    names = {"127.0.0.1", "localhost", "[::1]", host}
    return frozenset({f"{name}:{port}" for name in names} | (names if port == 80 else set()))
