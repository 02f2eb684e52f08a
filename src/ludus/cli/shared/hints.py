"""Hints and opinions in `ludus play`: what moves are worth, by the exact solution, the agent or a search."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ludus.cli.shared.agents import HUMAN
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.core.line import Line
    from ludus.play.player import Clock, Player
    from ludus.play.thoughts import Considered, Thoughts
    from ludus.search.puzzle.solver import PuzzleSolver
    from ludus.truth.answers import Values

BEST_FEW = 5  # moves of an opinion
PATIENCE = 10.0  # seconds that a search may take while somebody waits
WORDS = {1: "win", 0: "draw", -1: "loss", None: "not known"}
A_PIECE, AN_UNDO, A_HINT = 10, 2, 10  # points of a puzzle: for each piece taken, less for each undo and hint
TOO_LARGE = "There is too much below this position to tell."

Beat = Callable[[], Any]  # called now and then by what takes long; what it raises ends that


def no_beat() -> None:
    """The beat of somebody who does not want to break off a hint."""


class GameHints:
    """Help in a game for two: by the exact solution where it is found in time, else by the agent or a search."""

    def __init__(self, game: Game, name: str | None, player: Player | None, seed: int = 0) -> None:
        self.game, self.name, self.player, self.seed = game, name, player, seed

    def hint(self, line: Line, beat: Beat = no_beat) -> str:
        """A move to play: one that holds the value where that is known, else what the agent would play."""
        from ludus.agents.advice import adviser
        from ludus.agents.spec import AgentSpec
        from ludus.play.player import Clock

        _refuse_without_moves(line)
        truth, why = _truth(line, beat)
        best = truth.moves[0] if truth else None
        if truth and best and best.value is not None and best.value in (1, truth.value):
            if best.value < 0:
                return f"{best.move} is as good as any: by the exact solution every move loses here."
            held = {move.move for move in truth.moves if move.value == best.value}
            thoughts = None if best.plies else self._thoughts(line, beat)  # where no win is known to be the fastest
            liked = [move.move for move in thoughts.moves if move.move in held] if thoughts else []
            return f"{(liked or [best.move])[0]} holds the {WORDS[best.value]}, by the exact solution."
        if (search := adviser(self.game, self.player)) is not None:
            from ludus.search.alphabeta.analysis import in_plies

            found = search.analyse(line, Clock(seconds=PATIENCE, beat=beat))
            deep = f"by a search of {in_plies(found.depth)}"
            return f"{found.move}, {deep}: {found.summary()} after {' '.join(found.line)}."
        if self.player and self.name and AgentSpec.parse(self.name).kind in ("network", "search"):
            action = self.player.move(line, Clock.at(line, self.seed, beat=beat))
            move = self.game.format_move(line.state, action)
            return f"{move} is what {self.name} would play; whether it is right is not known."
        return f"There is no hint: {why}; {self._no_opinion()}."

    def opinion(self, line: Line, beat: Beat = no_beat) -> str:
        """The best few moves as the agent sees them, and beside that their exact values, where these are known."""
        from ludus.agents.advice import adviser

        _refuse_without_moves(line)
        truth, why = _truth(line, beat)
        exact = {move.move: WORDS[move.value] for move in truth.moves} if truth else {}
        thoughts, by = self._thoughts(line, beat), self.name
        if thoughts is None and not exact and (search := adviser(self.game)) is not None:
            thoughts, by = search.thoughts(line, self._clock(line, beat)), search.name
        if thoughts is None and not exact:
            return f"There is no opinion: {why}; {self._no_opinion()}."
        moves = [entry.move for entry in thoughts.moves] if thoughts else list(exact)
        said = _columns(thoughts) if thoughts else {}
        rows = [(move, *said.get(move, ()), exact.get(move, "")) for move in moves[:BEST_FEW]]
        by_exact = ["what they are worth by the exact solution"] if exact else []
        head = [*([_head(by, thoughts)] if thoughts else []), *by_exact]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  " + "  ".join(map(str.ljust, row, widths)) for row in rows]
        left = len(moves) - len(rows)
        more = [f"  and {left:,} more"] if left else []
        return "\n".join([f"The best moves, {' and '.join(head)}:", *(line.rstrip() for line in lines), *more])

    def _thoughts(self, line: Line, beat: Beat) -> Thoughts | None:
        """The agent's; None of the perfect player too, as its knowledge is the exact solution, which is asked first."""
        if self.player is None or self.name in ("perfect", "perfect:hardest"):
            return None
        return self.player.thoughts(line, self._clock(line, beat))

    def _clock(self, line: Line, beat: Beat) -> Clock:
        from ludus.play.player import Clock

        return Clock.at(line, self.seed, PATIENCE, beat)

    def _no_opinion(self) -> str:
        return "no agent sits here" if self.name in (None, HUMAN) else f"{self.name} has no opinion of moves"


