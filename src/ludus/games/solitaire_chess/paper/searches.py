"""Searches of one puzzle, step by step: in fixed orders, and in the orders of the first seed's networks.

Every position is recorded, so that trees and tables can be made again from the CSV.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludus.games.solitaire_chess.orders import BASELINE, CLOCKWISE
from ludus.games.solitaire_chess.paper.measures import Agents, orders, untrained
from ludus.games.solitaire_chess.paper.puzzles import known
from ludus.games.solitaire_chess.paper.steps import by_order
from ludus.games.solitaire_chess.paper.words import FIGURE_3, FIGURE_5, SOLUTIONS
from ludus.search.puzzle.backtrack import ExploredTree
from ludus.search.puzzle.order import Order
from ludus.search.puzzle.solver import PuzzleSolution
from ludus.study.data import Data, SearchStep
from ludus.truth.puzzle_tree import draw_trees

DRAWN = 500  # positions of a search, at most


def steps_of(puzzle: str, order: Order, name: str = "") -> list[SearchStep]:
    """Every position that a search enters, in order."""
    game, solver = known().game, known().solver
    found, twin = solver.first(game.parse(puzzle), order, nodes=DRAWN), solver.twin
    board = twin.from_state(game, game.parse(puzzle))
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
        steps.append(SearchStep(0, name or order.name, puzzle, number, parent, action, line))
    return steps


def one_puzzle(agents: Agents) -> list[SearchStep]:
    """The puzzle of figures 1 and 3: the baseline's search, and those of the first seed's networks."""
    return steps_of(FIGURE_3, BASELINE) + by_networks(FIGURE_3, agents)


def the_papers_boards(agents: Agents) -> list[SearchStep]:
    """The puzzle of figure 5: the searches of the baseline with either list of a piece's moves, those of the first
    seed's networks, and all its solutions.
    """
    steps = steps_of(FIGURE_5, CLOCKWISE) + steps_of(FIGURE_5, BASELINE) + by_networks(FIGURE_5, agents)
    truth = known()
    lines = truth.solve(truth.game.parse(FIGURE_5), every=True).every or ()
    return steps + [
        SearchStep(0, SOLUTIONS, FIGURE_5, number, -1, -1, " ".join(line)) for number, line in enumerate(lines)
    ]


def by_networks(puzzle: str, agents: Agents) -> list[SearchStep]:
    """The first seed's, one of them also as it was before it learned."""
    return [
        step
        for label, recipe, weights in (untrained(agents), *agents)
        for step in steps_of(puzzle, next(orders(recipe.learner, recipe.config, weights)), label)
    ]


def trees(data: Data) -> str:
    """The searches side by side, as a picture."""
    game, found = known().game, by_order(data)
    puzzle = data.steps[0].puzzle
    drawn = {f"{puzzle}, {name}": steps_to_solution(steps) for name, steps in found.items()}
    return draw_trees(game, game.parse(puzzle), drawn)


def steps_to_solution(steps: Sequence[SearchStep]) -> PuzzleSolution:
    parent, move = np.array([step.parent for step in steps], np.int32), np.array([s.action for s in steps], np.int16)
    return PuzzleSolution(len(steps) < DRAWN, (), len(steps), 0.0, ExploredTree(parent, move))
