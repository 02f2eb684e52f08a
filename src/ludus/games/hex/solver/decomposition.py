"""Hex positions that fall into parts, each with a game of its own.

Where stones keep some empty cells apart from all others, what is played here changes nothing there. A part is a
**strait** of a side if it has to get through there: with the part the other's and all the rest its own it would not
join its edges; and if there is but one chain (or edge) by which it comes in, and one by which it leaves. Then the side
joins its edges exactly if it gets through every strait and joins what is left. The other, to move, wins exactly if it
wins one of those parts moving first, where all the others are given away.

With one way in and one out it is the same two chains that a part has to join whatever happens elsewhere. A chain that
the part could use on its way from one to the other must not reach the rest, for that would be a way round.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt64

from ludus.games.hex.solver.grid import Grid, around, flood
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word

MAX_PARTS = 8  # at most; what is more goes with the rest


@jit
def with_edge(grid: Grid, own: Word, chain: Word, edge: int) -> Word:
    """A chain with all that the edge is next to, if it is next to the edge itself."""
    return flood(grid, chain | (own & grid.near[edge]), own) if chain & grid.near[edge] else chain


@jit
def one_way(grid: Grid, own: Word, part: Word, beside: Word, reached: Word, edge: int) -> tuple[bool, Word]:
    """Whether of the stones beside a part those that an edge reaches are one chain, or the edge's; and that chain."""
    ways = beside & reached
    if part & grid.near[edge]:
        chain = flood(grid, own & grid.near[edge], own)
    else:
        chain = with_edge(grid, own, flood(grid, ways & (~ways + ONE), own), edge)
    return ways & ~chain == NONE, chain


@jit
def is_strait(grid: Grid, own: Word, empty: Word, part: Word) -> bool:
    """Whether a side has to get through a part of the empty cells, by one way in and one way out."""
    rest, beside = empty & ~part, around(grid, part) & own
    top, bottom = grid.near[-2], grid.near[-1]
    above = flood(grid, top & (own | rest), own | rest)
    if above & bottom:
        return False
    below = flood(grid, bottom & (own | rest), own | rest)
    if not (beside & above or part & top) or not (beside & below or part & bottom):
        return False
    one_in, way_in = one_way(grid, own, part, beside, above, -2)
    one_out, way_out = one_way(grid, own, part, beside, below, -1)
    others = flood(grid, beside & ~(way_in | way_out), own)
    return one_in and one_out and around(grid, others) & rest == NONE


@jit
def decompose(grid: Grid, own: Word, empty: Word, parts: UInt64[np.ndarray, "P"]) -> int:
    """Write the parts of the empty cells all of which the side has to win, as if it joined top and bottom; how many
    there are, 0 if the position does not fall apart.
    """
    number, left, rest = 0, empty, NONE
    while left:
        part = flood(grid, left & (~left + ONE), left)
        if part == empty:
            return 0
        left &= ~part
        if number < MAX_PARTS - 1 and is_strait(grid, own, empty, part):
            parts[number] = part
            number += 1
        else:
            rest |= part
    if number and rest:
        parts[number] = rest
        number += 1
    return number if number > 1 else 0
