"""Who is the best of several: ratings with their intervals."""

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

ALIKE = 16  # pairs of even games that are added
ELO = 400 / math.log(10)  # points to a unit of log odds: 400 points are odds of 10 to 1


@dataclass(frozen=True)
class Rating:
    """A player's strength in Elo points, where the mean of all players is 0, or something else is."""

    agent: str
    rating: float
    ci95: tuple[float, float]


class Fit(NamedTuple):
    """Strengths as log odds, where the player that everyone drew with has 0, and how they vary together."""

    strength: Float[np.ndarray, "N"]
    covariance: Float[np.ndarray, "N N"]
    told: Float[np.ndarray, "N"]  # the share of all information that each one's games have

    def ratings(self, names: Sequence[str], zero: Float[np.ndarray, "N"] | None = None) -> list[Rating]:
        """In Elo points. Zero is the mean by these weights, else the plain one; intervals are of the distance from it.

        By `told`, one of whom little is known (who lost every game, say) does not make everyone's interval wide. With
        all the weight on one of them intervals are of the lead over that one, which is sure of itself alone.
        """
        centre = self.centre(zero)
        spread = Z95 * np.sqrt(np.diag(centre @ self.covariance @ centre.T).clip(0))
        return [
            Rating(name, float(ELO * middle), (float(ELO * (middle - half)), float(ELO * (middle + half))))
            for name, middle, half in zip(names, centre @ self.strength, spread, strict=True)
        ]

    def centre(self, zero: Float[np.ndarray, "N"] | None = None) -> Float[np.ndarray, "N N"]:
        """Makes distances from zero of strengths."""
        count = len(self.strength)
        return np.eye(count) - (np.full(count, 1 / count) if zero is None else zero)[None]


def bradley_terry(names: Sequence[str], wins: Float[np.ndarray, "N N"]) -> list[Rating]:
    """The ratings that make a table likeliest; `wins[i, j]` is what i got against j, a draw half a win to both."""
    if len(names) != len(wins):
        raise ValueError(f"{len(names)} names do not fit a table of {len(wins)} players")
    return fit(wins).ratings(names)


def fit(wins: Float[np.ndarray, "N N"], pairs: Float[np.ndarray, "N N 5"] | None = None) -> Fit:
    """Bradley and Terry's model: i beats j with odds `exp(r_i - r_j)`. Everyone is also given one drawn game against a
    player of rating 0, so that who won every game, or met nobody the others met, has a finite rating all the same;
    among hundreds of games it weighs little. The intervals come from the inverse Fisher information.

    That takes every game for independent, and a draw for half a win and half a loss. Draws vary less, and so do the two
    games of an opening, which often decides both. `pairs` counts the pairs of two games by their score (0 to 2, in
    halves): where they are known, results are taken to vary as the pairs did (White's sandwich).
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

    # Convex, with one minimum; the trust region keeps Newton's steps short where all games are won.
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
    """How much the pairs of each two players varied about the score of the model, as a share of what independent games
    without draws would have; some pairs that did just that are added, for where few have told anything.
    """
    off = (np.arange(5) / 2 - 2 * score[:, :, None]) ** 2
    alike = 2 * score * (1 - score)
    return (ALIKE / 2 + (pairs * off).sum(axis=2)) / (ALIKE / 2 + pairs.sum(axis=2) * alike)
