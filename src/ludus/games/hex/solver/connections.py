"""H-search in Hex: find the virtual connections of one side in a position, by the rules of `connection_lists`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from ludus.games.hex.solver.connection_lists import (
    FULL,
    GONE,
    GROUP,
    HALF,
    ITSELF,
    LINKED,
    MAX_CONNECTIONS,
    PAIR,
    ConnectionLists,
    add_full,
    combine,
    edge_pair,
    intersect_halves,
    joins,
    mark_combined,
    pair_of,
)
from ludus.games.hex.solver.grid import EVERYTHING, Grid, flood, grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, lowest


class Connections(NamedTuple):
    """The virtual connections of one side, and buffers."""

    grid: Grid
    half_is_enough: bool  # stop as soon as the edges are half connected
    lists: ConnectionLists
    empty: UInt64[np.ndarray, "1"]
    points: Int16[np.ndarray, "P+1"]  # the points of the position; the last entry is how many


def connections(size: int, half_is_enough: bool = False) -> Connections:
    """Empty buffers."""
    num_points = size**2 + 2
    lists = ConnectionLists(
        carriers=np.zeros((3, MAX_CONNECTIONS), np.uint64),
        notes=np.zeros((2, MAX_CONNECTIONS, 2), np.int16),
        pairs=np.zeros((2, num_points**2, 2), np.int16),
        points=np.zeros((4, num_points), np.uint64),
    )
    return Connections(grid(size), half_is_enough, lists, np.zeros(1, np.uint64), np.zeros(num_points + 1, np.int16))


@jit
def find_points(vcs: Connections, own: Word, other: Word) -> int:
    """List the points without connections: edges, groups, empty cells. Returns the number of edges and groups."""
    grid = vcs.grid
    itself, groups = vcs.lists.points[ITSELF], vcs.lists.points[GROUP]
    num_points = len(itself)
    board = EVERYTHING >> np.uint64(64 - grid.size * grid.size)
    vcs.empty[0] = board & ~own & ~other
    vcs.lists.pairs[:] = 0
    vcs.lists.notes[:, 0] = 0
    vcs.lists.points[LINKED] = NONE
    length, left = 0, own
    for edge in range(num_points - 2, num_points):
        itself[edge], groups[edge] = NONE, flood(grid, own & grid.near[edge], own)
        left &= ~groups[edge]
        vcs.points[length] = edge
        length += 1
    while left:
        point = lowest(left)
        itself[point], groups[point] = NONE, flood(grid, bit(point), left)
        left &= ~groups[point]
        vcs.points[length] = point
        length += 1
    num_groups, left = length, vcs.empty[0]
    while left:
        point = lowest(left)
        left &= left - ONE
        itself[point] = bit(point)
        vcs.points[length] = point
        length += 1
    vcs.points[-1] = length
    return num_groups


@jit
def link_groups(vcs: Connections, num_groups: int) -> None:
    """Connect groups and edges to the empty cells next to them."""
    grid = vcs.grid
    edge = vcs.lists.points.shape[1] - 2
    for i in range(num_groups):
        group = vcs.points[i]
        around, stones = (grid.near[group] if group >= edge else NONE), vcs.lists.points[GROUP, group]
        while stones:
            around |= grid.near[lowest(stones)]
            stones &= stones - ONE
        around &= vcs.empty[0]
        while around:
            point = lowest(around)
            around &= around - ONE
            add_full(vcs.lists, pair_of(vcs.lists, point, group), NONE)


@jit
def reset_connections(vcs: Connections, own: Word, other: Word) -> None:
    """Set the points, and the connections between neighbours, which need no cell."""
    link_groups(vcs, find_points(vcs, own, other))
    left = vcs.empty[0]
    while left:
        point = lowest(left)
        left &= left - ONE
        around = vcs.grid.near[point] & left
        while around:
            add_full(vcs.lists, pair_of(vcs.lists, point, lowest(around)), NONE)
            around &= around - ONE


@jit
def connect(vcs: Connections, own: Word, other: Word) -> None:
    """Find the connections of a side that has not won, until its edges are connected."""
    reset_connections(vcs, own, other)
    combine_all(vcs)


@jit
def combine_all(vcs: Connections) -> None:
    lists, num_points = vcs.lists, vcs.lists.points.shape[1]
    while lists.notes[FULL, 0, 1] < lists.notes[FULL, 0, 0]:
        if joins(lists, FULL) or (vcs.half_is_enough and joins(lists, HALF)):
            break
        here = lists.notes[FULL, 0, 1] + 1
        pair = lists.notes[FULL, here, PAIR]
        if pair != GONE:
            x, y, carrier = pair // num_points, pair % num_points, lists.carriers[FULL, here]
            combine(lists, x, y, carrier)
            combine(lists, y, x, carrier)
            mark_combined(lists, x, y)
        lists.notes[FULL, 0, 1] = here


@jit
def must_play(vcs: Connections) -> tuple[Word, Word]:
    """The opponent's must-play region: the cells common to all half connections of the edges. And their union."""
    return intersect_halves(vcs.lists, edge_pair(vcs.lists), vcs.empty[0])
