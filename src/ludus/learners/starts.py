"""Where a learner's games start: at random positions of the game's part `starts`, or at the game's own start."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from ludus.core.game import Rules
from ludus.games import part


def starts_of(game: Rules) -> Any:
    """All the starts of a game (every leaf [N, ...]), or None if it has no such part."""
    found = part(game, "starts")
    return None if found is None else found(game)


def any_of(starts: Any, key: Key[Array, ""], count: int) -> Any:
    """So many of them at random."""
    leaves = jax.tree.leaves(starts)
    chosen = jax.random.randint(key, (count,), 0, len(leaves[0]))
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[chosen], starts)


def one_of(starts: Any, key: Key[Array, ""]) -> Any:
    """One of them at random."""
    chosen = jax.random.randint(key, (), 0, len(jax.tree.leaves(starts)[0]))
    return jax.tree.map(lambda leaf: leaf[chosen], starts)
