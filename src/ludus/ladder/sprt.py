"""Whether two players differ, told as soon as the games tell: Wald's sequential test, on pairs of games.

A pair of games, the same opening with the seats exchanged, has one of five scores. Its two games depend on each other,
pairs do not, so the test goes by pairs. How often each score comes is known to nobody; the two hypotheses say its mean
alone. So each is given the likeliest frequencies that have its mean, and the test goes by the ratio of the two
likelihoods (the generalised test; M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation
value of a distribution", 2019). Without draws and for independent games it comes to the test of Wald.
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

SCORES = np.arange(5) / 4  # of a pair, as a share of its two games
SCARCE = 1e-3  # pairs that a score which never came is taken to have come: else no frequencies have every mean
WORST = 0.5  # chance of an error, above which a test says nothing
FARTHEST = 1000.0  # points between two players, beyond which a score cannot be told from a whole one

Verdict = Literal["stronger", "weaker", "no difference", "undecided"]


@dataclass(frozen=True)
class Sprt:
    """What is tested: that the first of two players leads by `elo1` points or more, or trails by as many, against that
    they are no more than `elo0` apart.

    Two tests of one side each, at the same time (Sobel and Wald, 1949). Of two that are `elo0` apart or less a share of
    at most `alpha` are told apart; of two that are `elo1` apart at most `beta` are not.
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
        """Below the one, no difference to this side; above the other, a difference. `alpha` is for both sides."""
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
    """How a test stands."""

    verdict: Verdict  # of the first player
    llr: tuple[float, float]  # the logarithm of the likelihood ratio: that it is stronger, that it is weaker
    bounds: tuple[float, float]

    @property
    def decided(self) -> bool:
        return self.verdict != "undecided"

    def to_json(self) -> dict[str, Any]:
        return {"verdict": self.verdict, "llr": list(self.llr), "bounds": list(self.bounds)}


def expected(elo: float) -> float:
    """The score that so many points make likely."""
    return 1 / (1 + 10 ** (-elo / 400))


def log_ratio(pairs: Sequence[int], elo0: float, elo1: float) -> float:
    """How much likelier these pairs are if the first player leads by `elo1` points than if by `elo0`: its logarithm."""
    if sum(pairs) == 0:
        return 0.0
    seen = np.maximum(np.asarray(pairs, float), SCARCE)
    likely0, likely1 = (likeliest(seen / seen.sum(), expected(elo)) for elo in (elo0, elo1))
    return float((seen * np.log(likely1 / likely0)).sum())


def likeliest(seen: Float[np.ndarray, "5"], mean: float) -> Float[np.ndarray, "5"]:
    """Of all frequencies with this mean score, those that make what was seen (a share of each score) likeliest.

    By Lagrange they are `seen / (1 + t (score - mean))`, and t is where their mean is the wanted one: between the two
    places where one of them would be infinite there is exactly one.
    """
    off = SCORES - mean
    terms = list(zip((seen * off).tolist(), off.tolist(), strict=True))  # five plain numbers are quicker than an array

    def excess(t: float) -> float:
        return sum(part / (1 + t * by) for part, by in terms)

    low, high = -1 / off.max(), -1 / off.min()
    air = 1e-12 * (high - low)
    t: Any = scipy.optimize.brentq(excess, low + air, high - air, xtol=1e-14)
    return seen / (1 + t * off)
