"""Inferior cell analysis: dead, captured, dominated and vulnerable cells of Hex, which need no search.

For one side the board is a graph: the empty cells and its two edges, with its chains contracted and the opponent's
stones removed. The side wins with a path from edge to edge, and only paths without shortcuts (induced paths) matter. A
cell is on none of these if its neighbours form a clique, where two cells next to the same edge count as neighbours. It
is **dead**: its colour does not matter. Dead cells stay dead, so all can be filled in at once. The rest follows:

    killed      c by a side's stone on d: then c is dead
    captured    c and d by a side, if its stone on either kills the other: it can answer there, so it owns both
    dominated   c by d, if the mover's stone on d kills c: d is at least as good
    vulnerable  c, if the opponent's reply kills it: the mover needs no such move

No list of patterns is needed. The graphs see whole chains, where a pattern sees six neighbours. After R. Hayward and
others, "Dead cell analysis in Hex and the Shannon game" (2007).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import UInt64

from ludus.games.hex.solver.grid import EVERYTHING, Grid, grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, lowest

BLACK, WHITE = 0, 1  # black joins top and bottom, white left and right


class InferiorCells(NamedTuple):
    """Buffers and results; the first axis is the side."""

    grids: tuple[Grid, Grid]  # white's edges are left and right
    near: UInt64[np.ndarray, "2 N"]  # the neighbours of an empty cell in the side's graph
    edges: UInt64[np.ndarray, "2 2"]  # the neighbours of the side's two edges
    killers: UInt64[np.ndarray, "2 N"]  # the cells where a stone of the side kills this cell
    captured: UInt64[np.ndarray, "2"]  # the empty cells that each side captured


def sideways(size: int) -> Grid:
    """The grid whose edges are left and right."""
    board, near = grid(size), grid(size).near.copy()
    near[-2] = sum(1 << row * size for row in range(size))
    near[-1] = near[-2] << np.uint64(size - 1)
    return board._replace(near=near)


def inferior_cells(size: int) -> InferiorCells:
    sides = np.zeros((2, size**2), np.uint64)
    return InferiorCells(
        (grid(size), sideways(size)), sides, np.zeros((2, 2), np.uint64), sides.copy(), np.zeros(2, np.uint64)
    )


@jit
def draw_graph(ice: InferiorCells, side: int, own: Word, empty: Word) -> None:
    """Build a side's graph."""
    near = ice.near[side]
    every = ice.grids[side].near
    top, bottom = every[-2], every[-1]
    left = empty
    while left:
        cell = lowest(left)
        left &= left - ONE
        near[cell] = every[cell] & empty
    left = own
    while left:
        group, fresh, around = NONE, left & (~left + ONE), NONE
        while fresh:
            group |= fresh
            while fresh:
                around |= every[lowest(fresh)]
                fresh &= fresh - ONE
            fresh = around & own & ~group
        left &= ~group
        around &= empty
        if group & every[-2]:
            top |= around
        elif group & every[-1]:
            bottom |= around
        else:
            cells = around
            while cells:
                near[lowest(cells)] |= around
                cells &= cells - ONE
    left = empty
    while left:
        cell = lowest(left)
        near[cell] &= ~bit(cell)
        left &= left - ONE
    ice.edges[side, 0], ice.edges[side, 1] = top & empty, bottom & empty


@jit
def is_clique(near: UInt64[np.ndarray, "N"], cell: int, around: Word, top: Word, bottom: Word, joined: Word) -> bool:
    """Whether the neighbours of a cell form a clique. `joined` are cells that are all adjacent to each other."""
    if top & bit(cell):
        if bottom & bit(cell) or around & ~top:
            return False
    elif bottom & bit(cell) and around & ~bottom:
        return False
    left = around
    while left:
        one = lowest(left)
        left &= left - ONE
        others = near[one] | bit(one)
        if top & bit(one):
            others |= top
        if bottom & bit(one):
            others |= bottom
        if joined & bit(one):
            others |= joined
        if around & ~others:
            return False
    return True


