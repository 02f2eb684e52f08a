"""The rules of H-search on a few chosen connections."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ludus.games.hex.solver.connection_lists import FULL, HALF, HEAD, NEXT, add_full, add_half, edge_pair, pair_of
from ludus.games.hex.solver.connections import Connections, combine_all, connections, find_points, must_play
from ludus.search.words import NONE

X, MIDDLE, Y = 0, 12, 24  # cells of 5 x 5: two corners and the centre


def carriers(found: Connections, kind: int) -> list[int]:
    """Of all connections of the two corners."""
    here, cells = found.lists.pairs[kind, pair_of(found.lists, X, Y), HEAD], []
    while here:
        cells.append(int(found.lists.carriers[kind, here]))
        here = found.lists.notes[kind, here, NEXT]
    return cells


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6])
def test_half_connections_with_no_cell_in_common_make_a_full_one_of_all_their_cells(count: int) -> None:
    """The OR rule, for carriers each of which lacks another cell of so many: fewer than all have one in common. In
    whatever order they are found.
    """
    cells = [1 << cell for cell in range(3, 3 + count)]
    halves, found = [sum(cells) - cell for cell in cells], connections(5)
    for order in itertools.islice(itertools.permutations(halves), 0, None, 7):
        find_points(found, NONE, NONE)
        for half in order:
            assert carriers(found, FULL) == []
            add_half(found.lists, pair_of(found.lists, X, Y), np.uint64(half))
        assert carriers(found, FULL) == [sum(cells)]


@pytest.mark.parametrize("stone", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ({5}, {19}, {5, 19}),
        (set(), {19, 18}, {19, 18}),
        ({5, 10}, {10, 19}, None),  # the other plays there, and cuts one of the two
        ({5}, {X, 19}, None),  # an empty end is taken
        ({Y, 5}, {19}, None),
    ],
)
def test_two_connections_that_meet_make_one(stone: bool, first: set[int], second: set[int], joined: set | None) -> None:
    """The AND rule: at a stone a full one, at an empty cell a half one, which takes the cell too."""

    def cells(of: set[int]) -> int:
        return sum(1 << cell for cell in of)

    found = connections(5)
    find_points(found, np.uint64(stone << MIDDLE), NONE)
    for end, carrier in ((X, first), (Y, second)):
        add_full(found.lists, pair_of(found.lists, end, MIDDLE), np.uint64(cells(carrier)))
    combine_all(found)
    made = {FULL: [], HALF: []}
    if joined is not None:
        made[FULL if stone else HALF] = [cells(joined if stone else joined | {MIDDLE})]
    assert {kind: carriers(found, kind) for kind in made} == made


def test_the_other_has_to_play_in_all_threats_and_their_cells_are_said() -> None:
    """Threats that narrow nothing down are not among them."""
    found = connections(5)
    find_points(found, NONE, NONE)
    for threat in ({3, 4, 5}, {4, 5, 6}, {5, 7}, {5, 8, 9}):
        add_half(found.lists, edge_pair(found.lists), np.uint64(sum(1 << cell for cell in threat)))
    must, cells = must_play(found)
    assert (int(must), int(cells)) == (1 << 5, sum(1 << cell for cell in (5, 7, 8, 9)))  # by the two found last
