"""How Solitaire Chess is trained: the best that we know, learned from whole search trees, which wants an accelerator
and many cores; the same in little, for two; and the paper's DQN.
"""

from __future__ import annotations

from ludus.learners.recipes import Recipe


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
        # What the paper does not give was chosen by what it came to: many new games for each step, since a game has
        # three or four moves and a puzzle is seldom met twice. Moves left are pieces less one, whatever is played, so
        # that a discount tells nothing.
        "paper": Recipe.of(
            "paper",
            "dqn",
            hidden=(256, 256),
            inputs="moves",
            head="full",
            batch="transitions",
            transitions=128,
            optimizer="rmsprop",
            learning_rate=3e-3,  # as the study's trial chose
            gamma=1.0,
            epsilon=0.3,
            final_epsilon=0.05,
            memory=40_000,
            lanes=256,
            steps=16,
            games=200_000,
        ),
    }
