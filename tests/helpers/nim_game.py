"""A whole game that only the tests know, for the registry; `helpers.nim` has rules alone, for learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from ludus.core.entry import Entry, Option
from ludus.core.game import Game
from ludus.errors import BadInput

ENTRY = Entry(
    name="nim",
    about="Take one or two from a heap; who takes the last wins.",
    room="helpers.nim_game",
    seats=("first", "second"),
    actions=2,
    rules="helpers.nim_game:Nim",
    options=(
        Option("stones", 4, "In the heap.", low=1, high=4),
        Option("polite", False, "Whether it is played politely."),
    ),
)


class Heap(NamedTuple):
    left: Int[Array, ""]
    mover: Int[Array, ""]


@dataclass(frozen=True)
class Nim(Game[Heap]):
    """Take one or two from a heap; who takes the last wins."""

    stones: int = 4
    polite: bool = False  # which changes nothing

    entry: ClassVar[Entry] = ENTRY

    @property
    def num_actions(self) -> int:
        return 2

    @property
    def max_plies(self) -> int:
        return self.stones

    def init(self) -> Heap:
        return Heap(np.int32(self.stones), np.int32(0))  # pyright: ignore[reportArgumentType]

    def step(self, state: Heap, action: Int[Array, ""] | int) -> Heap:
        return Heap(state.left - 1 - action, 1 - state.mover)

    def player(self, state: Heap) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: Heap) -> Bool[Array, "A"]:
        return state.left > jnp.arange(2)

    def done(self, state: Heap) -> Bool[Array, ""]:
        return state.left == 0

    def returns(self, state: Heap) -> Float[Array, "P"]:
        first = jnp.where(state.mover == 0, jnp.float32(-1), jnp.float32(1))
        first = jnp.where(self.done(state), first, jnp.float32(0))
        return jnp.stack([first, -first])

    def observe(self, state: Heap) -> Float[Array, "1"]:
        return state.left.astype(jnp.float32)[None]

    def symmetries(self, state: Heap) -> tuple[Heap, Int[Array, "1 A"]]:
        return Heap(state.left[None], state.mover[None]), jnp.arange(2, dtype=jnp.int32)[None]

    def parse(self, text: str) -> Heap:
        if text not in ("0", "1", "2", "3", "4"):
            raise BadInput(f"nim position '{text}': a heap has 0 to 4 stones.")
        return Heap(np.int32(int(text)), np.int32(0))  # pyright: ignore[reportArgumentType]

    def format(self, state: Heap) -> str:
        return str(int(state.left))

    def format_move(self, state: Heap, action: int) -> str:
        return f"take{action + 1}"

    def why_not(self, state: Heap, move: str) -> str:
        return "take1 or take2 is a move, while so many are there"

    def draw(self, state: Heap) -> str:
        return f"heap of {int(state.left)}"

    def svg(self, state: Heap) -> str:
        return "<svg/>"
