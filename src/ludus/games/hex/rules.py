"""Hex: black joins top and bottom, white left and right; no game ends in a draw.

The state stores, for each side and each of its edges, the cells connected to that edge; a flood from the new stone
extends them. A side has won when a stone reaches both edges; then all its stones count as connected to both.
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
from ludus.core.arrays import select
from ludus.core.barrier import barrier
from ludus.core.bits import WORD, Bits
from ludus.core.entry import Entry
from ludus.core.game import NotatedGame
from ludus.games.hex import ENTRY, notation
from ludus.games.hex.flood import flood, spread
from ludus.games.hex.reach import GRAPH

# Cell (row, column) is bit row * (n + 1) + column. The padding column after each row stays empty, so that no shift
# runs from one row into the next. For n = 3:
#
#      a  b  c                 the six neighbours of a cell, with s = n + 1
#   1  0  1  2 (3)
#    2  4  5  6 (7)               -s   -s+1
#     3  8  9 10 (11)               \  /
#                              -1 -- o -- +1
#   black: rows 1 and 3            /  \
#   white: columns a and c      +s-1  +s


class Geometry(NamedTuple):
    """The board as arrays, for these rules, for the search and for drawing."""

    stride: int
    num_words: int
    cells: Int[np.ndarray, "N"]  # the bit of each cell, row by row
    board: Bits
    edges: tuple[tuple[Bits, Bits], tuple[Bits, Bits]]  # by seat: (top, bottom) and (left, right)
    images: Int[np.ndarray, "4 N"]  # where each cell goes: identity, rotation, transposition, both


@functools.cache
def geometry(size: int) -> Geometry:
    stride = size + 1
    num_words = -(-stride * size // WORD)
    grid = np.arange(size)[:, None] * stride + np.arange(size)
    index = np.arange(size * size).reshape(size, size)
    return Geometry(
        stride=stride,
        num_words=num_words,
        cells=grid.ravel(),
        board=Bits.of(grid.ravel().tolist(), num_words),
        edges=(
            (Bits.of(grid[0].tolist(), num_words), Bits.of(grid[-1].tolist(), num_words)),
            (Bits.of(grid[:, 0].tolist(), num_words), Bits.of(grid[:, -1].tolist(), num_words)),
        ),
        images=np.stack([m.ravel() for m in (index, index[::-1, ::-1], index.T, index[::-1, ::-1].T)]),
    )


class Side(NamedTuple):
    """One side's stones, and those of them connected to its first edge (top or left) and to its last."""

    stones: Bits
    first: Bits
    last: Bits


class State(NamedTuple):
    own: Side  # the mover's
    other: Side
    mover: Int[Array, ""]  # 0 black, 1 white


