"""Measures of a training run by games: against its weights of the last report, and against a shipped agent. Snapshots.

The gains over its earlier weights are summed to an Elo that is zero at the start of the run. Their errors add up too,
so this Elo shows whether a run still learns, not how strong it is. For strength, some snapshots are kept: agents like
any other, which `ludus ladder` can rate:

    selves/000000004000/    config.json and weights.safetensors
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.agents.network import NetworkPlayer, load_network
from ludus.agents.spec import folder_of, shipped_best
from ludus.core.game import Game
from ludus.learners.recipe import Recipe
from ludus.play import openings, selfplay
from ludus.play.device_batch import play_seated
from ludus.runs.files import make_folder, pretty_json, write_file
from ludus.runs.run_info import CONFIG, SNAPSHOTS, WEIGHTS, fingerprint, read_config
from ludus.runs.tensors import write_tensors
from ludus.truth.protocol import Effort, Truth

MAX_SNAPSHOTS = 12  # of a run, as evenly over its games as reports allow
GAMES = 256  # of a comparison; each opening is played in both seats
ELO = "elo"


class AgainstEarlier:
    """Games against the weights of the last report; the Elo is summed over reports."""

    def __init__(self, game: Game, recipe: Recipe, weights: Any, metrics: Sequence[dict[str, Any]]) -> None:
        policy_of = NetworkPlayer("", recipe, weights).on_device(game).policy_of
        self._play = _play(policy_of, policy_of, game)
        self._weights = jax.tree.map(jnp.copy, weights)  # a copy, as the state's buffers are donated to the next call
        self._elo = float(metrics[-1].get(ELO, 0.0)) if metrics else 0.0

    def measure(self, weights: Any) -> dict[str, Any]:
        """The metrics of these weights, which the next ones are compared with."""
        ends = np.asarray(self._play(weights, self._weights))
        score = float((ends.mean() + 1) / 2)
        bounded = min(max(score, 0.5 / GAMES), 1 - 0.5 / GAMES)
        self._elo += 400 * math.log10(bounded / (1 - bounded))
        self._weights = jax.tree.map(jnp.copy, weights)
        return {ELO: self._elo, "against_earlier": score}


class AgainstShipped:
    """Games against an agent that comes with the game: the same for every report of every run."""

    def __init__(self, game: Game, recipe: Recipe, agent: NetworkPlayer) -> None:
        policy_of = NetworkPlayer("", recipe, agent.weights).on_device(game).policy_of
        self.agent, self._play = agent, _play(policy_of, agent.on_device(game).policy_of, game)

    @staticmethod
    def of(game: Game, recipe: Recipe) -> AgainstShipped | None:
        """Against the agent trained on the nearest board size; None if no agent plays this board."""
        found = shipped_best(game)
        if not found:
            return None
        name = found[0][0]
        return AgainstShipped(game, recipe, load_network(folder_of(name), game, name))

    def measure(self, weights: Any) -> dict[str, Any]:
        ends = np.asarray(self._play(weights, self.agent.weights))
        return {"shipped": self.agent.name, "against_shipped": float((ends.mean() + 1) / 2)}


def comparisons(
    game: Game, recipe: Recipe, weights: Any, metrics: Sequence[dict[str, Any]], truth: Truth
) -> list[AgainstEarlier | AgainstShipped]:
    """What a run's reports are measured by. A shipped agent is left out where the truth can grade quickly."""
    shipped = None if Effort.QUICK in truth.grades else AgainstShipped.of(game, recipe)
    return [AgainstEarlier(game, recipe, weights, metrics), *([] if shipped is None else [shipped])]


PolicyOf = Callable[[Any], selfplay.Policy]


@functools.lru_cache(maxsize=4)
def _play(new_policy: PolicyOf, old_policy: PolicyOf, game: Game) -> Callable[[Any, Any], Any]:
    """A compiled function of two networks' weights: the results of `GAMES` games, for the first network."""
    plies = openings.plies_for(game, GAMES // 2)

    @jax.jit
    def play(new: Any, old: Any) -> Any:
        places = jnp.arange(GAMES, dtype=jnp.int32)
        opening = openings.draw(game, jax.random.key(0), places // 2, plies)
        return play_seated(game, (new_policy(new), old_policy(old)), jax.random.key(1), places % 2, opening).got

    return play


def keep(run: Path, weights: Any, games: int, before: int, total: int) -> None:
    """Write a snapshot at the first report after each twelfth of the games."""
    if MAX_SNAPSHOTS * games // total == MAX_SNAPSHOTS * before // total:
        return
    folder = run / SNAPSHOTS / f"{games:012d}"
    config = read_config(run)
    make_folder(folder)
    write_tensors(folder / WEIGHTS, weights, {"games": games, "config_sha256": fingerprint(config)})
    write_file(folder / CONFIG, pretty_json(config))
