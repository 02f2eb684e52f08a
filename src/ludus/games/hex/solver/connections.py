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
MOST = (16, 32)  # carriers kept for a pair of points; more would find more and take longer
ROOM = 1 << 13  # connections of a kind that can be found in a position
ITSELF, GROUP, LINKED, NOW = range(4)
NEXT, PAIR = 0, 1
HEAD, LENGTH = 0, 1
COMMON = 2
GONE = -1  # the pair of a connection that a smaller one has taken the place of


class Core(NamedTuple):
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


class Net(NamedTuple):
    """What is found for one side, and room to work in."""

    grid: Grid
    half_will_do: bool  # whether to stop when the edges are half connected
    core: Core
    empty: UInt64[np.ndarray, "1"]
    points: Int16[np.ndarray, "P+1"]  # those there are, and at the end how many


def net(size: int, half_will_do: bool = False) -> Net:
    """Room for the connections of one side."""
    num_points = size**2 + 2
    core = Core(
        carriers=np.zeros((3, ROOM), np.uint64),
        notes=np.zeros((2, ROOM, 2), np.int16),
        pairs=np.zeros((2, num_points**2, 2), np.int16),
        points=np.zeros((4, num_points), np.uint64),
    )
    return Net(grid(size), half_will_do, core, np.zeros(1, np.uint64), np.zeros(num_points + 1, np.int16))


@jit
def pair_of(core: Core, x: int, y: int) -> int:
    num_points = core.points.shape[1]
    return x * num_points + y if x < y else y * num_points + x


@jit
def edges(core: Core) -> int:
    """The pair of the two edges."""
    return pair_of(core, core.points.shape[1] - 2, core.points.shape[1] - 1)


@jit
def joins(core: Core, kind: int) -> bool:
    """Whether the edges are connected in this way."""
    return core.pairs[kind, edges(core), HEAD] != 0


@jit
def add(core: Core, kind: int, pair: int, carrier: Word) -> bool:
    """Put a connection on a pair's list, where it does any good.

    One that contains another is no use. When the list is full, the largest has to go.
    """
    carriers, notes = core.carriers[kind], core.notes[kind]
    here, before, length = core.pairs[kind, pair, HEAD], 0, core.pairs[kind, pair, LENGTH]
    largest, before_largest, size = 0, 0, count(carrier)
    while here:
        there = notes[here, NEXT]
        if carriers[here] & ~carrier == NONE:
            return False
        if carrier & ~carriers[here] == NONE:
            unlink(core, kind, pair, before, here)
            length -= 1
        else:
            if count(carriers[here]) > size:
                largest, before_largest, size = here, before, count(carriers[here])
            before = here
        here = there
    end = core.notes[kind, 0, 0] + 1
    if end >= ROOM:
        return False
    if length >= MOST[kind]:
        if largest == 0:
            return False
        unlink(core, kind, pair, before_largest, largest)
    carriers[end], notes[end, NEXT], notes[end, PAIR] = carrier, core.pairs[kind, pair, HEAD], pair
    core.pairs[kind, pair, HEAD], core.notes[kind, 0, 0] = end, end
    core.pairs[kind, pair, LENGTH] += 1
    return True


@jit
def unlink(core: Core, kind: int, pair: int, before: int, here: int) -> None:
    following = core.notes[kind, here, NEXT]
    if before:
        core.notes[kind, before, NEXT] = following
    else:
        core.pairs[kind, pair, HEAD] = following
    core.notes[kind, here, PAIR] = GONE
    core.pairs[kind, pair, LENGTH] -= 1


@jit
def add_full(core: Core, pair: int, carrier: Word) -> None:
    add(core, FULL, pair, carrier)


@jit
def add_half(core: Core, pair: int, carrier: Word) -> None:
    """And the OR rule: every few of the half connections that leave nothing in common make a full one.

    Tried are one and two more than the one just found, three as long as there are hardly any; failing that, all.
    """
    here = core.pairs[FULL, pair, HEAD]
    while here:
        if core.carriers[FULL, here] & ~carrier == NONE:
            return
        here = core.notes[FULL, here, NEXT]
    so_far = core.carriers[COMMON, pair] if core.pairs[HALF, pair, LENGTH] else EVERYTHING
    if not add(core, HALF, pair, carrier):
        return
    core.carriers[COMMON, pair] = so_far & carrier
    if core.carriers[COMMON, pair] != NONE:
        return
    halves, notes = core.carriers[HALF], core.notes[HALF]
    found, i = False, core.pairs[HALF, pair, HEAD]
    while i:
        one, one_more = carrier & halves[i], carrier | halves[i]
        if one == NONE:
            add_full(core, pair, one_more)
            found = True
        elif one != carrier:
            j = notes[i, NEXT]
            while j:
                two, two_more = one & halves[j], one_more | halves[j]
                if two == NONE:
                    add_full(core, pair, two_more)
                    found = True
                elif two != one and core.pairs[FULL, pair, LENGTH] < 2:
                    k = notes[j, NEXT]
                    while k:
                        if two & halves[k] == NONE:
                            add_full(core, pair, two_more | halves[k])
                            found = True
                        k = notes[k, NEXT]
                j = notes[j, NEXT]
        i = notes[i, NEXT]
    if not found:
        add_all(core, pair)


