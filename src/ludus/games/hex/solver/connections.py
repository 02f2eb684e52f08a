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
from jaxtyping import Int8, Int16, UInt64

from ludus.games.hex.solver.grid import EVERYTHING, Grid, flood, grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, count, lowest

FULL, HALF = 6, 12  # carriers kept for a pair of points; more would find more and take longer


class Net(NamedTuple):
    """What is found for one side, and room to work in. A pair of points (x, y) has x < y."""

    grid: Grid
    half_will_do: bool  # whether to stop when the edges are half connected
    empty: UInt64[np.ndarray, "1"]
    points: Int16[np.ndarray, "P+1"]  # those there are, and at the end how many
    itself: UInt64[np.ndarray, "P"]  # the cell of an empty point; nothing for a group or an edge
    group: UInt64[np.ndarray, "P"]  # the stones of a group or an edge
    full: UInt64[np.ndarray, "P P K"]  # carriers
    half: UInt64[np.ndarray, "P P L"]
    num_full: Int8[np.ndarray, "P P"]
    num_half: Int8[np.ndarray, "P P"]
    common: UInt64[np.ndarray, "P P"]  # what all half connections of a pair ever found have in common
    queue: Int16[np.ndarray, "Q 2"]  # full connections found and not yet combined with others
    queued: UInt64[np.ndarray, "Q"]  # their carriers
    tail: Int16[np.ndarray, "1"]


