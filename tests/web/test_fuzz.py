"""Whatever is sent, nothing breaks: no 5xx, no traceback, nothing read that is not the page's."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.nasty import PATHS, RAW, Nasty, nasty
from helpers.web import HOST
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from ludus.errors import BadInput
from ludus.web.body import parse

opened: list[str] | None = None


def _note(event: str, args: tuple) -> None:
    if opened is not None and event == "open" and isinstance(args[0], str | bytes):
        opened.append(os.fsdecode(args[0]))


sys.addaudithook(_note)


@pytest.fixture
def bait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The server's own folder has what a request may hope to find there; whoever opens it is seen."""
    global opened
    for name in ("mine", "hex", "lgame"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text('{"game": "hex", "options": {"size": 3}, "recipe": {}}')
    monkeypatch.chdir(tmp_path)
    opened = []
    yield tmp_path
    opened = None


def send(client: TestClient, asked: Nasty) -> None:
    headers = [(name.encode(), value.encode("utf-8")) for name, value in asked.headers]
    answer = client.request(asked.method, asked.path, headers=headers, content=asked.body)
    assert answer.status_code < 500, asked
    assert "Traceback" not in answer.text, asked
    if answer.status_code >= 400 and asked.method != "HEAD":
        said = answer.json()["error"]
        assert said.endswith((".", ")")) or "\n" not in said, asked


def check(bait: Path) -> None:
    assert opened is not None
    mine = os.path.realpath(bait)
    found = [
        path
        for path in opened
        if os.path.realpath(path).startswith((mine, "/etc/passwd", os.path.expanduser("~/.ssh")))
    ]
    assert not found


def test_nasty_requests_are_refused_in_a_sentence(client: TestClient, bait: Path) -> None:
    chance = random.Random(1)
    for _ in range(400):
        send(client, nasty(chance))
    check(bait)


@pytest.mark.parametrize("body", RAW, ids=lambda body: repr(body[:20]))
def test_bodies_that_are_no_request(client: TestClient, body: bytes) -> None:
    send(client, Nasty("POST", "/api/position", [("host", HOST), ("content-type", "application/json")], body))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:30])
def test_paths_that_lead_nowhere(client: TestClient, path: str) -> None:
    send(client, Nasty("GET", path, [("host", HOST)], b""))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
)


@given(st.binary(max_size=300) | anything.map(lambda said: json.dumps(said).encode()))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(BadInput):  # and nothing else
        parse(body)


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.sampled_from(["game", "options", "start", "moves", "agent", "seed", "chance", "text", "day"]), anything
    )
)
def test_any_object_is_answered_or_refused(client: TestClient, said: dict) -> None:
    for name in ("position", "move", "load", "puzzle"):
        body = json.dumps({"game": "lgame"} | said).encode()
        send(client, Nasty("POST", f"/api/{name}", [("host", HOST), ("content-type", "application/json")], body))


@pytest.mark.campaign
def test_ten_thousand_malformed_requests(client: TestClient, bait: Path) -> None:
    chance = random.Random(2)
    for _ in range(10_000):
        send(client, nasty(chance))
    check(bait)


@pytest.mark.slow
def test_malformed_http_does_not_stop_the_server(tmp_path: Path) -> None:
    """Bytes that are no HTTP, on a socket to a real server: it lives, and says nothing of what went wrong inside."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ludus", "serve", "--no-open", "--port", str(port), "--runs", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as server:
        try:
            assert server.stdout is not None
            assert b"The page is at" in server.stdout.readline()
            chance = random.Random(3)
            for number in range(60):
                answer = raw(port, _bytes(chance, port, number))
                assert b"Traceback" not in answer
                assert not answer.startswith(b"HTTP/1.1 5"), answer[:200]
            good = raw(
                port, f"GET /api/games HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode(), 30
            )
            assert good.startswith(b"HTTP/1.1 200")
        finally:
            server.terminate()
            _, said = server.communicate(timeout=20)
    assert b"Traceback" not in said, said


def _bytes(chance: random.Random, port: int, number: int) -> bytes:
    host = f"Host: 127.0.0.1:{port}\r\n".encode()
    return chance.choice(
        (
            chance.randbytes(chance.randrange(1, 400)),
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET " + b"/x" * 20_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
            b"POST /api/position HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n{}",
            b"POST /api/position HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\n\r\n{}",
            b"POST /api/position HTTP/1.1\r\n"
            + host
            + b"Content-Type: application/json\r\nContent-Length: 400\r\n\r\n{",
            b"POST /api/position HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"GET /\xff\xfe HTTP/1.1\r\n" + host + b"\r\n",
            b"GET / HTTP/1.1\r\n" + host + b"X: " + b"y" * 40_000 + b"\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + host * 3 + b"\r\n",
            b"\r\n" * number,
            b"GET / HTTP/1.1\nHost: x\n\n",
        )
    )


def raw(port: int, sent: bytes, patience: float = 0.7) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
        link.settimeout(patience)  # a connection that is kept alive says no more
        got = b""
        try:
            link.sendall(sent)
            while part := link.recv(65536):
                got += part
        except OSError:  # it hung up on us, which it may
            pass
        return got
