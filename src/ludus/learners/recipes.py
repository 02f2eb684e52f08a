"""The named ways to train a game: recipes for any game, and those of its room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ludus.errors import BadInput, shorten
from ludus.games import entry, former_name, part
from ludus.learners.recipe import Recipe

if TYPE_CHECKING:
    from ludus.core.game import Game

DEFAULT, SMALL = "best", "small"  # the recipe used by default, and one for a few cores and minutes, if there is one


#: For any game; a game adds its own, and may replace these by name.
ANY_GAME = {
    recipe.name: recipe
    for recipe in (
        Recipe.of("best", "afterstate"),
        Recipe.of("dqn", "dqn", head="full", inputs="planes", optimizer="rmsprop", learning_rate=1e-3),
        Recipe.of("negamax", "negamax", backups=1, optimizer="rmsprop"),
        *(
            Recipe.of(name, "online", algorithm=name)
            for name in ("sarsa", "q", "gtd2", "tdc", "greedy-gq", "tdc-natural")
        ),
        Recipe.of("actor-critic", "online", algorithm="tdc", actor="plain"),
        Recipe.of("cnn-mse", "batch", network="cnn", objective="mse", target="q"),
        Recipe.of("cnn-pbe", "batch", network="cnn", objective="pbe", target="sarsa"),
        Recipe.of("rnn-mse", "batch", network="rnn", objective="mse", target="q"),
        Recipe.of("rnn-pbe", "batch", network="rnn", objective="pbe", target="sarsa"),
    )
}


def recipes(name: str, options: Mapping[str, Any]) -> dict[str, Recipe]:
    """The recipes of a game under these options, by name."""
    own = part(name, "recipes")
    return ANY_GAME | (own(**entry(name).filled(options)) if own else {})


def recipe_named(game: str, options: Mapping[str, Any], name: str = DEFAULT) -> Recipe:
    """A recipe of a game under these options."""
    known = recipes(game, options)
    name = name if name in known else former_name(name)
    if name not in known:
        raise BadInput(f"{game} has no recipe '{shorten(name)}'; there are {', '.join(known)}.")
    return known[name]


def find_recipe(game: Game, name: str = DEFAULT) -> Recipe:
    return recipe_named(game.name, game.options(), name)
