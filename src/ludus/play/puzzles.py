"""Puzzles that a room makes (its part `puzzles`), with measures of their difficulty."""

from __future__ import annotations

import datetime
import hashlib
from typing import Any, NamedTuple

from ludus import games as registry
from ludus.core.game import Game

MOST_SEEDS = 2**32


class Puzzle(NamedTuple):
    """A position whose solutions all end with the same piece on the same square."""

    position: str
    level: str
    final: tuple[str, str]  # the last piece, and its square
    explored: int  # positions that the search visits with the baseline order of the room's paper
    pieces: int
    losing: float  # share of losing moves, among all moves from solvable positions

    def to_json(self) -> dict[str, Any]:
        return self._asdict() | {"final": list(self.final), "losing": round(self.losing, 4)}


def seed_of(day: datetime.date) -> int:
    """The seed of a day's puzzle, the same for everybody."""
    return int.from_bytes(hashlib.sha256(f"ludus {day.isoformat()}".encode()).digest()[:4], "big") % MOST_SEEDS


def puzzle_of(game: Game, level: str | None, seed: int) -> Puzzle:
    """The puzzle of a level and a seed."""
    (made,) = registry.part(game, "puzzles").make(game, level, 1, seed)
    return made


def puzzle_of_day(game: Game, day: datetime.date, level: str | None = None) -> Puzzle:
    """The puzzle of a day; by default the level follows the day of the week."""
    levels = game.entry.levels
    return puzzle_of(game, level or levels[day.weekday() % len(levels)], seed_of(day))
