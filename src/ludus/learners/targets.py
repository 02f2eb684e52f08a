"""What a move should be worth, for one transition. The sign of a backup is written here and nowhere else.

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


def one_step(
    reward: Float[Array, ""],
    sign: Float[Array, ""],
    following: Float[Array, ""],
    gamma: Float[Array, ""] | float = 1.0,
) -> Float[Array, ""]:
    """The reward, and what the next position is worth to the one who moved."""
    return reward + _counted(sign, gamma * following)


def _counted(sign: Float[Array, ""], value: Float[Array, ""]) -> Float[Array, ""]:
    """A value with its sign; none after the end, whatever a network says of a finished game."""
    return jnp.where(sign == 0, jnp.float32(0), sign * value)


def own_turn(
    rewards: tuple[Float[Array, ""], Float[Array, ""]],
    signs: tuple[Float[Array, ""], Float[Array, ""]],
    following: tuple[Float[Array, ""], Float[Array, ""]],
    gamma: Float[Array, ""] | float,
) -> Float[Array, ""]:
    """The same with the value of the mover's own next position, the reply taken as it was played: of this move and of
    the one after it, the reward, the sign and what the position then is worth.
    """
    (now, reply), (sign_now, sign_reply), (here, there) = rewards, signs, following
    return jnp.where(
        sign_now < 0,  # the other side replies
        now - reply + _counted(sign_now * sign_reply, gamma * there),
        one_step(now, sign_now, here, gamma),
    )
