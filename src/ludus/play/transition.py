"""Backup of a value over one move: its sign, and the reward if the game ended. Learners and searches take the sign of
a backup from here only.

A value is always the mover's. So the value of the next position has a minus sign if the other side moves there, and a
plus sign if the same player moves again, as in a puzzle for one. After the end of a game it is 0.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from ludus.core.game import Rules


def sign(
    game: Rules, before: Any, after: Any, over: Bool[Array, ""] | bool = False, negate: Float[Array, ""] | float = 1.0
) -> Float[Array, ""]:
    """The factor of the next position's value: 1, -1, or 0 if the game is over.

    With `negate` 0 the other side's value keeps its sign, as in one of the papers.
    """
    alternates = (game.player(after) != game.player(before)).astype(jnp.float32)
    return jnp.where(jnp.asarray(over), jnp.float32(0), 1 - 2 * jnp.asarray(negate, jnp.float32) * alternates)


def result(game: Rules, before: Any, after: Any, over: Bool[Array, ""]) -> Float[Array, ""]:
    """The mover's reward: its result if the move ended the game, else 0."""
    return jnp.where(over, game.returns(after)[game.player(before)], jnp.float32(0))
