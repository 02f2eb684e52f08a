"""The truth of a puzzle for one with a twin: whether it is solvable, by exhaustive search, and how good a move order
is, by how few positions it explores.

The floor of a puzzle is the smallest possible number of explored positions: the start, and one for each move.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from jaxtyping import Float

from ludus import games
from ludus.core.callbacks import Watch, nobody
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.player import Player
from ludus.play.selfplay import Policy
from ludus.search.puzzle.order import Order, PythonOrder, orders, random_order
from ludus.search.puzzle.solver import PuzzleSolution, PuzzleSolver
from ludus.truth.protocol import EPSILON, Effort
from ludus.truth.puzzle_results import LevelGrade, OrderGrade, PuzzleAnswer

#: The last piece and its square, from the twin's number of an end.
Final = Callable[[Game, int], tuple[str, str]]

UNSEEN = 2**31 - 1  # the seed of the puzzles for grades
PUZZLES = {Effort.QUICK: 32, Effort.WHOLE: 1000, Effort.EVERY_DEFENCE: 1000}  # of each level
WALKED = {Effort.QUICK: 32, Effort.WHOLE: 2000, Effort.EVERY_DEFENCE: 2000}  # of the hardest level, for walks
SLOWLY = 16  # an order in Python is graded on 1/16 of the puzzles
MOST = 1000  # solutions that are listed, at most


@dataclass(frozen=True)
class PuzzleTruth:
    game: Game
    final: Final
    solvers: tuple[str, ...] = ()
    grades: tuple[Effort, ...] = (Effort.QUICK, Effort.WHOLE)

    @functools.cached_property
    def solver(self) -> PuzzleSolver:
        return PuzzleSolver(self.game)

    def solve(
        self,
        state: Any,
        limit: float = float("inf"),
        watch: Watch = nobody,
        order: Order | PythonOrder | None = None,
        table: bool = False,
        nodes: int = 0,
        every: bool = False,
        best_first: bool = False,
    ) -> PuzzleAnswer:
        """Solve a puzzle in some move order, by default the baseline's. With `every`, list all its solutions; with
        `best_first`, use best-first search, for an order with likelihoods.
        """
        game, solver = self.game, self.solver
        order = order or next(iter(orders(game).values()))
        counted, board = solver.census(state), solver.twin.from_state(game, state)
        if not solver.twin.moves(board, np.empty(game.max_legal, np.int16)) and solver.twin.score(board) > 0:
            raise BadInput(
                f"{game.name} position '{game.format(state)}': one piece is left, so there is nothing to solve."
            )

        def tell(explored: int, seconds: float) -> None:
            watch(f"{explored:,} positions in {seconds:.0f} s", False)

        if best_first:
            found = solver.likeliest(state, order, limit, nodes, tell)
        else:
            found = solver.first(state, order, table, limit, nodes, tell)
        moves = self._texts(state, found.actions)
        others = [(game.format_move(state, action), after) for action, after in (solver.moves(state) or {}).items()]
        final = self.final(game, self._ends(state, found.actions)) if found.solved else None
        every_line = [self._texts(state, line) for line in solver.solutions(state, MOST)] if every else None
        return PuzzleAnswer(
            game, state, order.name, found, counted, final, table, moves, others, every_line, best_first
        )

    def solve_by(self, state: Any, order: Order | PythonOrder) -> tuple[PuzzleSolution, tuple[str, str] | None]:
        """The search alone, and the last piece with its square."""
        found = self.solver.first(state, order)
        return found, self.final(self.game, self._ends(state, found.actions)) if found.solved else None

    def _ends(self, state: Any, actions: Sequence[int]) -> int:
        """The twin's number of the end after these moves."""
        twin, board = self.solver.twin, self.solver.twin.from_state(self.game, state)
        for action in actions:
            twin.make(board, action)
        return int(twin.ending(board))

    def _texts(self, state: Any, actions: Sequence[int]) -> tuple[str, ...]:
        """The moves in notation."""
        twin, board, texts = self.solver.twin, self.solver.twin.from_state(self.game, state), []
        for action in actions:
            texts.append(self.game.format_move(twin.to_state(self.game, board), action))
            twin.make(board, action)
        return tuple(texts)

    def count(self) -> NoReturn:
        raise BadInput(f"{self.game.name} has too many puzzles to count; give a position.")

    def policy(self, hardest: bool = False) -> Policy:
        raise BadInput(f"there is no perfect player of {self.game.name}; ludus solve gives a solution.")

    def grade(
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> OrderGrade:
        """The grade on unseen puzzles of every level, always the same puzzles."""
        order = order_of(agent, self.game)
        share = SLOWLY if isinstance(order, PythonOrder) and effort is not Effort.QUICK else 1
        levels = []
        for level in self.game.entry.levels:
            levels.append(self._on_level(level, order, PUZZLES[effort] // share))
            watch(f"{level}: explored / floor {levels[-1].ratio:.3f}", True)
        walked = [
            self.solver.walk(puzzle.state, order)
            for puzzle in unseen_puzzles(self.game, self.game.entry.levels[-1], WALKED[effort] // share)
        ]
        met = [each for each in walked if each is not None]
        return OrderGrade(tuple(levels), sum(each.positions for each in met), sum(each.kept for each in met))

    def _on_level(self, level: str, order: Order | PythonOrder, count: int) -> LevelGrade:
        puzzles = unseen_puzzles(self.game, level, count)
        found = [self.solve_by(puzzle.state, order) for puzzle in puzzles]
        right = [final == puzzle.final for puzzle, (_, final) in zip(puzzles, found, strict=True)]
        explored = np.array([each.explored for each, _ in found])
        floor, baseline = (np.array([getattr(puzzle, name) for puzzle in puzzles]) for name in ("pieces", "explored"))
        first: tuple[Any, Any] = (None, None)
        if isinstance(order, Order) and order.likely:
            first = _mean(np.array([self.solver.likeliest(puzzle.state, order).explored for puzzle in puzzles]) / floor)
        return LevelGrade(
            level,
            len(puzzles),
            sum(right),
            float(explored.mean()),
            *_mean(explored / floor),
            float((baseline / floor).mean()),
            int((explored > baseline).sum()),
            *first,
        )


def _mean(values: Float[np.ndarray, "N"]) -> tuple[float, tuple[float, float]]:
    """The mean and its 95% interval."""
    mean, spread = float(values.mean()), 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    return mean, (mean - spread, mean + spread)


@dataclass(frozen=True)
class UnseenPuzzle:
    state: Any
    final: tuple[str, str]
    explored: int
    pieces: int


@functools.lru_cache(maxsize=16)
def unseen_puzzles(game: Game, level: str, count: int) -> list[UnseenPuzzle]:
    """Puzzles that no agent was trained on: their seed is for grades only."""
    made = itertools.islice(games.part(game, "puzzles").stream(game, level, UNSEEN), count)
    return [UnseenPuzzle(game.parse(p.position), p.final, p.explored, p.pieces) for p in made]


def order_of(agent: Player, game: Game) -> Order | PythonOrder:
    """An agent's move order: compiled if possible, else its ratings in Python; random if it does not rate moves."""
    found = agent.order(game)
    if found is not None:
        return found
    values = agent.ratings(game)
    if values is None:
        return random_order()
    import jax

    rate = jax.jit(values)
    return PythonOrder(agent.name, lambda state: np.asarray(rate(agent.weights, state)))
