"""How often an interval over seeds holds the true mean: `python bench/interval_coverage.py docs/papers/coverage.csv`.

Samples of 5, 10 and 20 seeds of several shapes, as the measures of a paper have them: normal; lognormal, with a long
tail; bimodal, where a quarter of the runs end elsewhere than the rest. For each, how often the nominal 95% interval of
`ludus.study.statistics` held the mean, and how often it lay above it and below it; alone, and as one of five
comparisons (nominal 99%). Beside it two that it was chosen from: the bootstrap that was used before (percentile,
widened as Student's t widens a normal interval), and Student's t, cut off at the seeds' own range as ours is. The draws
have a fixed seed.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.special import ndtr, stdtrit

from ludus.study.statistics import LEVEL, intervals

SAMPLES, AT_ONCE = 10_000, 500
RESAMPLES = 4_000
SEEDS = (5, 10, 20)
OTHERS = 0.25  # the share of a bimodal arm's runs that end elsewhere
Interval = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]]


def normal(rng: np.random.Generator, seeds: int, samples: int) -> np.ndarray:
    return rng.normal(size=(seeds, samples))


def lognormal(rng: np.random.Generator, seeds: int, samples: int) -> np.ndarray:
    return rng.lognormal(size=(seeds, samples)) - math.exp(0.5)


def bimodal(rng: np.random.Generator, seeds: int, samples: int) -> np.ndarray:
    shape = (seeds, samples)
    return (rng.random(shape) < OTHERS) - OTHERS + rng.normal(0, 0.05, shape)


SHAPES = {"normal": normal, "lognormal": lognormal, "bimodal": bimodal}  # each with a mean of 0


def bootstrap(values: np.ndarray, of: int) -> tuple[np.ndarray, np.ndarray]:
    count = len(values)
    drawn = np.random.default_rng(0).integers(0, count, (RESAMPLES, count))
    weights = np.stack([np.bincount(row, minlength=count) for row in drawn]) / count
    wide = float(ndtr(math.sqrt(count / (count - 1)) * stdtrit(count - 1, (1 - LEVEL) / 2 / of)))
    low, high = np.quantile(weights @ values, (wide, 1 - wide), axis=0)
    return low, high


def student(values: np.ndarray, of: int) -> tuple[np.ndarray, np.ndarray]:
    count, mean = len(values), values.mean(axis=0)
    far = -stdtrit(count - 1, (1 - LEVEL) / 2 / of) * values.std(axis=0, ddof=1) / math.sqrt(count)
    return np.maximum(mean - far, values.min(axis=0)), np.minimum(mean + far, values.max(axis=0))


METHODS: dict[str, Interval] = {"ours": intervals, "bootstrap": bootstrap, "Student's t": student}


def measured(shape: str, seeds: int, of: int) -> list[list[object]]:
    """A line for each method, all from the same samples."""
    rng = np.random.default_rng(seeds)
    within = {name: np.zeros(4) for name in METHODS}
    for _ in range(SAMPLES // AT_ONCE):
        values = SHAPES[shape](rng, seeds, AT_ONCE)
        for name, interval in METHODS.items():
            low, high = interval(values, of)
            within[name] += [((low <= 0) & (high >= 0)).sum(), (low > 0).sum(), (high < 0).sum(), (high - low).sum()]
    return [[shape, seeds, of, name, *(f"{part / SAMPLES:.4f}" for part in parts)] for name, parts in within.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="the CSV to write")
    out = parser.parse_args().out
    rows = [row for of in (1, 5) for shape in SHAPES for seeds in SEEDS for row in measured(shape, seeds, of)]
    with open(out, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["shape", "seeds", "of", "interval", "covered", "above", "below", "width"])
        writer.writerows(rows)
    for row in rows:
        print(*row)


if __name__ == "__main__":
    main()
