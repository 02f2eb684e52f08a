"""The perfect player, for a game that is solved."""

from __future__ import annotations

import functools

import numpy as np
from jaxtyping import Float

from ludus.agents.spec import PERFECT
from ludus.core.game import Game
from ludus.core.line import Line
from ludus.play.batched import Batched
from ludus.play.player import Clock, Player
from ludus.play.thoughts import Considered, Thoughts
from ludus.truth import exactly, truth_of
from ludus.truth.answers import Values
from ludus.truth.graph import Graph
from ludus.truth.solve import solve


class PerfectPlayer(Player):
    """Plays any move that holds the value, or the hardest of them: the one that wins fastest or resists longest."""

    chance = True

    def __init__(self, hardest: bool = False) -> None:
        self.hardest = hardest
        self.name = next(name for name, value in PERFECT.items() if value is hardest)

    def thoughts(self, line: Line, clock: Clock) -> Thoughts | None:
        """The exact value of each move; None where the position was not solved in time."""
        found, _ = exactly(line.game, line.state, clock.seconds, lambda *_: clock.beat())
        if not isinstance(found, Values) or found.value is None:
            return None
        moves = tuple(
            Considered(m.move, m.value, words=found.in_words(m.value, m.plies), proved=m.value is not None)
            for m in found.moves
        )
        return Thoughts(moves, found.value)

    def batched(self, game: Game) -> Batched:
        return _perfect(game, self.hardest)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        solution = solve(graph.game)
        return graph.among(solution.hardest if self.hardest else solution.holding)


@functools.lru_cache(maxsize=16)
def _perfect(game: Game, hardest: bool) -> Batched:
    return Batched.fixed(truth_of(game).policy(hardest))
