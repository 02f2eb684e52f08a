"""The compiled programs: a learner's functions, mapped over a batch of runs."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Key

from ludus.core.game import Game
from ludus.learners.learner import Learner
from ludus.study.study import Scale


def own_setup(learner: Learner, config: Any, game: Game, keys: Key[Array, "S"]) -> Any:
    """A learner's own setup, by seed: the same for all curves."""
    make = learner.setup
    if make is None:
        return None
    return jax.jit(jax.vmap(lambda key: make(config, game, jax.random.fold_in(key, 1))))(keys)


def keys_of(scale: Scale) -> Key[Array, "S"]:
    return jnp.stack([jax.random.key(seed) for seed in scale.all_seeds])


def batches(total: int) -> list[list[int]]:
    """The rows of the runs in batches of one size; the last batch is filled up with copies that do not count. Each
    batch keeps a core busy, so many cores get smaller batches, of at least eight runs.
    """
    on_host = jax.default_backend() == "cpu"
    many = -(-total // (64 if on_host else 2048))
    many = max(many, min((os.cpu_count() or 1) // 2, total // 8)) if on_host else many
    size = -(-total // many)
    return [[min(row, total - 1) for row in range(begin, begin + size)] for begin in range(0, total, size)]


@functools.lru_cache(maxsize=32)
def first(learner: Learner, config: Any, game: Game) -> Callable[..., Any]:
    return jax.jit(jax.vmap(lambda key, sweep, setup: learner.init(config, game, key, sweep, setup)))


@functools.lru_cache(maxsize=32)
def before(learner: Learner, config: Any, game: Game) -> Callable[[Any], Any]:
    """The point before any learning: the initial weights, and the metrics of a first round, which is thrown away. Both
    as one point, runs first.
    """

    def one(state: Any) -> Any:
        return learner.advance(config, game, state)[1], learner.weights(state)

    return jax.jit(lambda states: jax.tree.map(lambda leaf: leaf[:, None], jax.vmap(one)(states)))


@functools.lru_cache(maxsize=32)
def advance(learner: Learner, config: Any, game: Game, points: int, rounds: int) -> Callable[[Any], Any]:
    """Advance a batch of runs by so many points: the state, and at each point the metrics (means since the one before)
    and the weights, runs first.
    """

    def point(state: Any, _: None) -> Any:
        state, seen = jax.lax.scan(lambda s, _: learner.advance(config, game, s), state, None, length=rounds)
        return state, ({name: leaf.mean() for name, leaf in seen.items()}, learner.weights(state))

    def course(state: Any) -> Any:
        state, (metrics, weights) = jax.lax.scan(point, state, None, length=points)
        return state, metrics, weights

    return jax.jit(jax.vmap(course), donate_argnums=0)
