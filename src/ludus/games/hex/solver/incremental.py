"""Incremental H-search: after a move only the connections that it touches are computed again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from ludus.games.hex.solver.connection_lists import (
    COMMON,
    FULL,
    GONE,
    GROUP,
    HALF,
    HEAD,
    ITSELF,
    LENGTH,
    NEXT,
    NOW,
    PAIR,
    ConnectionLists,
    add_all,
    add_full,
    mark_combined,
    pair_of,
)
from ludus.games.hex.solver.connections import Connections, combine_all, connections, find_points, link_groups
from ludus.games.hex.solver.grid import EVERYTHING, Grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, bit

POINT, STAYS, LOST = np.uint64(255), np.uint64(256), np.uint64(512)  # the new point, and two flags: unchanged; gone


class ConnectionStack(NamedTuple):
    """`Connections` of one side for every depth of the search."""

    grid: Grid
    carriers: UInt64[np.ndarray, "D 3 E"]
    notes: Int16[np.ndarray, "D 2 E 2"]
    pairs: Int16[np.ndarray, "D 2 P*P 2"]
    core_points: UInt64[np.ndarray, "D 4 P"]
    empty: UInt64[np.ndarray, "D 1"]
    points: Int16[np.ndarray, "D P+1"]


def connection_stack(grid: Grid, depth: int) -> ConnectionStack:
    one = connections(grid.size)
    return ConnectionStack(
        grid, *(np.zeros((depth, *part.shape), part.dtype) for part in (*one.lists, one.empty, one.points))
    )


@jit
def connections_at(stack: ConnectionStack, depth: int, half_is_enough: bool) -> Connections:
    lists = ConnectionLists(stack.carriers[depth], stack.notes[depth], stack.pairs[depth], stack.core_points[depth])
    return Connections(stack.grid, half_is_enough, lists, stack.empty[depth], stack.points[depth])


@jit
def connect_from(vcs: Connections, old: Connections, own: Word, other: Word) -> None:
    """`connect`, but starting from the complete connections of an earlier position with fewer stones.

    A connection with a new stone of the opponent in its carrier is lost. One that contains or touches a new stone of
    the side is combined again with all others. The rest is copied, as already combined with itself.
    """
    num_groups, lists, was = find_points(vcs, own, other), vcs.lists, old.lists
    num_points = lists.points.shape[1]
    stones, now = own | other, lists.points[NOW]
    for i in range(old.points[-1]):
        now[old.points[i]] = new_point(vcs, num_groups, old, old.points[i])
    for kind in range(2):  # first copy what is unchanged, between unchanged points
        copy_unchanged(lists, was, kind, stones)
    lists.notes[FULL, 0, 1] = lists.notes[FULL, 0, 0]
    link_groups(vcs, num_groups)
    for here in range(1, was.notes[FULL, 0, 0] + 1):  # full ones are enough: half connections follow from them
        pair = was.notes[FULL, here, PAIR]
        way = was.carriers[FULL, here]
        if pair == GONE:
            continue
        x, y = pair // num_points, pair % num_points
        if way & other:
            if now[x] & now[y] & STAYS and lists.pairs[FULL, pair, HEAD] == 0 and lists.pairs[HALF, pair, HEAD]:
                add_all(lists, pair)  # the other half connections may still make a full one
            continue
        if (now[x] | now[y]) & LOST or (now[x] & now[y] & STAYS and way & own == NONE):
            continue
        one, two = int(np.int64(now[x] & POINT)), int(np.int64(now[y] & POINT))
        if one != two:
            add_full(lists, pair_of(lists, one, two), way & ~own)
    combine_all(vcs)


@jit
def new_point(vcs: Connections, num_groups: int, old: Connections, point: int) -> Word:
    """What an earlier position's point is now: its new number, and whether it `STAYS` unchanged or is `LOST`."""
    if point >= vcs.lists.points.shape[1] - 2 or vcs.empty[0] & bit(point):
        return np.uint64(point) | STAYS
    for i in range(num_groups):
        group = vcs.points[i]
        if vcs.lists.points[GROUP, group] & bit(point):
            return np.uint64(group) | (STAYS if group == point and old.lists.points[ITSELF, point] == NONE else NONE)
    return LOST


@jit
def copy_unchanged(lists: ConnectionLists, was: ConnectionLists, kind: int, stones: Word) -> None:
    """Copy the connections between unchanged points that have none of the new stones in their carriers."""
    num_points, now, end = lists.points.shape[1], lists.points[NOW], 0
    for here in range(1, was.notes[kind, 0, 0] + 1):
        pair, way = was.notes[kind, here, PAIR], was.carriers[kind, here]
        if pair == GONE or way & stones:
            continue
        x, y = pair // num_points, pair % num_points
        if not now[x] & now[y] & STAYS:
            continue
        end += 1
        lists.carriers[kind, end], lists.notes[kind, end, PAIR] = way, pair
        lists.notes[kind, end, NEXT] = lists.pairs[kind, pair, HEAD]
        if kind == FULL:
            mark_combined(lists, x, y)
        else:
            lists.carriers[COMMON, pair] = way & (
                lists.carriers[COMMON, pair] if lists.pairs[kind, pair, HEAD] else EVERYTHING
            )
        lists.pairs[kind, pair, HEAD] = end
        lists.pairs[kind, pair, LENGTH] += 1
    lists.notes[kind, 0, 0] = end
