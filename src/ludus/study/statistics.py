"""Means over seeds, or over seeds and puzzles, with their intervals, and verdicts from them."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
UNJUDGED = "cannot be judged"  # where networks that it compares are dead: see `study.life`
UNTESTED = "cannot be tested"  # where what the claim is about is not to be had
DRAWS = 4_000  # resamples of a bootstrap over seeds and puzzles
LEVEL = 0.95
FEWEST, FEWEST_TORN = (
    10,
    20,
)  # seeds that a claim wants; and where some live and some do not, so that there are two kinds


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds with its interval: Student's t, corrected for the seeds' skewness (Hall, On the Removal of
    Skewness by Transformation, 1992), which never leaves the seeds' own range.

    What is measured is often a share, so nothing beyond the range is said; with five seeds it therefore holds the mean
    at most 15 times in 16, for any level. `bench/interval_coverage.py` measures how often it does, for 5, 10 and 20
    seeds of several shapes, beside the plain t interval and the bootstrap that was used before.
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
    from scipy.special import stdtrit

    count = len(values)
    quantile = -float(stdtrit(count - 1, (1 - LEVEL) / 2 / of))
    with np.errstate(invalid="ignore", over="ignore"):  # of what has diverged
        mean = values.mean(axis=0)
        apart = values - mean
        deviation = np.sqrt((apart**2).sum(axis=0) / (count - 1))
        known = deviation > 1e-12 * np.abs(values).max(axis=0)  # the means of equal values differ in their last digits
        skew = np.where(known, (apart**3).mean(axis=0) / np.where(known, deviation, 1) ** 3, 0)
        low, high = (mean - _unskewed(t, skew, count) * deviation / math.sqrt(count) for t in (quantile, -quantile))
    return np.clip(low, values.min(axis=0), values.max(axis=0)), np.clip(high, values.min(axis=0), values.max(axis=0))


def _unskewed(t: float, skew: Float[np.ndarray, "P"], count: int) -> Float[np.ndarray, "P"]:
    """Where a mean's t statistic has the quantile that an unskewed one has at `t`: the inverse of Hall's cubic."""
    third = skew / (3 * math.sqrt(count))
    moved = t - third / 2
    small = np.abs(third) < 1e-6
    return np.where(small, moved, (np.cbrt(1 + 3 * third * moved) - 1) / np.where(small, 1, third))


def estimate_both(
    values: Float[np.ndarray, "S N"],
    of: int = 1,
    over: Float[np.ndarray, "S N"] | Float[np.ndarray, "1 N"] | None = None,
) -> Estimate:
    """The mean over seeds (rows) and puzzles (columns): both are samples, and both are drawn again (the pigeonhole
    bootstrap of Owen, 2007, which is rather too wide than too narrow). With `over` it is the sum of the values over the
    sum of those, as of positions explored in one order and in another.

    A percentile bootstrap of few seeds is too narrow; this one is widened as Student's t widens a normal interval (the
    expanded percentile interval of Hesterberg, What Teachers Should Know About the Bootstrap, 2015), for as many seeds
    as the doubt comes from: where it comes from puzzles, of which there are many, hardly.
    """
    from scipy.special import ndtr, stdtrit

    values = np.asarray(values, float)
    base = np.broadcast_to(1.0 if over is None else np.asarray(over, float), values.shape)
    seeds, puzzles = values.shape
    mean = float(values.sum() / base.sum())
    if min(seeds, puzzles) < 2:
        return Estimate(mean, math.nan, math.nan, seeds)
    by_seed, by_puzzle = _resamples(seeds), _puzzle_resamples(puzzles)
    found = ((by_seed @ values) * by_puzzle).sum(axis=1) / ((by_seed @ base) * by_puzzle).sum(axis=1)
    apart = (values - mean * base) / base.mean()
    parts = [(apart.mean(axis=1 - axis).var(ddof=1) / many, many) for axis, many in enumerate(values.shape)]
    freedom = sum(part for part, _ in parts) ** 2 / max(sum(part**2 / (many - 1) for part, many in parts), 1e-300)
    tail = (1 - LEVEL) / 2 / of
    count = max(freedom, 1.0) + 1
    wide = float(ndtr(math.sqrt(count / (count - 1)) * stdtrit(count - 1, tail)))
    low, high = np.quantile(found, (wide, 1 - wide))
    return Estimate(mean, float(low), float(high), seeds)


@functools.lru_cache(maxsize=4)
def _puzzle_resamples(count: int) -> Float[np.ndarray, "R N"]:
    return np.random.default_rng(1).multinomial(count, np.full(count, 1 / count), DRAWS) / count


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
    """A claim of several parts holds if all of them hold, and fails if one fails. If none fails, it cannot be judged if
    one of them cannot.
    """
    return next((verdict for verdict in (FAILS, UNJUDGED, UNDECIDED) if verdict in verdicts), HOLDS)
