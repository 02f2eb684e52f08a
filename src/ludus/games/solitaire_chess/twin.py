"""Solitaire Chess for the search: the pieces of a kind are one 64-bit word."""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from jaxtyping import Float32, Int8, Int16, UInt64

from ludus.core.bits import Bits
from ludus.games.solitaire_chess.geometry import PAWN_WAYS, WAYS, State, geometry
from ludus.games.solitaire_chess.notation import LETTERS, MOST_CAPTURES
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.search import words
from ludus.search.compiled import jit
from ludus.search.twins import perft_of
from ludus.search.words import NONE, ONE, Steps, Word, ahead, behind, bit, lowest

# Squares are numbered as the actions are, and each is a bit. For n = 4:
#
#     4  12 13 14 15
#     3   8  9 10 11
#     2   4  5  6  7
#     1   0  1  2  3
#         a  b  c  d
KING, QUEEN, ROOK, BISHOP, KNIGHT, PAWN = range(len(LETTERS))
STRAIGHT, DOWN, UP, JUMP = range(4)


class ChessTables(NamedTuple):
    size: int
    counted: int  # 1 where the rules count a piece's captures, else 0
    steps: Steps
    manner: Int8[np.ndarray, "16"]  # of each way: STRAIGHT, diagonally DOWN or UP, or a knight's JUMP


class ChessBoard(NamedTuple):
    tables: ChessTables
    pieces: UInt64[np.ndarray, "6"]  # by kind
    captures: Int8[np.ndarray, "N"]  # by square: how often its piece has captured


@functools.cache
def tables(size: int, rules: str) -> ChessTables:
    squares = {int(place): square for square, place in enumerate(geometry(size).squares)}

    def manner(way: tuple[int, int]) -> int:
        if way in PAWN_WAYS:
            return UP
        return STRAIGHT if 0 in way else DOWN if max(map(abs, way)) == 1 else JUMP

    return ChessTables(
        size=size,
        counted=int(rules == "solo"),
        steps=words.steps(squares, geometry(size).offsets),
        manner=np.array([manner(way) for way in WAYS], np.int8),
    )


@jit
def occupied(board: ChessBoard) -> Word:
    """All pieces."""
    found = NONE
    for kind in range(len(LETTERS)):
        found |= board.pieces[kind]
    return found


@jit
def moves(board: ChessBoard, out: Int16[np.ndarray, "M"]) -> int:
    """Writes the legal actions in order; returns how many."""
    size, steps, pieces = board.tables.size, board.tables.steps, board.pieces
    standing = occupied(board)
    empty, victims = steps.board & ~standing, standing & ~pieces[KING]
    straight, diagonal = pieces[QUEEN] | pieces[ROOK], pieces[QUEEN] | pieces[BISHOP]
    sliders = (straight, diagonal, diagonal, NONE)  # by manner of going
    steppers = (pieces[KING], pieces[KING], pieces[KING] | pieces[PAWN], pieces[KNIGHT])
    total = 0
    for way in range(len(WAYS)):
        manner = board.tables.manner[way]
        seen = behind(steps, victims, way)  # the squares that have a victim next to them on that way
        found = steppers[manner] & seen
        if sliders[manner]:
            for _ in range(size - 2):
                seen |= behind(steps, empty & seen, way)
            found |= sliders[manner] & seen
        while found:
            square = lowest(found)
            if board.captures[square] < MOST_CAPTURES:
                out[total] = way * size * size + square
                total += 1
            found &= found - ONE
    return total


@jit
def make(board: ChessBoard, action: int) -> tuple[int, int, int, int, int]:
    """Plays a legal action; returns from where and to where, what kind took which, and that one's captures."""
    size, steps, captures = board.tables.size, board.tables.steps, board.captures
    way, start = action // (size * size), action % (size * size)
    standing = occupied(board)
    there = ahead(steps, bit(start), way)
    while not there & standing:
        there = ahead(steps, there, way)
    target = lowest(there)
    kind, victim, victims_captures = kind_on(board, start), kind_on(board, target), int(np.int64(captures[target]))
    board.pieces[victim] ^= bit(target)
    board.pieces[kind] ^= bit(start) | bit(target)
    captures[target] = captures[start] + board.tables.counted
    captures[start] = 0
    return start, target, kind, victim, victims_captures


@jit
def unmake(board: ChessBoard, undo: tuple[int, int, int, int, int]) -> None:
    start, target, kind, victim, victims_captures = undo
    board.pieces[kind] ^= bit(start) | bit(target)
    board.pieces[victim] ^= bit(target)
    board.captures[start] = board.captures[target] - board.tables.counted
    board.captures[target] = victims_captures


@jit
def kind_on(board: ChessBoard, square: int) -> int:
    """The kind of the piece that stands there."""
    kind = KING
    while not board.pieces[kind] & bit(square):
        kind += 1
    return kind


@jit
def score(board: ChessBoard) -> int:
    """1 when a single piece is left, else 0."""
    return int(words.count(occupied(board)) == 1)


@jit
def key(board: ChessBoard) -> Word:
    found = NONE
    for kind in range(len(LETTERS)):
        found = words.mix(found, board.pieces[kind])
    for square in range(len(board.captures)):
        if board.captures[square]:
            found = words.mix(found, np.uint64((MOST_CAPTURES + 1) * square + board.captures[square]))
    return found


@jit
def ending(board: ChessBoard) -> int:
    """The kind and the square of the piece that is left, as one number; its captures do not count."""
    square = lowest(occupied(board))
    return kind_on(board, square) * len(board.captures) + square


@jit
def planes(board: ChessBoard) -> int:
    """How many numbers `observe` writes."""
    return 8 * len(board.captures)


@jit
def observe(board: ChessBoard, out: Float32[np.ndarray, "F"]) -> None:
    """The planes, as the rules give them: by square, then by kind."""
    out[:] = 0
    for kind in range(len(LETTERS)):
        there = board.pieces[kind]
        while there:
            square = lowest(there)
            out[8 * square + kind] = 1
            there &= there - ONE
    for square in range(len(board.captures)):
        if board.captures[square]:
            out[8 * square + 5 + board.captures[square]] = 1


def from_state(game: SolitaireChess, state: State) -> ChessBoard:
    squares = {int(place): square for square, place in enumerate(geometry(game.size).squares)}
    pieces = [sum(1 << squares[place] for place in kind.cells()) for kind in state.pieces]
    board = ChessBoard(tables(game.size, game.rules), np.array(pieces, np.uint64), np.zeros(len(squares), np.int8))
    for times, where in ((1, state.once), (2, state.twice)):
        board.captures[[squares[place] for place in where.cells()]] = times
    return board


def to_state(game: SolitaireChess, board: ChessBoard) -> State:
    _, num_words, squares, *_ = geometry(game.size)
    kinds = ([int(word) >> square & 1 for square in range(len(squares))] for word in board.pieces)
    planes = (*kinds, board.captures == 1, board.captures == 2)
    return State(*(Bits.of(squares[np.array(plane, bool)].tolist(), num_words) for plane in planes))


perft = perft_of(from_state, moves, make, unmake)
