"""What a move of Abalone gains besides the game: a marble pushed off."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from ludus.games.abalone.rules import Abalone, State


def rewards(game: Abalone, before: State, after: State) -> Float[Array, ""]:
    """The marbles that the mover of `before` pushed off the board: none or one."""
    return (before.other.count() - after.own.count()).astype(jnp.float32)
