"""Who sits opposite in `ludus play`, and what is thought of a position there: by the agent, the truth or a search."""

from __future__ import annotations

import functools
import itertools
import math
import random
from typing import TYPE_CHECKING, Any

from ludus.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.core.game import Game
    from ludus.play.line import Line
    from ludus.search.thinker import EngineThinker
    from ludus.truth.answers import Values
    from ludus.truth.protocol import Agent
    from ludus.truth.searched import Analyst

HUMAN, RANDOM = "human", "random"
BEST_FEW = 5  # moves of an opinion
PATIENCE = 10.0  # seconds that a search may take while somebody waits
GLANCE = 3  # plies that an opinion looks ahead, where a search has it; by an agent's own values, one less
WORDS = {1: "win", 0: "draw", -1: "loss", None: "not known"}


class Opponent:
    """An agent that plays the seats nobody at the terminal has, the same moves for the same seed.

    Without an agent it plays at random, or not at all where every seat is a person's. Nothing is compiled before it is
    needed, so that the first question is there at once.
    """

    def __init__(self, name: str | None, game: Game, seed: int) -> None:
        self.name, self.game, self.seed = name, game, seed
        self.agent = None if name in (None, HUMAN, RANDOM) else _find(name, game)
        self._chance, self._numbers = random.Random(seed), itertools.count()

    def choose(self, line: Line) -> int:
        return self._chance.choice(line.legal()) if self.agent is None else self._best(line, next(self._numbers))

    def greeting(self) -> str:
        """Its name, and how long it thinks where that was agreed."""
        seconds = math.inf if self._thinker is None else self._thinker.limits.seconds
        return f"{self.name}, which thinks for {seconds:g} s a move" if seconds < math.inf else f"{self.name}"

    def _best(self, line: Line, number: int) -> int:
        import numpy as np

        assert self.agent is not None
        if self._thinker is not None:
            seed = (self.seed << 32) + number
            return self._thinker.choose([line.state], [_seen(line, self._thinker)], [seed])[0]
        from ludus.play.selfplay import lane_after

        seeds = np.uint32(self.seed), np.uint32(number)
        return int(self._policy(self.agent.weights, *seeds, lane_after(self.game, line.states)))

    @functools.cached_property
    def _thinker(self) -> EngineThinker | None:
        """How it searches, if it does."""
        engine = getattr(self.agent, "engine", None)
        return None if engine is None else engine(self.game)

    @functools.cached_property
    def _analyst(self) -> Analyst | None:
        """A search for whoever asks for advice, by what a searching agent goes by; None where there is nothing."""
        from ludus.training.names import can_be_searched

        if self.game.entry.evaluation is None or not can_be_searched(self.game.name):
            return None
        from ludus.training.engines import evaluation_of
        from ludus.truth.searched import Analyst

        return Analyst(self.game, evaluation_of(self.game) if self._thinker is None else self._thinker.inside)

    @functools.cached_property
    def _policy(self) -> Callable[..., Any]:
        """Weights and seeds are arguments: the program is the same in every game, and is found again."""
        import jax

        from ludus.play.selfplay import ask, been

        assert self.agent is not None
        game, policy_of = self.game, self.agent.policy_of(self.game)

        def move(weights: Any, seed: Any, number: Any, lane: Any) -> Any:
            key = jax.random.fold_in(jax.random.key(seed), number)
            return ask(policy_of(weights), key, lane.state, been(game, lane))[0]

        return jax.jit(move)

    @functools.cached_property
    def _values(self) -> Callable[..., Any] | None:
        """What the agent thinks of every action, if it thinks."""
        import jax

        values = self.agent.move_values(self.game) if self.agent is not None else None
        return None if values is None else jax.jit(values)

    # --- advice ---------------------------------------------------------------------------------------------

    def hint(self, line: Line) -> str:
        """A move to play: one that holds the value where it is known, else what the agent would play."""
        _refuse_without_moves(line)
        truth, why = _truth(line)
        best = truth.moves[0] if truth else None
        if truth and best and best.value is not None and best.value in (1, truth.value):
            if best.value < 0:
                return f"{best.move} is as good as any: by the exact solution every move loses here."
            held = [move.move for move in truth.moves if move.value == best.value]
            liked = {} if best.plies else self._liked(line)  # where no win is known to be the fastest
            move = max(held, key=lambda move: liked.get(move, 0.0))
            return f"{move} holds the {WORDS[best.value]}, by the exact solution."
        if self._analyst is not None:
            from ludus.search.alphabeta import Limits
            from ludus.truth.searched import in_plies

            found = self._analyst.answer(line.state, Limits(seconds=PATIENCE), _seen(line, self._analyst.engine))
            deep = f"by a search of {in_plies(found.depth)}"
            return f"{found.move}, {deep}: {found.summary()} after {' '.join(found.line)}."
        if self._values is not None:
            move = self.game.format_move(line.state, self._best(line, 0))
            return f"{move} is what {self.name} would play; whether it is right is not known."
        return f"There is no hint: {why}; {self._no_opinion()}."

    def opinion(self, line: Line) -> str:
        """What the agent thinks of the best few moves, and beside it what they are worth, where that is known."""
        _refuse_without_moves(line)
        truth, why = _truth(line)
        exact = {move.move: WORDS[move.value] for move in truth.moves} if truth else {}
        liked = self._liked(line)
        if not liked and not exact and self._analyst is not None:
            return self._glance(line, self._analyst)
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

    def _glance(self, line: Line, analyst: Analyst) -> str:
        """What a short search thinks of the best few moves."""
        from ludus.search.evaluation import Evaluation
        from ludus.truth.searched import counted

        depth = GLANCE if isinstance(analyst.inside, Evaluation) else GLANCE - 1
        moves = analyst.moves(line.state, depth, _seen(line, analyst.engine))
        width = max(len(move) for move, _ in moves[:BEST_FEW])
        lines = [f"  {move:<{width}}  {worth}" for move, worth in moves[:BEST_FEW]]
        more = [f"  and {len(moves) - BEST_FEW:,} more"] if len(moves) > BEST_FEW else []
        units = counted(analyst.inside)
        head = f"The best moves, by a search of {depth} plies{units and f', in {units}'}:"
        return "\n".join([head, *lines, *more])

    def _liked(self, line: Line) -> dict[str, float]:
        """What the agent thinks of each legal move; nothing, if it does not think."""
        if self._values is None or self.agent is None:
            return {}
        import numpy as np

        values = np.asarray(self._values(self.agent.weights, line.state))
        return {self.game.format_move(line.state, action): float(values[action]) for action in line.legal()}

    def _no_opinion(self) -> str:
        return "no agent sits here" if self.name in (None, HUMAN) else f"{self.name} thinks nothing of moves"


def _seen(line: Line, knows: Any) -> list[int]:
    """The positions of a game before the present one, by the numbers that a search knows them by."""
    return [knows.key(state) for state in line.states[:-1]] if line.game.repetition_ties else []


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}"  # no minus before a zero


def _find(name: str, game: Game) -> Agent:
    from ludus.training.agents import find_agent

    return find_agent(name, game)


def _truth(line: Line) -> tuple[Values | None, str]:
    """What is known of a position and its moves; and if that is not enough for a hint, why."""
    from ludus.truth import truth_of
    from ludus.truth.answers import Values

    try:
        found = truth_of(line.game).solve(line.state, PATIENCE)
    except BadInput as error:
        return None, str(error).rstrip(".")
    return found if isinstance(found, Values) else None, f"the exact solution was not found in {PATIENCE:.0f} s"


def _refuse_without_moves(line: Line) -> None:
    if not line.legal():
        raise BadInput("There is no move here; undo takes one back.")
