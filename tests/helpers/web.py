"""Asking the page's server, as its own page does."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

HOST = "127.0.0.1:8320"


class Asking:
    def __init__(self, client: TestClient) -> None:
        self.client = client

    def __call__(self, name: str, **said: Any) -> Any:
        answer = self.client.post(f"/api/{name}", json=said)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, name: str, status: int = 400, **said: Any) -> str:
        answer = self.client.post(f"/api/{name}", json=said)
        assert answer.status_code == status, answer.text
        return answer.json()["error"]
