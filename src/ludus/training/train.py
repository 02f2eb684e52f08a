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

from ludus.training import runs, tensors
from ludus.training.agents import TrainedAgent, read_config
from ludus.core.game import Game, Rules
from ludus.games import make_game
from ludus.truth.grade import Grade, grade
from ludus.games.hex.truth import HexGrade, can_be_graded, grade_hex, quick_grade
from ludus.truth.sampled import QUICK, Sampled, grade_by_games
from ludus.training.recipes import Recipe

REPORTS = 50  # in the course of a run

Strength = Grade | HexGrade | Sampled
Grader = Callable[[TrainedAgent], Strength]


@dataclass(frozen=True)
class Progress:
    """How a run stands, for whoever watches."""

    games: int
    total: int
    rate: float  # games a second in this sitting
    metrics: dict[str, Any]  # of the latest report; none before the first
    grade: Strength | None

    @property
    def eta(self) -> float:
        return max(0.0, self.total - self.games) / self.rate if self.rate else float("inf")


@dataclass(frozen=True)
class Outcome:
    run: Path
    games: int
    seconds: float  # of this sitting
    final: Strength | None


def train(
    game: Game,
    recipe: Recipe,
    seed: int,
    out: Path,
    command: str = "",
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Outcome:
    """A new run in a folder that is not there yet."""
    options = {field.name: getattr(game, field.name) for field in game.options()}
    config = {"game": game.name, "options": options, "recipe": recipe.to_json(), "seed": seed, "command": command}
    return _continue(runs.create(out, config), on_progress)


def resume(path: Path, on_progress: Callable[[Progress], None] = lambda progress: None) -> Outcome:
    """A run that was interrupted, from its last checkpoint to its end."""
    return _continue(runs.open_run(path), on_progress)


def rounds_a_report(recipe: Recipe) -> int:
    """After so many rounds come a report and a checkpoint."""
    config = recipe.config
    if recipe.learner == "dqn":
        return max(1, min(1000, config.games // REPORTS) // config.lanes)
    return getattr(config, "rounds", 10)


def calls_a_report(recipe: Recipe) -> int:
    """The rounds of a report are compiled into one call, or into several where they take long: whoever watches sees
    the games go on.
    """
    return getattr(recipe.config, "calls", 1)


def graders(game: Game, recipe: Recipe) -> tuple[Grader, Grader] | None:
    """How an agent is measured on the way and at the end: by the truth where it is known, else by games."""
    if game.num_players == 2 and game.small:
        return lambda agent: grade(agent, game, matches=False), lambda agent: grade(agent, game)
    if can_be_graded(game) and recipe.rates_moves:
        return lambda agent: quick_grade(agent, game), lambda agent: grade_hex(agent, game)
    if game.num_players == 2:
        return lambda agent: grade_by_games(agent, game, QUICK), lambda agent: grade_by_games(agent, game)
    return None


@functools.lru_cache(maxsize=8)
def _program(recipe: Recipe, rules: Rules, rounds: int) -> Callable[[Any], tuple[Any, Any]]:
    def several(state: Any) -> tuple[Any, Any]:
        return jax.lax.scan(lambda s, _: recipe.module.advance(recipe.config, rules, s), state, None, length=rounds)

    return jax.jit(several, donate_argnums=0)


def _continue(run: runs.Run, on_progress: Callable[[Progress], None]) -> Outcome:
    begin = time.perf_counter()
    config = read_config(run.path)
    game, recipe = make_game(config["game"], **config["options"]), Recipe.from_json(config["recipe"])
    rules, learner, total = recipe.rules(game), recipe.module, recipe.config.games
    state = jax.jit(lambda key: learner.init(recipe.config, rules, key))(jax.random.key(run.config.get("seed", 0)))
    restored = run.restore(state)
    if restored is not None:
        state = restored[1]
    calls, measures = calls_a_report(recipe), graders(game, recipe)
    program = _program(recipe, rules, max(1, rounds_a_report(recipe) // calls))
    first = games = int(state.games)
    metrics, row, seen = {}, {}, None
    while games < total:
        for call in range(1, calls + 1):
            state, metrics = program(state)
            games = int(state.games)
            if call == calls or games >= total:
                break
            on_progress(Progress(games, total, (games - first) / (time.perf_counter() - begin), row, seen))
        agent = TrainedAgent("", recipe, learner.weights(state))
        seen = measures[0](agent) if measures else None
        row = {"games": games, **{name: float(values[-1]) for name, values in metrics.items()}}
        run.log(row | (seen.to_json() if seen else {}))
        run.checkpoint(games, state)
        seconds = time.perf_counter() - begin
        run.time({"games": games, "seconds": seconds})
        on_progress(Progress(games, total, (games - first) / seconds, row, seen))
    tensors.write_tensors(run.path / "weights.safetensors", learner.weights(state), {"games": games})
    final = measures[1](TrainedAgent(str(run.path), recipe, learner.weights(state))) if measures else None
    if final:
        tensors.write_file(run.path / "final.json", (json.dumps(final.to_json(), indent=2) + "\n").encode())
    return Outcome(run.path, games, time.perf_counter() - begin, final)
