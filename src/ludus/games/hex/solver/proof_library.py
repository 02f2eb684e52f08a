"""What a search of Hex has proved anywhere, for use everywhere.

A proof takes the winner's stones next to its carrier, and the carrier; what else stands on the board does not matter.
So it holds wherever those stones stand and the carrier is not the other's. There the search is over; or, where the
winner would have to be to move and is not, the other has to play in the carrier. A table finds a position again; this
finds the reason.

All is kept as if the winner joined top and bottom; the other side's come transposed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64, UInt64

from ludus.games.hex.solver.grid import EVERYTHING, Grid, around, flood
from ludus.search.compiled import jit
from ludus.search.words import NONE, Word

MOVING_SECOND, MOVING_FIRST = 0, 1  # the winner wins though the other moves first; or if it moves first itself
BLOCK = 64


class ProofLibrary(NamedTuple):
    stones: UInt64[np.ndarray, "2 S"]
    carriers: UInt64[np.ndarray, "2 S"]
    used: Bool[np.ndarray, "2 S"]  # since the hand last came by
    number: Int64[np.ndarray, "2 S"]  # the how-manieth it was to be learned
    hand: Int64[np.ndarray, "3"]  # where the next one goes, for each kind; and how many have been learned


def proof_library(places: int) -> ProofLibrary:
    return ProofLibrary(
        stones=np.full((2, places), EVERYTHING, np.uint64),  # what nobody has
        carriers=np.full((2, places), EVERYTHING, np.uint64),
        used=np.zeros((2, places), np.bool_),
        number=np.zeros((2, places), np.int64),
        hand=np.zeros(3, np.int64),
    )


@jit
def needed_stones(grid: Grid, own: Word, carrier: Word) -> Word:
    """The stones that a winner with this carrier may use: groups next to it."""
    return flood(grid, around(grid, carrier) & own, own)


@jit
def add_proof(library: ProofLibrary, kind: int, stones: Word, carrier: Word) -> None:
    """Put a proof where one stands that has not been used for longest, or nearly."""
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
    """The stones and carriers of either kind that were learned after so many."""
    rows = [np.flatnonzero(learned > number) for learned in library.number]
    return [(library.stones[kind, row], library.carriers[kind, row]) for kind, row in enumerate(rows)]


@jit
def find_proof(library: ProofLibrary, kind: int, own: Word, other: Word) -> tuple[bool, Word]:
    """Whether a proof of this kind holds for the side that joins top and bottom; and its carrier."""
    stones, carriers = library.stones[kind], library.carriers[kind]
    for start in range(0, len(stones), BLOCK):
        found = 0
        for i in range(start, start + BLOCK):
            found += ((stones[i] & ~own) | (carriers[i] & other)) == NONE
        if found:
            for i in range(start, start + BLOCK):
                if ((stones[i] & ~own) | (carriers[i] & other)) == NONE:
                    library.used[kind, i] = True
                    return True, carriers[i] & ~own
    return False, NONE


@jit
def narrow_by_threats(library: ProofLibrary, own: Word, other: Word, must: Word, threats: Word) -> tuple[Word, Word]:
    """Of these cells those where the other has to play, if the side that joins top and bottom would else win by some
    proof; and the cells of those threats with these.
    """
    stones, carriers = library.stones[MOVING_FIRST], library.carriers[MOVING_FIRST]
    for start in range(0, len(stones), BLOCK):
        found = 0
        for i in range(start, start + BLOCK):
            found += ((stones[i] & ~own) | (carriers[i] & other)) == NONE
        if found:
            for i in range(start, start + BLOCK):
                if ((stones[i] & ~own) | (carriers[i] & other)) == NONE and must & ~carriers[i] != NONE:
                    library.used[MOVING_FIRST, i] = True
                    must &= carriers[i]
                    threats |= carriers[i] & ~own
    return must, threats
