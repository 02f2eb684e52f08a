"""A sum over the patterns that a position shows: each has weights of its own, looked up by its number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key


class Patterns(NamedTuple):
    """What a room knows of its patterns: its part `patterns`."""

    #: `(game, state)` to the numbers of the patterns that a position shows, in the mover's eyes.
    numbers: Callable[[Any, Any], Int[Array, "P"]]
    #: Which weights each pattern has: those that are images of each other share theirs.
    tie: Int[np.ndarray, "N"]
    #: `(tables, name)` to the same for a search: a `search.Evaluation`.
    evaluation: Callable[[PatternTables, str], Any] | None = None

    @property
    def different(self) -> int:
        """How many different weights there are."""
        return int(self.tie.max()) + 1


class PatternTables(NamedTuple):
    """A network as a search reads it: what each pattern adds, to the value itself and to each hidden unit."""

    straight: Float[np.ndarray, "N"]
    hidden: Float[np.ndarray, "N H"]
    bias: Float[np.ndarray, "H"]
    out: Float[np.ndarray, "H"]


@jax.custom_jvp
def _added(table: Float[Array, "W *H"], rows: Int[Array, "P"]) -> Float[Array, "*H"]:
    """The sum of some rows of a table, row by row: in one go a processor would write them all down first."""
    total = table[rows[0]]
    for row in rows[1:]:
        total = total + table[row]
    return total


@_added.defjvp
def _added_change(given: Any, change: Any) -> Any:
    """In one go: its transpose adds to one table for all rows, not to one for each."""
    table, rows = given
    return _added(table, rows), change[0][rows].sum(axis=0)


class PatternNet(eqx.Module):
    """What patterns add to the value; and to some hidden units, by which they may count for more or less together."""

    straight: Float[Array, "W"]
    hidden: Float[Array, "W H"]
    bias: Float[Array, "H"]
    out: Float[Array, "H"]

    def __init__(self, count: int, width: int, key: Key[Array, ""]) -> None:
        """What was never seen counts for next to nothing."""
        key_hidden, key_out = jax.random.split(key)
        self.straight = jnp.zeros(count)
        self.hidden = jnp.float32(0.05) * jax.random.normal(key_hidden, (count, width))
        self.bias = jnp.full(width, jnp.float32(0.25))
        self.out = jnp.float32(0.1) * jax.random.normal(key_out, (width,))

    def tables(self, tie: Int[np.ndarray, "N"]) -> PatternTables:
        return PatternTables(*map(np.asarray, (self.straight[tie], self.hidden[tie], self.bias, self.out)))

    def units(self, weights: Int[Array, "P"]) -> Float[Array, "H"]:
        """What the hidden units say."""
        return jax.nn.relu(_added(self.hidden, weights) + self.bias)

    def __call__(self, weights: Int[Array, "P"]) -> Float[Array, ""]:
        """Of the weights that the patterns of a position have."""
        value = _added(self.straight, weights)
        return value + self.units(weights) @ self.out if len(self.out) else value
