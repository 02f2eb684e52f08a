"""Noughts and crosses: take a square in turn; three in a row win, or with `misere` lose."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from ludus.core import bits
from ludus.core.bits import Bits
from ludus.core.entry import Entry
from ludus.core.game import Game
from ludus.core.svg import LINE, WOOD, Picture
from ludus.core.text import bad_position, refuse_strangers, split_position

from . import ENTRY

# A square is its bit, and taking it is the action of that number.
#
#     3   6 7 8
#     2   3 4 5
#     1   0 1 2
#         a b c
ROWS = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
NAMES = tuple(f"{column}{row}" for row in "123" for column in "abc")
SIDES = "xo"


class Geometry(NamedTuple):
    cells: Int[np.ndarray, "9"]
    images: Int[np.ndarray, "8 9"]  # where each square goes in each symmetry of the board


@functools.cache
def geometry() -> Geometry:
    squares = np.arange(9).reshape(3, 3)
    grids = [np.rot90(grid, k) for grid in (squares, squares.T) for k in range(4)]
    return Geometry(np.arange(9), np.stack([np.argsort(grid.ravel()) for grid in grids]).astype(np.int32))


class State(NamedTuple):
    own: Bits  # the mover's squares
    other: Bits
    mover: Int[Array, ""]


def joined(side: Bits) -> Bool[Array, ""]:
    """Whether three of these squares are in a row."""
    (word,) = side.words
    rows = jnp.asarray([Bits.of(row, 1).to_int() for row in ROWS], jnp.uint32)
    return ((word & rows) == rows).any()


@dataclass(frozen=True)
class Noughts(Game[State]):
    misere: bool = False

    entry: ClassVar[Entry] = ENTRY

    @property
    def num_actions(self) -> int:
        return 9

    @property
    def max_plies(self) -> int:
        return 9

    @property
    def small(self) -> bool:
        return True  # 5,478 positions

    def init(self) -> State:
        return self.parse(".../.../... x")

    def step(self, state: State, action: Int[Array, ""] | int) -> State:
        return State(state.other, state.own | Bits.single(jnp.asarray(action, jnp.int32), 1), 1 - state.mover)

    def player(self, state: State) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: State) -> Bool[Array, "9"]:
        return ~(state.own | state.other).plane(geometry().cells) & ~joined(state.other)

    def done(self, state: State) -> Bool[Array, ""]:
        return joined(state.other) | ((state.own | state.other).count() == 9)

    def returns(self, state: State) -> Float[Array, "2"]:
        """Only the side that has just moved can have three in a row."""
        movers = jnp.float32(1 if self.misere else -1) * joined(state.other).astype(jnp.float32)
        return jnp.where(jnp.arange(2) == state.mover, movers, -movers)

    def observe(self, state: State) -> Float[Array, "3 3 2"]:
        planes = jnp.stack([side.plane(geometry().cells) for side in (state.own, state.other)], axis=-1)
        return planes.reshape(3, 3, 2).astype(jnp.float32)

    def symmetries(self, state: State) -> tuple[State, Int[Array, "8 9"]]:
        cells, images = geometry()

        def image(come_from: Int[Array, "9"]) -> State:
            own, other = (bits.from_plane(side.plane(cells)[come_from], cells, 1) for side in (state.own, state.other))
            return State(own, other, jnp.asarray(state.mover))

        return jax.vmap(image)(jnp.asarray(np.argsort(images, axis=1))), jnp.asarray(images)

    def canonical(self, state: State) -> State:
        return state._replace(mover=jnp.zeros_like(state.mover))

    # --- text and pictures ----------------------------------------------------------------------------------

    def parse(self, text: str) -> State:
        rows, mover = split_position("noughts", text, SIDES)
        if [len(row) for row in rows] != [3, 3, 3]:
            raise bad_position("noughts", text, "it should have three rows of three squares")
        refuse_strangers("noughts", text, rows, "xo.")
        letters = "".join(reversed(rows))
        if letters.count("x") - letters.count("o") != mover:
            raise bad_position("noughts", text, "x begins, and then they take turns")
        sides = [Bits.of([cell for cell in range(9) if letters[cell] == side], 1) for side in SIDES]
        return State(sides[mover], sides[1 - mover], jnp.int32(mover))

    def squares(self, state: State) -> dict[int, str]:
        """Who has which square."""
        own, other = SIDES[int(state.mover)], SIDES[1 - int(state.mover)]
        return dict.fromkeys(state.own.cells(), own) | dict.fromkeys(state.other.cells(), other)

    def format(self, state: State) -> str:
        taken = self.squares(state)
        rows = ("".join(taken.get(3 * row + column, ".") for column in range(3)) for row in (2, 1, 0))
        return f"{'/'.join(rows)} {SIDES[int(state.mover)]}"

    def format_move(self, state: State, action: int) -> str:
        return NAMES[action]

    def why_not(self, state: State, move: str) -> str:
        return f"{move} is taken" if move in NAMES else "a move is a square, like b2"

    def draw(self, state: State) -> str:
        rows, side = self.format(state).split()
        lines = [f"{3 - k} {' '.join(row)}" for k, row in enumerate(rows.split("/"))]
        return "\n".join([*lines, "  a b c", f"{side} to move"])

    def svg(self, state: State) -> str:
        picture, taken = Picture(180, 180, self.format(state)), self.squares(state)
        for cell in range(9):
            x, y = 60.0 * (cell % 3), 60.0 * (2 - cell // 3)
            picture.box(x, y, 60, 60, WOOD, LINE)
            picture.text(x + 30, y + 30, taken.get(cell, ""), 30)
        return str(picture)