@jit
def add_all(core: Core, pair: int) -> None:
    """The OR rule, for all half connections of a pair that leave less in common than those before them."""
    common, union, i = EVERYTHING, NONE, core.pairs[HALF, pair, HEAD]
    while i:
        half = core.carriers[HALF, i]
        if common & half != common:
            common &= half
            union |= half
        i = core.notes[HALF, i, NEXT]
    if common == NONE:
        add_full(core, pair, union)


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
    combined, z = core.notes[FULL, 0, 1], edge - 1
    while left or z < edge + 1:
        if left:
            point = lowest(left)
            left &= left - ONE
        else:
            z += 1
            point = z
            if z == x:
                continue
        here = core.pairs[FULL, pair_of(core, middle, point), HEAD]
        while here:
            further = core.carriers[FULL, here]
            if here <= combined and further & taken == NONE:
                if played:
                    add_half(core, pair_of(core, x, point), carrier | further | played)
                else:
                    add_full(core, pair_of(core, x, point), carrier | further)
            here = core.notes[FULL, here, NEXT]


@jit
def count_in(core: Core, x: int, y: int) -> None:
    """Let later connections be combined with those of this pair."""
    if y < core.points.shape[1] - 2:
        core.points[LINKED, x] |= bit(y)
    core.points[LINKED, y] |= bit(x)


@jit
def set_points(net: Net, own: Word, other: Word) -> int:
    """The points of a position, without a connection: edges, groups, empty cells. Returns how many are not empty."""
    grid = net.grid
    itself, groups = net.core.points[ITSELF], net.core.points[GROUP]
    num_points = len(itself)
    board = EVERYTHING >> np.uint64(64 - grid.size * grid.size)
    net.empty[0] = board & ~own & ~other
    net.core.pairs[:] = 0
    net.core.notes[:, 0] = 0
    net.core.points[LINKED] = NONE
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
    grid = net.grid
    edge = net.core.points.shape[1] - 2
    for i in range(num_groups):
        group = net.points[i]
        around, stones = (grid.near[group] if group >= edge else NONE), net.core.points[GROUP, group]
        while stones:
            around |= grid.near[lowest(stones)]
            stones &= stones - ONE
        around &= net.empty[0]
        while around:
            point = lowest(around)
            around &= around - ONE
            add_full(net.core, pair_of(net.core, point, group), NONE)


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
            add_full(net.core, pair_of(net.core, point, lowest(around)), NONE)
            around &= around - ONE


@jit
def connect(net: Net, own: Word, other: Word) -> None:
    """Find the connections of a side that has not won, until its edges are fully connected, or half."""
    set_up(net, own, other)
    combine_all(net)


@jit
def combine_all(net: Net) -> None:
    core, num_points = net.core, net.core.points.shape[1]
    while core.notes[FULL, 0, 1] < core.notes[FULL, 0, 0]:
        if joins(core, FULL) or (net.half_will_do and joins(core, HALF)):
            break
        here = core.notes[FULL, 0, 1] + 1
        pair = core.notes[FULL, here, PAIR]
        if pair != GONE:
            x, y, carrier = pair // num_points, pair % num_points, core.carriers[FULL, here]
            combine(core, x, y, carrier)
            combine(core, y, x, carrier)
            count_in(core, x, y)
        core.notes[FULL, 0, 1] = here


@jit
def smallest(core: Core, kind: int) -> Word:
    """The smallest carrier that connects the edges, which are connected."""
    here = core.pairs[kind, edges(core), HEAD]
    best = core.carriers[kind, here]
    while here:
        if count(core.carriers[kind, here]) < count(best):
            best = core.carriers[kind, here]
        here = core.notes[kind, here, NEXT]
    return best


@jit
def must_play(net: Net) -> tuple[Word, Word]:
    """Where the other has to play: in every half connection of the edges. Also all the cells these take."""
    core = net.core
    common, union, here = net.empty[0], NONE, core.pairs[HALF, edges(core), HEAD]
    while here:
        way = core.carriers[HALF, here]
        if common & way != common:
            common &= way
            union |= way
        here = core.notes[HALF, here, NEXT]
    return common, union
