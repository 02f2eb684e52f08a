"""The L-Game: lay your L somewhere else, then move a neutral piece if you like; who cannot lay the L loses.

The board is so small that a table lists, for every set of blocked squares, the free placements of an L.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt32

from ludus.core import bits
from ludus.core.bits import Bits
from ludus.core.entry import Entry
from ludus.core.game import NotatedGame
from ludus.games.lgame import ENTRY, notation

START = "nAA./.BA./.BA./.BBn A"

# A square is bit 4 * column + row. An L is one of 48 placements. A move is 13 * placement + option, where option 0
# leaves the neutral pieces, 1 to 6 puts the lower one on the first to sixth square that is then free, and 7 to 12
# the higher one: every position leaves exactly 16 - 4 - 4 - 2 = 6.
#
#     4   3  7 11 15
#     3   2  6 10 14
#     2   1  5  9 13
#     1   0  4  8 12
#         a  b  c  d
NUM_PLACEMENTS, NUM_OPTIONS, NUM_FREE = 48, 13, 6
WHOLE_BOARD = np.uint32(0xFFFF)


class Geometry(NamedTuple):
    """The board as tables, for these rules and for the solver."""

    covers: UInt32[np.ndarray, "48"]  # the squares of each placement
    fits: UInt32[np.ndarray, "2 65536"]  # for each set of blocked squares, the placements that touch none of them
    square_images: Int[np.ndarray, "8 16"]  # where each square goes in each symmetry of the board
    placement_images: Int[np.ndarray, "8 48"]


@functools.cache
def geometry() -> Geometry:
    covers = np.array([sum(1 << (4 * c + r) for c, r in squares) for squares in notation.placements()], np.uint32)
    blocked = np.arange(1 << 16, dtype=np.uint32)
    fits = np.zeros((2, 1 << 16), np.uint32)
    for p, cover in enumerate(covers):
        fits[p // 32] |= ((blocked & cover) == 0).astype(np.uint32) << np.uint32(p % 32)
    squares = np.arange(16).reshape(4, 4)
    grids = [np.rot90(grid, k) for grid in (squares, squares.T) for k in range(4)]
    square_images = np.stack([np.argsort(grid.ravel()) for grid in grids])
    number = {int(cover): p for p, cover in enumerate(covers)}
    placement_images = [
        [number[sum(1 << int(image[4 * c + r]) for c, r in squares)] for squares in notation.placements()]
        for image in square_images
    ]
    return Geometry(covers, fits, square_images, np.array(placement_images, np.int32))


class State(NamedTuple):
    own: Int[Array, ""]  # the placement of the mover's L
    other: Int[Array, ""]
    neutrals: Bits  # two squares
    mover: Int[Array, ""]  # 0 for A, 1 for B


def cover(placement: Int[Array, ""]) -> Bits:
    """The squares under an L."""
    return Bits((jnp.asarray(geometry().covers)[placement],))


def free_placements(state: State) -> Bits:
    """Where the mover's L may be laid: clear of the other pieces, and not where it is."""
    (blocked,) = (cover(state.other) | state.neutrals).words
    fits = jnp.asarray(geometry().fits)[:, blocked.astype(jnp.int32)]
    return Bits((fits[0], fits[1])) - Bits.single(state.own, 2)


def free_squares(state: State, placement: Int[Array, ""]) -> Bits:
    """The squares a neutral may move to once the mover's L is laid."""
    return Bits((WHOLE_BOARD,)) - cover(placement) - cover(state.other) - state.neutrals


