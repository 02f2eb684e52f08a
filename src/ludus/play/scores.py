"""The score of some games, and the interval of the true score."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

Z95 = 1.959963984540054  # 95% of a normal distribution lies within this many standard deviations


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of one player."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float  # a win is 1, a draw 1/2
    ci95: tuple[float, float] | None  # None if the same games were repeated

    @property
    def interval(self) -> str:
        """The interval as text, to follow the score."""
        if self.ci95 is None:
            return ""
        low, high = self.ci95
        return f" (95% interval {100 * low:.2f} to {100 * high:.2f})"


def tally_ends(end: Float[np.ndarray, "N"]) -> Tally:
    """The tally of a player's result in each game."""
    return tally(int((end > 0).sum()), int((end == 0).sum()), int((end < 0).sum()))


def tally(wins: int, draws: int, losses: int) -> Tally:
    """The score and its interval. Without games the score is 1/2, and its interval 0 to 1."""
    games = wins + draws + losses
    score = (wins + draws / 2) / games if games else 0.5
    return Tally(games, wins, draws, losses, score, score_interval(wins, draws, losses))


def paired_interval(end: Float[np.ndarray, "N"], places: Int[np.ndarray, "N"] | None = None) -> tuple[float, float]:
    """The interval of the score if games 2k and 2k + 1 share an opening: the pairs are independent, the games are not.
    `places` gives the numbers of the games, for a match that was stopped.

    Two wins are a won pair; a win and a loss are a drawn pair. A win and a draw are half a won pair and half a drawn
    one, which keeps the score and makes the interval a little too wide. A game without its partner is half a pair.
    """
    pair = (np.arange(len(end)) if places is None else places) // 2
    lead = np.bincount(pair, weights=np.sign(end)) / 2
    wins, losses = float(lead.clip(0).sum()), float((-lead).clip(0).sum())
    return score_interval(wins, len(end) / 2 - wins - losses, losses)


def score_interval(wins: float, draws: float, losses: float) -> tuple[float, float]:
    """The 95% interval of the true score: all scores that a score test does not reject.

    A score `mu` is tested with the variance of games of that score, not with the sample variance, so that the interval
    does not shrink to nothing when all games end alike. The variance also depends on the share of draws, for which the
    maximum-likelihood value is taken. This is Tango's interval for paired proportions (Statistics in Medicine 17, 1998;
    wins and losses are the discordant pairs), and Wilson's interval if there are no draws.
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
    """The maximum-likelihood variance of one game, from these results, if the true score is `score`.

    If x is half the share of draws, the variance is `score (1 - score) - x / 2`, and x maximises
    `wins log(score - x) + draws log(x) + losses log(1 - score - x)`: the smaller root of a quadratic.
    """
    games = wins + draws + losses
    half = (draws + wins * (1 - score) + losses * score) / (2 * games)
    product = draws / games * score * (1 - score)
    x = product / (half + math.sqrt(max(half**2 - product, 0.0))) if draws else 0.0
    return score * (1 - score) - x / 2
