"""The rating list of a ladder: all agents that have played, as rows and as a picture."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.core.text import shown
from ludus.errors import BadInput
from ludus.ladder.results_file import Entrant, ResultsFile, labels
from ludus.play.ratings import Rating, fit


@dataclass(frozen=True)
class RatingRow(Rating):
    """An agent's rating and results."""

    digest: str  # of its weights; empty for an agent that nobody trained
    games: int
    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / self.games

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"ci95": list(self.ci95), "score": self.score}


def rating_rows(results: ResultsFile, anchor: str | None = None) -> list[RatingRow]:
    """The best first. Zero is the anchor's rating, else the mean of all, weighted by the information of their games."""
    entrants = results.entrants
    if not entrants:
        return []
    names, ends = labels(entrants), results.outcomes(entrants)
    found = fit(*results.scores_and_pairs(entrants))
    zero = found.told if anchor is None else np.eye(len(entrants))[entrants.index(find(results, anchor))]
    rated = found.ratings([names[who] for who in entrants], zero)
    rows = [
        RatingRow(**vars(rating), digest=who.digest, games=sum(end), wins=end[0], draws=end[1], losses=end[2])
        for rating, who, end in zip(rated, entrants, ends.sum(axis=1).astype(int).tolist(), strict=True)
    ]
    return sorted(rows, key=lambda row: -row.rating)


def find(results: ResultsFile, name: str) -> Entrant:
    """The agent of this name on the ladder: of several the newest, unless the digest is given too."""
    for who, label in labels(results.entrants).items():
        if label == name:
            return who
    raise BadInput(f"'{name}' is not on the ladder '{results.path}'.")


def svg(rows: Sequence[RatingRow], title: str, anchor: str | None = None) -> str:
    """Ratings with their intervals, the best at the top. The same ladder gives the same bytes."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    if not rows:
        raise BadInput("there is nothing to draw: nobody has played for this ladder yet.")
    figure = Figure(figsize=(7, 0.28 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    middles = [row.rating for row in rows]
    sides = [[row.rating - row.ci95[0] for row in rows], [row.ci95[1] - row.rating for row in rows]]
    axes.errorbar(middles, range(len(rows)), xerr=sides, fmt="o", markersize=4, linewidth=1.2, capsize=2)
    axes.set_yticks(range(len(rows)), [shown(row.agent) for row in rows], fontsize=8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel(
        f"Elo points, with 95% intervals ({'their weighted mean' if anchor is None else shown(anchor)} is 0)"
    )
    axes.grid(alpha=0.3)
    figure.suptitle(f"{title}, {sum(row.games for row in rows) // 2:,} games", fontsize=11)
    into = io.BytesIO()
    # A folder may have any name: dollar signs are not formulas, and letters that the font lacks give no warning.
    with rc_context({"svg.hashsalt": "ludus", "text.parse_math": False}), warnings.catch_warnings(action="ignore"):
        figure.savefig(into, format="svg", metadata={"Date": None})
    return into.getvalue().decode()
