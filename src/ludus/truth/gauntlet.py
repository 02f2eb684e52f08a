"""Grades by games against a gauntlet of players, for a game with an evaluation but no exact solution: the random
player, a one-ply player for each evaluation, and, except in quick grades, an alpha-beta search of two plies.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from ludus.core.callbacks import Watch, nobody
from ludus.core.game import Game
from ludus.play import openings as openings_of
from ludus.play import selfplay
from ludus.play.arena import match
from ludus.play.device_batch import play_seated
from ludus.play.player import Player
from ludus.play.scores import Tally, paired_interval, tally_ends
from ludus.search.alphabeta import one_ply
from ludus.search.alphabeta.evaluation import evaluations
from ludus.search.alphabeta.player import AlphaBetaPlayer
from ludus.search.alphabeta.search import Limits
from ludus.truth.protocol import EPSILON, Effort, Grade
from ludus.truth.sampled import Unsolved

OPENING = 4  # random plies, each opening played in both seats
GAMES = 64  # in one batch
TIMES = {Effort.QUICK: 1, Effort.WHOLE: 8, Effort.EVERY_DEFENCE: 8}
SEARCHED = {Effort.QUICK: 0, Effort.WHOLE: 64, Effort.EVERY_DEFENCE: 256}
DEPTH = 2


@dataclass(frozen=True)
class GauntletGrade(Grade):
    """The agent's score against each player of the gauntlet, the weakest first."""

    rungs: tuple[tuple[str, Tally], ...]

    def summary(self) -> str:
        scores = ", ".join(f"{100 * tally.score:.0f}% against {name}" for name, tally in self.rungs)
        return f"scores {scores}"

    def to_json(self) -> dict[str, Any]:
        rows = [
            {
                "against": name,
                "games": tally.games,
                **{"wins": tally.wins, "draws": tally.draws, "losses": tally.losses},
                **{"score": tally.score, "ci95": list(tally.ci95 or ())},
            }
            for name, tally in self.rungs
        ]
        name, last = self.rungs[-1]
        return {"against": name, "score": last.score, "ci95": list(last.ci95 or ()), "ladder": rows}

    def lines(self) -> list[str]:
        return [
            f"scores {100 * tally.score:.1f}% of {tally.games:,} games against {name}{tally.interval}"
            for name, tally in self.rungs
        ]


@dataclass(frozen=True)
class Gauntlet(Unsolved):
    """A game that cannot be solved, with fixed opponents to grade agents by."""

    def grade(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> GauntletGrade:
        """The grade; the same agent always plays the same games."""
        rungs, device = [], agent.on_device(self.game)
        for name in (RANDOM, *one_ply_players(self.game)):
            play = _play(device.policy_of, self.game, name)
            ends = np.concatenate([np.asarray(play(device.weights, time)) for time in range(TIMES[effort])])
            rungs.append((name, replace(tally_ends(ends), ci95=paired_interval(ends))))
        if SEARCHED[effort]:
            evaluation, key = next(iter(evaluations(self.game).values())), jax.random.key(0)
            other = AlphaBetaPlayer(f"alphabeta:{DEPTH}", self.game, evaluation, Limits(depth=DEPTH))
            rungs.append((other.name, match(self.game, agent, other, SEARCHED[effort], key, openings=OPENING)))
        return GauntletGrade(tuple(rungs))


RANDOM = "random"


def one_ply_players(game: Game) -> dict[str, one_ply.Rate]:
    """The one-ply players that run on the device, by name, the weakest first."""
    known = reversed(evaluations(game).items())  # the best evaluation is first there
    return {f"{name} at one ply": rate for name, found in known if (rate := one_ply.rate_of(found)) is not None}


@functools.lru_cache(maxsize=8)
def _play(policy_of: Callable[[Any], selfplay.Policy], game: Game, name: str) -> Callable[[Any, int], Any]:
    """A batch of games as one program, compiled once for all weights of a run; `time` selects the games."""
    other = selfplay.random_policy(game) if name == RANDOM else one_ply.policy(game, one_ply_players(game)[name])

    @jax.jit
    def play(weights: Any, time: Int[Array, ""]) -> Any:
        places = jnp.arange(GAMES, dtype=jnp.int32)
        key_openings, key_play = jax.random.split(jax.random.key(time))
        opening = openings_of.draw(game, key_openings, places // 2, min(OPENING, game.max_plies - 1))
        return play_seated(game, (policy_of(weights), other), key_play, places % 2, opening).got

    return play
