"""An agent at a game that people watch, one position at a time on the host: what it plays there, and what it thinks.

The terminal and the page both ask here. A game is a `Line`, so that an agent which minds repetition knows what was on
the board before. Nothing is compiled before it is needed, and the programs are the same for all seeds and weights.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from ludus.agents.spec import can_be_searched
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.hosted import Thinker, Thinking
from ludus.play.line import Line
from ludus.play.selfplay import ask, been, lane_after
from ludus.truth import truth_of
from ludus.truth.protocol import Agent, Answer, Truth, Watch, nobody

if TYPE_CHECKING:
    from ludus.agents.searching import AtBoard
    from ludus.search.alphabeta.thinker import EngineThinker
    from ludus.truth.searched import Analyst

GLANCE = 3  # plies that an opinion looks ahead, where a search has it; by an agent's own values, one less


def nothing() -> None:
    """Whoever does not want to stop a search."""


class Mind:
    """What one agent makes of positions. None is nobody, who plays at random and thinks nothing."""

    def __init__(self, agent: Agent | None, game: Game) -> None:
        self.agent, self.game = agent, game

    def move(
        self, line: Line, seed: int, number: int, seconds: float = math.inf, beat: Callable[[], Any] = nothing
    ) -> int:
        """What it plays: the same for the same seed and number of the question, unless a clock stops it. A search has
        so many seconds at most, and asks `beat` now and then, which may raise to end it. A program of others may give
        up: `hosted.RESIGN`.
        """
        if self.agent is None:
            return random.Random((seed << 32) + number).choice(line.legal())
        if self.at_board is not None:
            return self.at_board.move(line, seconds, beat)
        if self.thinker is not None:
            limits = self.thinker.limits
            limits = limits._replace(seconds=min(limits.seconds, seconds))
            chance = random.Random((seed << 32) + number)
            return chance.choice(self.thinker.best(line.state, seen(line, self.thinker), limits, beat))
        if self.host is not None:
            return self.host.choose([line.state], [seen(line, self.host)], [number])[0]
        seeds = np.uint32(seed), np.uint32(number)
        return int(self.policy(self.agent.weights, *seeds, lane_after(self.game, line.states)))

    @functools.cached_property
    def thinker(self) -> EngineThinker | None:
        """How it searches, if it does."""
        engine = getattr(self.agent, "engine", None)
        return None if engine is None else engine(self.game)

    @functools.cached_property
    def at_board(self) -> AtBoard | None:
        """How it searches by its own network, if it does: a tree that is kept from move to move."""
        begin = getattr(self.agent, "at_board", None)
        return None if begin is None else begin(self.game)

    @functools.cached_property
    def host(self) -> Thinker | None:
        """How it thinks on the host, if it does and does not search."""
        return self.agent.thinker(self.game) if self.thinker is None and isinstance(self.agent, Thinking) else None

    @functools.cached_property
    def policy(self) -> Callable[..., Any]:
        """Weights and seeds are arguments: the program is the same in every game, and is found again."""
        assert self.agent is not None
        game, policy_of = self.game, self.agent.policy_of(self.game)

        def move(weights: Any, seed: Any, number: Any, lane: Any) -> Any:
            key = jax.random.fold_in(jax.random.key(seed), number)
            return ask(policy_of(weights), key, lane.state, been(game, lane))[0]

        return jax.jit(move)

    @functools.cached_property
    def rate(self) -> Callable[..., Any] | None:
        """What the agent thinks of every action, if it thinks."""
        values = self.agent.move_values(self.game) if self.agent is not None else None
        return None if values is None else jax.jit(values)

    def liked(self, line: Line) -> dict[str, float]:
        """What the agent thinks of each legal move; nothing, if it does not think."""
        if self.rate is None or self.agent is None:
            return {}
        values = np.asarray(self.rate(self.agent.weights, line.state))
        return {self.game.format_move(line.state, action): float(values[action]) for action in line.legal()}

    @functools.cached_property
    def analyst(self) -> Analyst | None:
        """A search for whoever asks for advice, by what a searching agent goes by; None where there is nothing."""
        if self.game.entry.evaluation is None or not can_be_searched(self.game.name):
            return None
        from ludus.agents.engine import evaluation_of
        from ludus.truth.searched import Analyst

        return Analyst(self.game, evaluation_of(self.game) if self.thinker is None else self.thinker.inside)

    def glance(self) -> int:
        """How many plies a short search looks ahead."""
        from ludus.search.alphabeta.evaluation import Evaluation

        assert self.analyst is not None
        return GLANCE if isinstance(self.analyst.inside, Evaluation) else GLANCE - 1

    def expects(self, line: Line, plies: int, seed: int = 0) -> list[str]:
        """How it would go on by itself from here, in both seats, for so many plies at most."""
        ahead, begun = line.copy(), len(line.actions)
        while len(ahead.actions) < begun + plies and ahead.ending() is None:
            ahead.push(self.move(ahead, seed, len(ahead.actions)))
        return ahead.moves()[begun:]


def seen(line: Line, knows: Any) -> list[int]:
    """The positions of a game before the present one, by the numbers that a search knows them by."""
    return [knows.key(state) for state in line.states[:-1]] if line.game.repetition_ties else []


def exactly(
    line: Line, patience: float, watch: Watch = nobody, truth: Truth | None = None
) -> tuple[Answer | None, str]:
    """What is known of a position under perfect play, looked for so many seconds; and why not, if nothing is."""
    try:
        return (truth or truth_of(line.game)).solve(line.state, patience, watch), ""
    except BadInput as error:
        return None, str(error).rstrip(".")
