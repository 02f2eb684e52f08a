"""A connection that never brings a whole request is closed; one that does is served as before."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from ludus.web.app import make_app
from ludus.web.connections import BoundedProtocol
from ludus.web.guard import hosts_of
from ludus.web.serve import _listen


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(BoundedProtocol, "seconds", 0.3)
    with _listen(0) as listener:
        found = listener.getsockname()[1]
        config = uvicorn.Config(
            make_app(tmp_path, hosts_of("127.0.0.1", found)), http=BoundedProtocol, log_level="error", lifespan="on"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield found
        server.should_exit = True
        thread.join(60)


def ended(link: socket.socket) -> bytes:
    """All that comes until the other end closes the connection."""
    link.settimeout(60)
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while part := link.recv(4096):
            said += part
    return said


@pytest.mark.parametrize("begun", [b"", b"GET / HT", b"POST /api/position HTTP/1.1\r\nhost: x\r\n"])
def test_who_never_ends_a_request_is_hung_up_on(port: int, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(begun)
        assert ended(link) == b""


def test_what_trickles_does_not_keep_a_connection(port: int) -> None:
    sent = []
    link = socket.create_connection(("127.0.0.1", port))
    with link, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        while len(sent) < 600:  # a minute
            link.sendall(b"x")
            sent.append(True)
            time.sleep(0.1)
    assert len(sent) < 600


def test_a_body_that_does_not_come_is_not_waited_for(port: int) -> None:
    head = f"POST /api/position HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.sendall(f"{head}content-length: 50\r\n\r\n{{".encode())
        ended(link)


def test_a_connection_between_two_requests_is_kept(port: int) -> None:
    asked = f"GET /static/api.js HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port)) as link:
        for _ in range(2):
            link.sendall(asked)
            link.settimeout(60)
            said = link.recv(65536)
            assert said.startswith(b"HTTP/1.1 200")
            while not said.rstrip().endswith(b"}"):
                said += link.recv(65536)
            time.sleep(0.7)  # longer than a request may take
