"""Curves for the page to draw: means over seeds with 95% intervals, as numbers that JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from ludus.study.statistics import intervals


def band(label: str, steps: Sequence[float], values: Float[np.ndarray, "S P"], seeds: bool = True) -> dict[str, Any]:
    """A curve of several seeds: its mean, the interval of the mean, and each seed's own curve.

    Where a seed has no finite value there is no mean; a single seed has no interval.
    """
    values = np.where(np.isfinite(values), values, np.nan)
    mean, low, high = values.mean(axis=0), *np.full((2, values.shape[1]), np.nan)
    whole = np.isfinite(mean)
    if len(values) > 1 and whole.any():
        low[whole], high[whole] = intervals(values[:, whole])
    several = seeds and len(values) > 1
    return {
        "label": label,
        "steps": [_number(step) for step in steps],
        "mean": _numbers(mean),
        "low": _numbers(low),
        "high": _numbers(high),
        "seeds": [_numbers(row) for row in values] if several else [],
        "count": len(values),
    }


def _numbers(values: Float[np.ndarray, "P"]) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    """Five digits, which is more than anybody sees."""
    return float(f"{value:.5g}") if math.isfinite(value) else None
