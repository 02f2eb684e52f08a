"""The puzzles on which the paper's claims are judged: the eighty of the benchmark and fresh ones, by level, and the
puzzles of figures 3 and 5. And what an order is compared with there: the floor, the baseline, and a random order.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from ludus.games import make_game
from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.levels import benchmark, make, measure
from ludus.games.solitaire_chess.orders import BASELINE
from ludus.games.solitaire_chess.paper.words import FIG3, FIG5, FIGURE_3, FIGURE_5, eighty
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.search.puzzle.order import Order
from ludus.truth.puzzle import PuzzleTruth

FRESH, QUICK = 500, 8  # puzzles of each level
SEED = 2**31 - 3  # of the fresh puzzles; no learner uses it


class PuzzleSet(NamedTuple):
    """Some puzzles, and the positions explored in each."""

    states: Sequence[Any]
    finals: Sequence[tuple[str, str] | None]  # None: solutions end in several ways
    floor: Float[np.ndarray, "N"]  # as few as possible
    baseline: Float[np.ndarray, "N"]
    at_random: Float[np.ndarray, "N"]  # in a random order: the exact mean


class Explored(NamedTuple):
    """A search of some puzzles: the positions explored in each, and whether the final piece and square are right."""

    positions: Float[np.ndarray, "N"]
    right: Float[np.ndarray, "N"]


@functools.cache
def known() -> PuzzleTruth:
    from ludus.games.solitaire_chess.truth import truth

    game = make_game("solitaire-chess")
    assert isinstance(game, SolitaireChess)
    return truth(game)


def set_of(positions: Sequence[str], finals: Sequence[tuple[str, str] | None]) -> PuzzleSet:
    truth = known()
    states = [truth.game.parse(text) for text in positions]
    rows = []
    for text, state in zip(positions, states, strict=True):
        counted = truth.solver.census(state)
        assert counted is not None, f"{text} has too many positions"
        floor = sum(letter.isalpha() for letter in text)
        rows.append((floor, truth.solver.first(state, BASELINE).explored, counted.at_random))
    return PuzzleSet(states, finals, *np.array(rows, float).T)


@functools.cache
def sets(fresh: int) -> dict[str, PuzzleSet]:
    """All sets, with so many fresh puzzles of every level."""
    game = known().game
    assert isinstance(game, SolitaireChess)
    measured = [measure(game, game.parse(text)) for text in benchmark()]
    by_level = {level: make(game, level, fresh, SEED) for level in LEVELS}
    by_level |= {eighty(level): [puzzle for puzzle in measured if puzzle.level == level] for level in LEVELS}
    found = {name: set_of([p.position for p in some], [p.final for p in some]) for name, some in by_level.items()}
    return found | {FIG3: set_of([FIGURE_3], [None]), FIG5: set_of([FIGURE_5], [None])}


def search(puzzles: PuzzleSet, order: Order) -> Explored:
    rows = []
    for state, final in zip(puzzles.states, puzzles.finals, strict=True):
        solution, ended = known().solve_by(state, order)
        rows.append((solution.explored, bool(solution.solved) and final in (None, ended)))
    return Explored(*np.array(rows, float).T)
