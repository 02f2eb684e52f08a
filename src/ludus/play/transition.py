"""Backing up a value over one move: its sign, and what the mover got if the game ended. Learners and searches read the
sign of a backup here; it is written nowhere else.

A value is always the mover's. So the value of the next position counts with a minus where the other side moves there,
and with a plus where the same player goes on, as in a puzzle for one; after the end of a game there is none.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from ludus.core.game import Rules


def sign(
    game: Rules, before: Any, after: Any, over: Bool[Array, ""] | bool = False, negate: Float[Array, ""] | float = 1.0
) -> Float[Array, ""]:
    """What the value of the position after a move is multiplied by: 1, -1, or 0 where the game is over.

    With `negate` 0 the other side's value is added as it is, which is how one of the papers has it.
    """
    alternates = (game.player(after) != game.player(before)).astype(jnp.float32)
    return jnp.where(jnp.asarray(over), jnp.float32(0), 1 - 2 * jnp.asarray(negate, jnp.float32) * alternates)


def result(game: Rules, before: Any, after: Any, over: Bool[Array, ""]) -> Float[Array, ""]:
    """What the mover got, if its move ended the game; else nothing."""
    return jnp.where(over, game.returns(after)[game.player(before)], jnp.float32(0))
