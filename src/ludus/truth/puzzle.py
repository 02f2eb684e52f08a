"""The truth about a puzzle for one with a twin: what can be solved, by searching all there is; and how good an order of
moves is, by how little of that it explores.

The floor of a puzzle is the fewest positions in which it can be solved: the first, and one for each move.
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
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.player import Player
from ludus.play.selfplay import Policy
from ludus.search.puzzle.order import Order, PythonOrder, orders, random_order
from ludus.search.puzzle.solver import Census, PuzzleSolution, PuzzleSolver
from ludus.truth.protocol import EPSILON, Effort, Watch, nobody
from ludus.truth.puzzle_tree import draw_tree

Final = Callable[
    [Game, int], tuple[str, str]
]  # of the twin's number for an end: the piece that is left, and its square

UNSEEN = 2**31 - 1  # the seed of the puzzles that agents are graded on
PUZZLES = {Effort.QUICK: 32, Effort.WHOLE: 1000, Effort.EVERY_DEFENCE: 1000}  # of each level
WALKED = {Effort.QUICK: 32, Effort.WHOLE: 2000, Effort.EVERY_DEFENCE: 2000}  # of the hardest, with all that is below
SLOWLY = 16  # where Python is asked about every position, so many times fewer
MOST = 1000  # solutions that are listed


@dataclass(frozen=True)
class PuzzleAnswer:
    """What is known of one puzzle, and what a search in some order took."""

    game: Game
    state: Any
    order: str
    found: PuzzleSolution
    census: Census | None
    final: tuple[str, str] | None
    table: bool = False
    moves: tuple[str, ...] = ()
    others: Sequence[tuple[str, bool]] = ()  # every move, and whether it can be solved after it
    every: Sequence[tuple[str, ...]] | None = None  # solution, or the first so many
    best_first: bool = False  # whether the likeliest line was followed, in place of backtracking

    @property
    def solvable(self) -> bool | None:
        return self.found.solved if self.census is None else self.census.solvable

    @property
    def unique(self) -> bool | None:
        return None if self.census is None else self.census.unique

    def to_json(self) -> dict[str, Any]:
        counted = self.census
        return {
            "game": self.game.name,
            "position": self.game.format(self.state),
            "solvable": self.solvable,
            "moves": list(self.moves),
            "final": self.final and list(self.final),
            "unique": self.unique,
            "explored": self.found.explored,
            "order": self.order,
            "table": self.table,
            "best_first": self.best_first,
            "solutions": None if counted is None else counted.solutions,
            "positions": None if counted is None else counted.positions,
            "whole_tree": None if counted is None else counted.calls,
            "seconds": round(self.found.seconds, 6),
            "gave_up": self.found.solved is None,
        } | ({} if self.every is None else {"all": [list(line) for line in self.every]})

    def summary(self) -> str:
        if self.solvable is None:
            return f"not solved: gave up after {self.found.explored:,} positions"
        if not self.solvable:
            return "cannot be solved"
        if not self.moves or self.final is None:
            return f"can be solved; the order {self.order} gave up after {self.found.explored:,} positions"
        return f"{' '.join(self.moves)}, {' on '.join(self.final)} is left; {self.found.explored:,} explored"

    def lines(self, every_move: bool = False) -> list[str]:
        counted, lines = self.census, [self.game.draw(self.state), self.summary()]
        if counted is not None and counted.solvable:
            ends = "always that piece there" if counted.unique else "other pieces or squares too"
            some = f"{counted.solutions:,} solution{'s' if counted.solutions > 1 else ''}"
            lines.append(f"{some}, with {ends}" if counted.solutions > 1 else some)
        if every_move:
            lines += [f"    {move}  {'can be solved' if after else 'cannot be solved'}" for move, after in self.others]
        lines += [f"    {' '.join(line)}" for line in self.every or ()]
        how = ", with a table" if self.table else ", the likeliest line first" if self.best_first else ""
        lines.append(f"order {self.order}{how}: {self._took()}")
        return lines

    def _took(self) -> str:
        took = f"{self.found.explored:,} positions explored, {self.found.seconds:.3f} s"
        if self.census is None:
            return took
        return f"{took}; {self.census.calls:,} in the whole tree, {self.census.positions:,} of them different"

    def tree(self) -> str:
        """The explored positions as a picture."""
        return draw_tree(self.game, self.state, self.found)


@dataclass(frozen=True)
class LevelGrade:
    level: str
    puzzles: int
    right: int  # with the final piece and square that there is
    explored: float  # positions a puzzle
    ratio: float  # explored / floor, the mean of puzzles
    ci95: tuple[float, float]
    baseline: float  # the same ratio, in the order of the room's paper
    worse: int  # puzzles in which more was explored than by the baseline
    best_first: float | None = None  # explored / floor, the likeliest line first, where the order says how likely
    best_first_ci95: tuple[float, float] | None = None


@dataclass(frozen=True)
class OrderGrade:
    """How little an agent's order of moves explores, and how often its first move keeps a puzzle solvable."""

    levels: tuple[LevelGrade, ...]
    positions: int  # all those below puzzles of the hardest level that can be solved
    kept: int

    @property
    def ratio(self) -> float:
        return float(np.mean([level.ratio for level in self.levels]))

    def summary(self) -> str:
        ratios = " ".join(f"{level.ratio:.2f}" for level in self.levels)
        first = " ".join(f"{level.best_first:.2f}" for level in self.levels if level.best_first is not None)
        beside = f" (best first {first})" if first else ""
        share = 100 * self.kept / max(1, self.positions)
        return f"explores {ratios} of the floor by level{beside}, keeps {share:.1f}%"

    def to_json(self) -> dict[str, Any]:
        puzzles, right = (sum(getattr(level, name) for level in self.levels) for name in ("puzzles", "right"))
        return {
            "explored_to_floor": self.ratio,
            "accuracy": right / max(1, puzzles),
            "kept": self.kept / max(1, self.positions),
            "kept_positions": self.positions,
            "levels": [
                {name: list(value) if isinstance(value, tuple) else value for name, value in vars(level).items()}
                for level in self.levels
            ],
        }

    def lines(self) -> list[str]:
        lines = [
            f"{level.level:<13} explored / floor {level.ratio:.3f} ({level.ci95[0]:.3f} to {level.ci95[1]:.3f}), "
            f"baseline {level.baseline:.2f}; {level.right:,} of {level.puzzles:,} right, {level.worse:,} worse than "
            "the baseline"
            + (
                ""
                if level.best_first is None or level.best_first_ci95 is None
                else f"; likeliest line first {level.best_first:.3f} ({level.best_first_ci95[0]:.3f} to "
                f"{level.best_first_ci95[1]:.3f})"
            )
            for level in self.levels
        ]
        share = 100 * self.kept / max(1, self.positions)
        return [*lines, f"first move keeps it solvable in {share:.2f}% of {self.positions:,} positions"]


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
        """A puzzle, in some order of moves: the baseline's, if nothing is said. With `every`, all its solutions; with
        `best_first` by the likeliest line, where the order says how likely one is.
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
        """The search alone, and what it ends with."""
        found = self.solver.first(state, order)
        return found, self.final(self.game, self._ends(state, found.actions)) if found.solved else None

    def _ends(self, state: Any, actions: Sequence[int]) -> int:
        """The twin's number for where moves lead."""
        twin, board = self.solver.twin, self.solver.twin.from_state(self.game, state)
        for action in actions:
            twin.make(board, action)
        return int(twin.ending(board))

    def _texts(self, state: Any, actions: Sequence[int]) -> tuple[str, ...]:
        """Moves as text."""
        twin, board, texts = self.solver.twin, self.solver.twin.from_state(self.game, state), []
        for action in actions:
            texts.append(self.game.format_move(twin.to_state(self.game, board), action))
            twin.make(board, action)
        return tuple(texts)

    def count(self) -> NoReturn:
        raise BadInput(f"{self.game.name} has too many puzzles to count; give a position.")

    def policy(self, hardest: bool = False) -> Policy:
        raise BadInput(f"nobody plays {self.game.name} by the truth; ludus solve gives a solution.")

    def grade(
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> OrderGrade:
        """On unseen puzzles of every level, always the same."""
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
    """With its 95% interval."""
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
    """Puzzles that no agent has learned from, as long as none learns from those of this seed."""
    made = itertools.islice(games.part(game, "puzzles").stream(game, level, UNSEEN), count)
    return [UnseenPuzzle(game.parse(p.position), p.final, p.explored, p.pieces) for p in made]


def order_of(agent: Player, game: Game) -> Order | PythonOrder:
    """The order in which an agent tries moves: compiled if it can be, else by asking it, and by chance if it thinks
    nothing of moves.
    """
    found = agent.order(game)
    if found is not None:
        return found
    values = agent.ratings(game)
    if values is None:
        return random_order()
    import jax

    rate = jax.jit(values)
    return PythonOrder(agent.name, lambda state: np.asarray(rate(agent.weights, state)))
