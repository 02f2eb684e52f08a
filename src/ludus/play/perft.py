"""Perft: counts the legal lines of a depth, to check a move generator."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from ludus.core.game import Game, S

CHUNK = 4096


def perft(game: Game[S], state: S, depth: int) -> int:
    """The number of lines of exactly `depth` legal moves; a finished game has none of depth 1 or more."""
    if depth == 0:
        return 1
    return _count(game, jax.tree.map(lambda leaf: np.asarray(leaf)[None], state), depth)


def _count(game: Game, states: Any, depth: int) -> int:
    """Depth-first over chunks of positions, to save memory; the last ply is counted, not played."""
    total = 0
    size = len(jax.tree.leaves(states)[0])
    for begin in range(0, size, CHUNK):
        chunk = jax.tree.map(lambda leaf, begin=begin: leaf[begin : begin + CHUNK], states)
        if depth == 1:
            counts, _ = _look(game, _pad(chunk))
            total += int(np.asarray(counts)[: size - begin].sum(dtype=np.int64))
        else:
            total += _count(game, successors(game, chunk), depth - 1)
    return total


def successors(game: Game[S], states: S) -> S:
    """All positions one move after these (every leaf [N, ...]), in order, on the host."""
    size = len(jax.tree.leaves(states)[0])
    _, legal = _look(game, _pad(states), mask=True)
    parents, actions = np.nonzero(np.asarray(legal)[:size])
    parts = []
    for begin in range(0, len(parents), CHUNK):
        rows = slice(begin, begin + CHUNK)
        batch = jax.tree.map(lambda leaf, rows=rows: leaf[parents[rows]], states)
        moved = _step(game, _pad(batch), _pad(actions[rows].astype(np.int32)))
        kept = min(CHUNK, len(parents) - begin)
        parts.append(jax.tree.map(lambda leaf, kept=kept: np.asarray(leaf)[:kept], moved))
    if not parts:
        return jax.tree.map(lambda leaf: leaf[:0], states)
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


def _pad(tree: Any) -> Any:
    """Pad every leaf to a power of two, at least 64, so that few shapes are compiled."""

    def pad(leaf: np.ndarray) -> np.ndarray:
        size = max(64, 1 << (len(leaf) - 1).bit_length()) if len(leaf) else 64
        if len(leaf) == 0:
            return np.zeros((size, *leaf.shape[1:]), leaf.dtype)
        return np.concatenate([leaf, np.broadcast_to(leaf[:1], (size - len(leaf), *leaf.shape[1:]))])

    return jax.tree.map(pad, tree)


@functools.partial(jax.jit, static_argnums=0, static_argnames="mask")
def _look(game: Game, states: Any, mask: bool = False) -> tuple[Int[Array, "N"], Bool[Array, "N A"] | None]:
    """The number of moves of each position, and with `mask` also the legal moves."""
    live = ~jax.vmap(game.done)(states)
    legal = jax.vmap(game.legal)(states) & live[:, None] if mask else None
    return jnp.where(live, jax.vmap(game.num_legal)(states), 0), legal


@functools.partial(jax.jit, static_argnums=0)
def _step(game: Game, states: Any, actions: Int[Array, "N"]) -> Any:
    return jax.vmap(game.step)(states, actions)
