"""What an agent in training was before: how it does against its self of the last report, and a few selves to keep.

The gains are added up: an Elo that is zero at the start of the run. Errors add up too, so it tells whether and when a
run still learns. How strong its agents were is told by those that are kept, agents like any other (`ludus ladder`):

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

from ludus.core.game import Game
from ludus.play import openings, selfplay
from ludus.play.arena import play_seated
from ludus.training.files import pretty_json, write_file
from ludus.training.recipes import Recipe
from ludus.training.records import CONFIG, WEIGHTS, fingerprint, read_config
from ludus.training.tensors import write_tensors

KEPT = 12  # selves of a run, as evenly over its games as reports allow
GAMES = 256  # each opening played in both seats
ELO = "elo"
SELVES = "selves"


class Earlier:
    """An agent as it was at the last report, and the Elo that it had then."""

    def __init__(self, game: Game, recipe: Recipe, weights: Any, metrics: Sequence[dict[str, Any]]) -> None:
        self._play = _play(recipe, game)
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


@functools.lru_cache(maxsize=4)
def _play(recipe: Recipe, game: Game) -> Callable[[Any, Any], Any]:
    """Games between two of a recipe's networks, as one program: what the first one got of each."""
    rules, plies = recipe.rules(game), openings.plies_for(game, GAMES // 2)

    def policy(weights: Any) -> selfplay.Policy:
        return recipe.learner.policy(recipe.config, rules, weights, 0.0)

    @jax.jit
    def play(new: Any, old: Any) -> Any:
        places = jnp.arange(GAMES, dtype=jnp.int32)
        opening = openings.draw(game, jax.random.key(0), places // 2, plies)
        return play_seated(game, (policy(new), policy(old)), jax.random.key(1), places % 2, opening).got

    return play


def keep(run: Path, weights: Any, games: int, before: int, total: int) -> None:
    """Keep this self, if it is the first report since another twelfth of the games was played."""
    if KEPT * games // total == KEPT * before // total:
        return
    folder = run / SELVES / f"{games:012d}"
    config = read_config(run)
    folder.mkdir(parents=True, exist_ok=True)
    write_tensors(folder / WEIGHTS, weights, {"games": games, "config_sha256": fingerprint(config)})
    write_file(folder / CONFIG, pretty_json(config))
