"""Transposition table: scores and best moves of positions, by key, in a fixed size; new entries replace old ones.

An entry is two words: the key, with the search number in its lowest bits, and the result. Four entries are a bucket,
which is one cache line; a position may be in any entry of its bucket. Entries of other searches count as empty, so that
a search does not depend on earlier ones.

    first word     key, 48 bits                | search, 16
    second word    bound 2 | depth 8 | move 16 | score 32
"""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt64

from ludus.search.compiled import jit
from ludus.search.words import NONE, Word

SLOTS = 4
SEARCHES = 1 << 16  # search numbers, from 1; then the table is cleared
SMALLEST = SLOTS * SEARCHES  # entries, at least: the bucket's index stands for the key's lowest bits
NO_MOVE = 0xFFFF
LOWER, UPPER, EXACT = 1, 2, 3  # the score is at least this, at most, or this


def table(entries: int) -> UInt64[np.ndarray, "W"]:
    """An empty table; the number of entries is rounded up to a power of two."""
    return np.zeros(2 * max(SMALLEST, 1 << (entries - 1).bit_length()), np.uint64)


@jit
def look(table: UInt64[np.ndarray, "W"], key: Word, search: int) -> Word:
    """Probe: the entry of a position from this search, or zero."""
    wanted = (key & ~np.uint64(SEARCHES - 1)) | np.uint64(search)
    first = _first(table, key)
    for slot in range(first, first + 2 * SLOTS, 2):
        if table[slot] == wanted:
            return table[slot + 1]
    return NONE


@jit
def keep(table: UInt64[np.ndarray, "W"], key: Word, search: int, score: int, bound: int, depth: int, move: int) -> None:
    """Store an entry. It replaces the same position's entry, else one of another search, else the shallowest."""
    wanted = (key & ~np.uint64(SEARCHES - 1)) | np.uint64(search)
    first = _first(table, key)
    place, least = first, 1 << 20
    for slot in range(first, first + 2 * SLOTS, 2):
        if table[slot] == wanted:
            place = slot
            break
        fresh = np.int64(table[slot] & np.uint64(SEARCHES - 1)) == search
        worth = depth_of(table[slot + 1]) if fresh else -1
        if worth < least:
            place, least = slot, worth
    table[place] = wanted
    table[place + 1] = (
        np.uint64(np.uint32(score))
        | np.uint64(move & NO_MOVE) << np.uint64(32)
        | np.uint64(depth) << np.uint64(48)
        | np.uint64(bound) << np.uint64(56)
    )


@jit
def _first(table: UInt64[np.ndarray, "W"], key: Word) -> int:
    """The index of the first word of a key's bucket."""
    return int(np.int64(key & np.uint64(len(table) // (2 * SLOTS) - 1)) * (2 * SLOTS))


@jit
def score_of(found: Word) -> int:
    return int(np.int64(np.int32(np.uint32(found & np.uint64(0xFFFFFFFF)))))


@jit
def move_of(found: Word) -> int:
    """The best move, or `NO_MOVE`."""
    return int(np.int64((found >> np.uint64(32)) & np.uint64(NO_MOVE)))


@jit
def depth_of(found: Word) -> int:
    return int(np.int64((found >> np.uint64(48)) & np.uint64(0xFF)))


@jit
def bound_of(found: Word) -> int:
    return int(np.int64(found >> np.uint64(56)))
