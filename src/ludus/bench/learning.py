"""Games or moves that the recipes of a game's room play and learn from, a second."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import jax

from ludus.core.game import Game
from ludus.games import part
from ludus.learners.recipe import Recipe
from ludus.learners.recipes import recipes


class LearningSpeed(NamedTuple):
    recipe: str
    unit: str  # games or moves
    lanes: int  # side by side
    rate: float  # a second


def own_recipes(game: Game) -> list[Recipe]:
    """The recipes of the game's room, without those for any game."""
    own = part(game, "recipes")
    known = recipes(game.name, game.options())
    return [] if own is None else [known[name] for name in own(**game.options())]


def measure_all(game: Game, seconds: float) -> Iterator[LearningSpeed]:
    for recipe in own_recipes(game):
        yield measure(game, recipe, seconds)


def measure(game: Game, recipe: Recipe, seconds: float) -> LearningSpeed:
    """Play rounds until the time is up; the first round, which compiles, does not count. Moves are those of the rounds,
    games are those finished.
    """
    learner, config, rules = recipe.learner, recipe.config, recipe.rules(game)
    advance = jax.jit(lambda state: learner.advance(config, rules, state), donate_argnums=0)
    state = jax.jit(lambda key: learner.init(config, rules, key))(jax.random.key(0))
    state, seen = advance(state)
    jax.block_until_ready(seen)
    span, before, rounds, begin = learner.span(config), int(state.games), 0, time.perf_counter()
    while rounds == 0 or time.perf_counter() - begin < seconds:
        state, seen = advance(state)
        jax.block_until_ready(seen)
        rounds += 1
    spent = time.perf_counter() - begin
    done = int(state.games) - before if span.unit == "games" else rounds * span.size
    return LearningSpeed(recipe.name, span.unit, config.lanes or 1, done / spent)
