"""How Hex is trained, by size: 3 x 3 and 4 x 4 take minutes on two cores, larger boards want an accelerator."""

from __future__ import annotations

from ludus.training.recipes import Recipe

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
LARGE = Recipe.of(
    "best",
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


def recipes(size: int, swap: bool) -> dict[str, Recipe]:
    return {"best": BEST.get(max(size, 3), LARGE)}
