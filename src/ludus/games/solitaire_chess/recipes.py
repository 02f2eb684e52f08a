"""How Solitaire Chess is trained: the best that we know, learned from whole search trees, which wants an accelerator
and many cores; the same in little, for two; and the paper's DQN.
"""

from __future__ import annotations

from ludus.training.recipes import Recipe


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
        "small": Recipe.of("small", "trees"),
        "paper": Recipe.of(
            "paper",
            "dqn",
            hidden=(128, 128),
            inputs="planes",
            head="full",
            batch="transitions",
            optimizer="rmsprop",
            learning_rate=1e-3,
            gamma=0.95,
            epsilon=1.0,
            final_epsilon=0.05,
            games=100_000,
        ),
    }