class PuzzleHints:
    """Help with a puzzle: whether it can still be solved, and by which moves. Help costs points, so it is counted."""

    def __init__(self, game: Game) -> None:
        self.game, self.hints, self.undos = game, 0, 0

    @functools.cached_property  # not made before it is needed, so that the first board is shown at once
    def _solver(self) -> PuzzleSolver:
        from ludus.truth import truth_of
        from ludus.truth.puzzle import PuzzleTruth

        truth = truth_of(self.game)
        assert isinstance(truth, PuzzleTruth)
        return truth.solver

    def _moves(self, line: Line) -> dict[int, bool] | None:
        """The moves here, and whether each keeps the puzzle solvable; None if that takes too long. Counts as a hint."""
        _refuse_without_moves(line)
        self.hints += 1
        return self._solver.moves(line.state)

    def hint(self, line: Line, beat: Beat = no_beat) -> str:
        """A move after which the puzzle can still be solved."""
        moves = self._moves(line)
        if moves is None:
            return TOO_LARGE
        good = [action for action, solvable in moves.items() if solvable]
        return f"{self.game.format_move(line.state, good[0])} keeps it solvable." if good else self.solvable(line, beat)

    def opinion(self, line: Line, beat: Beat = no_beat) -> str:
        """Every move, and whether the puzzle can be solved after it."""
        moves = self._moves(line)
        if moves is None:
            return TOO_LARGE
        rows = sorted((not solvable, self.game.format_move(line.state, move)) for move, solvable in moves.items())
        return "\n".join(f"  {move}  {'cannot' if lost else 'can'} be solved" for lost, move in rows)

    def solvable(self, line: Line, beat: Beat = no_beat) -> str:
        """Whether the puzzle can still be solved; if not, how many moves to take back."""
        for back, state in enumerate(reversed(line.states)):
            beat()
            found = self._solver.moves(state)
            if found is None:
                return TOO_LARGE
            if any(found.values()):
                moves = "a move" if back == 1 else f"{back} moves"
                return "This can be solved." if back == 0 else f"This can no longer be solved: take {moves} back."
        return "This puzzle cannot be solved at all."

    def score(self, line: Line) -> int:
        """The points of a solved puzzle; 0 while it is not solved."""
        ending = line.ending()
        if ending is None or ending.result != "solved":
            return 0
        return max(0, A_PIECE * len(line.actions) - AN_UNDO * self.undos - A_HINT * self.hints)

    def sentence(self, line: Line) -> str:
        undone = f"{self.undos} undo{'' if self.undos == 1 else 's'}"
        hinted = f"{self.hints} hint{'' if self.hints == 1 else 's'}"
        return f"Score {self.score(line)}: {len(line.actions)} captures, {undone}, {hinted}."


def _head(by: str | None, thoughts: Thoughts) -> str:
    """What the columns are."""
    if thoughts.depth is not None:
        return f"by a search of {thoughts.depth} plies{thoughts.unit and f', in {thoughts.unit}'}"
    values = any(entry.value is not None for entry in thoughts.moves)
    unit = f"in {thoughts.unit}" if thoughts.unit else "-1 to 1"
    if all(entry.probability is None for entry in thoughts.moves):
        return f"what {by} expects of them ({unit})"
    return f"how likely {by} plays them{f' and what it expects of them ({unit})' * values}"


def _columns(thoughts: Thoughts) -> dict[str, tuple[str, ...]]:
    """The cells of each move: its probability, and its value as a number or in words."""
    values = any(entry.value is not None for entry in thoughts.moves)

    def one(entry: Considered) -> tuple[str, ...]:
        chance = () if entry.probability is None else (f"{100 * entry.probability:5.1f}%",)
        digits = 1 if thoughts.depth is not None else 3
        value = entry.words or ("" if entry.value is None else _signed(entry.value, digits))
        return (*chance, value) if values else chance

    return {entry.move: one(entry) for entry in thoughts.moves}


def _signed(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:+.{digits}f}"  # adding zero turns -0.0 into +0.0


def _truth(line: Line, beat: Beat) -> tuple[Values | None, str]:
    """The exact values of a position and its moves; or None, and why there is no hint by them."""
    from ludus.truth import exactly
    from ludus.truth.answers import Values

    beat()
    found, why = exactly(line.game, line.state, PATIENCE, lambda *_: beat())
    beat()
    if found is None:
        return None, why
    return found if isinstance(found, Values) else None, f"the exact solution was not found in {PATIENCE:.0f} s"


def _refuse_without_moves(line: Line) -> None:
    if not line.legal():
        raise BadInput("There is no move here; undo takes one back.")
