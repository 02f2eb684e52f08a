"""How runs grew: the ratings of their kept selves on a ladder against the minutes that they were trained.

A run that began with the weights of another agent goes on where that one's minutes end, as far as they are written
down: on the card of a shipped agent, or in the folder of a run.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.agents.spec import folder_of, is_trained
from ludus.core.text import shown
from ludus.errors import BadInput
from ludus.ladder.rungs import Row
from ludus.runs.files import read_object
from ludus.runs.records import CONFIG, TIMING, VERSIONS, seconds_trained
from ludus.training.snapshots import SELVES

CARD = "card.json"


@dataclass(frozen=True)
class Point:
    """One self of a run."""

    games: int
    minutes: float
    rating: float
    ci95: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"ci95": list(self.ci95)}


@dataclass(frozen=True)
class Grown:
    """One run."""

    run: str
    device: str  # that it was trained on, as far as it says
    points: tuple[Point, ...]

    def to_json(self) -> dict[str, Any]:
        return {"run": self.run, "device": self.device, "points": [point.to_json() for point in self.points]}


def grown(rows: Sequence[Row]) -> list[Grown]:
    """The runs whose selves are on a ladder, in the order of their names; other agents do not count."""
    found: dict[str, list[Point]] = {}
    for row in rows:
        path = Path(row.agent)
        if (
            path.parent.name == SELVES
            and path.name.isascii()
            and path.name.isdecimal()
            and (path.parent.parent / TIMING).is_file()
        ):
            run, games = path.parent.parent, int(path.name)
            seconds = trained(run, games)
            if seconds is not None:
                found.setdefault(str(run), []).append(Point(games, seconds / 60, row.rating, row.ci95))
    return [
        Grown(run, _device(Path(run)), tuple(sorted(points, key=lambda point: point.games)))
        for run, points in sorted(found.items())
    ]


def trained(run: Path, games: int | None = None) -> float | None:
    """The seconds that a run was trained for until it had played so many games, or in all, with those of the agent that
    it began with; None if it does not say.
    """
    own = seconds_trained(run, games)
    return None if own is None else own + _before(run)


def _before(run: Path, seen: tuple[Path, ...] = ()) -> float:
    """The seconds of the agent that a run began with; none where it began with none, or nothing is known of it."""
    begun = _maybe(run / CONFIG).get("from")
    name = begun.get("agent") if isinstance(begun, dict) else None
    if not isinstance(name, str) or not is_trained(name) or folder_of(name) in (*seen, run):
        return 0.0
    folder = folder_of(name)
    card = _maybe(folder / CARD).get("seconds")
    own = float(card) if isinstance(card, int | float) else seconds_trained(folder) or 0.0
    return own + _before(folder, (*seen, run))


def _device(run: Path) -> str:
    found = _maybe(run / VERSIONS).get("device")
    return found if isinstance(found, str) else ""


def _maybe(path: Path) -> dict[str, Any]:
    """What a file says, if it is there and can be read."""
    try:
        return read_object(path)
    except BadInput:
        return {}


def svg(runs: Sequence[Grown], title: str) -> str:
    """A curve for each run, with the 95% intervals of its selves; the same ladder makes the same bytes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    if not runs:
        raise BadInput("there is nothing to draw: no run's selves have played for this ladder yet.")
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for i, run in enumerate(runs):
        minutes, ratings = ([getattr(point, what) for point in run.points] for what in ("minutes", "rating"))
        sides = [[abs(point.rating - point.ci95[end]) for point in run.points] for end in (0, 1)]
        name = shown(run.run)
        axes.errorbar(
            minutes, ratings, yerr=sides, label=name, color=f"C{i % 10}", marker=".", linewidth=1.2, capsize=2
        )
    axes.set_xlim(left=0)
    devices = {run.device for run in runs if run.device}
    axes.set_xlabel(f"minutes of training{f', {devices.pop()}' if len(devices) == 1 else ''}")
    axes.set_ylabel("Elo points, with 95% intervals")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.suptitle(title, fontsize=11)
    into = io.BytesIO()
    with rc_context({"svg.hashsalt": "ludus", "text.parse_math": False}), warnings.catch_warnings(action="ignore"):
        figure.savefig(into, format="svg", metadata={"Date": None})
    return into.getvalue().decode()
