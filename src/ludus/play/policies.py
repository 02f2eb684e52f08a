"""From values to moves: greedy and epsilon-greedy policies, for all learners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, Shaped

from ludus.core.arrays import below
from ludus.core.game import Rules
from ludus.play import selfplay

MASKED = -1e9  # the value of an illegal move


def best_moves(values: Float[Array, "A"], legal: Bool[Array, "A"]) -> Bool[Array, "A"]:
    """The legal moves of the highest value; all legal moves if every value is NaN (a diverged network)."""
    values = jnp.where(legal & ~jnp.isnan(values), values, -jnp.inf)
    return legal & (values == values.max())


def highest(values: Float[Array, "A"], legal: Bool[Array, "A"]) -> Float[Array, ""]:
    """The value of the best legal move."""
    return jnp.where(legal, values, MASKED).max()


def choose(
    key: Key[Array, ""], best: Bool[Array, "B A"], legal: Bool[Array, "B A"], epsilon: Float[Array, "..."] | float
) -> Int[Array, "B"]:
    """A random one of the best moves, or with probability epsilon of all legal moves. Epsilon is one number for the
    batch, or one for each lane.
    """
    key_explore, key_move = jax.random.split(key)
    explore = jax.random.uniform(key_explore, (len(legal),)) < epsilon
    total = jnp.cumsum(legal & (best | explore[:, None]), axis=1, dtype=jnp.int32)
    nth = below(jax.random.bits(key_move, (len(legal),)), total[:, -1])
    return (total == nth[:, None] + 1).argmax(axis=1).astype(jnp.int32)


def greedy(
    game: Rules, values: Callable[[Any], Float[Array, "A"]], epsilon: Float[Array, "..."] | float
) -> selfplay.Policy:
    """The epsilon-greedy policy on these values; ties are broken at random (see `choose`)."""

    def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        legal = jax.vmap(game.legal)(states)
        return choose(key, jax.vmap(best_moves)(jax.vmap(values)(states), legal), legal, epsilon)

    return policy


def greedy_among_legal(
    game: Rules, values: Callable[[Any], Float[Array, "M"]], epsilon: Float[Array, "..."] | float
) -> selfplay.Policy:
    """The epsilon-greedy policy on values in the order of legal moves, padded; of a tie, the first move."""

    def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        key_explore, key_move = jax.random.split(key)
        best = jax.vmap(lambda state: values(state).argmax())(states).astype(jnp.int32)
        count = jax.vmap(game.num_legal)(states)
        other = below(jax.random.bits(key_move, count.shape), count)
        explore = jax.random.uniform(key_explore, count.shape) < epsilon
        return jax.vmap(game.nth_legal)(states, jnp.where(explore, other, best))

    return policy


def to_actions(game: Rules, state: Any, outputs: Shaped[Array, "A"]) -> Shaped[Array, "A"]:
    """Reorder a network's outputs by action: it sees the board from the mover's side, with the moves of that board."""
    if type(game).canonical_action is Rules.canonical_action:
        return outputs
    actions = jnp.arange(game.num_actions, dtype=jnp.int32)
    return outputs[jax.vmap(game.canonical_action, (None, 0))(state, actions)]
