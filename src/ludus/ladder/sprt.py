"""The sequential probability ratio test (SPRT) of two players, on pairs of games.

A pair of games, the same opening with the seats exchanged, has one of five scores. The two games of a pair depend on
each other, pairs do not, so the test counts pairs. A hypothesis fixes only the mean score, not the frequencies of the
five. So each hypothesis takes the most likely frequencies with its mean, and the test compares the two likelihoods (the
generalised test; M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
distribution", 2019). Without draws and for independent games it is Wald's test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.optimize
from jaxtyping import Float

from ludus.errors import BadInput

SCORES = np.arange(5) / 4  # of a pair: the mean of its two games
SCARCE = 1e-3  # the count given to a score that never occurred: otherwise some means are impossible
WORST = 0.5  # chance of an error, from which on a test is useless
FARTHEST = 1000.0  # points between two players; beyond, the expected score is 1 to rounding

Verdict = Literal["stronger", "weaker", "no difference", "undecided"]


@dataclass(frozen=True)
class Sprt:
    """A two-sided test: the first player leads by at least `elo1` points, or trails by as many, or the two are at most
    `elo0` points apart.

    It is two one-sided tests at the same time (Sobel and Wald, 1949). Players at most `elo0` apart are found different
    with probability at most `alpha`; a lead of `elo1` is missed with probability at most `beta`.
    """

    elo0: float = 0.0
    elo1: float = 40.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not 0 <= self.elo0 < self.elo1 <= FARTHEST:
            raise BadInput(
                f"a test takes 0 <= elo0 < elo1 <= {FARTHEST:g}, not elo0 = {self.elo0:g} and elo1 = {self.elo1:g}."
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < WORST:
                raise BadInput(f"{name}, the chance of an error, lies between 0 and {WORST:g}, and {value:g} does not.")

    @property
    def bounds(self) -> tuple[float, float]:
        """At or below the first: no difference; at or above the second: a difference. Both sides share `alpha`."""
        alpha = self.alpha / 2
        return math.log(self.beta / (1 - alpha)), math.log((1 - self.beta) / alpha)

    def judge(self, pairs: Sequence[int]) -> Judgement:
        """After so many pairs of each score, from the first player's side, the worst score first."""
        low, high = self.bounds
        ahead, behind = (log_ratio(side, self.elo0, self.elo1) for side in (pairs, pairs[::-1]))
        if ahead >= high and ahead >= behind:
            verdict: Verdict = "stronger"
        elif behind >= high:
            verdict = "weaker"
        else:
            verdict = "no difference" if max(ahead, behind) <= low else "undecided"
        return Judgement(verdict, (ahead, behind), (low, high))


@dataclass(frozen=True)
class Judgement:
    """The state of a test."""

    verdict: Verdict  # of the first player
    llr: tuple[float, float]  # log likelihood ratios: for being stronger, for being weaker
    bounds: tuple[float, float]

    @property
    def decided(self) -> bool:
        return self.verdict != "undecided"

    def to_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "llr": list(self.llr), "bounds": list(self.bounds)}


def expected(elo: float) -> float:
    """The expected score of a player that leads by `elo` points."""
    return 1 / (1 + 10 ** (-elo / 400))


def log_ratio(pairs: Sequence[int], elo0: float, elo1: float) -> float:
    """The log likelihood ratio of these pairs: a lead of `elo1` points against a lead of `elo0`."""
    if sum(pairs) == 0:
        return 0.0
    seen = np.maximum(np.asarray(pairs, float), SCARCE)
    likely0, likely1 = (likeliest(seen / seen.sum(), expected(elo)) for elo in (elo0, elo1))
    return float((seen * np.log(likely1 / likely0)).sum())


def likeliest(seen: Float[np.ndarray, "5"], mean: float) -> Float[np.ndarray, "5"]:
    """The most likely frequencies with this mean score, given the observed shares of each score.

    By Lagrange they are `seen / (1 + t (score - mean))`. Exactly one t between the two poles gives the wanted mean.
    """
    off = SCORES - mean
    terms = list(zip((seen * off).tolist(), off.tolist(), strict=True))  # for five numbers faster than NumPy

    def excess(t: float) -> float:
        return sum(part / (1 + t * by) for part, by in terms)

    low, high = -1 / off.max(), -1 / off.min()
    air = 1e-12 * (high - low)
    t: Any = scipy.optimize.brentq(excess, low + air, high - air, xtol=1e-14)
    return seen / (1 + t * off)
