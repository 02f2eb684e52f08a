"""A game in which positions come back, which ties it: as small as can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from ludus.core.game import Rules


class Place(NamedTuple):
    at: Int[Array, ""]
    mover: Int[Array, ""]


@dataclass(frozen=True)
class Walk(Rules[Place]):
    """Two take turns to step along a row; whoever leaves it at the right end wins. Positions often come back."""

    max_plies: int = 9  # pyright: ignore[reportIncompatibleMethodOverride]
    num_players = 2
    num_actions = 2  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    repetition_ties = True

    def init(self) -> Place:
        return Place(jnp.int32(2), jnp.int32(0))

    def step(self, state: Place, action: Int[Array, ""] | int) -> Place:
        return Place(jnp.maximum(state.at + 2 * action - 1, 0), 1 - state.mover)

    def player(self, state: Place) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: Place) -> Bool[Array, "2"]:
        return jnp.ones(2, bool)

    def done(self, state: Place) -> Bool[Array, ""]:
        return state.at >= 5

    def returns(self, state: Place) -> Float[Array, "2"]:
        won = self.done(state).astype(jnp.float32)
        return jnp.where(jnp.arange(2) == state.mover, -won, won)

    def observe(self, state: Place) -> Float[Array, "1"]:
        return state.at.astype(jnp.float32)[None]

    def symmetries(self, state: Place) -> Any:
        raise NotImplementedError
