"""Ways to choose a move that a test can foresee."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from helpers.batched import on_host
from ludus.core.arrays import below
from ludus.core.game import Game, compiled
from ludus.play.selfplay import Policy


def among_first(game: Game, choices: int) -> Policy:
    """One of the first few legal moves: games that go round in circles."""

    def policy(key: jax.Array, states: Any) -> jax.Array:
        count = jnp.minimum(jax.vmap(game.num_legal)(states), choices)
        return jax.vmap(game.nth_legal)(states, below(jax.random.bits(key, count.shape), count))

    return policy


def ranked(game: Game, last: bool) -> Policy:
    """Always the first legal move, or the last."""

    def policy(key: jax.Array, states: Any) -> jax.Array:
        n = jax.vmap(game.num_legal)(states) - 1 if last else jnp.zeros_like(jax.vmap(game.player)(states))
        return jax.vmap(game.nth_legal)(states, n)

    return policy


def scripted(game: Game, start: str, moves: list[str]) -> Policy:
    """This line of moves, known by its positions; the last leads back to the start."""
    state, pairs = game.parse(start), []
    for move in moves:
        pairs.append((state, action := game.parse_move(state, move)))
        state = on_host(compiled(game).step(state, np.int32(action)))
    assert game.format(state) == start

    def choose(state: Any) -> jax.Array:
        action = jnp.int32(0)
        for known, answer in pairs:
            here = jnp.stack([leaf == there for leaf, there in zip(*map(jax.tree.leaves, (state, known)), strict=True)])
            action = jnp.where(here.all(), jnp.int32(answer), action)
        return action

    return lambda key, states: jax.vmap(choose)(states)
