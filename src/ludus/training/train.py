"""Training: a recipe, a seed and a run folder. Compiled rounds of self-play and learning, metrics and a checkpoint
after every few, and the same bytes at the end whether the run was interrupted or not.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax

from ludus.core.game import Game, Rules
from ludus.games import make_game
from ludus.training import runs, tensors
from ludus.training.agents import TrainedAgent, read_config
from ludus.training.recipes import Recipe
from ludus.truth import truth_of
from ludus.truth.protocol import Effort, Grade


@dataclass(frozen=True)
class Progress:
    """How a run stands, for whoever watches."""

    games: int
    total: int
    rate: float  # games a second in this sitting
    metrics: dict[str, Any]  # of the latest report; none before the first
    grade: Grade | None

    @property
    def eta(self) -> float:
        return max(0.0, self.total - self.games) / self.rate if self.rate else float("inf")


@dataclass(frozen=True)
class Outcome:
    run: Path
    games: int
    seconds: float  # of this sitting
    final: Grade


def train(
    game: Game,
    recipe: Recipe,
    seed: int,
    out: Path,
    command: str = "",
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Outcome:
    """A new run in a folder that is not there yet."""
    config = {
        "game": game.name,
        "options": game.options(),
        "recipe": recipe.to_json(),
        "seed": seed,
        "command": command,
    }
    return _continue(runs.create(out, config), on_progress)


def resume(path: Path, on_progress: Callable[[Progress], None] = lambda progress: None) -> Outcome:
    """A run that was interrupted, from its last checkpoint to its end."""
    return _continue(runs.open_run(path), on_progress)


@functools.lru_cache(maxsize=8)
def _program(recipe: Recipe, rules: Rules, rounds: int) -> Callable[[Any], tuple[Any, Any]]:
    def several(state: Any) -> tuple[Any, Any]:
        return jax.lax.scan(lambda s, _: recipe.learner.advance(recipe.config, rules, s), state, None, length=rounds)

    return jax.jit(several, donate_argnums=0)


def _continue(run: runs.Run, on_progress: Callable[[Progress], None]) -> Outcome:
    begin = time.perf_counter()
    config = read_config(run.path)
    game, recipe = make_game(config["game"], **config["options"]), Recipe.from_json(config["recipe"])
    rules, learner, total = recipe.rules(game), recipe.learner, recipe.config.games
    state = jax.jit(lambda key: learner.init(recipe.config, rules, key))(jax.random.key(run.config.get("seed", 0)))
    restored = run.restore(state)
    if restored is not None:
        state = restored[1]
    truth, pace = truth_of(game), learner.pace(recipe.config)
    program = _program(recipe, rules, max(1, pace.rounds // pace.calls))
    first = games = int(state.games)
    metrics, row, seen = {}, {}, None
    while games < total:
        for call in range(1, pace.calls + 1):
            state, metrics = program(state)
            games = int(state.games)
            if call == pace.calls or games >= total:
                break
            on_progress(Progress(games, total, (games - first) / (time.perf_counter() - begin), row, seen))
        agent = TrainedAgent("", recipe, learner.weights(state))
        seen = truth.grade(agent, Effort.QUICK)
        row = {"games": games, **{name: float(values[-1]) for name, values in metrics.items()}}
        run.log(row | seen.to_json())
        run.checkpoint(games, state)
        seconds = time.perf_counter() - begin
        run.time({"games": games, "seconds": seconds})
        on_progress(Progress(games, total, (games - first) / seconds, row, seen))
    tensors.write_tensors(run.path / "weights.safetensors", learner.weights(state), {"games": games})
    final = truth.grade(TrainedAgent(str(run.path), recipe, learner.weights(state)))
    tensors.write_file(run.path / "final.json", (json.dumps(final.to_json(), indent=2) + "\n").encode())
    return Outcome(run.path, games, time.perf_counter() - begin, final)