@dataclass(frozen=True)
class Hex(NotatedGame[State]):
    size: int = 11
    swap: bool = False

    entry: ClassVar[Entry] = ENTRY
    notation: ClassVar[Any] = notation
    notation: ClassVar[Any] = notation

    @property
    def num_actions(self) -> int:
        return self.size**2 + int(self.swap)

    @property
    def max_plies(self) -> int:
        return self.num_actions

    @property
    def small(self) -> bool:
        return self.size <= GRAPH  # 5,514 positions

    def init(self) -> State:
        no_cells = Bits.of((), geometry(self.size).num_words)
        side = Side(no_cells, no_cells, no_cells)
        return State(side, side, jnp.int32(0))

    def player(self, state: State) -> Int[Array, ""]:
        return state.mover

    def step(self, state: State, action: Int[Array, ""] | int) -> State:
        stride, num_words, _, _, edges, _ = geometry(self.size)
        own, other, mover = state
        action = jnp.asarray(action, jnp.int32)
        stone = Bits.single(action + action // self.size, num_words)
        if self.swap:  # black's only stone becomes white's, on the transposed cell
            swaps = action == self.size**2
            row, column = jnp.divmod(other.stones.nth(jnp.int32(0)), stride)
            stone = bits.where(swaps, Bits.single(column * stride + row, num_words), stone)
            other = Side(*(bits.where(swaps, Bits.of((), num_words), cells) for cells in other))
        first_edge, last_edge = (bits.where(mover == 0, *pair) for pair in zip(*edges, strict=True))
        near = spread(stone, stride)
        joins_first = ((near & own.first) | (stone & first_edge)).any()
        joins_last = ((near & own.last) | (stone & last_edge)).any()
        joins_first, joins_last = barrier(
            (joins_first, joins_last)
        )  # XLA would compute them again for every word below
        # A stone that reaches an edge connects itself to it, and its group that was not connected before. One that
        # reaches both edges ends the game: then all stones of that side count as connected, and no flood is needed.
        stones, won, no_cells = own.stones | stone, joins_first & joins_last, Bits.of((), num_words)
        start = bits.where((joins_first | joins_last) & ~won, stone, no_cells)
        group = flood(start, stones - own.first - own.last, stride)
        first = bits.where(won, stones, own.first | bits.where(joins_first, group, no_cells))
        last = bits.where(won, stones, own.last | bits.where(joins_last, group, no_cells))
        return State(other, Side(stones, first, last), 1 - mover)

    def _empty(self, state: State) -> Bits:
        return geometry(self.size).board - state.own.stones - state.other.stones

    def _may_swap(self, state: State) -> Bool[Array, ""]:
        return (state.mover == 1) & ~state.own.stones.any() & (state.other.stones.count() == 1)

    def legal(self, state: State) -> Bool[Array, "A"]:
        empty = self._empty(state).plane(geometry(self.size).cells)
        return jnp.append(empty, self._may_swap(state)) if self.swap else empty

    def num_legal(self, state: State) -> Int[Array, ""]:
        count = self._empty(state).count()
        return count + self._may_swap(state).astype(jnp.int32) if self.swap else count

    def nth_legal(self, state: State, n: Int[Array, ""]) -> Int[Array, ""]:
        empty = self._empty(state)
        bit = empty.nth(n)
        cell = bit - bit // geometry(self.size).stride
        return jnp.where(n == empty.count(), self.size**2, cell) if self.swap else cell

    def _won(self, side: Side) -> Bool[Array, ""]:
        return (side.first & side.last).any()

    def done(self, state: State) -> Bool[Array, ""]:
        return self._won(state.own) | self._won(state.other)

    def returns(self, state: State) -> Float[Array, "2"]:
        mover = self._won(state.own).astype(jnp.float32) - self._won(state.other).astype(jnp.float32)
        black = jnp.where(state.mover == 0, mover, -mover)
        return jnp.stack([black, -black])

    def observe(self, state: State) -> Float[Array, "n n C"]:
        """Planes of the mover, then of the opponent: stones, those connected to the first edge, to the last edge.

        For white the board is transposed. Not so with the swap rule, where the seats differ: a last plane then says who
        is to move.
        """
        sets = (*state.own, *state.other)
        planes = jnp.stack([cells.plane(geometry(self.size).cells) for cells in sets], axis=-1)
        planes = planes.reshape(self.size, self.size, 6).astype(jnp.float32)
        if self.swap:
            mover = jnp.full((self.size, self.size, 1), state.mover).astype(jnp.float32)
            return jnp.concatenate([planes, mover], axis=-1)
        return jnp.where(state.mover == 0, planes, planes.transpose(1, 0, 2))

    def canonical(self, state: State) -> State:
        """Transpose the board where white is to move, so that black is. Not with the swap rule: only white may swap."""
        if self.swap:
            return state
        return select(state.mover == 0, state, jax.tree.map(lambda leaf: leaf[2], self.symmetries(state)[0]))

    def canonical_action(self, state: State, action: Int[Array, ""]) -> Int[Array, ""]:
        transposed = action % self.size * self.size + action // self.size
        return action if self.swap else jnp.where(state.mover == 0, action, transposed)

    def symmetries(self, state: State) -> tuple[State, Int[Array, "G A"]]:
        """The identity, the rotation by 180 degrees, and both transposed, which exchanges the players. With the swap
        rule only the first two, since only white may swap.
        """
        _, num_words, cells, _, _, images = geometry(self.size)
        come_from = jnp.asarray(np.argsort(images, axis=1))
        turned, transposed = jnp.asarray([False, True, False, True]), jnp.asarray([0, 0, 1, 1], jnp.int32)

        def image(where_from: Int[Array, "N"], turn: Bool[Array, ""], transpose: Int[Array, ""]) -> State:
            def move(side: Side) -> Side:
                stones, first, last = (bits.from_plane(s.plane(cells)[where_from], cells, num_words) for s in side)
                return Side(stones, bits.where(turn, last, first), bits.where(turn, first, last))

            return State(move(state.own), move(state.other), jnp.bitwise_xor(state.mover, transpose))

        if self.swap:
            come_from, turned, transposed = come_from[:2], turned[:2], transposed[:2]
            images = np.append(images[:2], np.full((2, 1), self.size**2), axis=1)
        return jax.vmap(image)(come_from, turned, transposed), jnp.asarray(images, jnp.int32)

    # --- text and pictures ----------------------------------------------------------------------------------

    def parse(self, text: str) -> State:
        stones, mover = notation.read(text, self.size)
        stride, num_words, _, _, edges, _ = geometry(self.size)
        sides = []
        for letter, (first, last) in zip(notation.SIDES, edges, strict=True):
            own = Bits.of([r * stride + c for (r, c), side in stones.items() if side == letter], num_words)
            joined = [jax.jit(flood, static_argnums=2)(own & edge, own, stride) for edge in (first, last)]
            won = bool((joined[0] & joined[1]).any())
            sides.append(jax.tree.map(np.asarray, Side(own, *([own, own] if won else joined))))
        return State(sides[mover], sides[1 - mover], jnp.int32(mover))

    def position(self, state: State) -> tuple[notation.Stones, int, int]:
        """The stones by cell, the seat to move, and the size of the board."""
        mover, stride = int(state.mover), geometry(self.size).stride
        sides = ((state.own, notation.SIDES[mover]), (state.other, notation.SIDES[1 - mover]))
        return (
            {divmod(cell, stride): letter for side, letter in sides for cell in side.stones.cells()},
            mover,
            self.size,
        )

    def format_move(self, state: State, action: int) -> str:
        return "swap" if action == self.size**2 else notation.name(divmod(int(action), self.size))

    def why_not(self, state: State, move: str) -> str:
        return notation.why_not(self.position(state)[0], self.size, move)
