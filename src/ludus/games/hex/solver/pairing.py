"""Pairing strategies of Hex: whenever the opponent takes one cell of a pair, the winner takes the other.

A pair joins whatever both of its cells touch: groups of stones and edges. Edges count as stones here; they are points
numbered after the cells, as in `grid`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ludus.games.hex.solver.grid import Grid


def adjacency(grid: Grid) -> list[int]:
    """The neighbours of each cell and edge: a set of cells and edges."""
    near = [int(cells) for cells in grid.near]
    edges = range(len(near) - 2, len(near))
    return [cells | sum(1 << edge for edge in edges if near[edge] >> point & 1) for point, cells in enumerate(near)]


def each(cells: int) -> Iterator[int]:
    """The cells of a set, in order."""
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


def groups(near: Sequence[int], stones: int) -> list[int]:
    """The connected groups of stones and edges; the first group has the last edge."""
    found, left = [], stones | 3 << len(near) - 2
    while left:
        group = fresh = 1 << left.bit_length() - 1
        while fresh:
            around = near[fresh.bit_length() - 1] & left & ~group
            fresh = fresh & ~(1 << fresh.bit_length() - 1) | around
            group |= around
        found.append(group)
        left &= ~group
    return found


def joins(near: Sequence[int], stones: int, pairs: Sequence[int]) -> bool:
    """Whether the edges are joined, whichever cell of each pair the winner gets."""
    found, more = groups(near, stones), True
    while more:
        more = False
        for pair in pairs:
            one, two = (near[cell] for cell in each(pair))
            both = [group for group in found if group & one and group & two]
            if len(both) > 1:
                found, more = [*(group for group in found if group not in both), sum(both)], True
    edges = 3 << len(near) - 2
    return any(group & edges == edges for group in found)


def join(near: Sequence[int], stones: int, cells: int) -> tuple[int, tuple[int, ...]] | None:
    """Join the edges by pairs of these cells: the stones needed and the pairs. None if no way is seen."""
    found = groups(near, stones)
    touched = {cell: [at for at, group in enumerate(found) if group & near[cell]] for cell in each(cells)}
    useful = [cell for cell in touched if len(touched[cell]) > 1]
    links = [(1 << a | 1 << b, {*touched[a]} & {*touched[b]}) for a, b in itertools.combinations(useful, 2)]
    goal = next(at for at, group in enumerate(found) if group >> len(near) - 2 & 1)
    ways: dict[int, tuple[int, ...]] = {0: ()}  # the pairs that lead to each group; breadth first, so they are few
    reached = [0]
    for at in reached:  # the list grows meanwhile
        for pair, both in links:
            if at in both and not pair & sum(ways[at]):
                fresh = both - ways.keys()
                ways.update(dict.fromkeys(fresh, (*ways[at], pair)))
                reached += fresh
    if goal not in ways:
        return None
    for cell in each(stones):
        if joins(near, stones & ~(1 << cell), ways[goal]):
            stones &= ~(1 << cell)
    return stones, tuple(sorted(ways[goal]))
