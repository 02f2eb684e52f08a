"""How noughts and crosses is trained: as a table, in seconds."""

from ludus.learners.recipe import Recipe

SMALL = {"hidden": (16,), "games": 400, "lanes": 16, "plies": 8, "updates": 2, "batch": 32, "memory": 512}


def recipes(misere: bool) -> dict[str, Recipe]:
    return {"best": Recipe.of("best", "afterstate", as_table=True, **SMALL)}
