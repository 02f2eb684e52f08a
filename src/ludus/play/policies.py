"""How values become moves: the greedy policy, and how far it strays. Written once, for all who rate moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, Shaped

from ludus.core.arrays import below
from ludus.core.game import Rules
from ludus.play import selfplay

MASKED = -1e9  # the value of what cannot be played


def best_moves(values: Float[Array, "A"], legal: Bool[Array, "A"]) -> Bool[Array, "A"]:
    """The legal moves of the highest value; all of them alike where a network has diverged to no number at all."""
    values = jnp.where(legal & ~jnp.isnan(values), values, -jnp.inf)
    return legal & (values == values.max())


def highest(values: Float[Array, "A"], legal: Bool[Array, "A"]) -> Float[Array, ""]:
    """The value of the best legal move."""
    return jnp.where(legal, values, MASKED).max()


def choose(
    key: Key[Array, ""], best: Bool[Array, "B A"], legal: Bool[Array, "B A"], epsilon: Float[Array, "..."] | float
) -> Int[Array, "B"]:
    """Any of the best moves alike, or with probability epsilon (one for all, or one for each) any legal one."""
    key_explore, key_move = jax.random.split(key)
    explore = jax.random.uniform(key_explore, (len(legal),)) < epsilon
    total = jnp.cumsum(legal & (best | explore[:, None]), axis=1, dtype=jnp.int32)
    nth = below(jax.random.bits(key_move, (len(legal),)), total[:, -1])
    return (total == nth[:, None] + 1).argmax(axis=1).astype(jnp.int32)


def greedy(
    game: Rules, values: Callable[[Any], Float[Array, "A"]], epsilon: Float[Array, "..."] | float
) -> selfplay.Policy:
    """Any action of the highest of these values, or with probability epsilon (one for all, or one for each) any."""

    def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        legal = jax.vmap(game.legal)(states)
        return choose(key, jax.vmap(best_moves)(jax.vmap(values)(states), legal), legal, epsilon)

    return policy


def greedy_among_legal(
    game: Rules, values: Callable[[Any], Float[Array, "M"]], epsilon: Float[Array, "..."] | float
) -> selfplay.Policy:
    """The same where values come in the order of legal moves, padded: the first of the highest."""

    def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        key_explore, key_move = jax.random.split(key)
        best = jax.vmap(lambda state: values(state).argmax())(states).astype(jnp.int32)
        count = jax.vmap(game.num_legal)(states)
        other = below(jax.random.bits(key_move, count.shape), count)
        explore = jax.random.uniform(key_explore, count.shape) < epsilon
        return jax.vmap(game.nth_legal)(states, jnp.where(explore, other, best))

    return policy


def to_actions(game: Rules, state: Any, outputs: Shaped[Array, "A"]) -> Shaped[Array, "A"]:
    """A network sees the board as the mover does, and its outputs are the moves of that board: here by action."""
    if type(game).canonical_action is Rules.canonical_action:
        return outputs
    actions = jnp.arange(game.num_actions, dtype=jnp.int32)
    return outputs[jax.vmap(game.canonical_action, (None, 0))(state, actions)]
