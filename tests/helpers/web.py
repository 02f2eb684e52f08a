"""Asking the page's server, as its own page does; and runs for it to show."""

from __future__ import annotations

import json
from pathlib import Path
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


def write_run(folder: Path, rows: int) -> Path:
    """A run that was stopped after so many reports."""
    folder.mkdir(parents=True)
    config = {"game": "lgame", "options": {"cap": 100}, "seed": 1, "recipe": {"name": "best", "games": 900}}
    (folder / "config.json").write_text(json.dumps(config))
    for row in range(rows):
        report(folder, row)
    return folder


def report(folder: Path, row: int, held: float | None = None) -> None:
    said = {
        "games": 100 * (row + 1),
        "value_preserving": 10 + row if held is None else held,
        "positions": 100,
        "loss": 1.0,
        "summary": f"holds {row}",
    }
    with open(folder / "metrics.jsonl", "a") as file:
        file.write(json.dumps(said) + "\n")
