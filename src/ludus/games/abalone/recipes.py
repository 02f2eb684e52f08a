"""Recipes for Abalone: the best that we know, for an accelerator; a small version of it, for two cores; AlphaZero; and
the three networks of the Abalearn paper.
"""

from __future__ import annotations

from typing import Any

from ludus.learners.recipe import Recipe

ALPHAS = (0.03, 0.003, 0.03)  # Abalearn's 1.0, 1.1 and 1.2

BEST = Recipe.of(
    "best",
    "returns",
    network="patterns",
    units=32,
    gamma=0.995,
    trace=0.95,
    games=8_000_000,
    lanes=4096,
    updates=16,
    most_moves=112,
    rounds=400,
)
SMALL = Recipe.of(
    "small",
    "returns",
    network="patterns",
    units=16,
    gamma=0.99,
    trace=0.9,
    games=20_000,
    lanes=128,
    plies=16,
    updates=4,
    most_moves=112,
    rounds=50,
)

#: AlphaZero, for an accelerator. Games begin with up to 16 random moves; the cap and repetition end them by the rules.
ALPHAZERO = Recipe.of(
    "alphazero",
    "alphazero",
    network="tower",
    blocks=6,
    random_plies=16,
    games=200_000,
    lanes=2048,
    plies=8,
    updates=16,
    batch=4096,
    average=0.995,
    tape=200,
    kept=32,
    wait=100,
    season=120,
    rounds=30,
)


def _abalearn(version: str, alpha: float, **settings: Any) -> Recipe:
    given = {"features": f"abalearn-{version}", "hidden": 20, "trace": 0.9, "games": 3_000, "alpha": alpha, **settings}
    return Recipe.of(f"abalearn-{version}", "td", **given)


RANDOM_FIRST: dict[str, Any] = {"opponent": "random-first", "first_games": 250}
#: 1.0 and 1.1 as their sections of the paper end with them, with steps that a trial of an earlier study chose; 1.2 as
#: it learns best: not with the paper's kappa = -1, but in TD-Gammon's view, on games that play on, by reward and value.
ABALEARN = (
    _abalearn("1.0", ALPHAS[0], games=10_000, rounds=200, **RANDOM_FIRST),
    _abalearn("1.1", ALPHAS[1], **RANDOM_FIRST),
    _abalearn(
        "1.2",
        ALPHAS[2],
        view="first",
        repetition="plays-on",
        reward_counts=True,
        epsilon=0.9,
        final_epsilon=0.001,
        epsilon_games=100,
        games=600,
        rounds=300,
    ),
)


def recipes(layout: str, cap: int) -> dict[str, Recipe]:
    return {recipe.name: recipe for recipe in (BEST, SMALL, ALPHAZERO, *ABALEARN)}
