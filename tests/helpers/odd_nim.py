"""Nim with a gap among its actions: a game that states no more than it must, with an entry for the registry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from ludus.core.entry import Entry, Option
from ludus.core.game import Game
from ludus.errors import BadInput

ENTRY = Entry(
    name="nim",
    about="Take one or three from a heap; who takes the last wins.",
    room="helpers",
    seats=("first", "second"),
    actions=3,
    options=(Option("heap", 6, "Stones at the start.", low=1, high=100),),
    rules="helpers.odd_nim:OddNim",
)


class State(NamedTuple):
    heap: Int[Array, ""]
    mover: Int[Array, ""]


@dataclass(frozen=True)
class OddNim(Game[State]):
    """Take one or three from a heap (actions 0 and 2; 1 is never legal). Who takes the last wins."""

    heap: int = 6

    entry: ClassVar[Entry] = ENTRY
    num_actions = 3  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    max_plies = 20  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def init(self) -> State:
        return State(np.int32(self.heap), np.int32(0))  # pyright: ignore[reportArgumentType]

    def step(self, state: State, action: Int[Array, ""] | int) -> State:
        return State(state.heap - action - 1, 1 - state.mover)

    def player(self, state: State) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: State) -> Bool[Array, "3"]:
        return jnp.stack([state.heap >= 1, jnp.zeros_like(state.heap, bool), state.heap >= 3])

    def done(self, state: State) -> Bool[Array, ""]:
        return state.heap == 0

    def returns(self, state: State) -> Float[Array, "2"]:
        lost = jnp.where(state.mover == 0, jnp.float32(-1), jnp.float32(1)) * self.done(state).astype(jnp.float32)
        return jnp.stack([lost, -lost])

    def observe(self, state: State) -> Float[Array, "1"]:
        return state.heap.astype(jnp.float32)[None]

    def symmetries(self, state: State) -> tuple[State, Int[Array, "1 3"]]:
        return jax.tree.map(lambda leaf: leaf[None], state), jnp.arange(3, dtype=jnp.int32)[None]

    def parse(self, text: str) -> State:
        if not text.isdecimal():
            raise BadInput(f"nim position '{text}': it should be a number.")
        return State(np.int32(int(text)), np.int32(0))  # pyright: ignore[reportArgumentType]

    def format(self, state: State) -> str:
        return str(int(state.heap))

    def format_move(self, state: State, action: int) -> str:
        return f"take{action + 1}"

    def why_not(self, state: State, move: str) -> str:
        return "take one or three"

    def draw(self, state: State) -> str:
        return "o" * int(state.heap)

    def svg(self, state: State) -> str:
        return "<svg/>"
