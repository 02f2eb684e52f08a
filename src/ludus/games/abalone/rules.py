"""Abalone: push six of the other side's fourteen marbles off the hexagon.

A move takes one to three marbles in line one step: along their line, where they may push a shorter line of the other
side's marbles, even off the board; or sideways onto empty cells. A position that comes back is a tie (`selfplay` keeps
count). When a game is stopped, or the mover has no move, the side with more marbles wins.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from ludus.core import bits
from ludus.core.bits import Bits
from ludus.core.entry import Entry
from ludus.core.game import NotatedGame
from ludus.games.abalone import ENTRY, LAYOUTS, notation

# Rows A (bottom) to I (top), diagonals 1 to 9. Cell (row, diagonal) is bit 10 * row + diagonal - 1, so that a step
# adds the same number anywhere, and column 9 stays empty between one row and the next:
#
#             I 84 85 86 87 88
#            H 73 74 75 76 77 78               the six directions
#           G 62 63 64 65 66 67 68
#          F 51 52 53 54 55 56 57 58              +10   +11
#         E 40 41 42 43 44 45 46 47 48              \   /
#          D 30 31 32 33 34 35 36 37 9         -1 -- o -- +1
#           C 20 21 22 23 24 25 26 8                /   \
#            B 10 11 12 13 14 15 7               -11   -10
#             A 00 01 02 03 04 6
#                1  2  3  4  5
NUM_WORDS = 3
STRIDE = 10
DIRECTIONS = (+1, -1, +10, -10, +11, -11)
NUM_CELLS = 61


class Kind(NamedTuple):
    """A kind of move: `length` 0 is in line from the rear marble; 2 or 3 is sideways, from the lowest marble."""

    direction: int
    axis: int
    length: int


class Geometry(NamedTuple):
    """The board as tables, for these rules, for the search and for drawing."""

    cells: Int[np.ndarray, "61"]  # the bit of each cell, a1 first
    board: Bits
    kinds: tuple[Kind, ...]  # an action is 61 * kind + cell


@functools.cache
def geometry() -> Geometry:
    cells = [STRIDE * row + column for row in range(9) for column in range(max(0, row - 4), min(8, row + 4) + 1)]
    in_line = [Kind(direction, 0, 0) for direction in DIRECTIONS]
    sideways = [
        Kind(direction, axis, length)
        for axis in (1, 10, 11)
        for direction in DIRECTIONS
        if abs(direction) != axis
        for length in (2, 3)
    ]
    return Geometry(np.array(cells, np.int32), Bits.of(cells, NUM_WORDS), (*in_line, *sideways))


@functools.cache
def symmetry_tables() -> tuple[Int[np.ndarray, "12 61"], Int[np.ndarray, "12 A"]]:
    """Where each cell and each action goes under the six turns of the hexagon and their mirror images."""
    cells, _, kinds = geometry()
    index = {int(cell): i for i, cell in enumerate(cells)}
    # Seen from the centre (bit 44) a cell is x steps of +1 and y steps of +10. A turn by 60 degrees takes +1 to +11
    # and +10 to -1; the mirror exchanges +1 and +10.
    turn, mirror = np.array([[1, -1], [1, 0]]), np.array([[0, 1], [1, 0]])
    maps = [np.linalg.matrix_power(turn, k) @ m for m in (np.eye(2, dtype=int), mirror) for k in range(6)]
    bits_of = np.arange(STRIDE * STRIDE)
    offsets = np.stack([bits_of % STRIDE - 4, bits_of // STRIDE - 4])
    images = [(4 + (m @ offsets)[0]) + STRIDE * (4 + (m @ offsets)[1]) for m in maps]

    cell_table = np.array([[index[image[cell]] for cell in cells] for image in images], np.int32)
    action_table = np.full((len(maps), len(kinds) * NUM_CELLS), -1, np.int32)
    for image, row in zip(images, action_table, strict=True):
        for k, (direction, axis, length) in enumerate(kinds):
            new_axis = image[44 + axis] - 44
            new_kind = kinds.index(Kind(image[44 + direction] - 44, abs(new_axis), length))
            for i, cell in enumerate(cells):
                first, last = cell, cell + axis * max(0, length - 1)
                if last in index:  # the marble named first is the lowest, whichever end that has become
                    row[k * NUM_CELLS + i] = new_kind * NUM_CELLS + index[min(image[first], image[last])]
        # Lines that leave the board are never legal; they fill the places left, to make it a permutation.
        row[row < 0] = np.setdiff1d(np.arange(len(row)), row)
    return cell_table, action_table


class State(NamedTuple):
    own: Bits  # the mover's marbles
    other: Bits
    mover: Int[Array, ""]  # 0 black, 1 white


def moves(state: State) -> list[Bits]:
    """For each kind of move, the cells it can start from."""
    own, other = state.own, state.other
    occupied = own | other
    empty = geometry().board - occupied
    found, can_step = [], {}
    for d in DIRECTIONS:
        # `>> d` asks each cell about its neighbour in direction d. A lone marble moves to an empty cell; the front
        # one of two may also push one marble, of three one or two, if what is behind them is empty or off the board.
        pushable = other - (occupied >> d)
        two_pushable = other & (pushable >> d)
        third = own & ((empty | pushable | two_pushable) >> d)
        second = own & ((empty | pushable | third) >> d)
        found.append(own & ((empty | second) >> d))
        can_step[d] = own & (empty >> d)
    for direction, axis, length in geometry().kinds[len(DIRECTIONS) :]:
        step = can_step[direction]
        pair = step & (step >> axis)
        found.append(pair if length == 2 else pair & (pair >> axis))
    return found


@dataclass(frozen=True)
class Abalone(NotatedGame[State]):
    layout: str = "standard"
    cap: int = 200  # plies

    entry: ClassVar[Entry] = ENTRY
    notation: ClassVar[Any] = notation
    repetition_ties: ClassVar[bool] = True

    @property
    def num_actions(self) -> int:
        return len(geometry().kinds) * NUM_CELLS

    @property
    def max_plies(self) -> int:
        return self.cap

    @property
    def max_legal(self) -> int:
        # 14 marbles: 6 * 14 in line; at most 29 pairs and 23 triples of neighbours, 4 ways sideways each.
        return 6 * 14 + 4 * (29 + 23)

    def init(self) -> State:
        return self.parse(LAYOUTS[self.layout])

    def player(self, state: State) -> Int[Array, ""]:
        return state.mover

    def step(self, state: State, action: Int[Array, ""] | int) -> State:
        own, other = state.own, state.other
        cells, board, kinds = geometry()
        start = jnp.asarray(cells)[action % NUM_CELLS]
        direction, axis, length = jnp.asarray(kinds, jnp.int32)[action // NUM_CELLS]
        # In line, the rear marble jumps before the front one, and a pushed marble before the ones it pushes.
        second = own.has(start + direction)
        third = second & own.has(start + 2 * direction)
        front = start + direction * (1 + second.astype(jnp.int32) + third.astype(jnp.int32))
        pushed = other.has(front)
        beyond = front + direction * (1 + (pushed & other.has(front + direction)).astype(jnp.int32))
        at_start, at_front, at_beyond = (Bits.single(c, NUM_WORDS) for c in (start, front, beyond))
        pushed_other = bits.where(pushed, (other - at_front) | (at_beyond & board), other)
        # Sideways, the two or three marbles each take their step.
        line = at_start | Bits.single(start + axis, NUM_WORDS)
        line = bits.where(length == 3, line | Bits.single(start + 2 * axis, NUM_WORDS), line)
        moved = Bits.single(start + direction, NUM_WORDS) | Bits.single(start + axis + direction, NUM_WORDS)
        moved = bits.where(length == 3, moved | Bits.single(start + 2 * axis + direction, NUM_WORDS), moved)

        in_line = length == 0
        new_own = bits.where(in_line, (own - at_start) | at_front, (own - line) | moved)
        new_other = bits.where(in_line, pushed_other, other)
        return State(new_other, new_own, 1 - state.mover)

    def legal(self, state: State) -> Bool[Array, "A"]:
        return jnp.concatenate([starts.plane(geometry().cells) for starts in moves(state)])

    def num_legal(self, state: State) -> Int[Array, ""]:
        return sum((starts.count() for starts in moves(state)), jnp.int32(0))

    def nth_legal(self, state: State, n: Int[Array, ""]) -> Int[Array, ""]:
        kind, starts, n = bits.nth_set(moves(state), n)
        return kind * NUM_CELLS + geometry().board.rank(starts.nth(n))

    def done(self, state: State) -> Bool[Array, ""]:
        six_off = (state.own.count() <= notation.LOST_AT) | (state.other.count() <= notation.LOST_AT)
        return six_off | (self.num_legal(state) == 0)

    def returns(self, state: State) -> Float[Array, "2"]:
        lead = jnp.sign(state.own.count() - state.other.count()).astype(jnp.float32)
        black = jnp.where(state.mover == 0, lead, -lead)
        return jnp.stack([black, -black])

    def observe(self, state: State) -> Float[Array, "9 9 2"]:
        """Rows A to I, diagonals 1 to 9; the mover's marbles, the other's."""
        grid = np.array([STRIDE * row + column for row in range(9) for column in range(9)])
        planes = jnp.stack([side.plane(grid) for side in (state.own, state.other)], axis=-1)
        return planes.reshape(9, 9, 2).astype(jnp.float32)

    def canonical(self, state: State) -> State:
        return state._replace(mover=jnp.zeros_like(state.mover))

    def symmetries(self, state: State) -> tuple[State, Int[Array, "12 A"]]:
        cell_table, action_table = symmetry_tables()

        def image(side: Bits, where_from: Int[Array, "61"]) -> Bits:
            return bits.from_plane(side.plane(geometry().cells)[where_from], geometry().cells, NUM_WORDS)

        come_from = jnp.asarray(np.argsort(cell_table, axis=1))
        images = jax.vmap(lambda f: State(image(state.own, f), image(state.other, f), state.mover))(come_from)
        return images, jnp.asarray(action_table)

    # --- text and pictures ----------------------------------------------------------------------------------

    def parse(self, text: str) -> State:
        marbles, mover = notation.read(text)
        sides = [
            Bits.of([STRIDE * r + d for (r, d), side in marbles.items() if side == letter], NUM_WORDS)
            for letter in notation.SIDES
        ]
        return State(sides[mover], sides[1 - mover], jnp.int32(mover))

    def position(self, state: State) -> tuple[notation.Marbles, int]:
        """The marbles by cell, and the seat to move."""
        mover = int(state.mover)
        sides = ((state.own, notation.SIDES[mover]), (state.other, notation.SIDES[1 - mover]))
        return {divmod(cell, STRIDE): letter for side, letter in sides for cell in side.cells()}, mover

    def format_move(self, state: State, action: int) -> str:
        kind, cell = divmod(int(action), NUM_CELLS)
        direction, axis, length = geometry().kinds[kind]
        start = int(geometry().cells[cell])
        named = (start, start + direction) if length == 0 else (start, start + axis * (length - 1), start + direction)
        return "".join(notation.name(divmod(c, STRIDE)) for c in named)
