"""Runs as they are, and as they grow: the page only reads their folders. It may start one thing, the demonstration: a
fixed command in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from ludus import games as registry
from ludus import stopping
from ludus.agents.spec import learned
from ludus.errors import BadInput
from ludus.runs import curves
from ludus.runs.records import METRICS, TIMING, Record, read_config, read_record

NAME = "page-demo"
MOST_DEMOS = 99


def listed(runs: dict[str, Path]) -> list[dict[str, Any]]:
    """Every run, in a few words."""
    return [_words(name, read_record(path)) for name, path in runs.items()]


def _words(name: str, record: Record) -> dict[str, Any]:
    """A record without where it lies."""
    found = record.to_json()
    told = {key: value for key, value in found.items() if key not in ("run", "why")} | {"name": name}
    if record.state != "damaged":
        setup = learned(read_config(record.path))
        told |= {"bound": setup.bound.options, "searches": setup.scales}
    return told


def course(name: str, path: Path) -> dict[str, Any]:
    """A run and its curves so far."""
    try:
        panels = curves.panels_of([path])
    except BadInput:  # a line that is being written, or a folder that has gone
        panels = []
    drawn = [{"title": panel.title, "points": panel.curves[str(path)]} for panel in panels]
    return {"run": _words(name, read_record(path)), "panels": drawn}


def mark(path: Path) -> tuple[Any, ...]:
    """Changes when a run has something new to tell."""

    def size(name: str) -> int:
        try:
            return (path / name).stat().st_size
        except OSError:
            return -1

    return size(METRICS), size(TIMING), read_record(path).state


def event(document: dict[str, Any]) -> str:
    return f"data: {json.dumps(document, allow_nan=False)}\n\n"


class Demo:
    """The training that may be started from the page, one at a time."""

    def __init__(self, runs: Path) -> None:
        self._runs, self._lock = runs, threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._name, self._over = "", False
        stopping.at_last(self.stop)

    def game(self) -> str | None:
        return next((name for name in registry.names() if registry.entry(name).demo), None)

    def running(self) -> str | None:
        """The name of the run, while it is being trained."""
        return self._name if self._process is not None and self._process.poll() is None else None

    def start(self) -> str:
        """Start it, or name the one that runs already."""
        with self._lock:
            if (name := self.running()) is not None or self._over:
                return name or ""
            game = self.game()
            if game is None:
                raise BadInput("no game has a demonstration of how it is learned.")
            folder = next((at for at in self._places() if not at.exists()), None)
            if folder is None:
                raise BadInput(f"there are {MOST_DEMOS} demonstrations in the runs' folder already; delete some.")
            try:
                self._runs.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise BadInput(f"the folder for runs cannot be made: {error.strerror}.") from error
            command = [sys.executable, "-m", "ludus", "train", game, "--out", str(folder.resolve()), "--quiet"]
            null = subprocess.DEVNULL
            self._process = subprocess.Popen(command, stdin=null, stdout=null, stderr=null, start_new_session=True)
            self._name = folder.name
            return folder.name

    def _places(self) -> list[Path]:
        names = [NAME, *(f"{NAME}-{number}" for number in range(2, MOST_DEMOS + 1))]
        return [self._runs / name for name in names]

    def stop(self) -> None:
        """With the page, after which none is started; the run can be gone on with."""
        with self._lock:
            self._over = True
            if self._process is not None and self._process.poll() is None:
                self._process.terminate()
