"""Two searches of one puzzle, step by step: in the baseline's order, and in the order of the first seed's network.

Every position is recorded, so that trees and tables can be made again from the CSV.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from ludus.core.svg import Picture
from ludus.games import make_game
from ludus.games.solitaire_chess.levels import benchmark
from ludus.games.solitaire_chess.orders import BASELINE
from ludus.games.solitaire_chess.paper.measures import PUZZLE
from ludus.games.solitaire_chess.paper.steps import by_order
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners.recipe import Recipe
from ludus.search.puzzle.backtrack import ExploredTree
from ludus.search.puzzle.order import Order
from ludus.search.puzzle.solver import PuzzleSolution
from ludus.study.data import Data, SearchStep
from ludus.truth.puzzle import PuzzleTruth
from ludus.truth.puzzle_tree import draw_trees

LIKE_THE_PAPERS = 13  # positions that both searches explore in the paper's figure 5
DRAWN = 500  # positions of a search, at most

Agents = Sequence[tuple[str, Recipe, Any]]


@functools.cache
def _truth() -> PuzzleTruth:
    from ludus.games.solitaire_chess.truth import truth

    game = make_game("solitaire-chess")
    assert isinstance(game, SolitaireChess)
    return truth(game)


def order_of(recipe: Recipe, weights: Any, seed: int) -> Order:
    """The move order of one seed's network, from a stack."""
    compiled = recipe.learner.compiled_order
    assert compiled is not None, f"the learner '{recipe.learner.name}' has no order in compiled code"
    network = jax.tree.map(lambda leaf: np.asarray(leaf)[seed], weights)
    found = compiled(recipe.config, _truth().game, network, recipe.learner.name)
    assert found is not None
    return found


def steps_of(puzzle: str, order: Order, name: str, seed: int) -> list[SearchStep]:
    """Every position that a search enters, in order."""
    known = _truth()
    game, found = known.game, known.solver.first(known.game.parse(puzzle), order, nodes=DRAWN)
    twin, board = known.solver.twin, known.solver.twin.from_state(game, game.parse(puzzle))
    steps: list[SearchStep] = []
    lines: list[tuple[int, ...]] = []  # the actions up to each position
    for number in range(min(found.explored, DRAWN)):
        parent, action = int(found.tree.parent[number]), int(found.tree.move[number])
        before = lines[parent] if parent >= 0 else ()
        undo = [twin.make(board, each) for each in before]
        move = [game.format_move(twin.to_state(game, board), action)] if parent >= 0 else []
        for changed in reversed(undo):
            twin.unmake(board, changed)
        lines.append((*before, action) if parent >= 0 else ())
        line = " ".join([*([steps[parent].line] if parent > 0 else []), *move])
        steps.append(SearchStep(seed, name, puzzle, number, parent, action, line))
    return steps


def both(puzzle: str, agents: Agents) -> list[SearchStep]:
    """The baseline's search and the network's."""
    (label, recipe, weights), *_ = agents
    return steps_of(puzzle, BASELINE, BASELINE.name, 0) + steps_of(puzzle, order_of(recipe, weights, 0), label, 0)


def one_puzzle(agents: Agents) -> list[SearchStep]:
    """The puzzle of figures 1 and 3."""
    return both(PUZZLE, agents)


def a_tie(agents: Agents) -> list[SearchStep]:
    """The puzzle of the eighty in which both explore equally many positions; of several, the one nearest to the number
    in the paper's figure 5. Empty if there is none.
    """
    (_, recipe, weights), *_ = agents
    known, order, ties = _truth(), order_of(recipe, weights, 0), []
    for puzzle in benchmark():
        state = known.game.parse(puzzle)
        explored = known.solver.first(state, BASELINE).explored
        if known.solver.first(state, order).explored == explored:
            ties.append((abs(explored - LIKE_THE_PAPERS), puzzle))
    return both(min(ties)[1], agents) if ties else []


def trees(data: Data) -> str:
    """The searches side by side, as a picture."""
    game, found = _truth().game, by_order(data)
    if not found:
        return str(Picture(300, 60, "no tie"))
    puzzle = data.steps[0].puzzle
    drawn = {f"{puzzle}, {name}": steps_to_solution(steps) for name, steps in found.items()}
    return draw_trees(game, game.parse(puzzle), drawn)


def steps_to_solution(steps: Sequence[SearchStep]) -> PuzzleSolution:
    parent, move = np.array([step.parent for step in steps], np.int32), np.array([s.action for s in steps], np.int16)
    return PuzzleSolution(len(steps) < DRAWN, (), len(steps), 0.0, ExploredTree(parent, move))
