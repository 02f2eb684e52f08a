"""Writes the recorded playthroughs anew: `python tests/record_playthroughs.py [GAME ...]`.

Each is a game of random moves. A file that has changed tells of a change in a game's rules or its notation: look at it.
"""

from __future__ import annotations

import random
import shutil
import sys
from typing import Any

import jax
import numpy as np
from helpers.playthroughs import FOLDER, playthrough
from helpers.positions import STARTS

from ludus.games import make_game, names

COUNT = 20

#: Taken in turn. A game that is not named here is recorded under its defaults.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "hex": [
        *({"size": 3}, {"size": 3, "swap": True}, {"size": 2}, {"size": 5}, {"size": 5, "swap": True}),
        *({"size": 8}, {"size": 11}, {"size": 11, "swap": True}, {"size": 4}, {"size": 19}),
    ],
    "abalone": [
        *({}, {"layout": "belgian-daisy"}, {"layout": "german-daisy"}, {"layout": "dutch-daisy"}),
        {"layout": "swiss-daisy"},
    ],
    "solitaire-chess": [
        *({"pieces": 8}, {"pieces": 8, "rules": "solo"}, {"size": 3, "pieces": 4}),
        *({"size": 3, "pieces": 4, "rules": "solo"}, {"size": 5, "pieces": 12}),
        *({"size": 6, "pieces": 12, "rules": "solo"}, {"size": 8, "pieces": 20}),
        *({"size": 8, "pieces": 20, "rules": "solo"}, {"pieces": 4}, {"pieces": 4, "rules": "solo"}),
    ],
}

#: So many plies and no more, to keep the files small.
MAX_PLIES = {"abalone": 60, "lgame": 20, "hex size=19 swap=False": 40}

#: From this number on a game that random play hardly ends is recorded from a late position.
LATE = {"abalone": 14}


def record(name: str, number: int) -> str:
    """Random moves, and now and then a swap, which chance alone would hardly ever choose."""
    options = OPTIONS.get(name, [{}])
    game = make_game(name, **options[number % len(options)])
    rng = random.Random(number)
    if number >= LATE.get(name, COUNT):
        start = game.parse(STARTS[name](game, rng)[-1])
    else:
        start = jax.tree.map(np.asarray, jax.jit(game.sample)(jax.random.key(number)))
    max_plies = MAX_PLIES.get(game.describe(), MAX_PLIES.get(name, game.max_plies))

    def choose(ply: int, moves: list[str]) -> str | None:
        if ply >= max_plies:
            return None
        return "swap" if "swap" in moves and number % 4 == 1 else rng.choice(moves)

    return playthrough(game, number, start, choose)


def main() -> None:
    for name in sys.argv[1:] or names():
        shutil.rmtree(FOLDER / name, ignore_errors=True)
        (FOLDER / name).mkdir(parents=True)
        for number in range(COUNT):
            (FOLDER / name / f"{number:02}.txt").write_text(record(name, number), encoding="utf-8")
            print(FOLDER / name / f"{number:02}.txt")


if __name__ == "__main__":
    main()
