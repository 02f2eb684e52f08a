"""Who sits opposite in `ludus play`, and what is thought of a position there: by the agent, the truth or a search."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.play.line import Line
    from ludus.play.player import Considered, Player, Thoughts
    from ludus.truth.answers import Values

HUMAN, RANDOM = "human", "random"
BEST_FEW = 5  # moves of an opinion
PATIENCE = 10.0  # seconds that a search may take while somebody waits
WORDS = {1: "win", 0: "draw", -1: "loss", None: "not known"}


def no_beat() -> None:
    """Nobody breaks off what is thought."""


class Opponent:
    """An agent that plays the seats nobody at the terminal has, the same moves for the same seed.

    Without an agent nobody does, for every seat is a person's. Nothing is compiled before it is needed, so that the
    first question is there at once.
    """

    def __init__(self, name: str | None, game: Game, seed: int) -> None:
        self.name, self.game, self.seed = name, game, seed
        self.player = None if name in (None, HUMAN) else _find(name, game)

    def choose(self, line: Line, beat: Callable[[], Any] = no_beat) -> int:
        from ludus.play.player import Clock

        assert self.player is not None
        return self.player.move(line, Clock.at(line, self.seed, beat=beat))

    def greeting(self) -> str:
        """Its name, and how long it thinks where that was agreed."""
        from ludus.agents.spec import AgentSpec

        return AgentSpec.parse(self.name or HUMAN).describe()

    # --- advice: what `beat` raises ends it -----------------------------------------------------------------

    def hint(self, line: Line, beat: Callable[[], Any] = no_beat) -> str:
        """A move to play: one that holds the value where it is known, else what the agent would play."""
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
            from ludus.search.alphabeta.analyst import in_plies

            found = search.analyse(line, Clock(seconds=PATIENCE, beat=beat))
            deep = f"by a search of {in_plies(found.depth)}"
            return f"{found.move}, {deep}: {found.summary()} after {' '.join(found.line)}."
        if self.name is not None and AgentSpec.parse(self.name).kind in ("network", "search"):
            move = self.game.format_move(line.state, self.choose(line, beat))
            return f"{move} is what {self.name} would play; whether it is right is not known."
        return f"There is no hint: {why}; {self._no_opinion()}."

    def opinion(self, line: Line, beat: Callable[[], Any] = no_beat) -> str:
        """What the agent thinks of the best few moves, and beside it what they are worth, where that is known."""
        from ludus.agents.advice import adviser

        _refuse_without_moves(line)
        truth, why = _truth(line, beat)
        exact = {move.move: WORDS[move.value] for move in truth.moves} if truth else {}
        thoughts, by = self._thoughts(line, beat), self.name
        if thoughts is None and not exact and (search := adviser(self.game)) is not None:
            thoughts, by = search.thoughts(line, _clock(line, self.seed, beat)), search.name
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

    def _thoughts(self, line: Line, beat: Callable[[], Any]) -> Thoughts | None:
        """None from the perfect player too: what it knows is the truth, which is asked first."""
        if self.player is None or self.name in (None, "perfect", "perfect:hardest"):
            return None
        return self.player.thoughts(line, _clock(line, self.seed, beat))

    def _no_opinion(self) -> str:
        return "no agent sits here" if self.name in (None, HUMAN) else f"{self.name} thinks nothing of moves"


def _clock(line: Line, seed: int, beat: Callable[[], Any]) -> Any:
    from ludus.play.player import Clock

    return Clock.at(line, seed, PATIENCE, beat)


def _head(by: str | None, thoughts: Thoughts) -> str:
    """What the columns are."""
    if thoughts.depth is not None:
        return f"by {by} of {thoughts.depth} plies{thoughts.unit and f', in {thoughts.unit}'}"
    values = any(entry.value is not None for entry in thoughts.moves)
    if all(entry.probability is None for entry in thoughts.moves):
        return f"what {by} expects of them (-1 to 1)"
    return f"how likely {by} plays them{' and what it expects of them (-1 to 1)' * values}"


def _columns(thoughts: Thoughts) -> dict[str, tuple[str, ...]]:
    """What is said of each move: the probability, the value, or the value in words."""
    values = any(entry.value is not None for entry in thoughts.moves)

    def one(entry: Considered) -> tuple[str, ...]:
        chance = () if entry.probability is None else (f"{100 * entry.probability:5.1f}%",)
        digits = 1 if thoughts.depth is not None else 3
        value = entry.words or ("" if entry.value is None else _signed(entry.value, digits))
        return (*chance, value) if values else chance

    return {entry.move: one(entry) for entry in thoughts.moves}


def _signed(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:+.{digits}f}"  # no minus before a zero


def _find(name: str, game: Game) -> Player:
    if name == RANDOM:  # nothing heavy is loaded for it
        from ludus.play.player import RandomPlayer

        return RandomPlayer()
    from ludus.agents.find import find_player

    return find_player(name, game)


def _truth(line: Line, beat: Callable[[], Any]) -> tuple[Values | None, str]:
    """What is known of a position and its moves; and if that is not enough for a hint, why."""
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
