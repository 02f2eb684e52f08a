"""Recipes for training Hex, by size. 3 x 3 and 4 x 4 take minutes on two cores; larger boards need an accelerator.

From 6 x 6 on, a tower network learns by AlphaZero. The network fits any size, so training on a larger board can start
from weights of a smaller one: `ludus train hex --size 9 --from hex/best-7`.
"""

from __future__ import annotations

from typing import Any

from ludus.learners.recipe import Recipe

BEST = {
    3: Recipe.of("best", "negamax", games=40_000),
    4: Recipe.of("best", "negamax", games=150_000),
    5: Recipe.of(
        "best",
        "negamax",
        hidden=(512, 512, 512),
        backups=8,
        handicap=0.5,
        games=9_000_000,
        lanes=1024,
        batch=2048,
        memory=524_288,
        rounds=120,
        lookahead=True,
        images=2,
    ),
}
#: A tower that learns action values without a search: the older recipe for larger boards.
NEGAMAX = Recipe.of(
    "negamax",
    "negamax",
    network="tower",
    depth=6,
    backups=1,
    games=1_000_000,
    lanes=512,
    batch=1024,
    memory=131_072,
    rounds=50,
    calls=50,
)
#: Games of self-play. An H200 plays some 110 a second on 11 x 11.
GAMES = 200_000
#: The search uses values unscaled, as for Go. With mctx's default, values rescaled to 0..1, a single visited move
#: outweighs a confident policy.
WEIGHED: dict[str, Any] = {"value_scale": 0.5, "rescaled": False}
#: Every game begins with a random first move: the network's own first moves soon have little variety.
BEGUN: dict[str, Any] = {"openings": "random", "least_plies": 1}


def searching(size: int) -> Recipe:
    """AlphaZero for an accelerator. The tape holds the last games of each lane."""
    return Recipe.of(
        "best",
        "alphazero",
        network="tower",
        **WEIGHED,
        **BEGUN,
        width=96,
        blocks=12,
        simulations=64,
        decided=0.97,
        learning_rate=8e-4,
        games=GAMES,
        lanes=4096,
        plies=8,
        updates=24,
        batch=4096,
        average=0.995,
        tape=4 * size**2 // 3,
        kept=min(size**2, 32),
        wait=size**2 // 2,
        rounds=20,
    )


def small(size: int, name: str = "small") -> Recipe:
    """AlphaZero for a few cores: a narrower tower, fewer lanes."""
    return Recipe.of(
        name,
        "alphazero",
        **WEIGHED,
        **BEGUN,
        network="tower",
        width=32,
        blocks=4,
        games=20_000,
        lanes=128,
        plies=8,
        updates=16,
        batch=256,
        wait=size**2 // 2,
        rounds=10,
    )


#: On 5 x 5: more games, and openings from unlikely positions too, because a defence may lead anywhere. Tested with
#: mctx's default scaling and balanced openings, so it keeps them.
FIVE: dict[str, Any] = {
    **{"random_plies": 8, "games": 60_000, "lanes": 256, "batch": 512, "rounds": 40},
    **{"value_scale": 0.1, "rescaled": True, "openings": "balanced", "least_plies": 0},
}


def recipes(size: int, swap: bool) -> dict[str, Recipe]:
    if size in BEST or size < min(BEST):
        searched = small(size, "alphazero")
        return {"best": BEST[max(size, 3)], "alphazero": searched.with_settings(**FIVE) if size == 5 else searched}
    return {"best": searching(size), "small": small(size), "negamax": NEGAMAX}
