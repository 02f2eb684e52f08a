"""A replay buffer on the device: a ring of the latest rows, whole games or single positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key


class Ring(NamedTuple):
    rows: Any  # every leaf [size, ...]
    pushed: Int[Array, ""]  # rows ever added; the next one goes to this number modulo the size


def empty(row: Any, size: int) -> Ring:
    """A ring for rows like this one (arrays or their shapes)."""
    return Ring(jax.tree.map(lambda leaf: jnp.zeros((size, *leaf.shape), leaf.dtype), row), jnp.int32(0))


def push(ring: Ring, rows: Any) -> Ring:
    """Add rows (every leaf [n, ...], n at most the size); each replaces the oldest."""
    size = len(jax.tree.leaves(ring.rows)[0])
    count = len(jax.tree.leaves(rows)[0])
    place = (ring.pushed + jnp.arange(count)) % size
    kept = jax.tree.map(lambda old, new: old.at[place].set(new), ring.rows, rows)
    return Ring(kept, ring.pushed + count)


def draw(ring: Ring, key: Key[Array, ""], count: int) -> Any:
    """So many rows at random, with replacement, from those there are."""
    size = len(jax.tree.leaves(ring.rows)[0])
    chosen = jax.random.randint(key, (count,), 0, jnp.minimum(ring.pushed, size))
    return jax.tree.map(lambda leaf: leaf[chosen], ring.rows)


def flat(rows: Any) -> Any:
    """Rows of several lanes, time first, as one batch: the first two axes become one."""
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), rows)
