"""Analysis of one position by alpha-beta, as text and as JSON: the best move, its score, the principal variation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ludus.core.callbacks import Watch
from ludus.core.game import Game, compiled
from ludus.core.results import Result, Sheet
from ludus.play.player import no_beat
from ludus.search.alphabeta.nodes import MATE
from ludus.search.alphabeta.search import AlphaBeta, Found, Limits

LEVEL = 0.05  # units; a smaller lead is called even


@dataclass(frozen=True, repr=False)
class Analysis(Result):
    """The best move, the principal variation, and the score in units of the evaluation, for the mover. Only a forced
    end of the game is proved.
    """

    game: Game
    state: Any
    found: Found
    line: list[str]  # the principal variation
    evaluation: str
    unit: int
    counted: str = ""  # the plural of a unit

    @property
    def depth(self) -> int:
        return self.found.depth

    @property
    def score(self) -> float:
        return self.found.score / self.unit

    @property
    def move(self) -> str | None:
        """The best move; None if the game is over."""
        return self.line[0] if self.line else None

    def to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "game": self.game.name,
            "position": self.game.format(self.state),
            "move": self.move,
            "score": self.score,
            "mate": found.mate,
            "line": self.line,
            "depth": found.depth,
            "nodes": found.nodes,
            "seconds": found.seconds,
            "complete": found.complete,
            "evaluation": self.evaluation,
        }

    def parts(self) -> Iterator[str | Sheet]:
        yield from self.lines()

    def to_svg(self) -> str:
        return self.game.svg(self.state)

    def summary(self) -> str:
        """Who is ahead, and by how much, in one sentence."""
        mover = int(compiled(self.game).player(self.state))
        ahead = self.game.seats[mover if self.found.score > 0 else 1 - mover]
        if self.found.mate is not None:
            return f"{ahead} wins in {in_plies(self.found.mate)}" if self.found.mate else f"{ahead} has won"
        if abs(self.score) < LEVEL:
            return "neither is ahead"
        counted = self.counted and f" {self.counted}"
        return f"{ahead} is ahead by {abs(self.score):.1f}{counted}"

    def lines(self, every_move: bool = False) -> list[str]:
        found, lines = self.found, [self.game.draw(self.state), self.summary()]
        if self.move is not None:
            lines += [f"best move  {self.move}", f"line       {' '.join(self.line)}"]
        by = f"evaluation {self.evaluation}"
        lines.append(f"{in_plies(found.depth)} ahead, {found.nodes:,} positions, {found.seconds:.1f} s, {by}")
        return lines


def analyse(
    search: AlphaBeta,
    state: Any,
    limits: Limits,
    seen: Iterable[int] = (),
    watch: Watch | None = None,
    on_interrupt: Literal["raise", "best"] = "raise",
    beat: Callable[[], Any] = no_beat,
) -> Analysis:
    """The analysis of a position within these limits; if the game is over, its result. An exception from `beat` ends
    the search.
    """
    game, inside = search.game, search.evaluation
    if not search.over(state):
        found = search.search(state, limits, seen, watch, on_interrupt, beat)
    else:
        result = float(compiled(game).returns(state)[int(compiled(game).player(state))])
        found = Found(-1, round(MATE * result), (), 0, 0, 0.0, True)
    return Analysis(game, state, found, search.in_words(state, found.line), inside.name, inside.unit, inside.counted)


def move_scores(
    search: AlphaBeta, state: Any, depth: int, seen: Iterable[int] = (), beat: Callable[[], Any] = no_beat
) -> list[tuple[str, int]]:
    """Every move and its score at this depth, for the mover, the best first. An exception from `beat` stops it."""
    actions, scores = search.root_scores(state, depth, seen, beat)
    order = np.argsort(-scores, kind="stable").tolist()
    return [(search.game.format_move(state, int(actions[k])), int(scores[k])) for k in order]


def score_in_words(score: int) -> str:
    """A forced win or loss of the mover, in words; empty for any other score."""
    plies = Found(-1, score, (), 0, 0, 0.0, True).mate
    return "" if plies is None else f"{'win' if score > 0 else 'loss'} in {in_plies(plies)}"


def in_plies(count: int) -> str:
    """A number of plies, in words."""
    return f"{count} {'ply' if count == 1 else 'plies'}"
