"""A heap of stones: as small a game as a learner can be tried on, with a network and a tape for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from ludus.core.game import Rules
from ludus.learners import dqn
from ludus.networks import MLP

TINY = dqn.Config(hidden=(8,), inputs="planes", head="full", memory=64, lanes=4, recall=2, games=100)


class Heap(NamedTuple):
    left: Int[Array, ""]
    mover: Int[Array, ""]


@dataclass(frozen=True)
class Nim(Rules[Heap]):
    """Take one to three from a heap; who takes the last wins. Played by one, taking the last is worth 1."""

    stones: int = 5
    players: int = 2

    @property
    def num_players(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.players

    @property
    def num_actions(self) -> int:
        return 3

    @property
    def max_plies(self) -> int:
        return self.stones

    def init(self) -> Heap:
        return Heap(jnp.int32(self.stones), jnp.int32(0))

    def step(self, state: Heap, action: Int[Array, ""] | int) -> Heap:
        return Heap(state.left - 1 - action, (state.mover + 1) % self.players)

    def player(self, state: Heap) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: Heap) -> Bool[Array, "A"]:
        return state.left > jnp.arange(3)

    def done(self, state: Heap) -> Bool[Array, ""]:
        return state.left <= 0

    def returns(self, state: Heap) -> Float[Array, "P"]:
        won = self.done(state).astype(jnp.float32)
        return won[None] if self.players == 1 else jnp.where(jnp.arange(2) == state.mover, -won, won)

    def observe(self, state: Heap) -> Float[Array, "1"]:
        return state.left.astype(jnp.float32)[None]

    def symmetries(self, state: Heap) -> tuple[Heap, Int[Array, "1 A"]]:
        return jax.tree.map(lambda leaf: leaf[None], state), jnp.arange(3, dtype=jnp.int32)[None]


def floats(*values: float) -> Any:
    return jnp.array(values, jnp.float32)


def some_network(*sizes: int) -> MLP:
    return jax.tree.map(lambda leaf: leaf + jnp.float32(0.1), MLP(sizes, jax.random.key(3)))


def short_game(game: Nim) -> dqn.RememberedGame:
    """Five stones: take two, then the last three; after the end a fresh heap, in which a move stands that was none."""
    mover = [0, 1, 0, 0] if game.players == 2 else [0, 0, 0, 0]
    state = Heap(jnp.array([5, 3, 0, 5], jnp.int32), jnp.array(mover, jnp.int32))
    return dqn.RememberedGame(state, jnp.array([1, 2, 0, 1], jnp.int32), jnp.array([True, True, False, False]))
