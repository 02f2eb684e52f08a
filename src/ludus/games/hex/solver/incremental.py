"""H-search in Hex step by step: a move changes the connections it touches, and the others are kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int16, UInt64

from ludus.games.hex.solver.connections import (
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
    Connections,
    add_all,
    add_full,
    combine_all,
    connections,
    find_points,
    link_groups,
    mark_combined,
    pair_of,
)
from ludus.games.hex.solver.grid import EVERYTHING, Grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, bit

POINT, STAYS, LOST = np.uint64(255), np.uint64(256), np.uint64(512)  # what becomes of an earlier position's point


class ConnectionStack(NamedTuple):
    """Nets of one side, of a position and of those before it."""

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
    """The same from the connections of an earlier position, all found, with fewer stones of either side.

    What the other's new stones are in is lost. What the side's new stones are in or next to is combined anew, with all
    the rest; the rest has been combined with itself.
    """
    num_groups, lists, was = find_points(vcs, own, other), vcs.lists, old.lists
    num_points = lists.points.shape[1]
    stones, now = own | other, lists.points[NOW]
    for i in range(old.points[-1]):
        now[old.points[i]] = new_point(vcs, num_groups, old, old.points[i])
    for kind in range(2):  # first what stays as it was, between points that do
        copy_unchanged(lists, was, kind, stones)
    lists.notes[FULL, 0, 1] = lists.notes[FULL, 0, 0]
    link_groups(vcs, num_groups)
    for here in range(1, was.notes[FULL, 0, 0] + 1):  # half connections follow from the full ones
        pair = was.notes[FULL, here, PAIR]
        way = was.carriers[FULL, here]
        if pair == GONE:
            continue
        x, y = pair // num_points, pair % num_points
        if way & other:
            if now[x] & now[y] & STAYS and lists.pairs[FULL, pair, HEAD] == 0 and lists.pairs[HALF, pair, HEAD]:
                add_all(lists, pair)  # other ways may do instead
            continue
        if (now[x] | now[y]) & LOST or (now[x] & now[y] & STAYS and way & own == NONE):
            continue
        one, two = int(np.int64(now[x] & POINT)), int(np.int64(now[y] & POINT))
        if one != two:
            add_full(lists, pair_of(lists, one, two), way & ~own)
    combine_all(vcs)


@jit
def new_point(vcs: Connections, num_groups: int, old: Connections, point: int) -> Word:
    """The point that one of an earlier position is now, and whether it `STAYS` as it was or is `LOST`."""
    if point >= vcs.lists.points.shape[1] - 2 or vcs.empty[0] & bit(point):
        return np.uint64(point) | STAYS
    for i in range(num_groups):
        group = vcs.points[i]
        if vcs.lists.points[GROUP, group] & bit(point):
            return np.uint64(group) | (STAYS if group == point and old.lists.points[ITSELF, point] == NONE else NONE)
    return LOST


@jit
def copy_unchanged(lists: ConnectionLists, was: ConnectionLists, kind: int, stones: Word) -> None:
    """All connections between points that stay as they were which have none of these stones in them."""
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
