"""Agents that search: `minimax:D`, which looks at every line and takes any of the best moves, and `alphabeta`, which
looks so many plies ahead, or for so many seconds a move, with all that the engine has.

Both are for any game with a twin. They think on the host (`play.hosted`), on all processors where several games are
under way. `minimax:1` is a policy of the device as well, if its evaluation is at home there: so it can sit in
thousands of games at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Float

from ludus.agents.players import load_agent
from ludus.agents.spec import MINIMAX, Searcher, bound_of, folder_of, is_trained, refuse_thoughtless
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play import selfplay
from ludus.play.hosted import state_at
from ludus.search.alphabeta import one_ply
from ludus.search.alphabeta.engine import Limits
from ludus.search.alphabeta.evaluation import Evaluation, Oracle, evaluation, evaluations
from ludus.search.alphabeta.thinker import EngineThinker
from ludus.truth import evaluate
from ludus.truth.graph import Graph

CENTRE, HAND = "centre", "hand"  # what minimax and alphabeta think by, of a game that has it
ORACLE_UNIT = 1000  # parts of a won game that a trained agent's values are told apart by


def evaluation_of(game: Game, name: str | None = None) -> Evaluation | Oracle:
    """By its name: one of the game's, or a trained agent's; without a name, what the game is best searched with."""
    known = evaluations(game)
    if name is None:
        return known[HAND] if HAND in known else evaluation(game)
    if name in known:
        return known[name]
    if not is_trained(name):
        refuse_thoughtless(name, game.name)
        return evaluation(game, name)  # says which there are
    agent = load_agent(folder_of(name), game, name)
    compiled = agent.recipe.learner.compiled_evaluation
    found = None if compiled is None else compiled(agent.recipe.config, game, agent.weights)
    if found is not None:  # not every network of a learner need have one
        return found
    values = jax.jit(agent.move_values(game))
    return Oracle(name, lambda state: np.asarray(values(agent.weights, state)), ORACLE_UNIT)


class EngineAgent:
    """Plays what a search finds."""

    weights = None

    def __init__(self, name: str, searcher: Searcher, game: Game) -> None:
        self.name, self.searcher, self.game = name, searcher, game
        self.chance = searcher.kind == MINIMAX
        inside = CENTRE if self.chance and CENTRE in evaluations(game) else searcher.inside
        self.inside = evaluation_of(game, inside)
        self._thinkers: dict[Game, EngineThinker] = {}

    def thinker(self, game: Game) -> EngineThinker | None:
        return None if self._on_device is not None else self.engine(game)

    def engine(self, game: Game) -> EngineThinker:
        """How it thinks on the host, whether or not it also can on the device."""
        if bound_of(game) != bound_of(self.game):
            raise BadInput(f"the agent '{self.name}' is at {self.game.describe()}, not {game.describe()}.")
        if game not in self._thinkers:
            depth, seconds = self.searcher.depth or Limits().depth, self.searcher.seconds or Limits().seconds
            limits = Limits(depth=depth, seconds=seconds)
            self._thinkers[game] = EngineThinker(game, self.inside, limits, plain=self.searcher.kind == MINIMAX)
        return self._thinkers[game]

    @property
    def _on_device(self) -> one_ply.Rate | None:
        """Its evaluation, where it looks one ply ahead and the device can."""
        shallow = (self.searcher.kind, self.searcher.depth) == (MINIMAX, 1)
        return one_ply.rate_of(self.inside) if shallow and isinstance(self.inside, Evaluation) else None

    def policy(self, game: Game) -> selfplay.Policy:
        if self._on_device is None:
            raise BadInput(f"'{self.name}' thinks a position at a time, on the host: it can play, and no more.")
        return one_ply.policy(game, self._on_device)

    def policy_of(self, game: Game) -> Callable[[Any], selfplay.Policy]:
        policy = self.policy(game)
        return lambda _: policy

    def choices(self, game: Game) -> Callable[[Any, Any], Float[Array, "A"]] | None:
        return None if self._on_device is None else one_ply.choices(game, self._on_device)

    def move_values(self, game: Game, lookahead: bool = True) -> None:
        return None

    def expected(self, game: Game) -> None:
        return None

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        thinker, allowed = self.engine(graph.game), np.zeros(len(graph.child), bool)
        for position in np.flatnonzero(~graph.over).tolist():
            moves = slice(graph.first[position], graph.first[position + 1])
            allowed[moves] = np.isin(graph.action[moves], thinker.best(state_at(graph.states, position)))
        return evaluate.among(graph, allowed)
