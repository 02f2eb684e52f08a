"""Means over seeds with their intervals, and verdicts from them."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
DRAWS = 10_000  # resamples of a bootstrap
LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds with its interval: a bootstrap, which never leaves the seeds' own range.

    With few seeds a plain percentile bootstrap is too narrow. This one is widened as Student's t widens a normal
    interval (the expanded percentile interval of Hesterberg, What Teachers Should Know About the Bootstrap, 2015), but
    not beyond the seeds' range. So with five seeds it holds the mean at most 15 times in 16, for any level.
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


def estimate(values: Sequence[float], of: int = 1) -> Estimate:
    """The mean over seeds. If it is one of several comparisons, or the best of several settings, `of` is their number:
    the interval is then wide enough for all of them together (Bonferroni).
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return Estimate(mean, math.nan, math.nan, len(values))
    low, high = intervals(np.asarray(values, float)[:, None], of)
    return Estimate(mean, float(low[0]), float(high[0]), len(values))


def intervals(values: Float[np.ndarray, "S P"], of: int = 1) -> tuple[Float[np.ndarray, "P"], Float[np.ndarray, "P"]]:
    """The ends of the interval of each column's mean; seeds are rows."""
    from scipy.special import ndtr, stdtrit

    count = len(values)
    tail = (1 - LEVEL) / 2 / of
    wide = float(ndtr(math.sqrt(count / (count - 1)) * stdtrit(count - 1, tail)))
    means = _resamples(count) @ values
    # The means of equal values differ in their last digits.
    low, high = np.quantile(means, (wide, 1 - wide), axis=0)
    return np.clip(low, values.min(axis=0), values.max(axis=0)), np.clip(high, values.min(axis=0), values.max(axis=0))


@functools.cache
def _resamples(count: int) -> Float[np.ndarray, "R S"]:
    """The weight of each seed in each resample; the same at every call."""
    drawn = np.random.default_rng(0).integers(0, count, (DRAWS, count))
    return np.stack([np.bincount(row, minlength=count) for row in drawn]) / count


def difference(better: Sequence[float], worse: Sequence[float], of: int = 1) -> Estimate:
    """The mean advantage of one setting over another, seed by seed."""
    return estimate([a - b for a, b in zip(better, worse, strict=True)], of)


def verdict(advantage: Estimate, level: float = 0.0) -> str:
    """Whether a claim that one setting beats another by more than this holds."""
    return HOLDS if advantage.low > level else FAILS if advantage.high < level else UNDECIDED


def together(verdicts: Sequence[str]) -> str:
    """A claim of several parts holds if all of them hold, and fails if one fails."""
    return next((verdict for verdict in (FAILS, UNDECIDED) if verdict in verdicts), HOLDS)
