"""Makes puzzles in compiled code: random captures are taken back, and the result is measured."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int8, Int16, Int64, UInt64

from ludus.games.solitaire_chess import orders, twin
from ludus.games.solitaire_chess.geometry import WAYS
from ludus.games.solitaire_chess.notation import LETTERS, MOST_CAPTURES
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.games.solitaire_chess.twin import BISHOP, JUMP, KING, KNIGHT, PAWN, QUEEN, ROOK, STRAIGHT, UP, ChessBoard
from ludus.search.compiled import jit
from ludus.search.puzzle import backtrack
from ludus.search.puzzle.backtrack import EXPLORED, FOUND, GOING, ExploredTree, PositionTable, Stack
from ludus.search.puzzle.order import below
from ludus.search.words import NONE, ONE, behind, bit, count, lowest

BOX = (1, 1, 2, 2, 2, 2)  # kings, queens, rooks, bishops, knights, pawns in the box of the game
BOXFUL = 10
UNDO = 5  # numbers that the twin's `make` gives
TRIES = 8  # to take a capture back, from one position
MOST_EXPLORED = 1 << 24  # by the baseline
MANY_POSITIONS = 1 << 17  # below a puzzle; one with more is given up

TWIN: Any = twin  # a module, as the search is made of one
first = backtrack.searcher(TWIN, orders.rate, UNDO, True)
census = backtrack.counter(TWIN, UNDO)
walk = backtrack.walker(TWIN, orders.rate, backtrack.ignore, UNDO)


class PuzzleWorkspace(NamedTuple):
    """The arrays that making and measuring write to."""

    memory: Stack
    table: PositionTable
    tree: ExploredTree  # empty: the tree is not recorded
    backs: Int16[np.ndarray, "R 3"]  # the square, where it came from, and the kind, of each possible retreat
    later: Int8[np.ndarray, "N"]  # by square: how often the piece there captures later on, where that is counted
    search: Int64[np.ndarray, "1"]  # the number of the latest search


class Bounds(NamedTuple):
    """The bounds of a level: at least this level's measures, and less than the next level's."""

    fewest: int  # pieces
    most: int
    least: tuple[float, float, float]  # pieces, positions that the baseline explores for each, share of losing moves
    less: tuple[float, float, float]


@jit
def reaches(found: Float64[np.ndarray, "3"], least: tuple[float, float, float]) -> bool:
    """Whether a puzzle is at least as hard by all three measures."""
    return found[0] >= least[0] and found[1] >= least[1] * found[0] and found[2] >= least[2]


@jit
def can_go(kind: int, manner: int) -> int:
    """How far a piece captures in a manner of going: 0 not at all, 1 one step, 2 any distance."""
    if manner == JUMP:
        return int(kind == KNIGHT)
    if kind == KING or (kind == PAWN and manner == UP):
        return 1
    if kind == QUEEN or kind == (ROOK if manner == STRAIGHT else BISHOP):
        return 2
    return 0


@jit
def retreats(board: ChessBoard, later: Int8[np.ndarray, "N"], out: Int16[np.ndarray, "R 3"]) -> int:
    """Writes every capture that could be taken back: the square, the square it came from, the kind; returns how many.
    `later` is how often each piece captures from here on.
    """
    steps, total, standing = board.tables.steps, 0, twin.occupied(board)
    empty = steps.board & ~standing
    while standing:
        square = lowest(standing)
        standing &= standing - ONE
        if later[square] >= MOST_CAPTURES:
            continue
        kind = twin.kind_on(board, square)
        for way in range(len(WAYS)):
            reach = can_go(kind, board.tables.manner[way])
            there = bit(square)
            while reach:
                there = behind(steps, there, way) & empty
                if there == NONE:
                    break
                out[total, 0], out[total, 1], out[total, 2] = square, lowest(there), kind
                total += 1
                if reach == 1:
                    break
    return total


@jit
def take_back(board: ChessBoard, pieces: int, seed: UInt64[np.ndarray, "1"], work: PuzzleWorkspace, total: int) -> bool:
    """Take back one of these captures, with a victim that the box still has, both chosen evenly. False if the box is
    empty, or if solutions would then end in different ways.
    """
    boxes, left = -(-pieces // BOXFUL), 0
    for kind in range(QUEEN, PAWN + 1):
        left += BOX[kind] * boxes - count(board.pieces[kind])
    if left == 0:
        return False
    chosen, nth, victim = below(seed, total), below(seed, left), KING
    while nth >= 0:
        victim += 1
        nth -= BOX[victim] * boxes - count(board.pieces[victim])
    square, origin, kind = work.backs[chosen, 0], work.backs[chosen, 1], work.backs[chosen, 2]
    board.pieces[kind] ^= bit(square) | bit(origin)
    board.pieces[victim] |= bit(square)
    work.search[0] += 1
    if census(board, work.memory, work.table, work.search[0], len(work.table.keys) // 2, True) < 0:
        board.pieces[victim] ^= bit(square)
        board.pieces[kind] ^= bit(square) | bit(origin)
        return False
    work.later[origin] = work.later[square] + board.tables.counted
    work.later[square] = 0
    return True


@jit
def compose(board: ChessBoard, pieces: int, seed: UInt64[np.ndarray, "1"], work: PuzzleWorkspace) -> bool:
    """Compose a puzzle of so many pieces with one final piece and square; False if that fails.

    Once solutions end in different ways, no further retreat changes that. So each retreat is checked, and another one
    is tried if it fails.
    """
    board.pieces[:], board.captures[:], work.later[:] = 0, 0, 0
    board.pieces[below(seed, len(LETTERS))] = bit(below(seed, len(board.captures)))
    for _ in range(pieces - 1):
        total, tries = retreats(board, work.later, work.backs), 0
        if total == 0:
            return False
        while not take_back(board, pieces, seed, work, total):
            tries += 1
            if tries == TRIES:
                return False
    return True


@jit
def measure(board: ChessBoard, work: PuzzleWorkspace, most: int, found: Float64[np.ndarray, "3"]) -> bool:
    """Writes the number of pieces, the positions that the baseline explores, and the share of losing moves. False if
    the puzzle has no solution, more than one final piece or square, or too many positions.
    """
    table, memory = work.table, work.memory
    memory.registers[GOING] = 0
    if first(board, (), memory, table, 0, work.tree, most) != FOUND:
        return False
    explored = memory.registers[EXPLORED]
    work.search[0] += 1
    if census(board, memory, table, work.search[0], len(table.keys) // 2, True) < 0:
        return False
    _, _, moves, losing = walk(board, (), memory, table, work.search[0], ())
    found[0], found[1], found[2] = count(twin.occupied(board)), explored, losing / max(moves, 1)
    return True


@jit
def seek(
    board: ChessBoard,
    seed: UInt64[np.ndarray, "1"],
    work: PuzzleWorkspace,
    bounds: Bounds,
    tries: int,
    found: Float64[np.ndarray, "3"],
) -> bool:
    """Leave a puzzle within the bounds on the board, with its measures; False if all tries fail."""
    for _ in range(tries):
        pieces = bounds.fewest + below(seed, bounds.most - bounds.fewest + 1)
        if not compose(board, pieces, seed, work) or not measure(board, work, MOST_EXPLORED, found):
            continue
        if reaches(found, bounds.least) and not reaches(found, bounds.less):
            return True
    return False


def board_of(game: SolitaireChess) -> ChessBoard:
    """An empty board."""
    squares = game.size**2
    return ChessBoard(twin.tables(game.size, game.rules), np.zeros(len(LETTERS), np.uint64), np.zeros(squares, np.int8))


def workspace_of(game: SolitaireChess, positions: int = MANY_POSITIONS) -> PuzzleWorkspace:
    squares = game.size**2
    return PuzzleWorkspace(
        memory=backtrack.stack_of(game, np.zeros((squares + 1, UNDO), np.int64)),
        table=backtrack.position_table(2 * positions),
        tree=backtrack.explored_tree(0),
        backs=np.zeros((len(WAYS) * squares * game.size, 3), np.int16),
        later=np.zeros(squares, np.int8),
        search=np.zeros(1, np.int64),
    )
