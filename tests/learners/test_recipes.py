"""Recipes: each names a learner there is, and is the same after being saved; what older versions saved is read."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from helpers.nim_game import Nim
from helpers.text import refusal

from ludus.agents.spec import folder_of
from ludus.cli import main
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import make_game, names, shipped
from ludus.games.hex.rules import Hex
from ludus.learners import LEARNERS, find_config
from ludus.learners.recipe import Recipe
from ludus.learners.recipes import ANY_GAME, DEFAULT, find_recipe, recipes
from ludus.learners.settings import settings_of

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
        assert isinstance(recipe.config, find_config(recipe.learner_name))
        assert recipe.config.games > 0
        saved = json.loads(json.dumps(recipe.to_json()))
        assert Recipe.from_json(saved) == recipe
        assert hash(Recipe.from_json(saved)) == hash(recipe)  # a static argument of what is compiled
        assert find_recipe(game, name) == recipe
        rates_moves, rates_positions = (
            rates is not None for rates in (recipe.learner.move_values, recipe.learner.position_value)
        )
        assert rates_moves == (recipe.learner_name not in ("afterstate", "trees"))
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
    learners = {game.size: recipes_of(game)["best"].learner_name for game in SIZES}
    assert {learners[size] for size in learners if size < 6} == {"negamax"}
    assert {learners[size] for size in learners if size > 5} == {"alphazero"}  # by searches of its own


def test_convolutions_want_a_board() -> None:
    """They are listed for every game, since the list does not depend on it; a game without planes refuses them."""
    wanting = [recipe for recipe in ANY_GAME.values() if recipe.learner.needs_planes]
    assert {recipe.learner_name for recipe in wanting} == {"online", "batch"}
    for recipe in wanting:
        assert recipe.rules(SIZES[0]) == SIZES[0]
        assert refusal(recipe.rules, Nim()) == (
            f"the recipe '{recipe.name}' needs a game whose observation is planes; that of nim is not."
        )


SPOILT = [
    ({"learner": "oracle"}, "no learner 'oracle'"),
    ({"games": "many"}, "games is 'many'"),
    ({"games": 0}, "from 1 to 2,000,000,000"),
    ({"games": 3_000_000_000}, "from 1 to 2,000,000,000"),
    ({"games": 10.0}, "a whole number"),
    ({"games": True}, "games is True"),
    ({"lanes": -128}, "lanes is -128, and it takes a whole number from 1 to"),
    ({"memory": 0}, "memory is 0"),
    ({"memory": 10**400}, "memory is 1000"),
    ({"hidden": 7}, "hidden is 7"),
    ({"hidden": ["a"]}, "hidden is ('a',)"),
    ({"hidden": [8, 0]}, "hidden is (8, 0)"),
    ({"hidden": [8, [8]]}, "hidden is (8, [8])"),
    ({"hidden": [8] * 1000}, "at most 64"),
    ({"learning_rate": -1e-3}, "learning_rate is -0.001"),
    ({"learning_rate": float("inf")}, "learning_rate is inf"),
    ({"learning_rate": float("nan")}, "learning_rate is nan"),
    ({"learning_rate": None}, "learning_rate is None"),
    ({"learning_rate": 10**400}, "learning_rate is 1000"),
    ({"epsilon": 1.5}, "from 0 to 1."),
    ({"handicap": -0.5}, "from 0 to 1."),
    ({"optimizer": "magic"}, "one of adam, rmsprop"),
    ({"optimizer": ["adam"]}, "one of adam, rmsprop"),
    ({"lookahead": 1}, "true or false"),
    ({"as_table": "yes"}, "as_table is 'yes'"),
    ({"by_round": 1}, "by_round is 1"),
]


@pytest.mark.parametrize(("changes", "words"), SPOILT, ids=lambda value: str(value)[:40])
def test_a_recipe_that_was_spoilt_is_refused(changes: dict[str, Any], words: str) -> None:
    saved = recipes_of(Hex(size=3))["best"].to_json() | changes
    assert words in refusal(lambda: Recipe.from_json(saved))


def test_where_nothing_means_something_it_is_taken() -> None:
    saved = recipes_of(Hex(size=3))["best"].to_json()
    assert (saved["backups"], saved["random_plies"], saved["handicap"]) == (0, 0, 0)
    assert Recipe.from_json(saved | {"epsilon": 1, "learning_rate": 0, "hidden": []}).config.hidden == ()
    assert Recipe.from_json(Recipe.of("mine", "dqn", recall=0).to_json()).config.recall == 0


# --- by hand --------------------------------------------------------------------------------------------------


def test_settings_are_read_from_text() -> None:
    recipe = Recipe.of("mine", "negamax")
    given = ("hidden=64, 32", "learning-rate=1e-2", " lookahead = TRUE", "optimizer=rmsprop", "lanes=7")
    config = recipe.with_texts(given).config
    assert (config.hidden, config.learning_rate, config.lookahead) == ((64, 32), 0.01, True)
    assert (config.optimizer, config.lanes, config.games) == ("rmsprop", 7, recipe.config.games)
    assert recipe.with_texts(()) == recipe
    assert recipe.with_texts(("hidden=",)).config.hidden == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lanes", "not NAME=VALUE; the settings are network, hidden"),
        ("lr=1", "no setting 'lr'; there are network, hidden"),
        ("=1", "no setting ''"),
        ("lanes=x", "a whole number from 1"),
        ("lanes=1e3", "a whole number from 1"),
        ("lanes=1.5", "a whole number from 1"),
        (f"lanes={'9' * 5000}", "a whole number from 1"),
        ("lanes=0", "a whole number from 1"),
        ("hidden=64,", "whole numbers from 1"),
        ("hidden=a", "whole numbers from 1"),
        ("gamma=nan", "a number from 0 to 1"),
        ("gamma=", "a number from 0 to 1"),
        ("lookahead=1", "true or false"),
        ("network=cnn", "one of mlp, tower"),
        ("games=7", "give --games 7 instead"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(text: str, words: str) -> None:
    assert words in refusal(Recipe.of("mine", "negamax").with_texts, (text,))


def test_one_share_may_be_negative_and_no_other() -> None:
    recipe = Recipe.of("mine", "td")
    assert recipe.with_texts(("kappa=-0.5",)).config.kappa == -0.5
    assert Recipe.from_json(recipe.to_json() | {"kappa": -1}).config.kappa == -1
    assert "a number from -1 to 1" in refusal(recipe.with_texts, ("kappa=-1.01",))
    assert "a number from 0 to 1" in refusal(recipe.with_texts, ("trace=-0.5",))


def test_a_setting_is_given_once() -> None:
    assert "only once" in refusal(Recipe.of("mine", "negamax").with_texts, ("lanes=1", "lanes=2"))


def test_every_setting_has_a_kind_and_its_default_fits() -> None:
    for name in LEARNERS:
        config = find_config(name)
        settings = settings_of(config)
        assert list(settings) == [field.name for field in fields(config)]
        for field in fields(config):
            assert settings[field.name].fits(field.default), f"{name}: {field.name}"
            assert settings[field.name].takes
            assert (settings[field.name].range is not None) == (settings[field.name].kind in (int, float))
    assert settings_of(find_config("afterstate"))["epsilon"].help == "share of moves made at random in training"


def test_another_number_of_games_ends_with_a_round_and_few_take_few_lanes() -> None:
    best = recipes_of(make_game("lgame"))["best"]
    own = best.lasting(best.config.games)
    assert (own, own.by_round, "by_round" in own.to_json()) == (best, False, False)
    more = best.lasting(best.config.games + 1)
    assert (more.by_round, more.config.lanes) == (True, best.config.lanes)
    assert Recipe.from_json(more.to_json()).by_round
    few = best.lasting(50)
    assert 1 <= few.config.lanes * few.config.plies <= 50 * 4  # moves of its round
    assert best.lasting(1).config.lanes == 1
    assert Recipe.of("mine", "dqn").lasting(8).config.lanes == 4  # of which each plays a game a round
    assert Recipe.of("mine", "online").lasting(8).config.games == 8  # which has no lanes
    assert "at most 2,000,000,000" in refusal(best.lasting, 2_000_000_001)
    assert best.lasting(2_000_000_000).config.games == 2_000_000_000


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
    for module in ("recipe", "recipes"):
        monkeypatch.setattr(f"ludus.learners.{module}.former_name", lambda name: "oracle")
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
