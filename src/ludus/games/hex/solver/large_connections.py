"""H-search on boards of up to 11, for players: who wins for certain, and by which move.

The rules are those of `connections`, but a set of cells takes two words here, not one. Every half connection is stored
with its key, the cell to play that makes it a full connection, because a player needs the move.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8, Int16, Int32, UInt64

from ludus.games.hex.twin import tables
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, count, lowest

MAX_SIZE = 11  # 121 cells, in two words
MAX_FULL, MAX_HALF, QUEUE_SIZE = (
    5,
    9,
    1 << 14,
)  # carriers kept for a pair; connections that may wait in the queue
EMPTY, OWN, OTHER = 0, 1, 2
WIN, LOSS, UNKNOWN = 1, -1, 0
EVERYTHING = ~NONE


class LargeConnections(NamedTuple):
    """The connections of the side that joins top and bottom, and buffers. A pair of points (x, y) has x < y."""

    near: Int16[np.ndarray, "E"]  # neighbours of cell after cell: cells, then the top and the bottom edge
    first: Int16[np.ndarray, "N+1"]
    stones: Int8[np.ndarray, "N"]
    of: Int16[np.ndarray, "N+2"]  # the point that a cell belongs to; -1 where the other side has a stone
    points: Int16[np.ndarray, "P+1"]  # the points of the position; the last entry is how many
    full: UInt64[np.ndarray, "P P K 2"]  # carriers
    half: UInt64[np.ndarray, "P P L 2"]
    key: Int16[np.ndarray, "P P L"]  # the cell to play that makes the half connection full
    num_full: Int8[np.ndarray, "P P"]
    num_half: Int8[np.ndarray, "P P"]
    common: UInt64[np.ndarray, "P P 2"]  # the cells that all half connections ever found have in common
    queue: Int16[np.ndarray, "Q 2"]  # full connections that were not combined with others yet
    queued: UInt64[np.ndarray, "Q 2"]
    tail: Int32[np.ndarray, "1"]


@functools.cache
def large_connections(size: int) -> LargeConnections:
    cells, points = size**2, size**2 + 2
    known = tables(size, False)
    near = [known.neighbours[known.first[c] : known.first[c + 1]] for c in range(cells)]
    near = [around[around < points] for around in near]  # without the opponent's edges, left and right
    return LargeConnections(
        near=np.concatenate(near).astype(np.int16),
        first=np.cumsum([0, *map(len, near)]).astype(np.int16),
        stones=np.zeros(cells, np.int8),
        of=np.zeros(points, np.int16),
        points=np.zeros(points + 1, np.int16),
        full=np.zeros((points, points, MAX_FULL, 2), np.uint64),
        half=np.zeros((points, points, MAX_HALF, 2), np.uint64),
        key=np.zeros((points, points, MAX_HALF), np.int16),
        num_full=np.zeros((points, points), np.int8),
        num_half=np.zeros((points, points), np.int8),
        common=np.zeros((points, points, 2), np.uint64),
        queue=np.zeros((QUEUE_SIZE, 2), np.int16),
        queued=np.zeros((QUEUE_SIZE, 2), np.uint64),
        tail=np.zeros(1, np.int32),
    )


@jit
def contains(low: Word, high: Word, cell: int) -> bool:
    return ((low >> np.uint64(cell)) if cell < 64 else (high >> np.uint64(cell - 64))) & ONE != NONE


@jit
def single(cell: int) -> tuple[Word, Word]:
    """The set of one cell."""
    return (ONE << np.uint64(cell), NONE) if cell < 64 else (NONE, ONE << np.uint64(cell - 64))


@jit
def place_for(carriers: UInt64[np.ndarray, "K 2"], length: int, low: Word, high: Word) -> int:
    """Where to store a carrier on a list, or -1 if it is useless: it contains another one, or the list is full of
    carriers that are no larger. In a full list it replaces the largest.
    """
    for i in range(length):
        if (carriers[i, 0] & ~low) | (carriers[i, 1] & ~high) == NONE:
            return -1
    for i in range(length):
        if (low & ~carriers[i, 0]) | (high & ~carriers[i, 1]) == NONE:
            return i
    if length < len(carriers):
        return length
    largest, most = 0, 0
    for i in range(length):
        size = count(carriers[i, 0]) + count(carriers[i, 1])
        if size > most:
            largest, most = i, size
    return largest if count(low) + count(high) < most else -1


@jit
def add_full(vcs: LargeConnections, x: int, y: int, low: Word, high: Word) -> None:
    place = place_for(vcs.full[x, y], vcs.num_full[x, y], low, high)
    if place < 0:
        return
    vcs.full[x, y, place, 0], vcs.full[x, y, place, 1] = low, high
    vcs.num_full[x, y] = max(vcs.num_full[x, y], place + 1)
    tail = vcs.tail[0]
    if tail < QUEUE_SIZE:
        vcs.queue[tail, 0], vcs.queue[tail, 1] = x, y
        vcs.queued[tail, 0], vcs.queued[tail, 1] = low, high
        vcs.tail[0] = tail + 1


@jit
def add_half(vcs: LargeConnections, x: int, y: int, low: Word, high: Word, key: int) -> None:
    """Add a half connection and apply the OR rule: every full connection that it makes with up to three others, or if
    there is none, with all of them.
    """
    full, half, common = vcs.full[x, y], vcs.half[x, y], vcs.common[x, y]
    for i in range(vcs.num_full[x, y]):
        if (full[i, 0] & ~low) | (full[i, 1] & ~high) == NONE:
            return
    place = place_for(half, vcs.num_half[x, y], low, high)
    if place < 0:
        return
    half[place, 0], half[place, 1], vcs.key[x, y, place] = low, high, key
    length = max(vcs.num_half[x, y], place + 1)
    vcs.num_half[x, y] = length
    common[0] &= low
    common[1] &= high
    if common[0] | common[1] != NONE:
        return
    found = False
    for i in range(length):
        low_i, high_i = low & half[i, 0], high & half[i, 1]
        if low_i | high_i == NONE:
            add_full(vcs, x, y, low | half[i, 0], high | half[i, 1])
            found = True
            continue
        for j in range(i + 1, length):
            low_j, high_j = low_i & half[j, 0], high_i & half[j, 1]
            if low_j | high_j == NONE:
                add_full(vcs, x, y, low | half[i, 0] | half[j, 0], high | half[i, 1] | half[j, 1])
                found = True
                continue
            for k in range(j + 1, length):
                if (low_j & half[k, 0]) | (high_j & half[k, 1]) == NONE:
                    lows, highs = half[i, 0] | half[j, 0] | half[k, 0], half[i, 1] | half[j, 1] | half[k, 1]
                    add_full(vcs, x, y, low | lows, high | highs)
                    found = True
    if not found:
        all_low, all_high, lows, highs = low, high, low, high
        for i in range(length):
            all_low &= half[i, 0]
            all_high &= half[i, 1]
            lows |= half[i, 0]
            highs |= half[i, 1]
        if all_low | all_high == NONE:
            add_full(vcs, x, y, lows, highs)


@jit
def combine(vcs: LargeConnections, x: int, middle: int, low: Word, high: Word) -> None:
    """The AND rule: combine this full connection with all others at the point in the middle."""
    cells = len(vcs.stones)
    if middle >= cells:  # through an edge: sound, but not worth the time
        return
    empty = vcs.stones[middle] == EMPTY
    taken_low, taken_high = low, high
    if x < cells and vcs.stones[x] == EMPTY:
        itself = single(x)
        taken_low |= itself[0]
        taken_high |= itself[1]
    played = single(middle)
    for i in range(vcs.points[-1]):
        z = vcs.points[i]
        if z in (x, middle) or (z < cells and vcs.stones[z] == EMPTY and contains(low, high, z)):
            continue
        a, b = min(middle, z), max(middle, z)
        for k in range(vcs.num_full[a, b]):
            more_low, more_high = vcs.full[a, b, k, 0], vcs.full[a, b, k, 1]
            if (more_low & taken_low) | (more_high & taken_high) == NONE:
                if empty:
                    lows, highs = low | more_low | played[0], high | more_high | played[1]
                    add_half(vcs, min(x, z), max(x, z), lows, highs, middle)
                else:
                    add_full(vcs, min(x, z), max(x, z), low | more_low, high | more_high)


@jit
def reset_connections(vcs: LargeConnections) -> None:
    """Find the points, and connect neighbours with empty carriers. A group is named after one of its stones, or after
    the edge that it touches.
    """
    cells, stones, of, points = len(vcs.stones), vcs.stones, vcs.of, vcs.points
    vcs.tail[0] = 0
    vcs.num_full[:] = 0
    vcs.num_half[:] = 0
    vcs.common[:] = EVERYTHING
    of[cells], of[cells + 1] = cells, cells + 1
    points[0], points[1] = cells, cells + 1
    length = 2
    for cell in range(cells):
        of[cell] = cell if stones[cell] != OTHER else -1
    changed = True  # a group takes the largest number of its points: an edge, if it touches one
    while changed:
        changed = False
        for cell in range(cells):
            if stones[cell] == OWN:
                for i in range(vcs.first[cell], vcs.first[cell + 1]):
                    other = vcs.near[i]
                    if (other >= cells or stones[other] == OWN) and of[other] > of[cell]:
                        of[cell] = of[other]
                        changed = True
    for cell in range(cells):
        if of[cell] == cell:
            points[length] = cell
            length += 1
    points[-1] = length
    for cell in range(cells):
        for i in range(vcs.first[cell], vcs.first[cell + 1]):
            if stones[cell] == OWN and of[cell] == cells + 1 and vcs.near[i] == cells:
                add_full(vcs, cells, cells + 1, NONE, NONE)  # the game is won
            if stones[cell] == EMPTY:
                other = int(of[vcs.near[i]])
                if other >= 0 and (other > cell or stones[other] == OWN):
                    add_full(vcs, min(cell, other), max(cell, other), NONE, NONE)


@jit
def connect(vcs: LargeConnections, half_is_enough: bool) -> None:
    """Run H-search for a side until its edges are fully connected, or half connected if that is enough."""
    reset_connections(vcs)
    top, bottom = len(vcs.stones), len(vcs.stones) + 1
    head = 0
    while head < vcs.tail[0]:
        if vcs.num_full[top, bottom] or (half_is_enough and vcs.num_half[top, bottom]):
            break
        x, y, low, high = vcs.queue[head, 0], vcs.queue[head, 1], vcs.queued[head, 0], vcs.queued[head, 1]
        head += 1
        for i in range(vcs.num_full[x, y]):
            if vcs.full[x, y, i, 0] == low and vcs.full[x, y, i, 1] == high:  # else a smaller one has replaced it
                combine(vcs, x, y, low, high)
                combine(vcs, y, x, low, high)
                break


@jit
def first_of(low: Word, high: Word) -> int:
    """The lowest cell of a non-empty set."""
    return lowest(low) if low != NONE else 64 + lowest(high)


@jit
def edge_connection(vcs: LargeConnections, half_is_enough: bool) -> tuple[int, int, Word, Word]:
    """How the side's edges are connected: 2 fully (it wins even if the opponent moves first), 1 half (it wins moving
    first), 0 not seen. Then the cell to play (-1: any), and the carrier; for 0 the cells that all half connections
    share, the opponent's must-play region.
    """
    connect(vcs, half_is_enough)
    top, bottom = len(vcs.stones), len(vcs.stones) + 1
    best, most = 0, 1 << 30
    full, half = vcs.num_full[top, bottom], vcs.num_half[top, bottom]
    carriers = vcs.full[top, bottom] if full else vcs.half[top, bottom]
    for i in range(full if full else half):
        size = count(carriers[i, 0]) + count(carriers[i, 1])
        if size < most:
            best, most = i, size
    if full:
        low, high = carriers[best, 0], carriers[best, 1]
        return 2, first_of(low, high) if low | high != NONE else -1, low, high
    if half and half_is_enough:
        return 1, vcs.key[top, bottom, best], carriers[best, 0], carriers[best, 1]
    low, high = EVERYTHING, EVERYTHING
    for i in range(half):
        low &= carriers[i, 0]
        high &= carriers[i, 1]
    return 0, -1, low, high
