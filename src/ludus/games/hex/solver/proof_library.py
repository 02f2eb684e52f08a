"""Library of proofs: what was proved in one Hex position, used in every other position where it holds.

A proof needs only its carrier and the winner's stones next to the carrier; the rest of the board does not matter. So it
holds wherever those stones stand and the opponent has no stone in the carrier. There the position is decided. If the
proof needs the winner to move first and the opponent is to move, the opponent has to play in the carrier. The
transposition table finds a position again; the library finds the reason again.

All proofs are stored as if the winner joined top and bottom; those of the other side are transposed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64, UInt64

from ludus.games.hex.solver.grid import EVERYTHING, Grid, around, flood
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word

MOVING_SECOND, MOVING_FIRST = 0, 1  # the winner wins even if the opponent moves first; or only if it moves first itself
BLOCK = 64  # proofs tested at a time, without a branch


class ProofLibrary(NamedTuple):
    """A ring of proofs for each kind, replaced by the CLOCK algorithm."""

    stones: UInt64[np.ndarray, "2 S"]
    carriers: UInt64[np.ndarray, "2 S"]
    used: Bool[np.ndarray, "2 S"]  # since the hand last passed
    number: Int64[np.ndarray, "2 S"]  # serial number of the addition
    hand: Int64[np.ndarray, "3"]  # where the next proof of each kind goes; and the number of additions


def proof_library(places: int) -> ProofLibrary:
    return ProofLibrary(
        stones=np.full((2, places), EVERYTHING, np.uint64),  # no position has all these stones
        carriers=np.full((2, places), EVERYTHING, np.uint64),
        used=np.zeros((2, places), np.bool_),
        number=np.zeros((2, places), np.int64),
        hand=np.zeros(3, np.int64),
    )


@jit
def needed_stones(grid: Grid, own: Word, carrier: Word) -> Word:
    """The stones a proof with this carrier may use: the winner's groups next to it."""
    return flood(grid, around(grid, carrier) & own, own)


@jit
def add_proof(library: ProofLibrary, kind: int, stones: Word, carrier: Word) -> None:
    """Replace a proof that was not used lately (CLOCK replacement)."""
    used, places = library.used[kind], library.used.shape[1]
    at = library.hand[kind]
    while used[at]:
        used[at] = False
        at = at + 1 if at + 1 < places else 0
    library.stones[kind, at], library.carriers[kind, at] = stones, carrier
    library.hand[kind] = at + 1 if at + 1 < places else 0
    library.hand[2] += 1
    library.number[kind, at] = library.hand[2]


@jit
def add_proofs(
    library: ProofLibrary, kind: int, stones: UInt64[np.ndarray, "N"], carriers: UInt64[np.ndarray, "N"]
) -> None:
    for i in range(len(stones)):
        add_proof(library, kind, stones[i], carriers[i])


def added_after(library: ProofLibrary, number: int) -> list[tuple[UInt64[np.ndarray, "N"], UInt64[np.ndarray, "N"]]]:
    """Stones and carriers, by kind, of the proofs added after the first `number`."""
    rows = [np.flatnonzero(learned > number) for learned in library.number]
    return [(library.stones[kind, row], library.carriers[kind, row]) for kind, row in enumerate(rows)]


@jit
def next_match(library: ProofLibrary, kind: int, own: Word, other: Word, start: int) -> int:
    """The first proof from `start` on that holds for the side that joins top and bottom; -1 if there is none."""
    stones, carriers = library.stones[kind], library.carriers[kind]
    for begin in range(start // BLOCK * BLOCK, len(stones), BLOCK):
        found = 0
        for i in range(begin, begin + BLOCK):
            found += ((stones[i] & ~own) | (carriers[i] & other)) == NONE
        if found:
            for i in range(max(begin, start), begin + BLOCK):
                if ((stones[i] & ~own) | (carriers[i] & other)) == NONE:
                    return i
    return -1


@jit
def find_proof(library: ProofLibrary, kind: int, own: Word, other: Word) -> tuple[bool, Word]:
    """Whether a proof of this kind holds for the side that joins top and bottom, and its carrier."""
    i = next_match(library, kind, own, other, 0)
    if i < 0:
        return False, NONE
    library.used[kind, i] = True
    return True, library.carriers[kind, i] & ~own


@jit
def narrow_by_threats(library: ProofLibrary, own: Word, other: Word, must: Word, threats: Word) -> tuple[Word, Word]:
    """Narrow the opponent's must-play region: `own`, who joins top and bottom, threatens every proof that holds.

    Returns the cells of the region that are in all those carriers; and `threats` with the cells of the carriers used.
    """
    i = next_match(library, MOVING_FIRST, own, other, 0)
    while i >= 0:
        carrier = library.carriers[MOVING_FIRST, i]
        if must & ~carrier != NONE:
            library.used[MOVING_FIRST, i] = True
            must &= carrier
            threats |= carrier & ~own
        i = next_match(library, MOVING_FIRST, own, other, i + 1)
    return must, threats
