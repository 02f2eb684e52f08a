"""Cells of Hex that need no search: dead, captured, dominated and vulnerable ones, proved position by position.

To one side the board is a graph: empty cells, its stones drawn together, the other's left out, and its two edges. It
wins with a path from edge to edge, and only paths without short cuts matter. A cell lies on none of them if every two
of its neighbours are neighbours themselves, or both next to the same edge: it is **dead**, whoever has it. That stays
so whatever is played, so all that is dead can be filled in at once, and from it follows the rest:

    killed      c by a side's stone on d, if c is dead then
    captured    c and d by a side whose stone on either kills the other: it answers there, so both are its own
    dominated   c by d, if the mover kills c with d: d is at least as good
    vulnerable  c, if the other kills it with its answer: the mover can do without

No list of patterns is needed: the graphs see whole chains, where a pattern sees six neighbours. After R. Hayward and
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
    """Room to work in, and what is found; the first axis is the side."""

    grids: tuple[Grid, Grid]  # the second has left and right for edges
    near: UInt64[np.ndarray, "2 N"]  # the neighbours of an empty cell in the side's graph
    edges: UInt64[np.ndarray, "2 2"]  # those of the side's two edges
    killers: UInt64[np.ndarray, "2 N"]  # where the side kills each cell
    captured: UInt64[np.ndarray, "2"]  # what each side had of the empty cells, but for the dead ones


def sideways(size: int) -> Grid:
    """The grid with left and right for edges."""
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
    """A side's graph."""
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
def is_clique(near: UInt64[np.ndarray, "N"], cell: int, around: Word, top: Word, bottom: Word, drawn: Word) -> bool:
    """Whether a cell with these neighbours is dead, where the edges have these, and `drawn` are drawn together."""
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
        if drawn & bit(one):
            others |= drawn
        if around & ~others:
            return False
    return True


@jit
def dead(ice: InferiorCells, side: int, cell: int) -> bool:
    near = ice.near[side]
    return is_clique(near, cell, near[cell], ice.edges[side, 0], ice.edges[side, 1], NONE)


@jit
def killers(ice: InferiorCells, side: int, cell: int) -> Word:
    """Where a stone of the side makes the cell dead: it draws its neighbours together in its own graph, and is left
    out of the other's.
    """
    found = NONE
    near, top, bottom = ice.near[side], ice.edges[side, 0], ice.edges[side, 1]
    left = near[cell]
    while left:
        stone = lowest(left)
        left &= left - ONE
        around, drawn = near[cell] & ~bit(stone), near[stone] & ~bit(cell)
        if top & bottom & bit(stone):
            continue  # it wins at once
        if top & bit(stone):
            kills = is_clique(near, cell, around, top | near[stone], bottom, NONE)
        elif bottom & bit(stone):
            kills = is_clique(near, cell, around, top, bottom | near[stone], NONE)
        else:
            kills = is_clique(near, cell, around | drawn, top, bottom, near[stone])
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
    """The position with all dead and captured cells filled in; its `killers`, and what was `captured`.

    The winner and the winning moves among the cells still empty are the same. Whoever wins there with a carrier wins
    here with that and what it has captured: if all else were the loser's, the same cells would be dead and captured.
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
    """These moves of the mover without the dominated and the vulnerable ones; and what kills the latter.

    A dominated move is left out only for one that stays, or that is none of these moves and known to lose. If every
    move that stays loses, so do the others; the carrier of that has to have the vulnerable cells' killers, for they are
    part of the answer.
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
