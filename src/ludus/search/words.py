"""Bitboards of at most 64 cells, for Numba: a set of cells is one word, and all its cells step at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from jaxtyping import UInt64
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ludus.search.compiled import jit

Word: TypeAlias = Any  # a uint64; bit c stands for cell c
NONE, ONE = np.uint64(0), np.uint64(1)
MIXERS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)  # odd, with irregular bits


class Steps(NamedTuple):
    """The steps from cell to cell, by direction.

    A step in a direction adds the same number to every cell, modulo the number of cells, so the board needs no padding.
    A step that leaves the board would wrap around; `inside` masks it out.
    """

    board: Word
    inside: UInt64[np.ndarray, "D"]  # the cells from which the step stays on the board
    forth: UInt64[np.ndarray, "D"]  # the number that a step adds
    back: UInt64[np.ndarray, "D"]  # the number that the step back adds


def steps(cells: Mapping[int, int], offsets: Sequence[int]) -> Steps:
    """The steps from a game's geometry: `cells` maps its places to cells, `offsets` are its steps between places."""
    inside, forth = [], []
    for offset in offsets:
        pairs = [(cell, cells[place + offset]) for place, cell in cells.items() if place + offset in cells]
        (added,) = {(to - cell) % len(cells) for cell, to in pairs}
        inside.append(sum(1 << cell for cell, _ in pairs))
        forth.append(added)
    return Steps(
        board=np.uint64(2 ** len(cells) - 1),
        inside=np.array(inside, np.uint64),
        forth=np.array(forth, np.uint64),
        back=np.uint64(len(cells)) - np.array(forth, np.uint64),
    )


@jit
def bit(cell: int) -> Word:
    """The set of one cell."""
    return ONE << np.uint64(cell)


@jit
def ahead(steps: Steps, cells: Word, direction: int) -> Word:
    """These cells, one step forward; those that leave the board are dropped."""
    cells = cells & steps.inside[direction]
    return ((cells << steps.forth[direction]) | (cells >> steps.back[direction])) & steps.board


@jit
def behind(steps: Steps, cells: Word, direction: int) -> Word:
    """The cells from which one step leads to these."""
    cells = (cells >> steps.forth[direction]) | (cells << steps.back[direction])
    return cells & steps.inside[direction]


@jit
def mix(key: Word, word: Word) -> Word:
    """Hash one more word into a key; every input bit changes about half of the output bits."""
    key = (key ^ word) * MIXERS[0]
    key = (key ^ (key >> np.uint64(32))) * MIXERS[1]
    return key ^ (key >> np.uint64(29))


def _instruction(emit: Callable[[ir.IRBuilder, Any], Any]) -> Callable[[Word], int]:
    """A function of one word that compiles to one processor instruction."""

    def of_word(_context: Any, _word: Any) -> Any:
        return types.int64(types.uint64), lambda _context, builder, _signature, words: emit(builder, *words)

    return cast(Any, intrinsic(of_word))


#: The number of cells in a set.
count = _instruction(lambda builder, word: builder.ctpop(word))
#: The lowest cell of a set that is not empty.
lowest = _instruction(lambda builder, word: builder.cttz(word, ir.Constant(ir.IntType(1), True)))
#: The reversed set: bit 63 - c for every cell c.
reverse = _instruction(lambda builder, word: builder.bitreverse(word))
