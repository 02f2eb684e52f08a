"""What `ludus play` knows of a puzzle: which one to begin with, what can still be solved, and a score."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.errors import BadInput, shorten

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.play.line import Line

TODAY = "today"
A_PIECE, AN_UNDO, A_HINT = 10, 2, 10  # points: for each piece taken, and less for each of these
TOO_LARGE = "There is too much below this position to tell."


def check_puzzle(game: str, level: str | None, daily: str | None, others: bool) -> None:
    """Refuse what can be refused before the game itself is loaded."""
    asked = [f"--{name}" for name, value in (("level", level), ("daily", daily)) if value is not None]
    if not asked:
        return
    known = registry.entry(game)
    if known.puzzles is None:
        raise BadInput(f"{game} makes no puzzles, so leave out {' and '.join(asked)}.")
    if others:
        raise BadInput(f"a position or a saved game is a puzzle already; leave out {' and '.join(asked)}.")
    if level is not None:
        from ludus.cli.puzzles import check_level

        check_level(known, level)
    if daily is not None:
        day_of(daily)


def day_of(text: str) -> datetime.date:
    if text.lower() == TODAY:
        return datetime.date.today()
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--daily '{shorten(text)}' is no day; write {TODAY}, or one like 2026-01-31.") from None


def begin(game: Game, level: str | None, daily: str | None, seed: int) -> tuple[Any, int]:
    """A puzzle of a level by its number, or a day's, and its number; the level of a day goes by the day of the week."""
    from ludus.play.puzzles import puzzle_of, puzzle_of_day, seed_of

    if daily is None:
        return game.parse(puzzle_of(game, level, seed).position), seed
    day = day_of(daily)
    return game.parse(puzzle_of_day(game, day, level).position), seed_of(day)


class Adviser:
    """What can still be solved, and how much help was asked for."""

    def __init__(self, game: Game) -> None:
        self.game, self.hints, self.undos = game, 0, 0

    def _moves(self, state: Any) -> dict[int, bool] | None:
        from ludus.truth import truth_of
        from ludus.truth.puzzle import PuzzleTruth

        if not hasattr(self, "_solver"):
            truth = truth_of(self.game)
            assert isinstance(truth, PuzzleTruth)
            self._solver = truth.solver
        return self._solver.moves(state)

    def _asked(self, line: Line) -> dict[int, bool] | None:
        """The moves here, for somebody who wants help: that counts."""
        if not line.legal():
            raise BadInput("There is no move here; undo takes one back.")
        self.hints += 1
        return self._moves(line.state)

    def hint(self, line: Line, beat: Callable[[], Any]) -> str:
        """A move after which it can be solved."""
        found = self._asked(line)
        if found is None:
            return TOO_LARGE
        good = [action for action, after in found.items() if after]
        if not good:
            return self.stands(line, beat)
        return f"{self.game.format_move(line.state, good[0])} keeps it solvable."

    def opinion(self, line: Line, beat: Callable[[], Any]) -> str:
        """Every move, and whether it can be solved after it."""
        found = self._asked(line)
        if found is None:
            return TOO_LARGE
        rows = sorted((not after, self.game.format_move(line.state, action)) for action, after in found.items())
        return "\n".join(f"  {move}  {'cannot' if lost else 'can'} be solved" for lost, move in rows)

    def stands(self, line: Line, beat: Callable[[], Any]) -> str:
        """Whether it can still be solved; if not, how far to go back. What `beat` raises ends it."""
        for back, state in enumerate(reversed(line.states)):
            beat()
            found = self._moves(state)
            if found is None:
                return TOO_LARGE
            if any(found.values()):
                moves = "a move" if back == 1 else f"{back} moves"
                return "This can be solved." if back == 0 else f"This can no longer be solved: take {moves} back."
        return "This puzzle cannot be solved at all."

    def score(self, line: Line) -> int:
        """Of a puzzle that is solved; none of another."""
        ending = line.ending()
        if ending is None or ending.result != "solved":
            return 0
        return max(0, A_PIECE * len(line.actions) - AN_UNDO * self.undos - A_HINT * self.hints)

    def sentence(self, line: Line) -> str:
        undone = f"{self.undos} undo{'' if self.undos == 1 else 's'}"
        hinted = f"{self.hints} hint{'' if self.hints == 1 else 's'}"
        return f"Score {self.score(line)}: {len(line.actions)} captures, {undone}, {hinted}."
