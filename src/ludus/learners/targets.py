"""The targets of all learners, for one transition. The sign of a backup comes from `play.transition`."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float


def one_step(
    reward: Float[Array, ""],
    sign: Float[Array, ""],
    following: Float[Array, ""],
    gamma: Float[Array, ""] | float = 1.0,
) -> Float[Array, ""]:
    """The reward plus the next position's value to the player who moved."""
    return reward + _counted(sign, gamma * following)


def _counted(sign: Float[Array, ""], value: Float[Array, ""]) -> Float[Array, ""]:
    """A value with its sign; 0 after the end, whatever a network says of a finished game."""
    return jnp.where(sign == 0, jnp.float32(0), sign * value)


def own_turn(
    rewards: tuple[Float[Array, ""], Float[Array, ""]],
    signs: tuple[Float[Array, ""], Float[Array, ""]],
    following: tuple[Float[Array, ""], Float[Array, ""]],
    gamma: Float[Array, ""] | float,
) -> Float[Array, ""]:
    """The same with the value of the mover's own next position, after the reply that was played. Each pair is for this
    move and for the one after it: rewards, signs, and values of the positions that follow.
    """
    (now, reply), (sign_now, sign_reply), (here, there) = rewards, signs, following
    return jnp.where(
        sign_now < 0,  # the other side replies
        now - reply + _counted(sign_now * sign_reply, gamma * there),
        one_step(now, sign_now, here, gamma),
    )
