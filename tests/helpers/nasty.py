"""Requests that no page of ours would send: wrong JSON, huge numbers, deep nesting, other encodings, paths that climb,
hosts and origins that are not ours. All from a seed.
"""

from __future__ import annotations

import json
import random
from typing import Any, NamedTuple

from helpers.web import HOST

NAMES = (
    "board",
    "position",
    "record",
    "load",
    "move",
    "opinion",
    "truth",
    "refutation",
    "puzzle",
)  # not demo: it trains
GETS = ("games", "runs", "papers", "events?run=")
WORDS = (
    *(
        "",
        " ",
        "\0",
        "a1",
        "../",
        "..\\",
        "/etc/passwd",
        "run:../..",
        "run:mine",
        "mine",
        "./mine",
        "%2e%2e%2f",
        "\u202e",
        "💥",
    ),
    *(
        "lgame",
        "hex",
        "abalone",
        "solitaire-chess",
        "random",
        "perfect",
        "hex/best-3",
        "alphabeta:2:mine",
        "file:///etc",
    ),
    *(
        "alphabeta:1:../mine",
        "minimax:99999999999999",
        "alphabeta:1e9s",
        "~/.ssh",
        "x" * 5000,
        "[]",
        "nan",
        "__proto__",
    ),
    *("'; DROP TABLE", "<script>", "${jndi}", "{{7*7}}", "\ud7ff", "ᚠ", "1_000", "٣", "0x10", "-0", "∞"),
)
NUMBERS = (0, -1, 1, 0.5, 1e308, -1e308, 2**31, 2**63, 2**64, 10**400, 1e-300, True, False, None)
KEYS = ("game", "options", "start", "moves", "agent", "seed", "seconds", "chance", "level", "day", "text", "resigned")
RAW = (
    b"",
    b"{",
    b"}",
    b"[]",
    b"null",
    b"1",
    b'"',
    b"{}{}",
    b"\xff\xfe{\x00}\x00",
    b"\xef\xbb\xbf{}",
    b"\x00" * 100,
    b"{'a': 1}",
    b'{"game": NaN}',
    b'{"game": Infinity}',
    b'{"seed": 1e99999}',
    b"[" * 15000,
    b'{"a":' * 3000 + b"1" + b"}" * 3000,
    b'{"game": "\\ud800"}',
    b'{"\\udfff": 1}',
    b'{"moves": ["\\ud800"]}',
    b'{"seed": ' + b"9" * 8000 + b"}",
    b"\x80\x81",
    b'{"game":"hex","game":"lgame"}',
    '{"game": "hex\u0000"}'.encode(),
    '{"game": "hex"}'.encode("utf-16"),
    b"game=hex",
    '{"game": "h\u00e9x"}'.encode("latin-1"),
    b"x" * 16384,
    b"x" * 16385,
    b"-" * 20000,
)
PATHS = (
    "/..",
    "/../../etc/passwd",
    "/static/../../../etc/passwd",
    "/static/%2e%2e/%2e%2e/app.py",
    "/static/%c0%ae%c0%ae/",
    "/%00",
    "/static/%00main.js",
    "/papers/../hex.svg",
    "/papers/hex/../../verdicts.json",
    "/api/",
    "/api/nothing",
    "/api/position/../games",
    "//evil.example/",
    "/static//",
    "/?" + "a" * 3000,
    "/static/" + "../" * 200 + "etc/passwd",
    "/api/events?run=run:../..",
    "/api/events?run=%00",
    "/api/events",
    "/;/",
    "/static/boards/../../app.py",
    "/.env",
    "/favicon.ico",
    "/api/games?x=[[[[",
)


class Nasty(NamedTuple):
    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes


def nasty(chance: random.Random) -> Nasty:
    """One of them."""
    headers = [("host", HOST), ("content-type", "application/json")]
    kind = chance.randrange(10)
    if kind == 0:
        headers[0] = (
            "host",
            chance.choice(("evil.example", "", "127.0.0.1", "localhost:1", HOST + "@evil", "[::1", "127.1:8320")),
        )
    elif kind == 1:
        headers.append(
            (
                "origin",
                chance.choice(("null", "http://evil.example", "file://", "http://" + HOST + ".evil", "x" * 2000)),
            )
        )
    elif kind == 2:
        return Nasty(chance.choice(("GET", "HEAD", "POST")), chance.choice(PATHS), headers, b"")
    elif kind == 3:
        kinds = (
            "text/plain",
            "application/json; charset=utf-16",
            "",
            "multipart/form-data",
            "application/JSON ",
            "a" * 500,
        )
        headers[1] = ("content-type", chance.choice(kinds))
    elif kind == 4:
        method = chance.choice(("PUT", "DELETE", "OPTIONS", "PATCH", "BREW", "GET"))
        return Nasty(method, f"/api/{chance.choice(NAMES)}", headers, b"{}")
    elif kind == 5:
        return Nasty("GET", f"/api/{chance.choice(GETS)}", headers, chance.choice(RAW))
    if chance.random() < 0.35:
        body = chance.choice(RAW)
    else:
        body = json.dumps(some_object(chance)).encode()
        if chance.random() < 0.2:  # a few bytes of it are others
            wrong = bytearray(body)
            for _ in range(chance.randrange(1, 4)):
                wrong[chance.randrange(len(wrong))] = chance.randrange(256)
            body = bytes(wrong)
    return Nasty("POST", f"/api/{chance.choice(NAMES)}", headers, body)


def some_object(chance: random.Random) -> dict[str, Any]:
    """Near enough to a request to get past the first checks."""
    said: dict[str, Any] = {key: something(chance, 3) for key in KEYS if chance.random() < 0.35}
    if chance.random() < 0.7:
        said["game"] = chance.choice(("lgame", "hex", "abalone", "solitaire-chess"))
        said["options"] = chance.choice(
            ({}, {"size": 3} if said["game"] in ("hex", "solitaire-chess") else {}, something(chance, 2))
        )
    if chance.random() < 0.3:
        said["moves"] = [something(chance, 0) for _ in range(chance.randrange(5))]
    return said


def something(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(4 if depth else 2)
    if kind == 0:
        return chance.choice(WORDS)
    if kind == 1:
        return chance.choice(NUMBERS)
    if kind == 2:
        return [something(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {
        chance.choice((*KEYS, "size", "cap", "layout", "swap")): something(chance, depth - 1)
        for _ in range(chance.randrange(4))
    }
