"""H-search in Hex: which points of one side are virtually connected, found with the AND rule and the OR rule.

A point is an empty cell, a group of the side's stones, or an edge of its; a group that touches an edge is part of it.
Two points are *fully* connected if the side can join them though the other moves first, *half* connected if it can when
it moves first itself. The carrier is the set of empty cells that this takes. (An empty cell at an end counts as taken.)

    AND  x-m and m-y, carriers apart:    m a group: x-y fully;    m empty: x-y half, by playing m
    OR   x-y half in several ways that no one cell has in common:      x-y fully

After V. Anshelevich, "A hierarchical approach to computer Hex" (2002). The lists of carriers are bounded, so not every
connection is found; but one that is found is there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from ludus.games.hex.solver.grid import EVERYTHING, Grid, flood, grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, count, lowest

FULL, HALF = 16, 32  # carriers kept for a pair of points; more would find more and take longer
ALL = FULL + HALF + FULL
ITSELF, GROUP, LINKED, NOW = range(4)


class Core(NamedTuple):
    """What the rules work on: few arrays, for each costs a call ten arguments. A pair of points (x, y) has x < y."""

    ways: UInt64[np.ndarray, "P P W"]  # carriers: full; half; full and combined with others; and one more word, what
    # all halves ever found have in common
    lengths: Int16[np.ndarray, "P P 3"]  # how many of each
    points: UInt64[np.ndarray, "4 P"]  # `ITSELF`: the cell of an empty point, nothing for a group or an edge;
    # `GROUP`: the stones of a group or an edge; `LINKED`: the points it is combined with, but for the edges
    queue: UInt64[np.ndarray, "Q 2"]  # full connections not yet combined with others: pair, carrier; first, how many


class Net(NamedTuple):
    """What is found for one side, and room to work in."""

    grid: Grid
    half_will_do: bool  # whether to stop when the edges are half connected
    core: Core
    empty: UInt64[np.ndarray, "1"]
    points: Int16[np.ndarray, "P+1"]  # those there are, and at the end how many
    itself: UInt64[np.ndarray, "P"]
    full: UInt64[np.ndarray, "P P K"]
    half: UInt64[np.ndarray, "P P L"]
    num_full: Int16[np.ndarray, "P P"]
    num_half: Int16[np.ndarray, "P P"]


def net(size: int, half_will_do: bool = False) -> Net:
    """Room for the connections of one side."""
    num_points, queue = size**2 + 2, 1 << 13
    pairs = num_points, num_points
    core = Core(
        ways=np.zeros((*pairs, ALL + 1), np.uint64),
        lengths=np.zeros((*pairs, 3), np.int16),
        points=np.zeros((4, num_points), np.uint64),
        queue=np.zeros((queue, 2), np.uint64),
    )
    return Net(
        grid=grid(size),
        half_will_do=half_will_do,
        core=core,
        empty=np.zeros(1, np.uint64),
        points=np.zeros(num_points + 1, np.int16),
        itself=core.points[ITSELF],
        full=core.ways[:, :, :FULL],
        half=core.ways[:, :, FULL : FULL + HALF],
        num_full=core.lengths[:, :, 0],
        num_half=core.lengths[:, :, 1],
    )


@jit
def add(carriers: UInt64[np.ndarray, "K"], length: int, carrier: Word) -> int:
    """Put a carrier on a list, where it does any good; returns the new length, or -1 if it was not taken.

    One that contains another is no use. When the list is full, the largest carrier has to go.
    """
    for i in range(length):
        if carriers[i] & ~carrier == NONE:
            return -1
    kept = 0
    for i in range(length):
        if carrier & ~carriers[i] != NONE:
            carriers[kept] = carriers[i]
            kept += 1
    if kept == len(carriers):
        largest = 0
        for i in range(1, kept):
            if count(carriers[i]) > count(carriers[largest]):
                largest = i
        if count(carriers[largest]) <= count(carrier):
            return -1
        carriers[largest] = carrier
        return kept
    carriers[kept] = carrier
    return kept + 1


@jit
def add_full(core: Core, x: int, y: int, carrier: Word) -> None:
    length = add(core.ways[x, y, :FULL], core.lengths[x, y, 0], carrier)
    if length < 0:
        return
    core.lengths[x, y, 0] = length
    queue = core.queue
    tail = np.int64(queue[0, 0]) + 1
    if tail < len(queue):
        queue[tail, 0], queue[tail, 1], queue[0, 0] = np.uint64(x << 8 | y), carrier, np.uint64(tail)


@jit
def add_half(core: Core, x: int, y: int, carrier: Word) -> None:
    """And the OR rule: every few of the half connections that leave nothing in common make a full one.

    Tried are one and two more than the one just found, three as long as there are hardly any; failing that, all.
    """
    ways = core.ways[x, y]
    for i in range(core.lengths[x, y, 0]):
        if ways[i] & ~carrier == NONE:
            return
    length = add(ways[FULL : FULL + HALF], core.lengths[x, y, 1], carrier)
    if length < 0:
        return
    ways[ALL] = carrier & (ways[ALL] if core.lengths[x, y, 1] else EVERYTHING)
    core.lengths[x, y, 1] = length
    if ways[ALL] != NONE:
        return
    found = False
    for i in range(FULL, FULL + length):
        one, one_more = carrier & ways[i], carrier | ways[i]
        if one == NONE:
            add_full(core, x, y, one_more)
            found = True
        elif one != carrier:
            for j in range(i + 1, FULL + length):
                two, two_more = one & ways[j], one_more | ways[j]
                if two == NONE:
                    add_full(core, x, y, two_more)
                    found = True
                elif two != one and core.lengths[x, y, 0] < 2:
                    for k in range(j + 1, FULL + length):
                        if two & ways[k] == NONE:
                            add_full(core, x, y, two_more | ways[k])
                            found = True
    if not found:
        common, union = EVERYTHING, NONE
        for i in range(FULL, FULL + length):
            if common & ways[i] != common:
                common &= ways[i]
                union |= ways[i]
        if common == NONE:
            add_full(core, x, y, union)


@jit
def combine(core: Core, x: int, middle: int, carrier: Word) -> None:
    """The AND rule, for this full connection and all of the point in the middle that have come before it."""
    edge = core.points.shape[1] - 2
    if middle >= edge:  # through an edge: sound, but what it brings is not worth the time
        return
    played, taken = core.points[ITSELF, middle], carrier | core.points[ITSELF, x]
    left = core.points[LINKED, middle] & ~carrier
    if x < edge:
        left &= ~bit(x)
    z = edge - 1
    while left or z < edge + 1:
        if left:
            point = lowest(left)
            left &= left - ONE
        else:
            z += 1
            point = z
            if z == x:
                continue
        low, high = min(middle, point), max(middle, point)
        for k in range(FULL + HALF, FULL + HALF + core.lengths[low, high, 2]):
            further = core.ways[low, high, k]
            if further & taken == NONE:
                if played:
                    add_half(core, min(x, point), max(x, point), carrier | further | played)
                else:
                    add_full(core, min(x, point), max(x, point), carrier | further)


@jit
def count_in(core: Core, x: int, y: int, carrier: Word) -> None:
    """Let later connections be combined with this one."""
    length = add(core.ways[x, y, FULL + HALF : ALL], core.lengths[x, y, 2], carrier)
    if length >= 0:
        core.lengths[x, y, 2] = length
    if y < core.points.shape[1] - 2:
        core.points[LINKED, x] |= bit(y)
    core.points[LINKED, y] |= bit(x)


@jit
def set_points(net: Net, own: Word, other: Word) -> int:
    """The points of a position, without a connection: edges, groups, empty cells. Returns how many are not empty."""
    grid, core = net.grid, net.core
    itself, groups = core.points[ITSELF], core.points[GROUP]
    num_points = len(itself)
    board = EVERYTHING >> np.uint64(64 - grid.size * grid.size)
    net.empty[0] = board & ~own & ~other
    core.queue[0, 0] = NONE
    core.lengths[:] = 0
    core.points[LINKED] = NONE
    length, left = 0, own
    for edge in range(num_points - 2, num_points):
        itself[edge], groups[edge] = NONE, flood(grid, own & grid.near[edge], own)
        left &= ~groups[edge]
        net.points[length] = edge
        length += 1
    while left:
        point = lowest(left)
        itself[point], groups[point] = NONE, flood(grid, bit(point), left)
        left &= ~groups[point]
        net.points[length] = point
        length += 1
    num_groups, left = length, net.empty[0]
    while left:
        point = lowest(left)
        left &= left - ONE
        itself[point] = bit(point)
        net.points[length] = point
        length += 1
    net.points[-1] = length
    return num_groups


@jit
def link_groups(net: Net, num_groups: int) -> None:
    """Groups and edges with the empty cells next to them."""
    grid, core = net.grid, net.core
    edge = len(net.itself) - 2
    for i in range(num_groups):
        group = net.points[i]
        around, stones = (grid.near[group] if group >= edge else NONE), core.points[GROUP, group]
        while stones:
            around |= grid.near[lowest(stones)]
            stones &= stones - ONE
        around &= net.empty[0]
        while around:
            point = lowest(around)
            around &= around - ONE
            add_full(core, min(point, group), max(point, group), NONE)


@jit
def set_up(net: Net, own: Word, other: Word) -> None:
    """The points, and between neighbours the connections that need no cell."""
    link_groups(net, set_points(net, own, other))
    left = net.empty[0]
    while left:
        point = lowest(left)
        left &= left - ONE
        around = net.grid.near[point] & left
        while around:
            add_full(net.core, point, lowest(around), NONE)
            around &= around - ONE


@jit
def connect(net: Net, own: Word, other: Word) -> None:
    """Find the connections of a side that has not won, until its edges are fully connected, or half."""
    set_up(net, own, other)
    combine_all(net)


@jit
def combine_all(net: Net) -> None:
    core = net.core
    top, bottom = len(net.itself) - 2, len(net.itself) - 1
    head = 1
    while head <= np.int64(core.queue[0, 0]):
        if net.num_full[top, bottom] or (net.half_will_do and net.num_half[top, bottom]):
            break
        pair, carrier = int(np.int64(core.queue[head, 0])), core.queue[head, 1]
        x, y = pair >> 8, pair & 255
        head += 1
        for i in range(core.lengths[x, y, 0]):
            if core.ways[x, y, i] == carrier:  # or a smaller one has taken its place
                combine(core, x, y, carrier)
                combine(core, y, x, carrier)
                count_in(core, x, y, carrier)
                break


@jit
def smallest(carriers: UInt64[np.ndarray, "K"], length: int) -> Word:
    """The smallest carrier on a list that is not empty."""
    best = carriers[0]
    for i in range(1, length):
        if count(carriers[i]) < count(best):
            best = carriers[i]
    return best


@jit
def must_play(net: Net) -> tuple[Word, Word]:
    """Where the other has to play: in every half connection of the edges. Also all the cells these take."""
    top, bottom = len(net.itself) - 2, len(net.itself) - 1
    common, union = net.empty[0], NONE
    for i in range(net.num_half[top, bottom]):
        way = net.half[top, bottom, i]
        if common & way != common:
            common &= way
            union |= way
    return common, union
