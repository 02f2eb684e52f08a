"""Decomposition of Hex positions into independent parts (split decomposition).

Stones may separate some empty cells from all others; moves there do not affect the rest. Such a part is a **strait** of
a side if two things are true. First, the side has to pass through it: it could not join its edges if the opponent had
the whole part and the side had everything else. Second, it enters the part by a single chain (or edge) and leaves it
by a single one. Then the side joins its edges if and only if it gets through every strait and also joins the rest. The
opponent, to move, wins if and only if it wins one of the parts moving first, with all other parts given to the side.

With a single way in and out, a part always has to join the same two chains, whatever happens elsewhere. No third chain
beside the part may touch the rest: it could be a way round.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt64

from ludus.games.hex.solver.grid import Grid, around, flood
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word

MAX_PARTS = 8  # further parts count as one, the rest


@jit
def with_edge(grid: Grid, own: Word, chain: Word, edge: int) -> Word:
    """A chain; if it touches the edge, with all other stones that touch the edge."""
    return flood(grid, chain | (own & grid.near[edge]), own) if chain & grid.near[edge] else chain


@jit
def one_way(grid: Grid, own: Word, part: Word, beside: Word, reached: Word, edge: int) -> tuple[bool, Word]:
    """Whether the stones beside a part that are reached from an edge form a single chain; and that chain."""
    ways = beside & reached
    if part & grid.near[edge]:
        chain = flood(grid, own & grid.near[edge], own)
    else:
        chain = with_edge(grid, own, flood(grid, ways & (~ways + ONE), own), edge)
    return ways & ~chain == NONE, chain


@jit
def is_strait(grid: Grid, own: Word, empty: Word, part: Word) -> bool:
    """Whether this part of the empty cells is a strait of the side: see the head of this file."""
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
    """Write the parts that the side (who joins top and bottom) has to win, every one of them.

    Returns how many there are; 0 if the position does not decompose.
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
