"""Ratings of several players, with their intervals: Bradley and Terry's model, in Elo points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.optimize
import scipy.special
from jaxtyping import Float

from ludus.play.scores import Z95

ALIKE = 16  # prior pairs of games, with the variance of independent games
ELO = 400 / math.log(10)  # points per unit of log odds: 400 points are odds of 10 to 1


@dataclass(frozen=True)
class Rating:
    """A player's strength in Elo points; 0 is the mean of all players, or what `Fit.ratings` was given."""

    agent: str
    rating: float
    ci95: tuple[float, float]


class Fit(NamedTuple):
    """Fitted strengths as log odds, and their covariance. The player of the prior draws has strength 0."""

    strength: Float[np.ndarray, "N"]
    covariance: Float[np.ndarray, "N N"]
    told: Float[np.ndarray, "N"]  # each player's share of the information in all games

    def ratings(self, names: Sequence[str], zero: Float[np.ndarray, "N"] | None = None) -> list[Rating]:
        """Ratings in Elo points. Rating 0 is the mean with the weights `zero`, by default the plain mean; intervals are
        of the distance from it.

        With the weights `told`, a player whose strength is little known (one that lost every game, for example) does
        not widen all intervals. With all weight on one player, intervals are of the lead over that player, and its own
        interval has width 0.
        """
        centre = self.centre(zero)
        spread = Z95 * np.sqrt(np.diag(centre @ self.covariance @ centre.T).clip(0))
        return [
            Rating(name, float(ELO * middle), (float(ELO * (middle - half)), float(ELO * (middle + half))))
            for name, middle, half in zip(names, centre @ self.strength, spread, strict=True)
        ]

    def centre(self, zero: Float[np.ndarray, "N"] | None = None) -> Float[np.ndarray, "N N"]:
        """The matrix from strengths to distances from zero."""
        count = len(self.strength)
        return np.eye(count) - (np.full(count, 1 / count) if zero is None else zero)[None]


def bradley_terry(names: Sequence[str], wins: Float[np.ndarray, "N N"]) -> list[Rating]:
    """Maximum-likelihood ratings of a cross table; `wins[i, j]` is the score of i against j, 1/2 for a draw."""
    if len(names) != len(wins):
        raise ValueError(f"{len(names)} names do not fit a table of {len(wins)} players")
    return fit(wins).ratings(names)


def fit(wins: Float[np.ndarray, "N N"], pairs: Float[np.ndarray, "N N 5"] | None = None) -> Fit:
    """Fit Bradley and Terry's model: i beats j with odds `exp(r_i - r_j)`. As a prior, everyone also has one drawn game
    against a player of rating 0: so a player that won every game, or shares no opponents with the others, still has a
    finite rating. Among hundreds of games it weighs little. The intervals come from the inverse Fisher information.

    This assumes independent games, and counts a draw as half a win and half a loss. Real results vary less: draws do,
    and so do the two games of one opening, which often decides both. `pairs` counts the pairs of two games by their
    score (0 to 2, in halves). If given, the variance is that of the pairs (White's sandwich estimator).
    """
    games = wins + wins.T

    def surprise(rating: np.ndarray) -> float:
        lead = rating[:, None] - rating
        drawn = scipy.special.log_expit(rating) + scipy.special.log_expit(-rating)
        return float(-(wins * scipy.special.log_expit(lead)).sum() - drawn.sum() / 2)

    def slope(rating: np.ndarray) -> np.ndarray:
        expected = scipy.special.expit(rating[:, None] - rating)
        return (games * expected - wins).sum(axis=1) + scipy.special.expit(rating) - 0.5

    def information(rating: np.ndarray) -> np.ndarray:
        lead = rating[:, None] - rating
        weight = games * scipy.special.expit(lead) * scipy.special.expit(-lead)
        at_zero = scipy.special.expit(rating) * scipy.special.expit(-rating)
        return np.diag(weight.sum(axis=1) + at_zero) - weight

    # Convex, with one minimum; the trust region keeps Newton's steps short if one player won all games.
    found = scipy.optimize.minimize(
        surprise, np.zeros(len(wins)), jac=slope, hess=information, method="trust-exact", options={"gtol": 1e-9}
    ).x
    inverse = np.linalg.inv(information(found))
    lead = found[:, None] - found
    weight = games * scipy.special.expit(lead) * scipy.special.expit(-lead)
    covariance, told = inverse, weight.sum(axis=1)
    if pairs is not None:
        varied = weight * (_varied(scipy.special.expit(lead), pairs) - 1)
        covariance = inverse + inverse @ (np.diag(varied.sum(axis=1)) - varied) @ inverse
    return Fit(found, covariance, told / told.sum() if told.any() else np.full(len(wins), 1 / len(wins)))


def _varied(score: Float[np.ndarray, "N N"], pairs: Float[np.ndarray, "N N 5"]) -> Float[np.ndarray, "N N"]:
    """For each two players, the variance of their pairs about the model's score, divided by the variance of independent
    games without draws. `ALIKE` prior pairs with ratio 1 are added, because few pairs say little.
    """
    off = (np.arange(5) / 2 - 2 * score[:, :, None]) ** 2
    alike = 2 * score * (1 - score)
    return (ALIKE / 2 + (pairs * off).sum(axis=2)) / (ALIKE / 2 + pairs.sum(axis=2) * alike)