def net(size: int, half_will_do: bool = False) -> Net:
    """Room for the connections of one side."""
    num_points, queue = size**2 + 2, 1 << 13
    pairs = num_points, num_points
    return Net(
        grid=grid(size),
        half_will_do=half_will_do,
        empty=np.zeros(1, np.uint64),
        points=np.zeros(num_points + 1, np.int16),
        itself=np.zeros(num_points, np.uint64),
        group=np.zeros(num_points, np.uint64),
        full=np.zeros((*pairs, FULL), np.uint64),
        half=np.zeros((*pairs, HALF), np.uint64),
        num_full=np.zeros(pairs, np.int8),
        num_half=np.zeros(pairs, np.int8),
        common=np.zeros(pairs, np.uint64),
        queue=np.zeros((queue, 2), np.int16),
        queued=np.zeros(queue, np.uint64),
        tail=np.zeros(1, np.int16),
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
def add_full(net: Net, x: int, y: int, carrier: Word) -> None:
    length = add(net.full[x, y], net.num_full[x, y], carrier)
    if length < 0:
        return
    net.num_full[x, y] = length
    tail = net.tail[0]
    if tail < len(net.queued):
        net.queue[tail, 0], net.queue[tail, 1], net.queued[tail] = x, y, carrier
        net.tail[0] = tail + 1


# The OR rule: every few of the half connections that leave nothing in common make a full one. Written out for one, two
# and three more than the one just found (failing that, all there are), for a function that calls itself could not be
# kept on disk.


@jit
def combine_one(net: Net, x: int, y: int, start: int, common: Word, union: Word) -> bool:
    """Whether there were any."""
    found = False
    for i in range(start, net.num_half[x, y]):
        if common & net.half[x, y, i] == NONE:
            add_full(net, x, y, union | net.half[x, y, i])
            found = True
    return found


@jit
def combine_two(net: Net, x: int, y: int, start: int, common: Word, union: Word) -> bool:
    found = False
    for i in range(start, net.num_half[x, y]):
        way = net.half[x, y, i]
        less = common & way
        if less == NONE:
            add_full(net, x, y, union | way)
            found = True
        elif less != common and combine_one(net, x, y, i + 1, less, union | way):
            found = True
    return found


@jit
def combine_three(net: Net, x: int, y: int, start: int, common: Word, union: Word) -> bool:
    found = False
    for i in range(start, net.num_half[x, y]):
        way = net.half[x, y, i]
        less = common & way
        if less == NONE:
            add_full(net, x, y, union | way)
            found = True
        elif less != common and combine_two(net, x, y, i + 1, less, union | way):
            found = True
    return found


@jit
def add_half(net: Net, x: int, y: int, carrier: Word) -> None:
    for i in range(net.num_full[x, y]):
        if net.full[x, y, i] & ~carrier == NONE:
            return
    length = add(net.half[x, y], net.num_half[x, y], carrier)
    if length < 0:
        return
    net.num_half[x, y] = length
    net.common[x, y] &= carrier
    if net.common[x, y] == NONE and not combine_three(net, x, y, 0, carrier, carrier):
        common, union = EVERYTHING, NONE
        for i in range(length):
            if common & net.half[x, y, i] != common:
                common &= net.half[x, y, i]
                union |= net.half[x, y, i]
        if common == NONE:
            add_full(net, x, y, union)


@jit
def combine(net: Net, x: int, middle: int, carrier: Word) -> None:
    """The AND rule, for this full connection and all others of the point in the middle."""
    edge = len(net.itself) - 2
    if middle >= edge:  # through an edge: sound, but what it brings is not worth the time
        return
    played, here = net.itself[middle], net.itself[x]
    for i in range(net.points[-1]):
        z = net.points[i]
        if z in (x, middle) or net.itself[z] & carrier != NONE:
            continue
        low, high = min(middle, z), max(middle, z)
        for k in range(net.num_full[low, high]):
            further = net.full[low, high, k]
            if further & (carrier | here) == NONE:
                if played:
                    add_half(net, min(x, z), max(x, z), carrier | further | played)
                else:
                    add_full(net, min(x, z), max(x, z), carrier | further)


@jit
def set_up(net: Net, own: Word, other: Word) -> None:
    """The points, and between neighbours the connections that need no cell."""
    grid = net.grid
    num_points = len(net.itself)
    board = EVERYTHING >> np.uint64(64 - grid.size * grid.size)
    net.empty[0] = board & ~own & ~other
    net.tail[0] = 0
    net.num_full[:] = 0
    net.num_half[:] = 0
    net.common[:] = EVERYTHING
    length, left = 0, own
    for edge in range(num_points - 2, num_points):
        net.itself[edge], net.group[edge] = NONE, flood(grid, own & grid.near[edge], own)
        left &= ~net.group[edge]
        net.points[length] = edge
        length += 1
    while left:
        point = lowest(left)
        net.itself[point], net.group[point] = NONE, flood(grid, bit(point), left)
        left &= ~net.group[point]
        net.points[length] = point
        length += 1
    num_groups, left = length, net.empty[0]
    while left:
        point = lowest(left)
        left &= left - ONE
        net.itself[point] = bit(point)
        net.points[length] = point
        length += 1
    net.points[-1] = length
    for i in range(num_groups, length):
        point = net.points[i]
        near = grid.near[point]
        for j in range(i + 1, length):
            if near & net.itself[net.points[j]]:
                add_full(net, point, net.points[j], NONE)
        for j in range(num_groups):
            group = net.points[j]
            if near & net.group[group] or (group >= num_points - 2 and grid.near[group] & net.itself[point]):
                add_full(net, min(point, group), max(point, group), NONE)


@jit
def connect(net: Net, own: Word, other: Word) -> None:
    """Find the connections of a side that has not won, until its edges are fully connected, or half."""
    set_up(net, own, other)
    top, bottom = len(net.itself) - 2, len(net.itself) - 1
    head = 0
    while head < net.tail[0]:
        if net.num_full[top, bottom] or (net.half_will_do and net.num_half[top, bottom]):
            break
        x, y, carrier = net.queue[head, 0], net.queue[head, 1], net.queued[head]
        head += 1
        for i in range(net.num_full[x, y]):
            if net.full[x, y, i] == carrier:  # or a smaller one has taken its place
                combine(net, x, y, carrier)
                combine(net, y, x, carrier)
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
