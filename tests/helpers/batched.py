"""A game's methods on stacks of states of any size: each is compiled once a game, for chunks of one size."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from ludus.core.game import Game, afterstates

CHUNK = 128


class Facts(NamedTuple):
    """What a game says of a position."""

    legal: Any
    num_legal: Any
    done: Any
    returns: Any
    player: Any
    observe: Any

    @property
    def relative(self) -> Any:
        """The mover's return."""
        return np.take_along_axis(self.returns, self.player[..., None], axis=-1)[..., 0]


@functools.cache
def _compiled(game: Game, name: str) -> Callable[..., Any]:
    def facts(state: Any) -> Facts:
        return Facts(*(getattr(game, field)(state) for field in Facts._fields))

    own = {"facts": facts, "afterstates": lambda state: afterstates(game, state)}
    return jax.jit(jax.vmap(own.get(name) or getattr(game, name)))


def call(game: Game, name: str, *stacks: Any, axes: int = 1) -> Any:
    """A method of the game (or `facts`, or `afterstates`) on every state of a stack with so many leading axes."""
    shape = jax.tree.leaves(stacks)[0].shape[:axes]
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[axes:]), stacks)
    size, parts = int(np.prod(shape)), []
    for begin in range(0, size, CHUNK):
        chunk = jax.tree.map(lambda leaf, begin=begin: _filled(leaf[begin : begin + CHUNK]), flat)
        found = _compiled(game, name)(*chunk)
        parts.append(jax.tree.map(lambda leaf, begin=begin: np.asarray(leaf)[: size - begin], found))
    whole = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    return jax.tree.map(lambda leaf: leaf.reshape(*shape, *leaf.shape[1:]), whole)


def _filled(leaf: np.ndarray) -> np.ndarray:
    return np.concatenate([leaf, np.broadcast_to(leaf[:1], (CHUNK - len(leaf), *leaf.shape[1:]))])


def stack(states: Sequence[Any]) -> Any:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *states)


def unstack(states: Any, *index: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], states)


def repeat(states: Any, count: int, axis: int = 1) -> Any:
    """A new axis of copies."""
    return jax.tree.map(lambda leaf: np.repeat(np.expand_dims(leaf, axis), count, axis), states)


def on_host(tree: Any) -> Any:
    return jax.tree.map(np.asarray, tree)


def same(one: Any, two: Any) -> np.ndarray:
    """Which states of two stacks are equal, leaf by leaf: one flag for each index that all leaves share."""
    axes = min(np.ndim(leaf) for leaf in jax.tree.leaves(one))
    flags = np.ones(np.shape(jax.tree.leaves(one)[0])[:axes], bool)
    for a, b in zip(*(map(np.asarray, jax.tree.leaves(tree)) for tree in (one, two)), strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        flags &= (a == b).reshape(*flags.shape, -1).all(axis=-1)
    return flags