@jit
def dead(ice: InferiorCells, side: int, cell: int) -> bool:
    near = ice.near[side]
    return is_clique(near, cell, near[cell], ice.edges[side, 0], ice.edges[side, 1], NONE)


@jit
def killers(ice: InferiorCells, side: int, cell: int) -> Word:
    """The cells where a stone of the side makes this cell dead.

    In the side's own graph the stone joins all its neighbours; from the opponent's graph it is removed.
    """
    found = NONE
    near, top, bottom = ice.near[side], ice.edges[side, 0], ice.edges[side, 1]
    left = near[cell]
    while left:
        stone = lowest(left)
        left &= left - ONE
        around, joined = near[cell] & ~bit(stone), near[stone] & ~bit(cell)
        if top & bottom & bit(stone):
            continue  # the stone wins at once
        if top & bit(stone):
            kills = is_clique(near, cell, around, top | near[stone], bottom, NONE)
        elif bottom & bit(stone):
            kills = is_clique(near, cell, around, top, bottom | near[stone], NONE)
        else:
            kills = is_clique(near, cell, around | joined, top, bottom, near[stone])
        if kills:
            found |= bit(stone)
    near, top, bottom = ice.near[1 - side], ice.edges[1 - side, 0], ice.edges[1 - side, 1]
    left = near[cell] & ~found
    while left:
        stone = lowest(left)
        left &= left - ONE
        if is_clique(near, cell, near[cell] & ~bit(stone), top, bottom, NONE):
            found |= bit(stone)
    return found


@jit
def fill_in(ice: InferiorCells, black: Word, white: Word) -> tuple[Word, Word]:
    """Fill in all dead and captured cells. Also sets `killers` and `captured`.

    The winner stays the same, and so do the winning moves among the cells still empty. A carrier of the filled position
    becomes one of this position by adding the cells that the winner captured: if the loser had everything else, the
    same cells would still be dead and captured.
    """
    size = ice.grids[0].size
    board = EVERYTHING >> np.uint64(64 - size * size)
    ice.captured[:] = NONE
    while True:
        empty = board & ~(black | white)
        draw_graph(ice, BLACK, black, empty)
        draw_graph(ice, WHITE, white, empty)
        left, filled = empty, NONE
        while left:
            cell = lowest(left)
            left &= left - ONE
            if dead(ice, BLACK, cell) or dead(ice, WHITE, cell):
                filled |= bit(cell)
        black |= filled
        if filled:
            continue
        for side in range(2):
            left = empty
            while left:
                cell = lowest(left)
                left &= left - ONE
                ice.killers[side, cell] = killers(ice, side, cell)
        for side in range(2):
            left = empty & ~filled
            while left:
                cell = lowest(left)
                left &= left - ONE
                others = ice.killers[side, cell] & left
                while others:
                    other = lowest(others)
                    others &= others - ONE
                    if ice.killers[side, other] & bit(cell):
                        pair = bit(cell) | bit(other)
                        left &= ~pair
                        filled |= pair
                        ice.captured[side] |= pair
                        if side == BLACK:
                            black |= pair
                        else:
                            white |= pair
                        break
        if filled == NONE:
            return black, white


@jit
def prune_moves(ice: InferiorCells, mover: int, moves: Word) -> tuple[Word, Word]:
    """Prune dominated and vulnerable moves. Returns the moves that stay, and killers of the vulnerable ones.

    A dominated move is pruned only for a move that stays, or for one outside `moves`, which is known to lose. If every
    move that stays loses, so do the pruned ones. The carrier of that loss has to include the killers, because the
    winner answers there.
    """
    answers, left, stay = NONE, moves, moves
    while left:
        cell = lowest(left)
        left &= left - ONE
        if ice.killers[1 - mover, cell]:
            stay &= ~bit(cell)
            answers |= bit(lowest(ice.killers[1 - mover, cell]))
    left, anchors = stay, NONE
    while left:
        cell = lowest(left)
        left &= left - ONE
        better = ice.killers[mover, cell] & (stay | ~moves)
        if better and not anchors & bit(cell):
            stay &= ~bit(cell)
            anchors |= bit(lowest(better & ~moves if better & ~moves else better))
    return stay, answers
