"""A small game as a table: a position is a number, a move is its index among the legal moves.

Positions that are symmetric to each other share a number. The table is a game itself, so all players and learners work
on it, with look-ups instead of rules: a ply of self-play is two look-ups, and a value network evaluates each position
only once.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from ludus.core.game import Game, Rules, S
from ludus.errors import BadInput
from ludus.play.selfplay import fingerprint
from ludus.truth.graph import Graph, build, observations


class State(NamedTuple):
    number: Int[Array, ""]
    mover: Int[Array, ""]


class TableGame(Rules[State]):
    """A game as a table. It equals only itself (it is a static argument in JAX): get it from the cached `as_table`."""

    def __init__(self, graph: Graph) -> None:
        self.game = graph.game
        self.num_players = graph.game.num_players  # pyright: ignore[reportAttributeAccessIssue]
        self.class_of, chosen = _classes(graph)  # of each position of the graph
        self.num_positions = len(chosen)
        counts = np.diff(graph.first)[chosen]
        place = np.arange(counts.max())
        moves = graph.first[chosen][:, None] + np.minimum(place, np.maximum(counts - 1, 0)[:, None])
        self.child = self.class_of[graph.child[np.minimum(moves, len(graph.child) - 1)]].astype(np.int32)
        self.count = counts.astype(np.int32)
        self.result = graph.result[chosen].astype(np.float32)
        self.planes = observations(graph, graph.game.observe)[chosen]
        self.start = int(self.class_of[0])

    @property
    def num_actions(self) -> int:
        return self.child.shape[1]

    @property
    def max_plies(self) -> int:
        return self.game.max_plies

    def init(self) -> State:
        return State(jnp.int32(self.start), jnp.int32(0))

    def everywhere(self) -> State:
        """All positions, as one batch."""
        return State(jnp.arange(self.num_positions, dtype=jnp.int32), jnp.zeros(self.num_positions, jnp.int32))

    def step(self, state: State, action: Int[Array, ""] | int) -> State:
        return State(jnp.asarray(self.child)[state.number, action], (state.mover + 1) % self.game.num_players)

    def player(self, state: State) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: State) -> Bool[Array, "A"]:
        return jnp.arange(self.num_actions) < self.num_legal(state)

    def num_legal(self, state: State) -> Int[Array, ""]:
        return jnp.asarray(self.count)[state.number]

    def nth_legal(self, state: State, n: Int[Array, ""]) -> Int[Array, ""]:
        return n

    def done(self, state: State) -> Bool[Array, ""]:
        return self.num_legal(state) == 0

    def returns(self, state: State) -> Float[Array, "P"]:
        mover = jnp.asarray(self.result)[state.number]
        seats = jnp.arange(self.game.num_players) == state.mover
        return jnp.where(seats, mover, -mover)

    def observe(self, state: State) -> Float[Array, "..."]:
        return jnp.asarray(self.planes)[state.number]

    def symmetries(self, state: State) -> tuple[State, Int[Array, "1 A"]]:
        """Only the identity is left."""
        return jax.tree.map(lambda leaf: leaf[None], state), jnp.arange(self.num_actions, dtype=jnp.int32)[None]


def smallest_image(game: Rules[S], state: S) -> S:
    """The symmetric image of a position with the smallest fingerprint: the same for all images."""
    images = jax.vmap(game.canonical)(game.images(state))
    prints = jax.vmap(fingerprint)(images)
    order = jnp.lexsort((prints[:, 1], prints[:, 0]))
    return jax.tree.map(lambda leaf: leaf[order[0]], images)


def _classes(graph: Graph) -> tuple[Int[np.ndarray, "N"], Int[np.ndarray, "C"]]:
    """The symmetry class of each position, and the representative of each class."""
    standing = graph.find(observations(graph, lambda state: smallest_image(graph.game, state)))
    chosen, class_of = np.unique(standing, return_inverse=True)
    if chosen[0] < 0:
        raise BadInput(f"{graph.game.describe()}: a symmetry leads to a position that no game reaches.")
    return class_of, chosen


@functools.lru_cache(maxsize=4)
def as_table(game: Game) -> TableGame:
    """The table of a small game, cached."""
    return TableGame(build(game))


def values_everywhere(game: TableGame, value: Any) -> Float[np.ndarray, "N"]:
    """From a value of each class to a value of each position of the graph."""
    return np.asarray(value)[game.class_of]
