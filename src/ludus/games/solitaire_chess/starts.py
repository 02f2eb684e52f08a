"""The puzzles at which a learner's games of Solitaire Chess begin: five pieces or more, one final piece and square.

Smaller puzzles are not needed: they occur below the larger ones.
"""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from jaxtyping import UInt64

from ludus.core.bits import WORD, Bits
from ludus.games.solitaire_chess import maker
from ludus.games.solitaire_chess.geometry import State, geometry
from ludus.games.solitaire_chess.lessons import MOST, STREAMS, positions_of
from ludus.games.solitaire_chess.maker import PuzzleWorkspace, compose
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.games.solitaire_chess.twin import ChessBoard
from ludus.search.compiled import jit
from ludus.search.puzzle.order import below

FEWEST = 5  # pieces
COUNT = 1 << 15  # puzzles; so many that few games begin alike
SEED = 2**31 - 5  # no puzzles of a test or a benchmark are made from it


@jit
def fill(
    board: ChessBoard, most: int, seed: UInt64[np.ndarray, "1"], work: PuzzleWorkspace, out: UInt64[np.ndarray, "P 6"]
) -> None:
    """Fill `out` with puzzles of up to so many pieces, as the twin's words."""
    made = 0
    while made < len(out):
        if compose(board, FEWEST + below(seed, most - FEWEST + 1), seed, work):
            for kind in range(len(board.pieces)):
                out[made, kind] = board.pieces[kind]
            made += 1


@functools.lru_cache(maxsize=2)
def starts(game: SolitaireChess) -> State:
    """The same puzzles for every learner (every leaf [P])."""
    most, found = min(game.size**2 - 2, MOST), np.zeros((COUNT, 6), np.uint64)

    def one(number: int) -> None:
        part = slice(COUNT * number // STREAMS, COUNT * (number + 1) // STREAMS)
        seed = np.random.SeedSequence((SEED, number)).generate_state(1, np.uint64)
        fill(maker.board_of(game), most, seed, maker.workspace_of(game, positions_of(game)), found[part])

    with ThreadPoolExecutor(STREAMS) as pool:
        list(pool.map(one, range(STREAMS)))
    return to_states(game, found)


def to_states(game: SolitaireChess, boards: UInt64[np.ndarray, "P 6"]) -> State:
    """Twins' words as states; no piece has captured yet."""
    _, num_words, squares, *_ = geometry(game.size)
    words = np.zeros((num_words, 8, len(boards)), np.uint32)
    for square, place in enumerate(squares.tolist()):
        there = (boards.T >> np.uint64(square) & np.uint64(1)).astype(np.uint32)
        words[place // WORD, :6] |= there << np.uint32(place % WORD)
    return State._make(Bits(tuple(words[:, kind])) for kind in range(8))