@dataclass(frozen=True)
class LGame(NotatedGame[State]):
    cap: int = 100  # plies, as in the paper

    entry: ClassVar[Entry] = ENTRY
    notation: ClassVar[Any] = notation

    @property
    def num_actions(self) -> int:
        return NUM_PLACEMENTS * NUM_OPTIONS

    @property
    def max_plies(self) -> int:
        return self.cap

    @property
    def small(self) -> bool:
        return True  # 18,368 positions

    @property
    def max_legal(self) -> int:
        return 17 * NUM_OPTIONS  # no position leaves the L more than 17 placements: see the exact counts in the tests

    def action_groups(self) -> tuple[int, Int[np.ndarray, "A"]]:
        """The paper's 128 outputs: 8 orientations of the L x 16 squares, the neutral pieces left out."""
        corners = [(min(c for c, _ in squares), min(r for _, r in squares)) for squares in notation.placements()]
        shapes = [
            tuple((c - left, r - low) for c, r in squares)
            for squares, (left, low) in zip(notation.placements(), corners, strict=True)
        ]
        turned = sorted(set(shapes))
        outputs = [16 * turned.index(shape) + 4 * c + r for shape, (c, r) in zip(shapes, corners, strict=True)]
        return 16 * len(turned), np.repeat(outputs, NUM_OPTIONS)

    def init(self) -> State:
        return self.parse(START)

    def player(self, state: State) -> Int[Array, ""]:
        return state.mover

    def step(self, state: State, action: Int[Array, ""] | int) -> State:
        placement, option = jnp.divmod(jnp.asarray(action, jnp.int32), NUM_OPTIONS)
        which, nth_free = jnp.maximum(option - 1, 0) // NUM_FREE, jnp.maximum(option - 1, 0) % NUM_FREE
        lifted = Bits.single(state.neutrals.nth(which), 1)
        put = Bits.single(free_squares(state, placement).nth(nth_free), 1)
        neutrals = bits.where(option == 0, state.neutrals, (state.neutrals - lifted) | put)
        return State(state.other, placement, neutrals, 1 - state.mover)

    def legal(self, state: State) -> Bool[Array, "A"]:
        return jnp.repeat(free_placements(state).plane(np.arange(NUM_PLACEMENTS)), NUM_OPTIONS)

    def num_legal(self, state: State) -> Int[Array, ""]:
        return free_placements(state).count() * NUM_OPTIONS

    def nth_legal(self, state: State, n: Int[Array, ""]) -> Int[Array, ""]:
        return free_placements(state).nth(n // NUM_OPTIONS) * NUM_OPTIONS + n % NUM_OPTIONS

    def done(self, state: State) -> Bool[Array, ""]:
        return ~free_placements(state).any()

    def returns(self, state: State) -> Float[Array, "2"]:
        """The side without a move has lost; a game stopped earlier is a draw."""
        sign = jnp.where(state.mover == 0, jnp.float32(-1), jnp.float32(1)) * self.done(state).astype(jnp.float32)
        return jnp.stack([sign, -sign])

    def observe(self, state: State) -> Float[Array, "4 4 3"]:
        """Columns a to d, rows 1 to 4; the mover's L, the other's, the neutrals."""
        pieces = (cover(state.own), cover(state.other), state.neutrals)
        planes = jnp.stack([piece.plane(np.arange(16)) for piece in pieces], axis=-1)
        return planes.reshape(4, 4, 3).astype(jnp.float32)

    def canonical(self, state: State) -> State:
        return state._replace(mover=jnp.zeros_like(state.mover))

    def images(self, state: State) -> State:
        def image(squares: Int[Array, "16"], placements: Int[Array, "48"]) -> State:
            neutrals = Bits.single(squares[state.neutrals.nth(jnp.int32(0))], 1)
            neutrals |= Bits.single(squares[state.neutrals.nth(jnp.int32(1))], 1)
            return State(placements[state.own], placements[state.other], neutrals, state.mover)

        return jax.vmap(image)(jnp.asarray(geometry().square_images), jnp.asarray(geometry().placement_images))

    def symmetries(self, state: State) -> tuple[State, Int[Array, "8 A"]]:
        fits = free_placements(state)

        def becomes(there: State, squares: Int[Array, "16"], placements: Int[Array, "48"]) -> Int[Array, "A"]:
            def action_image(action: Int[Array, ""]) -> Int[Array, ""]:
                placement, option = action // NUM_OPTIONS, action % NUM_OPTIONS
                which, nth_free = (option - 1) // NUM_FREE, (option - 1) % NUM_FREE
                lifted = there.neutrals.rank(squares[state.neutrals.nth(which)])
                target = squares[free_squares(state, placement).nth(nth_free)]
                put = free_squares(there, placements[placement]).rank(target)
                moves_neutral = (option > 0) & fits.has(placement)
                new_option = jnp.where(moves_neutral, 1 + NUM_FREE * lifted + put, option)
                return placements[placement] * NUM_OPTIONS + new_option

            return jax.vmap(action_image)(jnp.arange(self.num_actions, dtype=jnp.int32))

        images, at = self.images(state), geometry()
        return images, jax.vmap(becomes)(images, jnp.asarray(at.square_images), jnp.asarray(at.placement_images))

    # --- text and pictures ----------------------------------------------------------------------------------

    def parse(self, text: str) -> State:
        board, mover = notation.read(text)
        own, other = (
            notation.placements().index(tuple(sorted(square for square, letter in board.items() if letter == side)))
            for side in (notation.SIDES[mover], notation.SIDES[1 - mover])
        )
        neutrals = Bits.of([4 * c + r for (c, r), letter in board.items() if letter == "n"], 1)
        return State(jnp.int32(own), jnp.int32(other), neutrals, jnp.int32(mover))

    def position(self, state: State) -> tuple[notation.Pieces, int]:
        """The pieces by square, and the seat to move."""
        mover = int(state.mover)
        board = {divmod(square, 4): "n" for square in state.neutrals.cells()}
        for placement, side in ((state.own, notation.SIDES[mover]), (state.other, notation.SIDES[1 - mover])):
            board |= dict.fromkeys(notation.placements()[int(placement)], side)
        return board, mover

    def format_move(self, state: State, action: int) -> str:
        placement, option = divmod(int(action), NUM_OPTIONS)
        lay = notation.placements()[placement]
        text = "".join(map(notation.name, lay))
        if option == 0:
            return text
        board, mover = self.position(state)
        which, nth_free = divmod(option - 1, NUM_FREE)
        taken = {square for square, letter in board.items() if letter != notation.SIDES[mover]} | set(lay)
        free = [divmod(square, 4) for square in range(16) if divmod(square, 4) not in taken]
        lifted = divmod(state.neutrals.cells()[which], 4)
        return f"{text}+{notation.name(lifted)}{notation.name(free[nth_free])}"

    def tidy_move(self, text: str) -> str:
        return notation.tidy_move(text)
