"""Connections that never finish a request are closed: a browser that was killed, or somebody who only holds the line.

uvicorn closes a connection that is idle after an answer. One on which no whole request ever arrives it keeps for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PROBE = 30  # seconds without a sign of life, after which the system asks the other end whether it is there


class BoundedProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with a limit on the time until a request is there as a whole."""

    seconds: ClassVar[float] = 20.0  # for one request: its head and its body, of 16 KB at most
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # pyright: ignore[reportArgumentType]
        _keep_asking(transport.get_extra_info("socket"))
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._calm()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Start the clock with a request's first byte; data that trickles does not set it back."""
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._calm()
        elif self._late is None:
            self._late = self.loop.call_later(self.seconds, self._give_up)

    def _calm(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.transport.is_closing():
            self.transport.close()


def _keep_asking(link: socket.socket | None) -> None:
    """Have the system close a connection whose other end has gone without a word."""
    if link is not None:
        with contextlib.suppress(OSError):
            link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            if hasattr(socket, "TCP_KEEPIDLE"):
                link.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, PROBE)
