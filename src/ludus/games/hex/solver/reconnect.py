"""H-search in Hex step by step: a move changes the connections it touches, and the others are kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from ludus.games.hex.solver.connections import (
    ALL,
    FULL,
    GROUP,
    HALF,
    ITSELF,
    LINKED,
    NOW,
    Core,
    Net,
    add_full,
    combine_all,
    link_groups,
    net,
    set_points,
)
from ludus.games.hex.solver.grid import EVERYTHING, Grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, bit

POINT, STAYS, GONE = np.uint64(255), np.uint64(256), np.uint64(512)  # what becomes of an earlier position's point


class Stack(NamedTuple):
    """Nets of one side, of a position and of those before it."""

    grid: Grid
    ways: UInt64[np.ndarray, "D P P W"]
    lengths: Int16[np.ndarray, "D P P 3"]
    core_points: UInt64[np.ndarray, "D 4 P"]
    queue: UInt64[np.ndarray, "Q 2"]
    empty: UInt64[np.ndarray, "D 1"]
    points: Int16[np.ndarray, "D P+1"]


def stack(grid: Grid, depth: int) -> Stack:
    one = net(grid.size)
    ways, lengths, core_points, empty, points = (
        np.zeros((depth, *part.shape), part.dtype)
        for part in (one.core.ways, one.core.lengths, one.core.points, one.empty, one.points)
    )
    return Stack(grid, ways, lengths, core_points, one.core.queue, empty, points)


@jit
def net_at(stack: Stack, depth: int, half_will_do: bool) -> Net:
    core = Core(stack.ways[depth], stack.lengths[depth], stack.core_points[depth], stack.queue)
    return Net(
        stack.grid,
        half_will_do,
        core,
        stack.empty[depth],
        stack.points[depth],
        core.points[ITSELF],
        core.ways[:, :, :FULL],
        core.ways[:, :, FULL : FULL + HALF],
        core.lengths[:, :, 0],
        core.lengths[:, :, 1],
    )


@jit
def reconnect(net: Net, old: Net, own: Word, other: Word) -> None:
    """The same from the connections of an earlier position, all found, with fewer stones of either side.

    What the other's new stones are in is lost. What the side's new stones are in or next to is combined anew, with all
    the rest; the rest has been combined with itself.
    """
    num_groups = set_points(net, own, other)
    core, was = net.core, old.core
    stones, points, length, now = own | other, old.points, old.points[-1], core.points[NOW]
    for i in range(length):
        now[points[i]] = becomes(net, num_groups, old, points[i])
    for i in range(length):  # first what stays as it was, between points that do
        for j in range(i):
            x, y = min(points[i], points[j]), max(points[i], points[j])
            if was.lengths[x, y, 0] + was.lengths[x, y, 1] and now[x] & now[y] & STAYS:
                copy_pair(core, was, x, y, stones)
    link_groups(net, num_groups)
    for i in range(length):  # half connections follow from the full ones
        for j in range(i):
            x, y = min(points[i], points[j]), max(points[i], points[j])
            if was.lengths[x, y, 0] == 0 or (now[x] | now[y]) & GONE:
                continue
            one, two = int(np.int64(now[x] & POINT)), int(np.int64(now[y] & POINT))
            low, high = min(one, two), max(one, two)
            if low == high:
                continue
            fresh = EVERYTHING if now[x] & now[y] & STAYS == NONE else own
            for k in range(was.lengths[x, y, 0]):
                way = was.ways[x, y, k]
                if way & other == NONE and (way & fresh or fresh == EVERYTHING):
                    add_full(core, low, high, way & ~own)
    combine_all(net)


@jit
def becomes(net: Net, num_groups: int, old: Net, point: int) -> Word:
    """The point that one of an earlier position is now, and whether it `STAYS` as it was or is `GONE`."""
    if point >= len(net.itself) - 2 or net.empty[0] & bit(point):
        return np.uint64(point) | STAYS
    for i in range(num_groups):
        group = net.points[i]
        if net.core.points[GROUP, group] & bit(point):
            return np.uint64(group) | (STAYS if group == point and old.itself[point] == NONE else NONE)
    return GONE


@jit
def copy_pair(core: Core, was: Core, x: int, y: int, stones: Word) -> None:
    """All connections of a pair that have none of these stones in them."""
    kept = 0
    for k in range(was.lengths[x, y, 0]):
        way = was.ways[x, y, k]
        if way & stones == NONE:
            core.ways[x, y, kept] = core.ways[x, y, FULL + HALF + kept] = way
            kept += 1
    core.lengths[x, y, 0] = core.lengths[x, y, 2] = kept
    if kept:
        if y < core.points.shape[1] - 2:
            core.points[LINKED, x] |= bit(y)
        core.points[LINKED, y] |= bit(x)
    kept, common = 0, EVERYTHING
    for k in range(FULL, FULL + was.lengths[x, y, 1]):
        way = was.ways[x, y, k]
        if way & stones == NONE:
            core.ways[x, y, FULL + kept] = way
            common &= way
            kept += 1
    core.lengths[x, y, 1], core.ways[x, y, ALL] = kept, common
