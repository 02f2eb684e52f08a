"""Hex for the solvers: boards of up to 8 x 8, where a set of cells is one 64-bit word.

Positions are in the mover's view: it joins top and bottom, so the board is transposed where white is to move. The cell
in `row` and `column` is bit `row * size + column`, the same number as the action.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from ludus.games.hex.reach import SEARCH
from ludus.games.hex.rules import Hex, State, geometry
from ludus.games.hex.twin import tables
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, lowest

MAX_SIZE = SEARCH
EVERYTHING = ~NONE

# Points are the cells and, numbered after them, the two edges of the side that joins top and bottom. For n = 3:
#
#            9
#         0  1  2
#          3  4  5
#           6  7  8
#            10


class Grid(NamedTuple):
    size: int
    near: UInt64[np.ndarray, "P"]  # the cells next to each cell and along each of the two edges
    transposed: Int16[np.ndarray, "N"]
    rotated: Int16[np.ndarray, "N"]  # by 180 degrees


@functools.cache
def grid(size: int) -> Grid:
    if size > MAX_SIZE:
        raise ValueError(f"{size} x {size} cells do not fit into one 64-bit word")
    first, neighbours = tables(size, False).first, tables(size, False).neighbours
    num_cells = size**2
    near = np.zeros(num_cells + 2, np.uint64)
    for point in range(num_cells + 2):
        cells = [int(cell) for cell in neighbours[first[point] : first[point + 1]] if cell < num_cells]
        near[point] = sum(1 << cell for cell in cells)
    return Grid(size, near, geometry(size).images[2].astype(np.int16), geometry(size).images[1].astype(np.int16))


def masks(game: Hex, state: State) -> tuple[int, int]:
    """The mover's stones and the opponent's as sets of cells, in the mover's view: it joins top and bottom."""
    _, _, cells, _, _, images = geometry(game.size)
    image = images[2 * int(state.mover)]
    number = {int(bit): int(cell) for bit, cell in zip(cells, image, strict=True)}
    own, other = (sum(1 << number[bit] for bit in side.stones.cells()) for side in (state.own, state.other))
    return own, other


@jit
def moved(where: Int16[np.ndarray, "N"], cells: Word) -> Word:
    """The image of a set under a map of cells."""
    image = NONE
    while cells:
        image |= bit(where[lowest(cells)])
        cells &= cells - ONE
    return image


@jit
def transpose(grid: Grid, cells: Word) -> Word:
    return moved(grid.transposed, cells)


@jit
def around(grid: Grid, cells: Word) -> Word:
    """All neighbours of these cells; a cell of the set itself may be among them."""
    found = NONE
    while cells:
        found |= grid.near[lowest(cells)]
        cells &= cells - ONE
    return found


@jit
def flood(grid: Grid, start: Word, region: Word) -> Word:
    """All cells connected to the start through the region."""
    filled, fresh = start, start
    while fresh:
        fresh = around(grid, fresh) & region & ~filled
        filled |= fresh
    return filled


@jit
def joined(grid: Grid, own: Word) -> bool:
    """Whether these stones join top and bottom."""
    top, bottom = grid.near[-2], grid.near[-1]
    return (flood(grid, own & top, own) & bottom) != NONE
