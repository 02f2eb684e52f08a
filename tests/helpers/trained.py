"""Agents as training leaves them, without the training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax

from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.runs import tensors


def write_run(folder: Path, game: str, options: dict[str, Any], recipe: Recipe, seed: int | None = 0) -> Path:
    """A run folder as training leaves it; without a seed, one that is not finished."""
    folder.mkdir(parents=True)
    config = {"game": game, "options": options, "recipe": recipe.to_json(), "seed": seed}
    (folder / "config.json").write_text(json.dumps(config))
    if seed is not None:
        rules = recipe.rules(make_game(game, **options))
        learner = recipe.learner
        network = learner.weights(learner.init(recipe.config, rules, jax.random.key(seed)))
        tensors.write_tensors(folder / "weights.safetensors", network, {})
    return folder
