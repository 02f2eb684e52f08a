"""Hex for host searches: a mutable board of cells, with the four edges as stones that never move."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Int8, Int16, UInt64

from ludus.core.bits import Bits
from ludus.games.hex.flood import spread
from ludus.games.hex.rules import Hex, Side, State, geometry
from ludus.search.compiled import jit
from ludus.search.twins import no_forcing, perft_of
from ludus.search.words import Word

# Cells have the numbers of the actions; edges follow, each a neighbour of all cells along it. A side has won when a
# group of its stones reaches both of its edges. For n = 3:
#
#             9 (top)
#           0  1  2
#   (left) 11  3  4  5  12 (right)
#               6  7  8
#                10 (bottom)
EMPTY, BLACK, WHITE = 0, 1, 2
EDGES = 4


class HexTables(NamedTuple):
    neighbours: Int16[np.ndarray, "E"]  # of cell after cell, then of the edges;
    first: Int16[np.ndarray, "N+5"]  # those of cell c are neighbours[first[c] : first[c + 1]]
    transposed: Int16[np.ndarray, "N"]  # where the swap rule moves a stone
    swap: bool  # whether the swap rule is on
    marks: UInt64[np.ndarray, "3 N+4"]  # Zobrist keys: a random number for each stone on each cell


class HexBoard(NamedTuple):
    tables: HexTables
    stones: Int8[np.ndarray, "N+4"]
    mover: Int8[np.ndarray, "1"]  # the seat: 0 black, 1 white
    winner: Int8[np.ndarray, "1"]  # BLACK or WHITE, or EMPTY while nobody has won
    group: Int16[np.ndarray, "N+4"]  # buffer of `connected`


@functools.cache
def tables(size: int, swap: bool) -> HexTables:
    stride, num_words, cells, board, edges, images = geometry(size)
    number = {int(bit): cell for cell, bit in enumerate(cells)}
    near = [[] for _ in range(size**2 + EDGES)]
    for bit, cell in number.items():
        alone = Bits.of([bit], num_words)
        near[cell] = [number[other] for other in ((spread(alone, stride) & board) - alone).cells()]
    for edge, along in enumerate((side for pair in edges for side in pair), start=size**2):
        near[edge] = [number[bit] for bit in along.cells()]
        for cell in near[edge]:
            near[cell].append(edge)
    return HexTables(
        neighbours=np.concatenate(near).astype(np.int16),
        first=np.cumsum([0, *map(len, near)]).astype(np.int16),
        transposed=images[2].astype(np.int16),
        swap=swap,
        marks=np.random.default_rng(size).integers(1 << 64, size=(3, size**2 + EDGES), dtype=np.uint64),
    )


@jit
def connected(board: HexBoard, start: int) -> tuple[int, int]:
    """Fill `board.group` with this stone or edge, all stones connected to it, and the edges that they reach.

    Returns how many points that is, and how many of them are edges.
    """
    neighbours, first = board.tables.neighbours, board.tables.first
    stones, group = board.stones, board.group
    side = stones[start]
    group[0] = start
    stones[start] = -side  # marks it as seen; undone at the end
    seen, size, edges = 0, 1, 0
    while seen < size:
        cell = group[seen]
        seen += 1
        if cell >= len(stones) - EDGES:
            edges += 1
            if cell != start:  # a far edge does not connect the stones along it
                continue
        for i in range(first[cell], first[cell + 1]):
            if stones[neighbours[i]] == side:
                stones[neighbours[i]] = -side
                group[size] = neighbours[i]
                size += 1
    for i in range(size):
        stones[group[i]] = side
    return size, edges


@jit
def moves(board: HexBoard, out: Int16[np.ndarray, "M"]) -> int:
    """Write the legal actions in order and return how many. There are none once a side has won."""
    if board.winner[0] != EMPTY:
        return 0
    num_cells = len(board.stones) - EDGES
    count = 0
    for cell in range(num_cells):
        if board.stones[cell] == EMPTY:
            out[count] = cell
            count += 1
    if board.tables.swap and board.mover[0] == 1 and count == num_cells - 1:
        out[count] = num_cells
        count += 1
    return count


@jit
def make(board: HexBoard, action: int) -> tuple[int, int]:
    """Play a legal action. Returns the cell of the new stone, and the cell of the stone swapped away or -1."""
    cell, swapped = action, -1
    if action == len(board.stones) - EDGES:  # black's only stone becomes white's, on the transposed cell
        swapped = 0
        while board.stones[swapped] == EMPTY:
            swapped += 1
        board.stones[swapped] = EMPTY
        cell = board.tables.transposed[swapped]
    board.stones[cell] = board.mover[0] + 1
    _, edges = connected(board, cell)
    if edges == 2:
        board.winner[0] = board.mover[0] + 1
    board.mover[0] = 1 - board.mover[0]
    return cell, swapped


@jit
def unmake(board: HexBoard, undo: tuple[int, int]) -> None:
    cell, swapped = undo
    board.stones[cell] = EMPTY
    if swapped >= 0:
        board.stones[swapped] = BLACK
    board.winner[0] = EMPTY
    board.mover[0] = 1 - board.mover[0]


@jit
def score(board: HexBoard) -> int:
    """1 when black has won, -1 when white has."""
    return (board.winner[0] == BLACK) - (board.winner[0] == WHITE)


@jit
def over(board: HexBoard) -> bool:
    return board.winner[0] != EMPTY


@jit
def key(board: HexBoard) -> Word:
    found = board.tables.marks[EMPTY, board.mover[0]]
    for cell in range(len(board.stones) - EDGES):
        if board.stones[cell] != EMPTY:
            found ^= board.tables.marks[board.stones[cell], cell]
    return found


def from_state(game: Hex, state: State) -> HexBoard:
    num_cells, mover = game.size**2, int(state.mover)
    stones = np.zeros(num_cells + EDGES, np.int8)
    stones[num_cells:] = BLACK, BLACK, WHITE, WHITE
    for seat, side in ((mover, state.own), (1 - mover, state.other)):
        stones[np.searchsorted(geometry(game.size).cells, side.stones.cells())] = seat + 1
    none = np.array([EMPTY], np.int8)
    group = np.empty(num_cells + EDGES, np.int16)
    board = HexBoard(tables(game.size, game.swap), stones, np.array([mover], np.int8), none, group)
    for seat in (0, 1):
        if connected(board, num_cells + 2 * seat)[1] == 2:
            board.winner[0] = seat + 1
    return board


def to_state(game: Hex, board: HexBoard) -> State:
    _, num_words, cells, *_ = geometry(game.size)
    num_cells, mover = game.size**2, int(board.mover[0])

    def joined(edge: int) -> Bits:
        count, _ = connected(board, edge)
        return Bits.of([int(cells[cell]) for cell in board.group[:count] if cell < num_cells], num_words)

    def side(seat: int) -> Side:
        stones = Bits.of(cells[board.stones[:num_cells] == seat + 1].tolist(), num_words)
        first, last = (joined(num_cells + 2 * seat + end) for end in (0, 1))
        won = any((first & last).words)  # then all stones count as connected
        return Side(stones, *((stones, stones) if won else (first, last)))

    return State(side(mover), side(1 - mover), np.int32(mover))  # pyright: ignore[reportArgumentType]


forcing = no_forcing
perft = perft_of(from_state, moves, make, unmake)
