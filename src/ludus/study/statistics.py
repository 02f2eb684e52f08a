"""Means over seeds with their intervals, and what to make of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds with its 95% interval (Student's t), which ends where no mean can lie.

    A bootstrap would stay within the seeds' own range, but with two to ten seeds it holds the truth far less often than
    it says. An interval that is cut where nothing can be holds it as often as before.
    """

    mean: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{100 * self.mean:.2f}% [{100 * self.low:.2f}, {100 * self.high:.2f}]"

    def plain(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def reaches(self, level: float) -> str:
        """Whether a claim that the mean is at least this holds."""
        return HOLDS if self.low >= level else FAILS if self.high < level else UNDECIDED


def estimate(values: Sequence[float], least: float = -math.inf, most: float = math.inf) -> Estimate:
    """Of values that lie between these bounds."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return Estimate(mean, math.nan, math.nan, len(values))
    import scipy.stats

    half = float(scipy.stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values)))
    return Estimate(mean, max(mean - half, least), min(mean + half, most), len(values))


def share(values: Sequence[float]) -> Estimate:
    """Of shares: nothing below 0, nothing above 1."""
    return estimate(values, 0.0, 1.0)


def difference(better: Sequence[float], worse: Sequence[float], most: float = math.inf) -> Estimate:
    """The mean advantage of one setting over another, seed by seed."""
    return estimate([a - b for a, b in zip(better, worse, strict=True)], -most, most)


def more_of(better: Sequence[float], worse: Sequence[float]) -> Estimate:
    """The same of shares, which differ by no more than 1."""
    return difference(better, worse, 1.0)


def verdict(advantage: Estimate) -> str:
    """Whether a claim that one setting beats another holds."""
    return HOLDS if advantage.low > 0 else FAILS if advantage.high < 0 else UNDECIDED


def together(verdicts: Sequence[str]) -> str:
    """A claim of several parts holds if all do, and fails if one does."""
    return next((verdict for verdict in (FAILS, UNDECIDED) if verdict in verdicts), HOLDS)
