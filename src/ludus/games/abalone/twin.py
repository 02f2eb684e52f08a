"""Abalone for the search: the marbles of a side are one 64-bit word; undo information is the cells that changed."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8, Int16, UInt64

from ludus.core.bits import Bits
from ludus.games.abalone.notation import LOST_AT
from ludus.games.abalone.rules import DIRECTIONS, NUM_CELLS, NUM_WORDS, STRIDE, Abalone, State, geometry
from ludus.search import words
from ludus.search.compiled import jit
from ludus.search.twins import perft_of
from ludus.search.words import NONE, ONE, Steps, Word, ahead, behind, bit, lowest

# Hexagons of 61 cells tile the plane, and one numbering runs through all of them: a row that leaves the board on the
# right continues as a row of the next board. So a step adds the same number, modulo 61, from any cell. Cell
# (row, diagonal) is bit (13 * row + diagonal - 1) mod 61:
#
#             I 47 48 49 50 51
#            H 33 34 35 36 37 38               the six directions
#           G 19 20 21 22 23 24 25
#          F 05 06 07 08 09 10 11 12              +13   +14
#         E 52 53 54 55 56 57 58 59 60              \   /
#          D 39 40 41 42 43 44 45 46           -1 -- o -- +1
#           C 26 27 28 29 30 31 32                  /   \
#            B 13 14 15 16 17 18                 -14   -13
#             A 00 01 02 03 04
ROW = 13


class AbaloneTables(NamedTuple):
    """The board and the kinds of moves; a direction or an axis is its place in `DIRECTIONS`."""

    steps: Steps
    bits: Int8[np.ndarray, "61"]  # of each cell as the rules count them, a1 first
    cells: Int8[np.ndarray, "61"]  # and back: the cell of each bit
    halves: UInt64[np.ndarray, "2"]  # rows A to E, and F to I: in each, a higher bit is a later cell
    direction: Int8[np.ndarray, "K"]  # by kind of move
    axis: Int8[np.ndarray, "K"]
    length: Int8[np.ndarray, "K"]


class AbaloneBoard(NamedTuple):
    tables: AbaloneTables
    marbles: UInt64[np.ndarray, "2"]  # by seat
    mover: Int8[np.ndarray, "1"]


@functools.cache
def tables() -> AbaloneTables:
    places, _, kinds = geometry()
    bits = (ROW * (places // STRIDE) + places % STRIDE) % NUM_CELLS
    fall = np.flatnonzero(np.diff(bits) < 0) + 1
    return AbaloneTables(
        steps=words.steps(dict(zip(places.tolist(), bits.tolist(), strict=True)), DIRECTIONS),
        bits=bits.astype(np.int8),
        cells=np.argsort(bits).astype(np.int8),
        halves=np.array([sum(1 << b for b in half.tolist()) for half in np.split(bits, fall)], np.uint64),
        direction=np.array([DIRECTIONS.index(kind.direction) for kind in kinds], np.int8),
        axis=np.array([DIRECTIONS.index(kind.axis) if kind.length else -1 for kind in kinds], np.int8),
        length=np.array([kind.length for kind in kinds], np.int8),
    )


@jit
def moves(board: AbaloneBoard, out: Int16[np.ndarray, "M"]) -> int:
    """Writes the legal actions in order; returns how many. There are none once a side has lost."""
    tables, mover = board.tables, board.mover[0]
    steps = tables.steps
    own, other = board.marbles[mover], board.marbles[1 - mover]
    if words.count(own) <= LOST_AT or words.count(other) <= LOST_AT:
        return 0
    occupied = own | other
    empty = steps.board & ~occupied
    total = 0
    for d in range(len(DIRECTIONS)):
        total = _write(tables, d, _in_line(steps, own, other, d), out, total)
    for kind in range(len(DIRECTIONS), len(tables.length), 2):  # one for two marbles, then the same for three
        free = own & behind(steps, empty, tables.direction[kind])
        two = free & behind(steps, free, tables.axis[kind])
        three = two & behind(steps, two, tables.axis[kind])
        total = _write(tables, kind, two, out, total)
        total = _write(tables, kind + 1, three, out, total)
    return total


@jit
def _in_line(steps: Steps, own: Word, other: Word, direction: int) -> Word:
    """The rear marbles of the moves in line.

    A lone marble moves to an empty cell; the front one of two may also push one marble, of three one or two, if what is
    behind them is empty or off the board.
    """
    empty = steps.board & ~(own | other)
    pushable = other & ~behind(steps, own | other, direction)
    two_pushable = other & behind(steps, pushable, direction)
    third = own & behind(steps, empty | pushable | two_pushable, direction)
    second = own & behind(steps, empty | pushable | third, direction)
    return own & behind(steps, empty | second, direction)


@jit
def over(board: AbaloneBoard) -> bool:
    """Whether a side has lost, or the mover has no move. Marbles that can go sideways can also go one by one."""
    own, other = board.marbles[board.mover[0]], board.marbles[1 - board.mover[0]]
    if words.count(own) <= LOST_AT or words.count(other) <= LOST_AT:
        return True
    found = NONE
    for d in range(len(DIRECTIONS)):
        found |= _in_line(board.tables.steps, own, other, d)
        if found:
            break
    return found == NONE


@jit
def pushing_off(steps: Steps, own: Word, other: Word, direction: int) -> Word:
    """The rear marbles of the moves that push a marble off the board."""
    last = other & ~steps.inside[direction]
    first = own & behind(steps, last, direction)
    second = own & behind(steps, first, direction)
    found = second | (own & behind(steps, second, direction))
    last = other & behind(steps, last, direction)
    for _ in range(3):  # three of ours push two
        last = own & behind(steps, last, direction)
    return found | last


@jit
def forcing(board: AbaloneBoard, out: Int16[np.ndarray, "M"]) -> int:
    """Writes the moves that push a marble off the board; returns how many."""
    own, other = board.marbles[board.mover[0]], board.marbles[1 - board.mover[0]]
    total = 0
    for d in range(len(DIRECTIONS)):
        total = _write(board.tables, d, pushing_off(board.tables.steps, own, other, d), out, total)
    return total


@jit
def _write(tables: AbaloneTables, kind: int, starts: Word, out: Int16[np.ndarray, "M"], total: int) -> int:
    """Appends the moves of one kind."""
    for half in range(2):
        left = starts & tables.halves[half]
        while left:
            out[total] = kind * NUM_CELLS + tables.cells[lowest(left)]
            total += 1
            left &= left - ONE
    return total


@jit
def make(board: AbaloneBoard, action: int) -> tuple[Word, Word]:
    """Plays a legal action; returns the cells it changes, the mover's and the other's."""
    tables, mover = board.tables, board.mover[0]
    steps = tables.steps
    own, other = board.marbles[mover], board.marbles[1 - mover]
    kind, start = action // NUM_CELLS, bit(tables.bits[action % NUM_CELLS])
    direction, axis, length = tables.direction[kind], tables.axis[kind], tables.length[kind]
    pushed = NONE
    if length == 0:
        # In line, the rear marble jumps before the front one, and a pushed marble before the ones it pushes.
        front = ahead(steps, start, direction)
        while front & own:
            front = ahead(steps, front, direction)
        beyond = front
        while beyond & other:
            beyond = ahead(steps, beyond, direction)
        moved = start | front
        if beyond != front:
            pushed = front | beyond
    else:
        line = start
        for _ in range(length - 1):
            line |= ahead(steps, line, axis)
        moved = line | ahead(steps, line, direction)
    _flip(board, moved, pushed)
    board.mover[0] = 1 - mover
    return moved, pushed


@jit
def unmake(board: AbaloneBoard, undo: tuple[Word, Word]) -> None:
    board.mover[0] = 1 - board.mover[0]
    _flip(board, undo[0], undo[1])


@jit
def _flip(board: AbaloneBoard, own: Word, other: Word) -> None:
    board.marbles[board.mover[0]] ^= own
    board.marbles[1 - board.mover[0]] ^= other


@jit
def score(board: AbaloneBoard) -> int:
    """1 where black has more marbles, -1 where white has."""
    lead = words.count(board.marbles[0]) - words.count(board.marbles[1])
    return (lead > 0) - (lead < 0)


@jit
def key(board: AbaloneBoard) -> Word:
    first = board.marbles[0] | (np.uint64(board.mover[0]) << np.uint64(63))  # a bit that no cell has
    return words.mix(words.mix(first, NONE), board.marbles[1])


def from_state(game: Abalone, state: State) -> AbaloneBoard:
    del game  # all layouts are played on one board
    bits = dict(zip(geometry().cells.tolist(), tables().bits.tolist(), strict=True))
    own, other = (sum(1 << bits[place] for place in side.cells()) for side in (state.own, state.other))
    mover = int(state.mover)
    marbles = np.array([other, own] if mover else [own, other], np.uint64)
    return AbaloneBoard(tables(), marbles, np.array([mover], np.int8))


def to_state(game: Abalone, board: AbaloneBoard) -> State:
    del game
    mover = int(board.mover[0])

    def side(seat: int) -> Bits:
        on = (int(board.marbles[seat]) >> b & 1 for b in tables().bits.tolist())
        return Bits.of(geometry().cells[np.fromiter(on, bool)].tolist(), NUM_WORDS)

    return State(side(mover), side(1 - mover), np.int32(mover))  # pyright: ignore[reportArgumentType]


perft = perft_of(from_state, moves, make, unmake)
