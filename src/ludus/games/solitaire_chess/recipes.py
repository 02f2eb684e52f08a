"""How Solitaire Chess is trained: the best that we know, learned from whole search trees, and the paper's DQN."""

from __future__ import annotations

from ludus.training.recipes import Recipe


def recipes(size: int, rules: str, pieces: int) -> dict[str, Recipe]:
    return {
        "best": Recipe.of("best", "trees"),
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
            learning_rate=1e-3,
            gamma=1.0,
            epsilon=0.3,
            final_epsilon=0.05,
            memory=40_000,
            lanes=256,
            updates=16,
            games=400_000,
        ),
    }
