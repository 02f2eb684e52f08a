"""Who sits opposite in `ludus play`, and what is thought of a position there: by the agent, the truth or a search."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.agents.mind import Mind
    from ludus.core.game import Game
    from ludus.play.line import Line
    from ludus.truth.answers import Values
    from ludus.truth.protocol import Agent
    from ludus.truth.searched import Analyst

HUMAN, RANDOM = "human", "random"
BEST_FEW = 5  # moves of an opinion
PATIENCE = 10.0  # seconds that a search may take while somebody waits
WORDS = {1: "win", 0: "draw", -1: "loss", None: "not known"}


def nothing() -> None:
    """Nobody breaks off what is thought."""


class Opponent:
    """An agent that plays the seats nobody at the terminal has, the same moves for the same seed.

    Without an agent it plays at random, or not at all where every seat is a person's. Nothing is compiled before it is
    needed, so that the first question is there at once.
    """

    def __init__(self, name: str | None, game: Game, seed: int) -> None:
        self.name, self.game, self.seed = name, game, seed
        self.agent = None if name in (None, HUMAN, RANDOM) else _find(name, game)
        self._chance, self._numbers = random.Random(seed), itertools.count()

    @functools.cached_property
    def mind(self) -> Mind:
        from ludus.agents.mind import Mind

        return Mind(self.agent, self.game)

    def choose(self, line: Line) -> int:
        return self._chance.choice(line.legal()) if self.agent is None else self._best(line, next(self._numbers))

    def greeting(self) -> str:
        """Its name, and how long it thinks where that was agreed."""
        thinks = self.mind.at_board or (None if self.mind.thinker is None else self.mind.thinker.limits)
        seconds = math.inf if thinks is None else thinks.seconds
        return f"{self.name}, which thinks for {seconds:g} s a move" if seconds < math.inf else f"{self.name}"

    def _best(self, line: Line, number: int, beat: Callable[[], Any] = nothing) -> int:
        return self.mind.move(line, self.seed, number, beat=beat)

    # --- advice: what `beat` raises ends it -----------------------------------------------------------------

    def hint(self, line: Line, beat: Callable[[], Any] = nothing) -> str:
        """A move to play: one that holds the value where it is known, else what the agent would play."""
        _refuse_without_moves(line)
        truth, why = _truth(line, beat)
        best = truth.moves[0] if truth else None
        if truth and best and best.value is not None and best.value in (1, truth.value):
            if best.value < 0:
                return f"{best.move} is as good as any: by the exact solution every move loses here."
            held = [move.move for move in truth.moves if move.value == best.value]
            liked = {} if best.plies else self.mind.liked(line)  # where no win is known to be the fastest
            move = max(held, key=lambda move: liked.get(move, 0.0))
            return f"{move} holds the {WORDS[best.value]}, by the exact solution."
        if self.mind.analyst is not None:
            from ludus.agents.mind import seen
            from ludus.search.alphabeta.engine import Limits
            from ludus.truth.searched import in_plies

            before = seen(line, self.mind.analyst.engine)
            found = self.mind.analyst.answer(line.state, Limits(seconds=PATIENCE), before, beat=beat)
            deep = f"by a search of {in_plies(found.depth)}"
            return f"{found.move}, {deep}: {found.summary()} after {' '.join(found.line)}."
        if self.mind.rate is not None:
            move = self.game.format_move(line.state, self._best(line, 0, beat))
            return f"{move} is what {self.name} would play; whether it is right is not known."
        return f"There is no hint: {why}; {self._no_opinion()}."

    def opinion(self, line: Line, beat: Callable[[], Any] = nothing) -> str:
        """What the agent thinks of the best few moves, and beside it what they are worth, where that is known."""
        _refuse_without_moves(line)
        truth, why = _truth(line, beat)
        exact = {move.move: WORDS[move.value] for move in truth.moves} if truth else {}
        liked = self.mind.liked(line)
        if not liked and not exact and self.mind.analyst is not None:
            return self._glance(line, self.mind.analyst, beat)
        if not liked and not exact:
            return f"There is no opinion: {why}; {self._no_opinion()}."
        moves = sorted(liked, key=lambda move: -liked[move]) or list(exact)
        rows = [(move, *([_signed(liked[move])] if liked else []), exact.get(move, "")) for move in moves[:BEST_FEW]]
        by_agent = [f"what {self.name} thinks of them"] if liked else []
        head = " and ".join(by_agent + ["what they are worth by the exact solution"] * bool(exact))
        width = max(len(row[0]) for row in rows)
        lines = ["  ".join((f"  {row[0]:<{width}}", *row[1:])).rstrip() for row in rows]
        left = len(moves) - len(rows)
        return "\n".join([f"The best moves, {head}:", *lines, *([f"  and {left:,} more"] if left else [])])

    def _glance(self, line: Line, analyst: Analyst, beat: Callable[[], Any]) -> str:
        """What a short search thinks of the best few moves."""
        from ludus.agents.mind import seen
        from ludus.truth.searched import counted

        depth = self.mind.glance()
        moves = analyst.moves(line.state, depth, seen(line, analyst.engine), beat)
        width = max(len(move) for move, _ in moves[:BEST_FEW])
        lines = [f"  {move:<{width}}  {worth}" for move, worth in moves[:BEST_FEW]]
        more = [f"  and {len(moves) - BEST_FEW:,} more"] if len(moves) > BEST_FEW else []
        units = counted(analyst.inside)
        head = f"The best moves, by a search of {depth} plies{units and f', in {units}'}:"
        return "\n".join([head, *lines, *more])

    def _no_opinion(self) -> str:
        return "no agent sits here" if self.name in (None, HUMAN) else f"{self.name} thinks nothing of moves"


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # no minus before a zero


def _find(name: str, game: Game) -> Agent:
    from ludus.agents.players import find_agent

    return find_agent(name, game)


def _truth(line: Line, beat: Callable[[], Any]) -> tuple[Values | None, str]:
    """What is known of a position and its moves; and if that is not enough for a hint, why."""
    from ludus.agents.mind import exactly
    from ludus.truth.answers import Values

    beat()
    found, why = exactly(line, PATIENCE, lambda *_: beat())
    beat()
    if found is None:
        return None, why
    return found if isinstance(found, Values) else None, f"the exact solution was not found in {PATIENCE:.0f} s"


def _refuse_without_moves(line: Line) -> None:
    if not line.legal():
        raise BadInput("There is no move here; undo takes one back.")
