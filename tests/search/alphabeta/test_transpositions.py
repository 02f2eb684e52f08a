"""The table gives back what was kept, of this search alone, and lets go of what was looked at least deep."""

from __future__ import annotations

import numpy as np

from ludus.search.alphabeta import transpositions as tables
from ludus.search.alphabeta.transpositions import EXACT, LOWER, NO_MOVE, SLOTS, UPPER


def read(table: np.ndarray, key: np.uint64, search: int) -> tuple[int, int, int, int] | None:
    found = np.uint64(tables.look(table, key, search))
    if not found:
        return None
    parts = tables.score_of, tables.bound_of, tables.depth_of, tables.move_of
    score, bound, depth, move = (part(found) for part in parts)
    return score, bound, depth, move


def test_what_is_kept_comes_back_whole() -> None:
    table, random = tables.table(1), np.random.default_rng(0)
    kept = {}
    for _ in range(2000):
        key = random.integers(1 << 64, dtype=np.uint64)
        what = (
            int(random.integers(-1_000_000, 1_000_001)),
            int(random.choice([LOWER, UPPER, EXACT])),
            int(random.integers(65)),
            int(random.choice([0, 1829, NO_MOVE])),
        )
        kept[key] = what
        tables.keep(table, key, 65_535, *what)
    assert all(read(table, key, 65_535) == what for key, what in kept.items())
    assert all(read(table, key, 1) is None for key in kept)
    assert all(read(table, key ^ np.uint64(1 << bit), 65_535) is None for key in list(kept)[:20] for bit in range(64))


def test_the_deepest_stay_and_another_search_goes_first() -> None:
    table = tables.table(1)
    keys = [np.uint64((i << 32) + 5) for i in range(1, 8)]  # all in one place
    for depth, key in enumerate(keys[:SLOTS], start=3):
        tables.keep(table, key, 1, 10 * depth, EXACT, depth, 0)
    tables.keep(table, keys[4], 1, 7, EXACT, 1, 0)  # in place of the shallowest
    assert [read(table, key, 1) is not None for key in keys[:5]] == [False, True, True, True, True]
    tables.keep(table, keys[4], 1, 8, LOWER, 9, 3)  # in place of itself
    assert read(table, keys[4], 1) == (8, LOWER, 9, 3)
    for key in keys[:SLOTS]:
        tables.keep(table, key, 2, 1, UPPER, 0, 0)
    assert all(read(table, key, 2) for key in keys[:SLOTS])
    assert not any(read(table, key, 1) for key in keys)


def test_it_is_as_large_as_asked_for() -> None:
    assert len(tables.table(1 << 20)) == 2 << 20
    assert len(tables.table((1 << 20) + 1)) == 4 << 20
