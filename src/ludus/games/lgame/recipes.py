"""How the L-Game is trained."""

from __future__ import annotations

from ludus.learners.recipe import Recipe


def recipes(cap: int) -> dict[str, Recipe]:
    return {
        "best": Recipe.of("best", "afterstate", as_table=True),
        "paper": Recipe.of("paper", "dqn"),
        "paper-full": Recipe.of("paper-full", "dqn", head="full", inputs="planes"),
    }
