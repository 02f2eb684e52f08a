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
    Core,
    Net,
    add_all,
    add_full,
    combine_all,
    count_in,
    link_groups,
    net,
    pair_of,
    set_points,
)
from ludus.games.hex.solver.grid import EVERYTHING, Grid
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, bit

POINT, STAYS, LOST = np.uint64(255), np.uint64(256), np.uint64(512)  # what becomes of an earlier position's point


class Stack(NamedTuple):
    """Nets of one side, of a position and of those before it."""

    grid: Grid
    carriers: UInt64[np.ndarray, "D 3 E"]
    notes: Int16[np.ndarray, "D 2 E 2"]
    pairs: Int16[np.ndarray, "D 2 P*P 2"]
    core_points: UInt64[np.ndarray, "D 4 P"]
    empty: UInt64[np.ndarray, "D 1"]
    points: Int16[np.ndarray, "D P+1"]


def stack(grid: Grid, depth: int) -> Stack:
    one = net(grid.size)
    return Stack(grid, *(np.zeros((depth, *part.shape), part.dtype) for part in (*one.core, one.empty, one.points)))


@jit
def net_at(stack: Stack, depth: int, half_will_do: bool) -> Net:
    core = Core(stack.carriers[depth], stack.notes[depth], stack.pairs[depth], stack.core_points[depth])
    return Net(stack.grid, half_will_do, core, stack.empty[depth], stack.points[depth])


@jit
def reconnect(net: Net, old: Net, own: Word, other: Word) -> None:
    """The same from the connections of an earlier position, all found, with fewer stones of either side.

    What the other's new stones are in is lost. What the side's new stones are in or next to is combined anew, with all
    the rest; the rest has been combined with itself.
    """
    num_groups, core, was = set_points(net, own, other), net.core, old.core
    num_points = core.points.shape[1]
    stones, now = own | other, core.points[NOW]
    for i in range(old.points[-1]):
        now[old.points[i]] = becomes(net, num_groups, old, old.points[i])
    for kind in range(2):  # first what stays as it was, between points that do
        keep(core, was, kind, stones)
    core.notes[FULL, 0, 1] = core.notes[FULL, 0, 0]
    link_groups(net, num_groups)
    for here in range(1, was.notes[FULL, 0, 0] + 1):  # half connections follow from the full ones
        pair = was.notes[FULL, here, PAIR]
        way = was.carriers[FULL, here]
        if pair == GONE:
            continue
        x, y = pair // num_points, pair % num_points
        if way & other:
            if now[x] & now[y] & STAYS and core.pairs[FULL, pair, HEAD] == 0 and core.pairs[HALF, pair, HEAD]:
                add_all(core, pair)  # other ways may do instead
            continue
        if (now[x] | now[y]) & LOST or (now[x] & now[y] & STAYS and way & own == NONE):
            continue
        one, two = int(np.int64(now[x] & POINT)), int(np.int64(now[y] & POINT))
        if one != two:
            add_full(core, pair_of(core, one, two), way & ~own)
    combine_all(net)


@jit
def becomes(net: Net, num_groups: int, old: Net, point: int) -> Word:
    """The point that one of an earlier position is now, and whether it `STAYS` as it was or is `LOST`."""
    if point >= net.core.points.shape[1] - 2 or net.empty[0] & bit(point):
        return np.uint64(point) | STAYS
    for i in range(num_groups):
        group = net.points[i]
        if net.core.points[GROUP, group] & bit(point):
            return np.uint64(group) | (STAYS if group == point and old.core.points[ITSELF, point] == NONE else NONE)
    return LOST


@jit
def keep(core: Core, was: Core, kind: int, stones: Word) -> None:
    """All connections between points that stay as they were which have none of these stones in them."""
    num_points, now, end = core.points.shape[1], core.points[NOW], 0
    for here in range(1, was.notes[kind, 0, 0] + 1):
        pair, way = was.notes[kind, here, PAIR], was.carriers[kind, here]
        if pair == GONE or way & stones:
            continue
        x, y = pair // num_points, pair % num_points
        if not now[x] & now[y] & STAYS:
            continue
        end += 1
        core.carriers[kind, end], core.notes[kind, end, PAIR] = way, pair
        core.notes[kind, end, NEXT] = core.pairs[kind, pair, HEAD]
        if kind == FULL:
            count_in(core, x, y)
        else:
            core.carriers[COMMON, pair] = way & (
                core.carriers[COMMON, pair] if core.pairs[kind, pair, HEAD] else EVERYTHING
            )
        core.pairs[kind, pair, HEAD] = end
        core.pairs[kind, pair, LENGTH] += 1
    core.notes[kind, 0, 0] = end
