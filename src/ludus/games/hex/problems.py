"""Puzzles of Hex: positions with exactly one winning move, on boards of 5 to 7.

The prover has proved every move a win or a loss. `tests/record_hex_problems.py` made the file, and says how positions
were chosen.
"""

from __future__ import annotations

import functools
import random
from pathlib import Path

from ludus.games.hex import ENTRY, notation
from ludus.play.puzzles import Problem, rating_of

FILE = Path(__file__).with_name("problems.txt")  # explored, position, answer, and the reply to each other move
LEAST = dict(zip(ENTRY.levels, (0, 1150, 1600, 2100), strict=True))  # the rating from which a puzzle has a level


def level_of(explored: int) -> str:
    return [level for level, least in LEAST.items() if rating_of(explored) >= least][-1]


@functools.cache
def problems() -> dict[str, list[Problem]]:
    """All puzzles by level, the easiest first."""
    found: dict[str, list[Problem]] = {level: [] for level in ENTRY.levels}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        made = _read(line)
        found[made.level].append(made)
    return found


def _read(line: str) -> Problem:
    explored, rows, mover, answer, *told = line.split()
    replies = dict(pair.split(":") for pair in told[0].split(",")) if told else {}
    name = notation.NAMES["bw".index(mover)]
    way = ("top and bottom", "left and right")["bw".index(mover)]
    goal = f"{name.capitalize()} moves and wins, joining {way}. Only one move does it."
    options = {"size": len(rows.split("/")), "swap": False}
    return Problem(f"{rows} {mover}", options, level_of(int(explored)), goal, (answer,), replies, int(explored))


def problem(level: str, seed: int) -> Problem:
    """A puzzle of this level; the seeds from 0 on go through all of them in an order of chance."""
    mine = problems()[level]
    order = list(range(len(mine)))
    random.Random(level).shuffle(order)
    return mine[order[seed % len(order)]]
