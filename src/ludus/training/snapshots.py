"""What an agent in training is measured by where nothing exact is known: its self of the last report, a shipped agent;
and a few selves to keep.

The gains against itself are added up: an Elo that is zero at the start of the run. Errors add up too, so it tells
whether and when a run still learns. How strong its agents were is told by those that are kept, agents like any other
(`ludus ladder`):

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
from ludus.runs.records import CONFIG, WEIGHTS, fingerprint, read_config
from ludus.runs.tensors import write_tensors

KEPT = 12  # selves of a run, as evenly over its games as reports allow
GAMES = 256  # each opening played in both seats
ELO = "elo"
SELVES = "selves"


class Earlier:
    """An agent as it was at the last report, and the Elo that it had then."""

    def __init__(self, game: Game, recipe: Recipe, weights: Any, metrics: Sequence[dict[str, Any]]) -> None:
        policy_of = NetworkPlayer("", recipe, weights).on_device(game).policy_of
        self._play = _play(policy_of, policy_of, game)
        self._weights = jax.tree.map(jnp.copy, weights)  # those of a state are given away as it advances
        self._elo = float(metrics[-1].get(ELO, 0.0)) if metrics else 0.0

    def beaten_by(self, weights: Any) -> dict[str, float]:
        """What to report of the agent as it is now, which is the earlier one from here on."""
        ends = np.asarray(self._play(weights, self._weights))
        score = float((ends.mean() + 1) / 2)
        bounded = min(max(score, 0.5 / GAMES), 1 - 0.5 / GAMES)
        self._elo += 400 * math.log10(bounded / (1 - bounded))
        self._weights = jax.tree.map(jnp.copy, weights)
        return {ELO: self._elo, "against_earlier": score}


class Shipped:
    """An agent that comes with the game and plays these boards: the same for every report of every run."""

    def __init__(self, game: Game, recipe: Recipe, agent: NetworkPlayer) -> None:
        policy_of = NetworkPlayer("", recipe, agent.weights).on_device(game).policy_of
        self.agent, self._play = agent, _play(policy_of, agent.on_device(game).policy_of, game)

    @staticmethod
    def of(game: Game, recipe: Recipe) -> Shipped | None:
        """The one that learned the nearest board; None if nobody plays this one."""
        found = shipped_best(game)
        if not found:
            return None
        name = found[0][0]
        return Shipped(game, recipe, load_network(folder_of(name), game, name))

    def beaten_by(self, weights: Any) -> dict[str, Any]:
        ends = np.asarray(self._play(weights, self.agent.weights))
        return {"shipped": self.agent.name, "against_shipped": float((ends.mean() + 1) / 2)}


PolicyOf = Callable[[Any], selfplay.Policy]


@functools.lru_cache(maxsize=4)
def _play(new_policy: PolicyOf, old_policy: PolicyOf, game: Game) -> Callable[[Any, Any], Any]:
    """Games between two networks, as one program: what the first one got of each."""
    plies = openings.plies_for(game, GAMES // 2)

    @jax.jit
    def play(new: Any, old: Any) -> Any:
        places = jnp.arange(GAMES, dtype=jnp.int32)
        opening = openings.draw(game, jax.random.key(0), places // 2, plies)
        return play_seated(game, (new_policy(new), old_policy(old)), jax.random.key(1), places % 2, opening).got

    return play


def keep(run: Path, weights: Any, games: int, before: int, total: int) -> None:
    """Keep this self, if it is the first report since another twelfth of the games was played."""
    if KEPT * games // total == KEPT * before // total:
        return
    folder = run / SELVES / f"{games:012d}"
    config = read_config(run)
    make_folder(folder)
    write_tensors(folder / WEIGHTS, weights, {"games": games, "config_sha256": fingerprint(config)})
    write_file(folder / CONFIG, pretty_json(config))
