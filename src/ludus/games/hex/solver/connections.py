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

FULL, HALF = 0, 1
MAX_CARRIERS = (16, 32)  # carriers kept for a pair of points; more would find more and take longer
MAX_CONNECTIONS = 1 << 13  # connections of a kind that can be found in a position
ITSELF, GROUP, LINKED, NOW = range(4)
NEXT, PAIR = 0, 1
HEAD, LENGTH = 0, 1
COMMON = 2
GONE = -1  # the pair of a connection that a smaller one has taken the place of


class ConnectionLists(NamedTuple):
    """What the rules work on: few arrays, for each costs a call ten arguments. A pair of points (x, y) has x < y and a
    number. All connections of a kind stand one after the other as they were found, so that a processor's cache holds
    them; those of a pair are a list by `NEXT`. Number 0 is none.
    """

    carriers: UInt64[np.ndarray, "3 E"]  # full, half; and by pair, what all halves ever found have in common
    notes: Int16[np.ndarray, "2 E 2"]  # `NEXT`, and the `PAIR`; of none, how many there are, and how many full ones
    # have been combined with the rest
    pairs: Int16[np.ndarray, "2 P*P 2"]  # `HEAD`, the first connection; `LENGTH`, how many
    points: UInt64[np.ndarray, "4 P"]  # `ITSELF`: the cell of an empty point, nothing for a group or an edge;
    # `GROUP`: the stones of a group or an edge; `LINKED`: the points it is combined with, but for the edges


class Connections(NamedTuple):
    """What is found for one side, and room to work in."""

    grid: Grid
    half_is_enough: bool  # whether to stop when the edges are half connected
    lists: ConnectionLists
    empty: UInt64[np.ndarray, "1"]
    points: Int16[np.ndarray, "P+1"]  # those there are, and at the end how many


def connections(size: int, half_is_enough: bool = False) -> Connections:
    """Room for the connections of one side."""
    num_points = size**2 + 2
    lists = ConnectionLists(
        carriers=np.zeros((3, MAX_CONNECTIONS), np.uint64),
        notes=np.zeros((2, MAX_CONNECTIONS, 2), np.int16),
        pairs=np.zeros((2, num_points**2, 2), np.int16),
        points=np.zeros((4, num_points), np.uint64),
    )
    return Connections(grid(size), half_is_enough, lists, np.zeros(1, np.uint64), np.zeros(num_points + 1, np.int16))


@jit
def pair_of(lists: ConnectionLists, x: int, y: int) -> int:
    num_points = lists.points.shape[1]
    return x * num_points + y if x < y else y * num_points + x


@jit
def edge_pair(lists: ConnectionLists) -> int:
    """The pair of the two edges."""
    return pair_of(lists, lists.points.shape[1] - 2, lists.points.shape[1] - 1)


@jit
def joins(lists: ConnectionLists, kind: int) -> bool:
    """Whether the edges are connected in this way."""
    return lists.pairs[kind, edge_pair(lists), HEAD] != 0


@jit
def add(lists: ConnectionLists, kind: int, pair: int, carrier: Word) -> bool:
    """Put a connection on a pair's list, where it does any good.

    One that contains another is no use. When the list is full, the largest has to go.
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
    """And the OR rule: every few of the half connections that leave nothing in common make a full one.

    Tried are one and two more than the one just found, three as long as there are hardly any; failing that, all.
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
def add_all(lists: ConnectionLists, pair: int) -> None:
    """The OR rule, for all half connections of a pair that leave less in common than those before them."""
    common, union, i = EVERYTHING, NONE, lists.pairs[HALF, pair, HEAD]
    while i:
        half = lists.carriers[HALF, i]
        if common & half != common:
            common &= half
            union |= half
        i = lists.notes[HALF, i, NEXT]
    if common == NONE:
        add_full(lists, pair, union)


@jit
def combine(lists: ConnectionLists, x: int, middle: int, carrier: Word) -> None:
    """The AND rule, for this full connection and all of the point in the middle that have come before it."""
    edge = lists.points.shape[1] - 2
    if middle >= edge:  # through an edge: sound, but what it brings is not worth the time
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
def find_points(vcs: Connections, own: Word, other: Word) -> int:
    """The points of a position, without a connection: edges, groups, empty cells. Returns how many are not empty."""
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
    """Groups and edges with the empty cells next to them."""
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
    """The points, and between neighbours the connections that need no cell."""
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
    """Find the connections of a side that has not won, until its edges are fully connected, or half."""
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
def smallest(lists: ConnectionLists, kind: int) -> Word:
    """The smallest carrier that connects the edges, which are connected."""
    here = lists.pairs[kind, edge_pair(lists), HEAD]
    best = lists.carriers[kind, here]
    while here:
        if count(lists.carriers[kind, here]) < count(best):
            best = lists.carriers[kind, here]
        here = lists.notes[kind, here, NEXT]
    return best


@jit
def must_play(vcs: Connections) -> tuple[Word, Word]:
    """Where the other has to play: in every half connection of the edges. Also all the cells these take."""
    lists = vcs.lists
    common, union, here = vcs.empty[0], NONE, lists.pairs[HALF, edge_pair(lists), HEAD]
    while here:
        way = lists.carriers[HALF, here]
        if common & way != common:
            common &= way
            union |= way
        here = lists.notes[HALF, here, NEXT]
    return common, union
