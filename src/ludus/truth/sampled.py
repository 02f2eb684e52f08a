"""Grades without an exact solution: the score against the random player, or the share of puzzles solved."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from ludus.core.callbacks import Watch, nobody
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play import selfplay
from ludus.play.device_batch import play_seated
from ludus.play.player import Player
from ludus.play.scores import Tally, tally_ends
from ludus.truth.protocol import EPSILON, Effort, Grade

GAMES = {Effort.QUICK: 128, Effort.WHOLE: 1024, Effort.EVERY_DEFENCE: 1024}


@dataclass(frozen=True)
class SampledGrade(Grade):
    """The tally of games against the random player, with alternating seats; or of puzzles, if `alone`."""

    result: Tally
    alone: bool = False

    def summary(self) -> str:
        share, games = 100 * self.result.score, self.result.games
        if self.alone:
            return f"solves {share:.1f}% of {games:,} puzzles"
        return f"scores {share:.1f}% of {games:,} games against random"

    def to_json(self) -> dict[str, Any]:
        result = self.result
        ends = {"wins": result.wins, "draws": result.draws, "losses": result.losses}
        against = {} if self.alone else {"against": "random"}
        return {**against, "sampled": result.games, **ends, "score": result.score, "ci95": list(result.ci95 or ())}

    def lines(self) -> list[str]:
        return [f"{self.summary()}{self.result.interval}"]


@dataclass(frozen=True)
class Unsolved:
    """A game that is not solved, or not with these options."""

    game: Game
    why: str = ""  # it is not solved: a sentence
    solvers: tuple[str, ...] = ()
    grades: tuple[Effort, ...] = ()

    def _refuse(self) -> NoReturn:
        if self.game.num_players == 1:
            raise BadInput(self.why or f"{self.game.name} is a puzzle for one, and puzzles are not solved yet.")
        raise BadInput(self.why or f"{self.game.describe()} has too many positions to be solved here.")

    def solve(self, state: Any, limit: float = float("inf"), watch: Watch = nobody) -> NoReturn:
        self._refuse()

    def count(self) -> NoReturn:
        self._refuse()

    def policy(self, hardest: bool = False) -> NoReturn:
        self._refuse()

    def grade(
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> SampledGrade:
        return grade_by_games(agent, self.game, GAMES[effort])


def grade_by_games(agent: Player, game: Game, games: int) -> SampledGrade:
    """The grade; the same agent always plays the same games."""
    device = agent.on_device(game)
    ends = _play(device.policy_of, game, games)(device.weights)
    return SampledGrade(tally_ends(np.asarray(ends)), game.num_players == 1)


@functools.lru_cache(maxsize=8)
def _play(policy_of: Callable[[Any], selfplay.Policy], game: Game, games: int) -> Callable[[Any], Any]:
    """All games as one program, compiled once for all weights of a run."""

    @jax.jit
    def play(weights: Any) -> Any:
        key_start, key_play = jax.random.split(jax.random.key(0))
        if game.num_players == 1:
            starts = jax.vmap(game.sample)(jax.random.split(key_start, games))
            returns = selfplay.play(game, policy_of(weights), key_play, games, starts).returns[:, 0]
            return jnp.where(returns > 0, jnp.float32(1), jnp.float32(-1))
        seats = jnp.arange(games, dtype=jnp.int32) % 2
        players = (policy_of(weights), selfplay.random_policy(game))
        return play_seated(game, players, jax.random.key(0), seats)[0]

    return play
