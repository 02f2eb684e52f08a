"""Recipes: each names a learner there is, and is the same after being saved; what older versions saved is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.nim_game import Nim
from helpers.text import refusal

from ludus.cli import main
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import make_game, names, shipped
from ludus.games.hex.rules import Hex
from ludus.learners import LEARNERS
from ludus.training.agents import folder_of
from ludus.training.recipes import ANY_GAME, DEFAULT, Recipe, find_recipe, recipes

SIZES = [Hex(size=size) for size in (2, 3, 4, 5, 7)]
CASES = [*(make_game(name) for name in names()), *SIZES]


def recipes_of(game: Game) -> dict[str, Recipe]:
    return recipes(game.name, game.options())


@pytest.mark.slow
@pytest.mark.parametrize("game", CASES, ids=lambda game: game.describe())
def test_every_recipe_is_the_same_after_json(game: Game) -> None:
    known = recipes_of(game)
    assert DEFAULT in known
    for name, recipe in known.items():
        assert recipe.name == name
        assert recipe.learner_name in LEARNERS
        assert recipe.learner.name == recipe.learner_name
        assert isinstance(recipe.config, recipe.learner.config)
        assert recipe.config.games > 0
        saved = json.loads(json.dumps(recipe.to_json()))
        assert Recipe.from_json(saved) == recipe
        assert hash(Recipe.from_json(saved)) == hash(recipe)  # a static argument of what is compiled
        assert find_recipe(game, name) == recipe
        rates_moves, rates_positions = (
            rates is not None for rates in (recipe.learner.move_values, recipe.learner.position_value)
        )
        assert rates_moves == (recipe.learner_name != "afterstate")
        assert rates_moves or rates_positions


def test_recipes_are_the_same_if_they_mean_the_same() -> None:
    plain, spelled = Recipe.of("mine", "negamax"), Recipe.of("mine", "negamax")
    spelled = spelled.with_settings(games=plain.config.games)
    assert (spelled, hash(spelled)) == (plain, hash(plain))
    others = (plain.lasting(1), Recipe.of("yours", "negamax"), Recipe.of("mine", "negamax", as_table=True), "mine")
    assert all(other != plain for other in others)
    assert Recipe.of("mine", "afterstate") != plain


def test_hex_is_trained_by_its_size() -> None:
    best = [recipes_of(game)["best"].config for game in SIZES]
    assert best[0] == best[1]  # 2 as 3
    assert best[1].games < best[2].games < best[3].games
    assert {recipes_of(game)["best"].learner_name for game in SIZES} == {"negamax"}


def test_convolutions_want_a_board() -> None:
    """They are listed for every game, as the list is made without looking at one; where there are no planes they are
    refused.
    """
    wanting = [recipe for recipe in ANY_GAME.values() if recipe.learner.needs_planes]
    assert {recipe.learner_name for recipe in wanting} == {"online", "batch"}
    for recipe in wanting:
        assert recipe.rules(SIZES[0]) == SIZES[0]
        assert refusal(recipe.rules, Nim()) == (
            f"the recipe '{recipe.name}' wants a game that is seen as planes, which nim is not."
        )


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"learner": "oracle"}, "no learner 'oracle'"), ({"games": "many"}, "games"), ({"hidden": 7}, "hidden")],
)
def test_a_recipe_that_was_spoilt_is_refused(changes: dict[str, Any], words: str) -> None:
    saved = recipes_of(Hex(size=3))["best"].to_json() | changes
    assert words in refusal(lambda: Recipe.from_json(saved))


# --- older runs -----------------------------------------------------------------------------------------------


def older(recipe: Recipe) -> dict[str, Any]:
    """As version 1 saved it: the learner's former name, and another key for the table."""
    saved = json.loads(json.dumps(recipe.to_json()))
    as_table = saved.pop("as_table")
    learner = {"negamax": "neurohex"}.get(saved["learner"], saved["learner"])
    return saved | {"learner": learner, "written_down": as_table}


@pytest.mark.parametrize("as_table", [False, True])
def test_a_recipe_that_an_older_version_saved_is_read(as_table: bool) -> None:
    recipe = Recipe.of("best", "negamax", as_table, hidden=(8, 8), games=7)
    saved = older(recipe)
    assert (saved["learner"], saved["written_down"], "as_table" in saved) == ("neurohex", as_table, False)
    read = Recipe.from_json(saved)
    assert (read.learner_name, read.learner.name, read.as_table) == ("negamax", "negamax", as_table)
    assert read == recipe
    assert read.config == recipe.config
    # Saved again it has the new names alone.
    again = read.to_json()
    assert (again["learner"], again["as_table"], "written_down" in again) == ("negamax", as_table, False)


def test_the_new_key_goes_before_the_old_one() -> None:
    saved = Recipe.of("best", "afterstate", as_table=True).to_json()
    assert Recipe.from_json(saved | {"written_down": False}).as_table
    assert not Recipe.from_json(saved | {"as_table": False, "written_down": True}).as_table


@pytest.mark.parametrize("name", names())
def test_a_recipe_is_found_by_its_former_name(name: str) -> None:
    game = make_game(name)
    assert find_recipe(game, "neurohex") == find_recipe(game, "negamax")
    assert find_recipe(game, "neurohex").name == "negamax"


def test_the_command_takes_a_former_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    chosen: list[tuple[Game, Recipe]] = []

    def instead(game: Game, recipe: Recipe, *_: Any) -> None:
        chosen.append((game, recipe))
        raise BadInput("That will do.")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ludus.training.train.train", instead)
    for name in ("neurohex", "negamax"):
        assert main(["train", "lgame", "--recipe", name]) == 2
    old, new = chosen
    assert old == new
    assert (new[0], new[1].name, new[1].learner_name) == (make_game("lgame"), "negamax", "negamax")


def test_a_name_in_use_is_no_former_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever another package has renamed."""
    monkeypatch.setattr("ludus.training.recipes.former_name", lambda name: "oracle")
    assert find_recipe(SIZES[0], "dqn").name == "dqn"
    assert Recipe.from_json({"learner": "dqn"}).learner_name == "dqn"
    assert "no learner 'oracle'" in refusal(Recipe.from_json, {"learner": "neurohex"})


@pytest.mark.parametrize("name", shipped())
def test_what_is_shipped_has_a_recipe_that_is_read(name: str) -> None:
    saved = json.loads((folder_of(name) / "config.json").read_text())["recipe"]
    recipe = Recipe.from_json(saved)
    assert (recipe.name, recipe.learner_name in LEARNERS) == (saved["name"], True)
    assert recipe.as_table == saved.get("as_table", saved.get("written_down"))
    again = json.loads(json.dumps(recipe.to_json()))
    for key in saved.keys() - {"learner", "written_down"}:
        assert again[key] == saved[key]
