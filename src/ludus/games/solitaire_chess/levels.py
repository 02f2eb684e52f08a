"""Puzzles by level: made, measured, and no two of them alike.

A puzzle has the highest level that it reaches by all three measures: pieces, positions that the paper's baseline
explores for each piece, and the share of losing moves. A move loses if the puzzle can be solved before it but not after
it; all positions below the puzzle count. All solutions of a puzzle end with the same piece on the same square.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from ludus.errors import BadInput
from ludus.games.solitaire_chess import LEVELS, maker, notation, twin
from ludus.games.solitaire_chess.geometry import State
from ludus.games.solitaire_chess.maker import Bounds, PuzzleWorkspace
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.games.solitaire_chess.twin import ChessBoard
from ludus.play.puzzles import Puzzle

BENCHMARK = Path(__file__).with_name("benchmark.txt")
CHUNK = 32  # puzzles from one stream of random numbers
TRIES = 200_000  # for one puzzle
FEW_POSITIONS, FEW_PIECES = 1 << 14, 9  # smaller arrays are faster, and enough for so many pieces


class Level(NamedTuple):
    pieces: tuple[int, int]  # from and to
    explored: float  # positions for each piece, at least
    losing: float  # share of moves, at least

    @property
    def least(self) -> tuple[float, float, float]:
        return float(self.pieces[0]), self.explored, self.losing


BY_NAME: dict[str, Level] = dict(
    zip(
        LEVELS,
        (Level((3, 5), 1.0, 0.0), Level((5, 6), 1.5, 0.3), Level((6, 7), 4.0, 0.4), Level((7, 9), 10.0, 0.5)),
        strict=True,
    )
)
NONE = (np.inf, np.inf, np.inf)  # harder than any puzzle


def bounds_of(game: SolitaireChess, level: str, pieces: int | None = None) -> Bounds:
    """The bounds of a level, with its own number of pieces or this one."""
    fewest, most = BY_NAME[level].pieces
    room = game.size**2 - 2
    if pieces is not None and pieces < fewest:
        raise BadInput(f"a puzzle of level {level} has at least {fewest} pieces, not {pieces}.")
    if fewest > room // 2 + 1:
        raise BadInput(f"a {game.size} x {game.size} board has no room for puzzles of level {level}.")
    harder = [BY_NAME[name].least for name in LEVELS[LEVELS.index(level) + 1 :]]
    fewest, most = (fewest, min(most, room)) if pieces is None else (pieces, pieces)
    return Bounds(fewest, most, BY_NAME[level].least, harder[0] if harder else NONE)


def level_of(found: Float64[np.ndarray, "3"]) -> str:
    """The highest level that a measured puzzle reaches, else the lowest level."""
    return next((name for name in reversed(LEVELS) if maker.reaches(found, BY_NAME[name].least)), LEVELS[0])


def final_of(size: int, ends: int) -> tuple[str, str]:
    """The piece that is left and its square, from the twin's `ending`."""
    kind, square = divmod(ends, size**2)
    return notation.LETTERS[kind], notation.name((square % size, square // size))


def text_of(game: SolitaireChess, board: ChessBoard) -> str:
    squares = range(game.size**2)
    kinds = zip(notation.LETTERS, (int(word) for word in board.pieces), strict=True)
    pieces = {(sq % game.size, sq // game.size): letter for letter, word in kinds for sq in squares if word >> sq & 1}
    return notation.write(pieces, {}, game.size)


def mirrored(position: str, size: int) -> str:
    """The position with its files mirrored."""
    pieces, captures = notation.read(position, size, True)
    turned = {(size - 1 - file, rank): piece for (file, rank), piece in pieces.items()}
    return notation.write(turned, {(size - 1 - file, rank): used for (file, rank), used in captures.items()}, size)


def _puzzle(
    game: SolitaireChess, board: ChessBoard, work: PuzzleWorkspace, level: str, found: Float64[np.ndarray, "3"]
) -> Puzzle:
    final = final_of(game.size, int(work.memory.ends[0]))
    return Puzzle(text_of(game, board), level, final, int(found[1]), int(found[0]), float(found[2]))


def _stream(game: SolitaireChess, level: str, bounds: Bounds, seed: int, number: int) -> list[Puzzle]:
    """Some puzzles from one stream of random numbers; repeats are possible."""
    start = int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0])
    few = bounds.most <= FEW_PIECES and game.size <= 5
    board, work = maker.board_of(game), maker.workspace_of(game, FEW_POSITIONS if few else maker.MANY_POSITIONS)
    chance, found, made = np.array([start], np.uint64), np.zeros(3), []
    while len(made) < CHUNK and maker.seek(board, chance, work, bounds, TRIES, found):
        made.append(_puzzle(game, board, work, level, found))
    return made


def make(game: SolitaireChess, level: str, count: int, seed: int, pieces: int | None = None) -> list[Puzzle]:
    """So many puzzles of a level, none a repeat or a mirror image of another. The same seed gives the same puzzles on
    any number of cores.
    """
    return list(itertools.islice(stream(game, level, seed, pieces), count))


def stream(game: SolitaireChess, level: str, seed: int, pieces: int | None = None) -> Iterator[Puzzle]:
    """Such puzzles without end."""
    bounds, seen, barren, threads = bounds_of(game, level, pieces), set(), 0, os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        for first in itertools.count(0, threads):
            numbers = range(first, first + threads)
            for made in pool.map(lambda number: _stream(game, level, bounds, seed, number), numbers):
                fresh = [puzzle for puzzle in made if puzzle.position not in seen]
                for puzzle in fresh:
                    if puzzle.position not in seen:
                        seen |= {puzzle.position, mirrored(puzzle.position, game.size)}
                        yield puzzle
                barren = 0 if fresh else barren + 1
                if barren == 4:
                    wanted = "" if pieces is None else f" of {pieces} pieces"
                    raise BadInput(f"no more puzzles of level {level}{wanted} are found on {game.describe()}.")


def measure(game: SolitaireChess, state: State) -> Puzzle:
    """Measure any puzzle; refused if it has no solution, or more than one final piece or square."""
    board, work, found = twin.from_state(game, state), _work(game), np.zeros(3)
    text = game.format(state)
    if len(game.position(state)[0]) == 1:
        raise BadInput(f"'{text}' has one piece, so there is nothing to solve.")
    if not maker.measure(board, work, maker.MOST_EXPLORED, found):
        raise BadInput(f"'{text}' is no puzzle with one final piece and square; ludus solve says more.")
    return _puzzle(game, board, work, level_of(found), found)._replace(position=text)


@functools.lru_cache(maxsize=2)
def _work(game: SolitaireChess) -> PuzzleWorkspace:
    return maker.workspace_of(game)


def benchmark() -> list[str]:
    """The eighty puzzles of the benchmark, twenty for each level, the easiest level first."""
    return BENCHMARK.read_text(encoding="utf-8").split()
