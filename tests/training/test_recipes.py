"""Recipes: every one of every game names a learner there is, and is the same after being saved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.text import refusal

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.games.hex.rules import Hex
from ludus.training.recipes import DEFAULT, LEARNERS, Recipe, find_recipe, recipes

SIZES = [Hex(size=size) for size in (2, 3, 4, 5, 7)]
CASES = [*(kind() for kind in GAMES.values()), *SIZES]


@pytest.mark.slow
@pytest.mark.parametrize("game", CASES, ids=lambda game: game.describe())
def test_every_recipe_is_the_same_after_json(game: Game) -> None:
    known = recipes(game)
    assert DEFAULT in known
    for name, recipe in known.items():
        assert recipe.name == name
        assert isinstance(recipe.config, LEARNERS[recipe.learner])
        assert recipe.config.games > 0
        saved = json.loads(json.dumps(recipe.to_json()))
        assert Recipe.from_json(saved) == recipe
        assert hash(Recipe.from_json(saved)) == hash(recipe)  # a static argument of what is compiled
        assert find_recipe(game, name) == recipe
        assert {"init", "advance", "weights"} <= set(dir(recipe.module))
        assert recipe.rates_moves == (recipe.learner != "afterstate")


def test_hex_is_trained_by_its_size() -> None:
    best = [recipes(game)["best"].config for game in SIZES]
    assert best[0] == best[1]  # 2 as 3
    assert best[1].games < best[2].games < best[3].games
    assert {recipes(game)["best"].learner for game in SIZES} == {"neurohex"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"learner": "oracle"}, "no learner 'oracle'"), ({"games": "many"}, "games"), ({"hidden": 7}, "hidden")],
)
def test_a_recipe_that_was_spoilt_is_refused(changes: dict[str, Any], words: str) -> None:
    saved = recipes(Hex(size=3))["best"].to_json() | changes
    assert words in refusal(lambda: Recipe.from_json(saved))
