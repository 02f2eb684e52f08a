"""Recipes for Solitaire Chess: the best that we know, learned from whole search trees, for an accelerator and many
cores; a small version of it, for two cores; and the paper's DQN.
"""

from __future__ import annotations

from ludus.learners.recipe import Recipe


def recipes(size: int, rules: str, pieces: int) -> dict[str, Recipe]:
    return {
        "best": Recipe.of(
            "best",
            "trees",
            hidden=(1024, 1024, 128),
            learning_rate=1e-3,
            games=2_000_000,
            rows=131_072,
            width=40,
            memory=1_048_576,
            updates=160,
            batch=8192,
            rounds=100,
        ),
        "small": Recipe.of("small", "trees", games=500_000),
        # Settings that the paper does not give were chosen by results. There are many new games for each step, because
        # a game has three or four moves and a puzzle seldom comes twice. There is no discount: the number of moves left
        # is always the number of pieces less one.
        "paper": Recipe.of(
            "paper",
            "dqn",
            hidden=(256, 256),
            inputs="moves",
            head="full",
            batch="transitions",
            transitions=128,
            optimizer="rmsprop",
            learning_rate=3e-3,  # chosen by the study's trial
            gamma=1.0,
            epsilon=0.3,
            final_epsilon=0.05,
            memory=40_000,
            lanes=256,
            steps=16,
            games=200_000,
        ),
    }
