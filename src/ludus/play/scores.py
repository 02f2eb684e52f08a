"""How games ended: the score, and the interval that the true one lies in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Z95 = 1.959963984540054  # 95% of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class Tally:
    """How games ended, from one player's side."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float  # a win is 1, a draw 1/2
    ci95: tuple[float, float] | None  # none where the same games were played over and over

    @property
    def interval(self) -> str:
        """For people, after the score."""
        if self.ci95 is None:
            return ""
        low, high = self.ci95
        return f" (95% interval {100 * low:.2f} to {100 * high:.2f})"


def tally_ends(end: Float[np.ndarray, "N"]) -> Tally:
    """Of what a player got in each game."""
    return tally(int((end > 0).sum()), int((end == 0).sum()), int((end < 0).sum()))


def tally(wins: int, draws: int, losses: int) -> Tally:
    """The score and its interval. Of no games at all nothing is known: 1/2, give or take 1/2."""
    games = wins + draws + losses
    score = (wins + draws / 2) / games if games else 0.5
    return Tally(games, wins, draws, losses, score, score_interval(wins, draws, losses))


def paired_interval(end: Float[np.ndarray, "N"], places: Int[np.ndarray, "N"] | None = None) -> tuple[float, float]:
    """The interval of the score where two games after another share an opening: of pairs, which are independent. Of a
    match that was stopped, `places` says which of its games these are.

    A pair that is won is a win, one that is halved a draw. One with a draw in it is half of each, which keeps its score
    and makes the interval a little wider than it need be; a game without another is half a pair.
    """
    pair = (np.arange(len(end)) if places is None else places) // 2
    lead = np.bincount(pair, weights=np.sign(end)) / 2
    wins, losses = float(lead.clip(0).sum()), float((-lead).clip(0).sum())
    return score_interval(wins, len(end) / 2 - wins - losses, losses)


def score_interval(wins: float, draws: float, losses: float) -> tuple[float, float]:
    """The 95% interval of the true score: all scores that a score test does not reject.

    A score of `mu` is tested with the variance that games of that score would have, not with the variance seen, so
    that the interval keeps its width when all games end alike. What `mu` leaves open is the share of draws, for which
    the likeliest value is taken. This is Tango's interval for paired proportions (Statistics in Medicine 17, 1998;
    wins and losses are the discordant pairs), and Wilson's where there are no draws.
    """
    games = wins + draws + losses
    if games == 0:
        return 0.0, 1.0
    score, edges = (wins + draws / 2) / games, []
    for outside in (0.0, 1.0):
        inside = score
        for _ in range(40):
            middle = (inside + outside) / 2
            variance = _variance(middle, wins, draws, losses)
            accepted = games * (score - middle) ** 2 < Z95**2 * variance
            inside, outside = (middle, outside) if accepted else (inside, middle)
        edges.append(outside)
    low, high = edges
    return low, high


def _variance(score: float, wins: float, draws: float, losses: float) -> float:
    """The likeliest variance of one game, after these results, if the true score were this.

    With x half the share of draws it is `score (1 - score) - x / 2`, and x is what maximises
    `wins log(score - x) + draws log(x) + losses log(1 - score - x)`: the smaller root of a quadratic.
    """
    games = wins + draws + losses
    half = (draws + wins * (1 - score) + losses * score) / (2 * games)
    product = draws / games * score * (1 - score)
    x = product / (half + math.sqrt(max(half**2 - product, 0.0))) if draws else 0.0
    return score * (1 - score) - x / 2
