"""Training data for a learner of solvability: positions from generated puzzles, and whether each can be solved.

All positions below a puzzle are searched. Only successors of solvable positions are used: elsewhere no move matters.
"""

from __future__ import annotations

import functools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float32, Int16, Int64, UInt8, UInt64

from ludus.games.solitaire_chess import maker, orders, twin
from ludus.games.solitaire_chess.geometry import WAYS
from ludus.games.solitaire_chess.maker import UNDO, PuzzleWorkspace, census, compose
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.games.solitaire_chess.twin import ChessBoard
from ludus.learners.ordering import looker
from ludus.search.compiled import jit
from ludus.search.puzzle import backtrack
from ludus.search.puzzle.order import below
from ludus.search.words import count

STREAMS = 32  # streams of random numbers, run in parallel
FEWEST, MOST = 3, 9  # pieces of a puzzle; the curriculum begins with the fewest and one more
SMALLER = 3  # fewer pieces than in the largest puzzles; still smaller positions are many and easy, so fewer are used
TWIN: Any = twin
look = looker(TWIN, True)


class Sink(NamedTuple):
    """The arrays for positions; a position is the numbers of its inputs that are not zero."""

    inputs: Int16[np.ndarray, "R K"]
    solvable: UInt8[np.ndarray, "R"]
    mirror: Int16[np.ndarray, "Turned"]  # every input in the mirror image; the last number is padding
    looked: Float32[np.ndarray, "In"]
    moves: Int16[np.ndarray, "M"]
    seed: UInt64[np.ndarray, "1"]
    large: Int64[np.ndarray, "1"]  # positions with so many pieces are always used
    written: Int64[np.ndarray, "1"]


@jit
def collect(board: ChessBoard, solvable: bool, sink: Sink) -> None:
    """Write a position, or its mirror image; finished ones are left out."""
    row, width = sink.written[0], sink.inputs.shape[1]
    if row == len(sink.solvable) or below(sink.seed, 1 << max(0, sink.large[0] - count(twin.occupied(board)))) > 0:
        return
    left = twin.moves(board, sink.moves)
    if left == 0:
        return
    look(board, sink.moves, left, sink.looked)
    turned, place = below(sink.seed, 2) == 1, 0
    for number in range(len(sink.looked)):
        if sink.looked[number] != 0:
            if place == width:
                return  # it has too many inputs; a part would be another position
            sink.inputs[row, place] = sink.mirror[number] if turned else number
            place += 1
    while place < width:
        sink.inputs[row, place] = len(sink.looked)
        place += 1
    sink.solvable[row] = solvable
    sink.written[0] += 1


walk = backtrack.walker(TWIN, orders.rate, collect, UNDO)


@jit
def fill(board: ChessBoard, most: int, work: PuzzleWorkspace, sink: Sink) -> int:
    """Compose puzzles of up to so many pieces until the arrays are full; returns how many."""
    puzzles = 0
    while sink.written[0] < len(sink.solvable):
        pieces = max(below(sink.seed, most - FEWEST + 1), below(sink.seed, most - FEWEST + 1))  # large ones are hard
        if not compose(board, FEWEST + pieces, sink.seed, work):
            continue
        work.search[0] += 1
        if census(board, work.memory, work.table, work.search[0], len(work.table.keys) // 2, True) > 0:
            walk(board, (), work.memory, work.table, work.search[0], sink)
            puzzles += 1
    return puzzles


@functools.lru_cache(maxsize=4)
def mirror(game: SolitaireChess) -> Int16[np.ndarray, "Turned"]:
    """Every input in the mirror image."""
    size, squares = game.size, game.size**2
    turned = np.arange(squares).reshape(size, size)[:, ::-1].ravel()
    planes = (8 * turned[:, None] + np.arange(8)).ravel()
    ways = np.array([WAYS.index((-file, rank)) for file, rank in WAYS])
    moves = 8 * squares + (squares * ways[:, None] + turned).ravel()
    return np.concatenate([planes, moves, [len(planes) + len(moves)]]).astype(np.int16)


def lessons(
    game: SolitaireChess, seed: int, rows: int, width: int, progress: float
) -> tuple[Int16[np.ndarray, "R K"], UInt8[np.ndarray, "R"], int]:
    """So many positions, each at most `width` numbers of inputs, their solvability, and the number of puzzles. The same
    seed gives the same on any number of cores. Puzzles get larger over the first half of training.
    """
    most = min(game.size**2 - 2, FEWEST + 1 + round((MOST - FEWEST - 1) * min(1.0, 2 * progress)))
    inputs, solvable = np.zeros((rows, width), np.int16), np.zeros(rows, np.uint8)

    def one(number: int) -> int:
        part = slice(rows * number // STREAMS, rows * (number + 1) // STREAMS)
        start = np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)
        looked, moves = np.zeros(len(mirror(game)) - 1, np.float32), np.zeros(game.max_legal, np.int16)
        large, written = np.array([most - SMALLER]), np.zeros(1, np.int64)
        sink = Sink(inputs[part], solvable[part], mirror(game), looked, moves, start, large, written)
        return fill(maker.board_of(game), most, maker.workspace_of(game, positions_of(game)), sink)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return inputs, solvable, sum(pool.map(one, range(STREAMS)))


def positions_of(game: SolitaireChess) -> int:
    """The most positions below a puzzle."""
    return maker.MANY_POSITIONS if game.size > 5 else 1 << 14
