"""Transposition table: scores and best moves of positions, by key, in a fixed size; new entries replace old ones.

An entry is two words: the key with the number of the search in place of its lowest bits, and what was found. Four share
a line of the processor's cache, and a position may stand in any of the four that its key leads to. An entry of another
search counts as empty, so that what a search finds depends on nothing that was searched before.

    first word     key, 48 bits                | search, 16
    second word    bound 2 | depth 8 | move 16 | score 32
"""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt64

from ludus.search.compiled import jit
from ludus.search.words import NONE, Word

SLOTS = 4
SEARCHES = 1 << 16  # from 1 on; then the table is emptied
SMALLEST = SLOTS * SEARCHES  # entries: the place in the table stands for the bits that the key has lost
NO_MOVE = 0xFFFF
LOWER, UPPER, EXACT = 1, 2, 3  # the score is at least this, at most, or this


def table(entries: int) -> UInt64[np.ndarray, "W"]:
    """An empty one: a power of two of entries."""
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
    """Store an entry over the same position's, else over one of another search, else over the shallowest."""
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
    """The first of the words that a key leads to."""
    return int(np.int64(key & np.uint64(len(table) // (2 * SLOTS) - 1)) * (2 * SLOTS))


@jit
def score_of(found: Word) -> int:
    return int(np.int64(np.int32(np.uint32(found & np.uint64(0xFFFFFFFF)))))


@jit
def move_of(found: Word) -> int:
    """The move that was best, or `NO_MOVE`."""
    return int(np.int64((found >> np.uint64(32)) & np.uint64(NO_MOVE)))


@jit
def depth_of(found: Word) -> int:
    return int(np.int64((found >> np.uint64(48)) & np.uint64(0xFF)))


@jit
def bound_of(found: Word) -> int:
    return int(np.int64(found >> np.uint64(56)))
