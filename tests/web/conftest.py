"""The application inside the tests' process, and a browser's way of asking it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.web import HOST, Asking
from starlette.testclient import TestClient

from ludus.web.app import make_app
from ludus.web.guard import hosts_of

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def client(runs: Path) -> Iterator[TestClient]:
    app = make_app(runs, hosts_of("127.0.0.1", 8320), patience=10)  # a machine may be busy, and all is compiled anew
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as made:
        yield made


@pytest.fixture(scope="module")
def ask(client: TestClient) -> Asking:
    """`ask("position", game="hex")` is the document that is answered; `ask.refused(...)` the sentence."""
    return Asking(client)
