"""The AND rule of H-search on boards of up to 11, where a set of cells takes two words: on chosen connections."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.games.hex.solver.large_connections import EMPTY, OWN, add_full, combine, large_connections, reset_connections

pytestmark = pytest.mark.slow  # Numba compiles before the first of them

X, MIDDLE, Z = 0, 66, 120  # of 11 x 11, in either word
LOW = (1 << 64) - 1


def words(cells: set[int]) -> tuple[np.uint64, np.uint64]:
    number = sum(1 << cell for cell in cells)
    return np.uint64(number & LOW), np.uint64(number >> 64)


@pytest.mark.parametrize("stone", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ({5, 70}, {6, 71}, {5, 6, 70, 71}),
        ({5, 70}, {6, 70}, None),  # the other plays there, and cuts one of the two
        ({5, 70}, {5, 71}, None),
        ({5}, {X, 71}, None),  # an empty end is taken
        ({Z, 5}, {71}, None),
    ],
)
def test_two_connections_that_meet_make_one(stone: bool, first: set[int], second: set[int], joined: set | None) -> None:
    """At a stone a full one; at an empty cell a half one, which takes the cell too and begins with it."""
    vcs = large_connections(11)
    vcs.stones[:] = EMPTY
    vcs.stones[MIDDLE] = OWN if stone else EMPTY
    reset_connections(vcs)
    add_full(vcs, X, MIDDLE, *words(first))
    add_full(vcs, MIDDLE, Z, *words(second))
    combine(vcs, X, MIDDLE, *words(first))
    made = int(vcs.num_full[X, Z]), int(vcs.num_half[X, Z])
    if joined is None:
        assert made == (0, 0)
    elif stone:
        assert made == (1, 0)
        assert tuple(vcs.full[X, Z, 0]) == words(joined)
    else:
        assert made == (0, 1)
        assert tuple(vcs.half[X, Z, 0]) == words(joined | {MIDDLE})
        assert vcs.key[X, Z, 0] == MIDDLE
