"""How Abalone is trained: the best that we know, which wants an accelerator; the same in little, for two cores; and
Abalearn's three networks as their paper has them.
"""

from __future__ import annotations

from ludus.training.recipes import Recipe

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


def recipes(layout: str, cap: int) -> dict[str, Recipe]:
    return {recipe.name: recipe for recipe in (BEST, SMALL)}
