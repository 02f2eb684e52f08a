"""Results about puzzles: the answer for one puzzle, and the grade of an agent's move order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludus.core.game import Game
from ludus.core.results import Result, Sheet
from ludus.search.puzzle.solver import Census, PuzzleSolution
from ludus.truth.protocol import Grade
from ludus.truth.puzzle_tree import draw_tree


@dataclass(frozen=True, repr=False)
class PuzzleAnswer(Result):
    """The solution of one puzzle, and the cost of a search in some order."""

    game: Game
    state: Any
    order: str
    found: PuzzleSolution
    census: Census | None
    final: tuple[str, str] | None
    table: bool = False
    moves: tuple[str, ...] = ()
    others: Sequence[tuple[str, bool]] = ()  # every move, and whether the puzzle is solvable after it
    every: Sequence[tuple[str, ...]] | None = None  # all solutions, or the first of them
    best_first: bool = False  # by best-first search instead of backtracking

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
            "at_random": None if counted is None else counted.at_random,
            "seconds": round(self.found.seconds, 6),
            "gave_up": self.found.solved is None,
        } | ({} if self.every is None else {"all": [list(line) for line in self.every]})

    def parts(self) -> Iterator[str | Sheet]:
        yield from self.lines()

    def to_svg(self) -> str:
        return self.game.svg(self.state)

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
        mean = f"; in random order {self.census.at_random:,.1f} on average" if self.census.solvable else ""
        return f"{took}{mean}; {self.census.calls:,} in the whole tree, {self.census.positions:,} of them different"

    def tree(self) -> str:
        """The explored positions as a picture."""
        return draw_tree(self.game, self.state, self.found)


@dataclass(frozen=True)
class LevelGrade:
    level: str
    puzzles: int
    right: int  # with the correct last piece and square
    explored: float  # positions per puzzle
    ratio: float  # explored / floor, the mean over puzzles
    ci95: tuple[float, float]
    baseline: float  # the same ratio for the order of the room's paper
    worse: int  # puzzles with more explored positions than the baseline
    best_first: float | None = None  # explored / floor by best-first search, for an order with likelihoods
    best_first_ci95: tuple[float, float] | None = None


@dataclass(frozen=True)
class OrderGrade(Grade):
    """How few positions an agent's move order explores, and how often its first move keeps a puzzle solvable."""

    levels: tuple[LevelGrade, ...]
    positions: int  # all solvable positions below puzzles of the hardest level
    kept: int  # of these, still solvable after the order's first move

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
