"""Lists of virtual connections in Hex, and the two rules that derive new ones: the AND rule and the OR rule.

A point is an empty cell, a group of the side's stones, or one of its edges; a group that touches an edge belongs to the
edge. Two points are *fully* connected (a virtual connection) if the side can join them even if the opponent moves
first. They are *half* connected (a semi-connection) if the side can join them moving first itself. The carrier is the
set of empty cells that this takes. An empty cell at an end counts as taken.

    AND  x-m and m-y with disjoint carriers:               m a group: x-y fully;  m empty: x-y half, by playing m
    OR   several half connections x-y without a cell common to all:    x-y fully

After V. Anshelevich, "A hierarchical approach to computer Hex" (2002). The lists are bounded, so some connections are
missed; but every connection found is real.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from ludus.games.hex.solver.grid import EVERYTHING
from ludus.search.compiled import jit
from ludus.search.words import NONE, ONE, Word, bit, count, lowest

FULL, HALF = 0, 1
MAX_CARRIERS = (16, 32)  # connections kept for a pair of points; more would find more and take longer
MAX_CONNECTIONS = 1 << 13  # connections of a kind in a position
ITSELF, GROUP, LINKED, NOW = range(4)
NEXT, PAIR = 0, 1
HEAD, LENGTH = 0, 1
COMMON = 2
GONE = -1  # the pair of a connection that was replaced by a smaller one


class ConnectionLists(NamedTuple):
    """The arrays that the rules work on. They are few, because every array adds ten arguments to a compiled call.

    A pair of points (x, y) has x < y and a number. All connections of a kind are stored in the order they were found,
    so that they stay in the processor's cache; those of one pair are a linked list by `NEXT`. Number 0 means none.
    """

    carriers: UInt64[np.ndarray, "3 E"]  # full; half; and, by pair, the cells common to all half connections ever found
    notes: Int16[np.ndarray, "2 E 2"]  # `NEXT` and `PAIR`; of number 0: how many there are, and how many full ones
    # have been combined with the rest
    pairs: Int16[np.ndarray, "2 P*P 2"]  # `HEAD`, the first connection; `LENGTH`, how many
    points: UInt64[np.ndarray, "4 P"]  # `ITSELF`: the cell of an empty point, NONE for a group or an edge;
    # `GROUP`: the stones of a group or an edge; `LINKED`: the points it is combined with, without the edges;
    # `NOW`: what the points of an earlier position have become (see `incremental`)


@jit
def pair_of(lists: ConnectionLists, x: int, y: int) -> int:
    num_points = lists.points.shape[1]
    return x * num_points + y if x < y else y * num_points + x


@jit
def edge_pair(lists: ConnectionLists) -> int:
    """The number of the pair of edges."""
    return pair_of(lists, lists.points.shape[1] - 2, lists.points.shape[1] - 1)


@jit
def joins(lists: ConnectionLists, kind: int) -> bool:
    """Whether the edges are connected in this way."""
    return lists.pairs[kind, edge_pair(lists), HEAD] != 0


@jit
def add(lists: ConnectionLists, kind: int, pair: int, carrier: Word) -> bool:
    """Add a connection to a pair's list, unless it contains another one. Whether it was added.

    It replaces those that contain it; in a full list it replaces the largest.
    """
    carriers, notes = lists.carriers[kind], lists.notes[kind]
    here, before, length = lists.pairs[kind, pair, HEAD], 0, lists.pairs[kind, pair, LENGTH]
    largest, before_largest, size = 0, 0, count(carrier)
    while here:
        there = notes[here, NEXT]
        if carriers[here] & ~carrier == NONE:
            return False
        if carrier & ~carriers[here] == NONE:
            unlink(lists, kind, pair, before, here)
            length -= 1
        else:
            if count(carriers[here]) > size:
                largest, before_largest, size = here, before, count(carriers[here])
            before = here
        here = there
    end = lists.notes[kind, 0, 0] + 1
    if end >= MAX_CONNECTIONS:
        return False
    if length >= MAX_CARRIERS[kind]:
        if largest == 0:
            return False
        unlink(lists, kind, pair, before_largest, largest)
    carriers[end], notes[end, NEXT], notes[end, PAIR] = carrier, lists.pairs[kind, pair, HEAD], pair
    lists.pairs[kind, pair, HEAD], lists.notes[kind, 0, 0] = end, end
    lists.pairs[kind, pair, LENGTH] += 1
    return True


@jit
def unlink(lists: ConnectionLists, kind: int, pair: int, before: int, here: int) -> None:
    following = lists.notes[kind, here, NEXT]
    if before:
        lists.notes[kind, before, NEXT] = following
    else:
        lists.pairs[kind, pair, HEAD] = following
    lists.notes[kind, here, PAIR] = GONE
    lists.pairs[kind, pair, LENGTH] -= 1


@jit
def add_full(lists: ConnectionLists, pair: int, carrier: Word) -> None:
    add(lists, FULL, pair, carrier)


@jit
def add_half(lists: ConnectionLists, pair: int, carrier: Word) -> None:
    """Add a half connection and apply the OR rule: half connections without a common cell make a full one.

    Tries the new one with one and with two others; with three while there are few full connections. If none of that
    works, it tries all at once.
    """
    here = lists.pairs[FULL, pair, HEAD]
    while here:
        if lists.carriers[FULL, here] & ~carrier == NONE:
            return
        here = lists.notes[FULL, here, NEXT]
    so_far = lists.carriers[COMMON, pair] if lists.pairs[HALF, pair, LENGTH] else EVERYTHING
    if not add(lists, HALF, pair, carrier):
        return
    lists.carriers[COMMON, pair] = so_far & carrier
    if lists.carriers[COMMON, pair] != NONE:
        return
    halves, notes = lists.carriers[HALF], lists.notes[HALF]
    found, i = False, lists.pairs[HALF, pair, HEAD]
    while i:
        one, one_more = carrier & halves[i], carrier | halves[i]
        if one == NONE:
            add_full(lists, pair, one_more)
            found = True
        elif one != carrier:
            j = notes[i, NEXT]
            while j:
                two, two_more = one & halves[j], one_more | halves[j]
                if two == NONE:
                    add_full(lists, pair, two_more)
                    found = True
                elif two != one and lists.pairs[FULL, pair, LENGTH] < 2:
                    k = notes[j, NEXT]
                    while k:
                        if two & halves[k] == NONE:
                            add_full(lists, pair, two_more | halves[k])
                            found = True
                        k = notes[k, NEXT]
                j = notes[j, NEXT]
        i = notes[i, NEXT]
    if not found:
        add_all(lists, pair)


@jit
def intersect_halves(lists: ConnectionLists, pair: int, common: Word) -> tuple[Word, Word]:
    """What all half connections of a pair share with `common`; and the union of those that made it smaller."""
    union, here = NONE, lists.pairs[HALF, pair, HEAD]
    while here:
        half = lists.carriers[HALF, here]
        if common & half != common:
            common &= half
            union |= half
        here = lists.notes[HALF, here, NEXT]
    return common, union


@jit
def add_all(lists: ConnectionLists, pair: int) -> None:
    """The OR rule for all half connections of a pair at once."""
    common, union = intersect_halves(lists, pair, EVERYTHING)
    if common == NONE:
        add_full(lists, pair, union)


@jit
def combine(lists: ConnectionLists, x: int, middle: int, carrier: Word) -> None:
    """The AND rule: combine this full connection with all earlier ones at the point in the middle."""
    edge = lists.points.shape[1] - 2
    if middle >= edge:  # through an edge: sound, but not worth the time
        return
    played, taken = lists.points[ITSELF, middle], carrier | lists.points[ITSELF, x]
    left = lists.points[LINKED, middle] & ~carrier
    if x < edge:
        left &= ~bit(x)
    combined, z = lists.notes[FULL, 0, 1], edge - 1
    while left or z < edge + 1:
        if left:
            point = lowest(left)
            left &= left - ONE
        else:
            z += 1
            point = z
            if z == x:
                continue
        here = lists.pairs[FULL, pair_of(lists, middle, point), HEAD]
        while here:
            further = lists.carriers[FULL, here]
            if here <= combined and further & taken == NONE:
                if played:
                    add_half(lists, pair_of(lists, x, point), carrier | further | played)
                else:
                    add_full(lists, pair_of(lists, x, point), carrier | further)
            here = lists.notes[FULL, here, NEXT]


@jit
def mark_combined(lists: ConnectionLists, x: int, y: int) -> None:
    """Let later connections be combined with those of this pair."""
    if y < lists.points.shape[1] - 2:
        lists.points[LINKED, x] |= bit(y)
    lists.points[LINKED, y] |= bit(x)


@jit
def smallest(lists: ConnectionLists, kind: int) -> Word:
    """The smallest carrier that connects the edges. They must be connected."""
    here = lists.pairs[kind, edge_pair(lists), HEAD]
    best = lists.carriers[kind, here]
    while here:
        if count(lists.carriers[kind, here]) < count(best):
            best = lists.carriers[kind, here]
        here = lists.notes[kind, here, NEXT]
    return best
