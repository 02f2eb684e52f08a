"""How far networks have come from what they were before they learned: by their weights, and by the order of their
ratings. For every point of every run, whatever the learner and the game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

#: What a measure may return beside its numbers: each network's ratings of the same positions, all in one row, NaN where
#: nothing is rated. No file has them.
RATINGS = "ratings"


class Origin(NamedTuple):
    """Runs as they were before they learned."""

    weights: Any  # [R, ...]
    ratings: Float[np.ndarray, "R N"] | None
    rated: Bool[np.ndarray, "M"] | None  # which of all M ratings these are

    @classmethod
    def of(cls, weights: Any, strength: Mapping[str, Any]) -> Origin:
        """From the weights of the first point [R, 1, ...], and what was measured there."""
        ratings = strength.get(RATINGS)
        first = jax.tree.map(lambda leaf: leaf[:, 0], weights)
        if ratings is None:
            return cls(first, None, None)
        known = np.asarray(ratings)
        rated = np.asarray(np.isfinite(known).any(axis=0))
        return cls(first, known[:, rated], rated)

    def compare(self, weights: Any, strength: Mapping[str, Any]) -> dict[str, Any]:
        """The measures of these networks [R, P], run by run and point by point, and how far they have moved."""
        measured = dict(strength)
        ratings = measured.pop(RATINGS, None)
        measured["moved"] = _moved(self.weights, weights)
        if ratings is not None and self.ratings is not None:
            count, points = np.shape(measured["moved"])
            shaped = np.asarray(ratings)[:, self.rated].reshape(count, points, -1)
            measured["rank"] = rank_correlations(shaped, self.ratings[:, None])
        return measured


@jax.jit
def _moved(first: Any, now: Any) -> Float[Array, "R P"]:
    """The distance of the weights [R, P, ...] from the first ones [R, ...], relative to the size of these."""

    def of(run: Any, points: Any) -> Float[Array, "P"]:
        pairs = [
            (old, new)
            for old, new in zip(jax.tree.leaves(run), jax.tree.leaves(points), strict=True)
            if jnp.issubdtype(old.dtype, jnp.inexact)
        ]
        size = sum((jnp.sum(old**2) for old, _ in pairs), jnp.zeros(()))
        far = sum((jnp.sum((new - old[None]).reshape(len(new), -1) ** 2, axis=1) for old, new in pairs), jnp.zeros(()))
        return jnp.sqrt(far / jnp.maximum(size, jnp.finfo(jnp.float32).tiny))

    return jax.vmap(of)(first, now)


def rank_correlations(one: Float[np.ndarray, "... N"], other: Float[np.ndarray, "... N"]) -> Float[np.ndarray, "..."]:
    """Spearman's correlation along the last axis; ties share their rank, and what is equal everywhere, or is no number,
    correlates with nothing.
    """
    from scipy.stats import rankdata

    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = (rankdata(values, axis=-1) for values in (one, other))
        a, b = (ranks - ranks.mean(axis=-1, keepdims=True) for ranks in (a, b))
        found = (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    return np.nan_to_num(found, nan=0.0)
