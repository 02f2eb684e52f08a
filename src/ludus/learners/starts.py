"""Where the games of a learner begin: at any of the room's starts, or where there are none at the game's own."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from ludus.core.game import Rules
from ludus.games import part


def starts_of(game: Rules) -> Any:
    """All of them (every leaf [N, ...]), if a room knows more than one place to begin at."""
    found = part(game, "starts")
    return None if found is None else found(game)


def any_of(starts: Any, key: Key[Array, ""], count: int) -> Any:
    """So many of them at random."""
    leaves = jax.tree.leaves(starts)
    chosen = jax.random.randint(key, (count,), 0, len(leaves[0]))
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[chosen], starts)
