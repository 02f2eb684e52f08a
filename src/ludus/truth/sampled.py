"""The strength of an agent where nothing exact is known: games against the random player, with their interval."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.play import selfplay
from ludus.training.agents import TrainedAgent
from ludus.play.arena import Tally, play_seated, tally_ends
from ludus.core.game import Game
from ludus.training.recipes import Recipe

QUICK, WHOLE = 128, 1024  # games, on the way and at the end


@dataclass(frozen=True)
class Sampled:
    """How games against the random player ended, in the first seat and in the second by turns."""

    result: Tally

    def summary(self) -> str:
        return f"scores {100 * self.result.score:.1f}% of {self.result.games:,} games against random"

    def to_json(self) -> dict[str, Any]:
        result = self.result
        ends = {"wins": result.wins, "draws": result.draws, "losses": result.losses}
        return {"against": "random", "sampled": result.games, **ends, "score": result.score, "ci95": list(result.ci95)}


def grade_by_games(agent: TrainedAgent, game: Game, games: int = WHOLE) -> Sampled:
    """Always the same games for the same agent."""
    return Sampled(tally_ends(np.asarray(_against_random(agent.recipe, game, games)(agent.network))))


@functools.lru_cache(maxsize=8)
def _against_random(recipe: Recipe, game: Game, games: int) -> Callable[[Any], Any]:
    """All games as one program, made once for all networks of a run."""

    @jax.jit
    def play(network: Any) -> Any:
        seats = jnp.arange(games, dtype=jnp.int32) % 2
        players = (TrainedAgent("", recipe, network).policy(game), selfplay.random_policy(game))
        return play_seated(game, players, jax.random.key(0), seats)[0]

    return play
