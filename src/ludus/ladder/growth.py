"""Growth curves of runs: the ratings of their snapshots on a ladder against minutes of training.

If a run began with another agent's weights, that agent's minutes are added, where they are recorded: on the card of a
shipped agent, or in the folder of a run.
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
from ludus.ladder.rating_list import RatingRow
from ludus.runs.files import read_object
from ludus.runs.run_info import CONFIG, SNAPSHOTS, TIMING, VERSIONS, seconds_trained

CARD = "card.json"


@dataclass(frozen=True)
class RatingPoint:
    """One snapshot of a run."""

    games: int
    minutes: float
    rating: float
    ci95: tuple[float, float]

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"ci95": list(self.ci95)}


@dataclass(frozen=True)
class GrowthCurve:
    """The snapshots of one run."""

    run: str
    device: str  # that it was trained on; empty if not recorded
    points: tuple[RatingPoint, ...]

    def to_json(self) -> dict[str, Any]:
        return {"run": self.run, "device": self.device, "points": [point.to_json() for point in self.points]}


def growth_curves(rows: Sequence[RatingRow]) -> list[GrowthCurve]:
    """The runs whose snapshots are on a ladder, by name; other agents are left out."""
    found: dict[str, list[RatingPoint]] = {}
    for row in rows:
        path = Path(row.agent)
        if (
            path.parent.name == SNAPSHOTS
            and path.name.isascii()
            and path.name.isdecimal()
            and (path.parent.parent / TIMING).is_file()
        ):
            run, games = path.parent.parent, int(path.name)
            seconds = training_seconds(run, games)
            if seconds is not None:
                found.setdefault(str(run), []).append(RatingPoint(games, seconds / 60, row.rating, row.ci95))
    return [
        GrowthCurve(run, _device(Path(run)), tuple(sorted(points, key=lambda point: point.games)))
        for run, points in sorted(found.items())
    ]


def training_seconds(run: Path, games: int | None = None) -> float | None:
    """The seconds of training up to this number of games, or in all, with those of the agent that it began with; None
    if not recorded.
    """
    own = seconds_trained(run, games)
    return None if own is None else own + _before(run)


def _before(run: Path, seen: tuple[Path, ...] = ()) -> float:
    """The seconds of the agent that a run began with; 0 if there is none, or nothing is recorded."""
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
    """The object in a file; empty if it cannot be read."""
    try:
        return read_object(path)
    except BadInput:
        return {}


def svg(runs: Sequence[GrowthCurve], title: str) -> str:
    """A curve for each run, with 95% intervals. The same ladder gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    if not runs:
        raise BadInput("there is nothing to draw: no run's snapshots have played for this ladder yet.")
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
