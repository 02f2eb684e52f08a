"""The board of Solitaire Chess as data: squares, ways to go, and what a position holds."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from ludus.core.bits import WORD, Bits

# A square is bit rank * (n + 2) + file: the two padding columns after each rank stay empty, so that no step, not even
# a knight's, runs from one rank into another. For n = 4:
#
#     4  18 19 20 21 (22 23)
#     3  12 13 14 15 (16 17)
#     2   6  7  8  9 (10 11)
#     1   0  1  2  3 (4 5)
#         a  b  c  d
#
# An action is n * n * way + square: the piece on that square captures the first piece it meets going that way.
WAYS = (
    *((-1, 1), (0, 1), (1, 1), (-1, 0), (1, 0), (-1, -1), (0, -1), (1, -1)),  # (file, rank): up, across, down
    *((-1, 2), (1, 2), (-2, 1), (2, 1), (-2, -1), (2, -1), (-1, -2), (1, -2)),  # a knight's
)
PAWN_WAYS = ((-1, 1), (1, 1))


class Geometry(NamedTuple):
    """The board as tables, for these rules, for the search and for drawing."""

    stride: int
    num_words: int
    squares: Int[np.ndarray, "N"]  # the bit of each square, a1 first, rank by rank
    board: Bits
    offsets: tuple[int, ...]  # what each way adds to a bit


@functools.cache
def geometry(size: int) -> Geometry:
    stride = size + 2
    num_words = -(-stride * size // WORD)
    squares = (np.arange(size)[:, None] * stride + np.arange(size)).ravel()
    offsets = tuple(rank * stride + file for file, rank in WAYS)
    return Geometry(stride, num_words, squares, Bits.of(squares.tolist(), num_words), offsets)


class State(NamedTuple):
    kings: Bits
    queens: Bits
    rooks: Bits
    bishops: Bits
    knights: Bits
    pawns: Bits
    once: Bits  # pieces that have captured once and twice, under the rules `solo`
    twice: Bits

    @property
    def pieces(self) -> tuple[Bits, ...]:
        return self[:6]

    @property
    def occupied(self) -> Bits:
        return self.kings | self.queens | self.rooks | self.bishops | self.knights | self.pawns
