"""Rewards of Abalone besides the result: marbles pushed off."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from ludus.games.abalone import notation
from ludus.games.abalone.rules import Abalone, State


def rewards(game: Abalone, before: State, after: State) -> Float[Array, ""]:
    """The marbles that the mover of `before` pushed off the board: none or one."""
    return (before.other.count() - after.own.count()).astype(jnp.float32)


def taken(game: Abalone, state: State) -> Float[Array, "2"]:
    """The marbles that each seat has pushed off the board, of the fourteen that the other began with."""
    by_mover = jnp.stack([notation.MARBLES - state.other.count(), notation.MARBLES - state.own.count()])
    return jnp.where(state.mover == 0, by_mover, by_mover[::-1]).astype(jnp.float32)
