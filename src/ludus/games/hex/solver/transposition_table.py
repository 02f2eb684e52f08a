"""Transposition table of the Hex search; a position and its 180-degree rotation share one entry.

The size is fixed. A position may stand in any place of its bucket; in a full bucket the entry that took the least work
is replaced.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int8, Int32, UInt8, UInt64

from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, reverse

WIN, LOSS, UNKNOWN = 1, -1, 0
NEVER = 1 << 28  # infinity: the proof number of what cannot be proved
BUCKET = 4  # places of a bucket


class TranspositionTable(NamedTuple):
    """About 50 bytes a place, plus one for every cell of the board."""

    black: UInt64[np.ndarray, "S"]
    white: UInt64[np.ndarray, "S"]
    mover: Int8[np.ndarray, "S"]  # -1: an empty place
    proof: Int32[np.ndarray, "S"]  # proof number of "the mover wins": 0 if proved, `NEVER` if disproved
    disproof: Int32[np.ndarray, "S"]
    work: Int32[np.ndarray, "S"]
    cells: UInt64[np.ndarray, "S"]  # the carrier if decided, otherwise the must-play region
    threats: UInt64[np.ndarray, "S"]
    moves: UInt8[np.ndarray, "S N"]  # moves, most promising first
    num_moves: Int8[np.ndarray, "S"]  # number of moves; 0 if the position was never expanded


def transposition_table(size: int, log_places: int) -> TranspositionTable:
    """A table of 2**log_places places."""
    places = 1 << log_places
    return TranspositionTable(
        black=np.zeros(places, np.uint64),
        white=np.zeros(places, np.uint64),
        mover=np.full(places, -1, np.int8),
        proof=np.zeros(places, np.int32),
        disproof=np.zeros(places, np.int32),
        work=np.zeros(places, np.int32),
        cells=np.zeros(places, np.uint64),
        threats=np.zeros(places, np.uint64),
        moves=np.zeros((places, size**2), np.uint8),
        num_moves=np.zeros(places, np.int8),
    )


@jit
def rotate(num_cells: int, cells: Word) -> Word:
    """A set of cells after the board is rotated by 180 degrees."""
    return np.uint64(reverse(cells)) >> np.uint64(64 - num_cells)


@jit
def rotate_if(rotated: bool, num_cells: int, cells: Word) -> Word:
    return rotate(num_cells, cells) if rotated else cells


@jit
def copy_moves(
    moves: UInt8[np.ndarray, "N"], num_moves: int, num_cells: int, rotated: bool, out: UInt8[np.ndarray, "N"]
) -> None:
    for i in range(num_moves):
        out[i] = num_cells - 1 - moves[i] if rotated else moves[i]


@jit
def find(table: TranspositionTable, black: Word, white: Word, mover: int) -> tuple[int, bool]:
    """The place of a position, or -1; and whether its rotation is what is stored."""
    num_cells = table.moves.shape[1]
    black_rotated, white_rotated = rotate(num_cells, black), rotate(num_cells, white)
    rotated = black_rotated < black or (black_rotated == black and white_rotated < white)
    if rotated:
        black, white = black_rotated, white_rotated
    first = bucket(table, black, white, mover)
    for place in range(first, first + BUCKET):
        if table.mover[place] == mover and table.black[place] == black and table.white[place] == white:
            return place, rotated
    return -1, rotated


@jit
def bucket(table: TranspositionTable, black: Word, white: Word, mover: int) -> int:
    mixed = (black * np.uint64(0x9E3779B97F4A7C15)) ^ ((white + np.uint64(mover + 1)) * np.uint64(0xC2B2AE3D27D4EB4F))
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return int(np.int64((mixed >> np.uint64(20)) & np.uint64(len(table.mover) - BUCKET)))


@jit
def allocate(table: TranspositionTable, black: Word, white: Word, mover: int) -> tuple[int, bool]:
    """The place of a position, or a new one for it."""
    place, rotated = find(table, black, white, mover)
    if place < 0:
        num_cells = table.moves.shape[1]
        if rotated:
            black, white = rotate(num_cells, black), rotate(num_cells, white)
        place = bucket(table, black, white, mover)
        for other in range(place, place + BUCKET):
            if table.mover[other] < 0:
                place = other
                break
            if table.work[other] < table.work[place]:
                place = other
        table.black[place], table.white[place], table.mover[place] = black, white, mover
        table.work[place] = 0
    return place, rotated


@jit
def probe(table: TranspositionTable, black: Word, white: Word, mover: int) -> tuple[int, Word]:
    """The mover's value and the proof's carrier if the position is decided, otherwise `UNKNOWN`."""
    place, rotated = find(table, black, white, mover)
    if place < 0 or (table.proof[place] and table.disproof[place]):
        return UNKNOWN, NONE
    cells = table.cells[place]
    return LOSS if table.proof[place] else WIN, rotate_if(rotated, table.moves.shape[1], cells)


@jit
def record(
    table: TranspositionTable, black: Word, white: Word, mover: int, value: int, carrier: Word, work: int
) -> None:
    """Store a proved value."""
    place, rotated = allocate(table, black, white, mover)
    table.proof[place], table.disproof[place] = (0, NEVER) if value == WIN else (NEVER, 0)
    table.cells[place] = rotate_if(rotated, table.moves.shape[1], carrier)
    table.work[place] = min(table.work[place] + work, 1 << 30)
    table.num_moves[place] = 0
