"""Who may ask, and what may be loaded."""

from __future__ import annotations

import re

import pytest
from helpers.web import HOST
from starlette.testclient import TestClient

from ludus.web.app import STATIC
from ludus.web.body import LARGEST
from ludus.web.guard import hosts_of

FORBIDDING = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8320", "127.0.0.1:9999", "127.0.0.1", "", "localhost:8320.evil.example"]
)
def test_another_host_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 403
    assert client.post("/api/position", json={"game": "hex"}, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8320", "localhost:8320", "[::1]:8320"])
def test_the_pages_own_names_are_let_in(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "https://127.0.0.1:8320",
        "http://127.0.0.1:1",
        "http://127.0.0.1:8320.evil.example",
    ],
)
def test_another_origin_is_refused(client: TestClient, origin: str) -> None:
    answer = client.post("/api/position", json={"game": "hex"}, headers={"origin": origin})
    assert answer.status_code == 403
    assert answer.json() == {"error": "another page may not ask this one."}


def test_its_own_origin_is_let_in(client: TestClient) -> None:
    asked = {"game": "hex", "options": {"size": 2}}
    assert client.post("/api/board", json=asked, headers={"origin": f"http://{HOST}"}).status_code == 200


def test_two_hosts_are_none(client: TestClient) -> None:
    answer = client.get("/", headers=[("host", HOST), ("host", HOST)])
    assert answer.status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(client: TestClient, method: str) -> None:
    assert client.request(method, "/api/position").status_code == 405


def test_a_body_has_its_limit(client: TestClient) -> None:
    def post(length: int) -> int:
        text = '{"game": "hex", "start": "' + "x" * (length - 28) + '"}'
        assert len(text) == length
        return client.post("/api/position", content=text, headers={"content-type": "application/json"}).status_code

    assert post(LARGEST) == 400  # a bad position, which was read
    assert post(LARGEST + 1) == 413


def test_a_body_that_does_not_say_how_long_it_is_has_it_too(client: TestClient) -> None:
    parts = (b"x" * 1000 for _ in range(20))
    answer = client.post("/api/position", content=parts, headers={"content-type": "application/json"})
    assert answer.status_code == 413


def test_only_json_is_read(client: TestClient) -> None:
    """A form of another page can be posted without asking; it cannot say that it is JSON."""
    answer = client.post("/api/position", content='{"game": "hex"}', headers={"content-type": "text/plain"})
    assert answer.status_code == 400


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/api/games", "/nowhere", "/api/position"])
def test_every_answer_forbids_what_the_page_does_not_need(client: TestClient, path: str) -> None:
    """To the letter: what is left out would be allowed."""
    headers = client.get(path).headers
    assert {name: headers.get(name) for name in FORBIDDING} == FORBIDDING


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static//etc/passwd",
        "/static/",
        "/static/%00",
        "/papers/../../etc/passwd.svg",
        "/papers/%2e%2e/%2e%2e/pyproject.toml",
        "/papers/hex/verdicts.json",
        "/papers/",
        "/static/boards",
        "/etc/passwd",
        "/.git/config",
        "/static/main.js/..",
        "/static/\\..\\app.py",
    ],
)
def test_nothing_is_served_but_what_belongs_to_the_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json() == {"error": "there is no such page here."}


def test_the_page_loads_its_own_files_alone() -> None:
    """No script in the document, none from elsewhere, and no request to another machine."""
    for path in STATIC.rglob("*"):
        if path.suffix not in (".html", ".js", ".css"):
            continue
        text = path.read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[^\s\"'`)]+", text)) - {"http://www.w3.org/2000/svg"}
        assert not addresses, path
        assert not re.search(r"\beval\(|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write", text), (
            path
        )
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|\sstyle=|<style", page)


def test_every_module_that_is_imported_is_there(client: TestClient) -> None:
    for path in STATIC.rglob("*.js"):
        for name in re.findall(r"(?:from|import\() ?\"(\.[^\"]+)\"", path.read_text(encoding="utf-8")):
            found = (path.parent / name).resolve().relative_to(STATIC.resolve()).as_posix()
            answer = client.get(f"/static/{found}")
            assert answer.status_code == 200, (path, name)
            assert answer.headers["content-type"].startswith("text/javascript")


def test_hosts_name_the_port() -> None:
    assert hosts_of("127.0.0.1", 8320) == {"127.0.0.1:8320", "localhost:8320", "[::1]:8320"}
