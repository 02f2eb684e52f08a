"""A sum over the patterns of a position (an n-tuple network): each pattern's weights are looked up by its number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key


class Patterns(NamedTuple):
    """The patterns of a game: its part `patterns`."""

    #: `(game, state)` to the numbers of a position's patterns, from the mover's side.
    numbers: Callable[[Any, Any], Int[Array, "P"]]
    #: Each pattern's place in the weights: patterns that are images of each other share theirs.
    tie: Int[np.ndarray, "N"]
    #: `(tables, name)` to the network as an `Evaluation` for a search.
    evaluation: Callable[[PatternTables, str], Any] | None = None

    @property
    def different(self) -> int:
        """The number of different weights."""
        return int(self.tie.max()) + 1


class PatternTables(NamedTuple):
    """A network for a search: what each pattern adds to the value, and to each hidden unit."""

    straight: Float[np.ndarray, "N"]
    hidden: Float[np.ndarray, "N H"]
    bias: Float[np.ndarray, "H"]
    out: Float[np.ndarray, "H"]


@jax.custom_jvp
def _added(table: Float[Array, "W *H"], rows: Int[Array, "P"]) -> Float[Array, "*H"]:
    """The sum of some rows of a table, row by row: a gather and a sum would write all rows to memory first."""
    total = table[rows[0]]
    for row in rows[1:]:
        total = total + table[row]
    return total


@_added.defjvp
def _added_change(given: Any, change: Any) -> Any:
    """A gather and a sum: its transpose adds to one table, and not to one table for each row."""
    table, rows = given
    return _added(table, rows), change[0][rows].sum(axis=0)


class PatternNet(eqx.Module):
    """Weights of patterns, added to the value; and optionally to hidden units, so that patterns can interact."""

    straight: Float[Array, "W"]
    hidden: Float[Array, "W H"]
    bias: Float[Array, "H"]
    out: Float[Array, "H"]

    def __init__(self, count: int, width: int, key: Key[Array, ""]) -> None:
        """A pattern that was never seen has almost no weight."""
        key_hidden, key_out = jax.random.split(key)
        self.straight = jnp.zeros(count)
        self.hidden = jnp.float32(0.05) * jax.random.normal(key_hidden, (count, width))
        self.bias = jnp.full(width, jnp.float32(0.25))
        self.out = jnp.float32(0.1) * jax.random.normal(key_out, (width,))

    def tables(self, tie: Int[np.ndarray, "N"]) -> PatternTables:
        return PatternTables(*map(np.asarray, (self.straight[tie], self.hidden[tie], self.bias, self.out)))

    def units(self, weights: Int[Array, "P"]) -> Float[Array, "H"]:
        """The outputs of the hidden units."""
        return jax.nn.relu(_added(self.hidden, weights) + self.bias)

    def __call__(self, weights: Int[Array, "P"]) -> Float[Array, ""]:
        """The value, by the places of a position's patterns in the weights."""
        value = _added(self.straight, weights)
        return value + self.units(weights) @ self.out if len(self.out) else value
