"""Runs and their learning curves, read from their folders; and the demonstration, the only training started here."""

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
from ludus.runs.run_info import METRICS, TIMING, RunInfo, read_config, read_run_info
from ludus.web import ages

NAME = "page-demo"
MOST_DEMOS = 99


def listed(runs: dict[str, Path]) -> list[dict[str, Any]]:
    """Every run, as an entry of the list."""
    return [_entry(name, read_run_info(path)) | {"ages": ages.listed(name, path)} for name, path in runs.items()]


def _entry(name: str, info: RunInfo) -> dict[str, Any]:
    """A run's information without its path."""
    entry = {key: value for key, value in info.to_json().items() if key not in ("run", "why")} | {"name": name}
    if info.state != "damaged":
        setup = learned(read_config(info.path))
        entry |= {"bound": setup.bound.options, "searches": setup.scales}
    return entry


def plain(name: str) -> str:
    """A run's name as people write it."""
    return name.removeprefix("run:")


def course(name: str, path: Path) -> dict[str, Any]:
    """A run with its curves so far."""
    try:
        panels = curves.panels_of([path])
    except BadInput:  # a line that is being written, or a folder that has gone
        panels = []
    drawn = [{"title": panel.title, "points": panel.curves[str(path)]} for panel in panels]
    return {"run": _entry(name, read_run_info(path)) | {"ages": ages.listed(name, path)}, "panels": drawn}


def version(path: Path) -> tuple[Any, ...]:
    """Changes when a run has something new to show."""

    def size(name: str) -> int:
        try:
            return (path / name).stat().st_size
        except OSError:
            return -1

    return size(METRICS), size(TIMING), read_run_info(path).state


def event(document: dict[str, Any]) -> str:
    return f"data: {json.dumps(document, allow_nan=False)}\n\n"


class Demo:
    """A fixed training command in a process of its own; one at a time."""

    def __init__(self, runs: Path) -> None:
        self._runs, self._lock = runs, threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._name, self._stopped = "", False
        stopping.at_last(self.stop)

    def game(self) -> str | None:
        return next((name for name in registry.names() if registry.entry(name).demo), None)

    def running(self) -> str | None:
        """The name of the run while it trains."""
        return self._name if self._process is not None and self._process.poll() is None else None

    def start(self) -> str:
        """Start it, unless it runs already; the name of its run."""
        with self._lock:
            if (name := self.running()) is not None or self._stopped:
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

    def pause(self) -> None:
        """Stop the one that trains, if one does: it saves where it is, and can be resumed."""
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                self._process.terminate()

    def stop(self) -> None:
        """Stop it as the page closes, and start none after that. The run can be resumed."""
        with self._lock:
            self._stopped = True
            if self._process is not None and self._process.poll() is None:
                self._process.terminate()
