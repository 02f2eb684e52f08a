"""How many positions a network's move order explores, compared with the baseline and a random order: on the eighty
puzzles of the benchmark, on fresh ones of every level, and on the puzzle of the paper's trees.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.levels import benchmark, make, measure
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners.learner import Learner
from ludus.play.puzzles import Puzzle
from ludus.search.puzzle.order import Order, random_order
from ludus.study.study import Measure
from ludus.truth.puzzle import PuzzleTruth

FRESH, QUICK = 1000, 8  # puzzles of each level
SEED = 2**31 - 3  # of the fresh puzzles; no learner uses it
PUZZLE = "2R1/3N/B3/2P1"  # like the paper's second: pawn, bishop, knight, rook; it is solved if the rook begins


class Explored(NamedTuple):
    """Positions explored in some puzzles: by the network, by the baseline, and the minimum."""

    ours: Float[np.ndarray, "N"]
    baseline: Float[np.ndarray, "N"]
    floor: Float[np.ndarray, "N"]
    right: Float[np.ndarray, "N"]  # whether the final piece and square are right


def explored(truth: PuzzleTruth, order: Order, puzzles: Sequence[Puzzle]) -> Explored:
    found = [truth.solve_by(truth.game.parse(puzzle.position), order) for puzzle in puzzles]
    rows = [
        (solution.explored, puzzle.explored, puzzle.pieces, final == puzzle.final)
        for puzzle, (solution, final) in zip(puzzles, found, strict=True)
    ]
    return Explored(*np.array(rows, float).T)


@functools.lru_cache(maxsize=4)
def sets(game: SolitaireChess, fresh: int) -> dict[str, list[Puzzle]]:
    """The puzzles of every level, fresh ones and the benchmark's."""
    known = [measure(game, game.parse(text)) for text in benchmark()]
    ours = {f"80, {level}": [puzzle for puzzle in known if puzzle.level == level] for level in LEVELS}
    return {level: make(game, level, fresh, SEED) for level in LEVELS} | ours


@functools.lru_cache(maxsize=4)
def at_random(truth: PuzzleTruth, fresh: int) -> dict[str, Explored]:
    """The same puzzles in a random order."""
    game = truth.game
    assert isinstance(game, SolitaireChess)
    return {name: explored(truth, random_order(), puzzles) for name, puzzles in sets(game, fresh).items()}


def strength(truth: PuzzleTruth, order: Order, fresh: int) -> dict[str, float]:
    """Measures by set of puzzles, and for all the eighty.

    - `fewer`, `fewer than chance`: the share of positions saved against the baseline, and against a random order.
    - `ratio`: explored / floor, also for the baseline and a random order.
    - `worse`, `tied`: the share of puzzles in which the network explores more than the baseline, or as much.
    """
    game = truth.game
    assert isinstance(game, SolitaireChess)
    found = {name: explored(truth, order, puzzles) for name, puzzles in sets(game, fresh).items()}
    by_chance, measured = at_random(truth, fresh), {}
    for name, each in found.items():
        measured[f"fewer, {name}"] = 1 - float(each.ours.mean() / each.baseline.mean())
        measured[f"fewer than chance, {name}"] = 1 - float(each.ours.mean() / by_chance[name].ours.mean())
        measured[f"ratio, {name}"] = float((each.ours / each.floor).mean())
        measured[f"baseline ratio, {name}"] = float((each.baseline / each.floor).mean())
        measured[f"random ratio, {name}"] = float((by_chance[name].ours / each.floor).mean())
        measured[f"worse, {name}"] = float((each.ours > each.baseline).mean())
    eighty = [found[f"80, {level}"] for level in LEVELS]
    ours, baseline = (np.concatenate([each[field] for each in eighty]) for field in (0, 1))
    measured["worse"], measured["tied"] = float((ours > baseline).mean()), float((ours == baseline).mean())
    measured["right"] = float(np.concatenate([each.right for each in found.values()]).mean())
    measured["efficiency"] = float(np.mean([(found[level].floor / found[level].ours).mean() for level in LEVELS]))
    measured["puzzle"] = float(truth.solve_by(game.parse(PUZZLE), order)[0].explored)
    return measured


def against_the_baseline(game: SolitaireChess, quick: bool) -> Measure:
    """`strength` of a stack of networks, one after the other."""
    from ludus.games.solitaire_chess.truth import truth

    known, one_at_a_time = truth(game), threading.Lock()

    def look(learner: Learner, config: Any, weights: Any) -> Mapping[str, Any]:
        compiled, stack = learner.compiled_order, jax.tree.map(np.asarray, weights)
        assert compiled is not None, f"the learner '{learner.name}' has no order in compiled code"
        rows = []
        with one_at_a_time:  # the solver is not thread-safe
            for row in range(len(jax.tree.leaves(stack)[0])):
                order = compiled(config, game, jax.tree.map(lambda leaf, row=row: leaf[row], stack), learner.name)
                assert order is not None
                rows.append(strength(known, order, QUICK if quick else FRESH))
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    return look
