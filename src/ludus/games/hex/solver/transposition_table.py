"""What a search of Hex remembers: positions, each as it or its half turn has the smaller number.

The number of places is fixed, and so is the memory. Of a few places a position may have, the one that was the least
work gives way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int8, Int32, UInt8, UInt64

from ludus.search.compiled import jit
from ludus.search.words import NONE, Word, reverse

WIN, LOSS, UNKNOWN = 1, -1, 0
NEVER = 1 << 28  # the proof number of what cannot be proved
BUCKET = 4  # places where a position may be stored


class TranspositionTable(NamedTuple):
    """Some 50 bytes a place, and one more for every cell of the board."""

    black: UInt64[np.ndarray, "S"]
    white: UInt64[np.ndarray, "S"]
    mover: Int8[np.ndarray, "S"]  # -1 where there is nothing
    proof: Int32[np.ndarray, "S"]  # that the mover wins; 0 if it does
    disproof: Int32[np.ndarray, "S"]
    work: Int32[np.ndarray, "S"]
    cells: UInt64[np.ndarray, "S"]  # the carrier of what is proved; else the moves that are left
    threats: UInt64[np.ndarray, "S"]
    order: UInt8[np.ndarray, "S N"]  # the moves, most promising first
    length: Int8[np.ndarray, "S"]  # how many; 0 if the position was not looked into


def transposition_table(size: int, log_places: int) -> TranspositionTable:
    """With room for so many positions."""
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
        order=np.zeros((places, size**2), np.uint8),
        length=np.zeros(places, np.int8),
    )


@jit
def rotate(num_cells: int, cells: Word) -> Word:
    """The set after half a turn of the board."""
    return np.uint64(reverse(cells)) >> np.uint64(64 - num_cells)


@jit
def find(table: TranspositionTable, black: Word, white: Word, mover: int) -> tuple[int, bool]:
    """The place of a position, -1 if it is not there; and whether it stands there turned."""
    num_cells = table.order.shape[1]
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
    """A place for a position, its own if it has one."""
    place, rotated = find(table, black, white, mover)
    if place < 0:
        num_cells = table.order.shape[1]
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
    """The value of a position to the mover and the carrier of the proof; `UNKNOWN` if it is not there."""
    place, rotated = find(table, black, white, mover)
    if place < 0 or (table.proof[place] and table.disproof[place]):
        return UNKNOWN, NONE
    cells = table.cells[place]
    return LOSS if table.proof[place] else WIN, rotate(table.order.shape[1], cells) if rotated else cells


@jit
def record(
    table: TranspositionTable, black: Word, white: Word, mover: int, value: int, carrier: Word, work: int
) -> None:
    """Remember a proof."""
    place, rotated = allocate(table, black, white, mover)
    table.proof[place], table.disproof[place] = (0, NEVER) if value == WIN else (NEVER, 0)
    table.cells[place] = rotate(table.order.shape[1], carrier) if rotated else carrier
    table.work[place] = min(table.work[place] + work, 1 << 30)
    table.length[place] = 0
