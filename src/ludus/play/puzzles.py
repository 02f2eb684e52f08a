"""What a puzzle is that a room makes (its part `puzzles`), and how hard it was measured to be."""

from __future__ import annotations

import datetime
import hashlib
from typing import Any, NamedTuple

from ludus import games as registry
from ludus.core.game import Game

MOST_SEEDS = 2**32


class Puzzle(NamedTuple):
    """A position with a single solution, as far as what is left in the end goes."""

    position: str
    level: str
    final: tuple[str, str]  # the piece that is left, and where
    explored: int  # positions, by the order that the room's paper has for its baseline
    pieces: int
    losing: float  # share of the moves after which it cannot be solved, of all while it can

    def to_json(self) -> dict[str, Any]:
        return self._asdict() | {"final": list(self.final), "losing": round(self.losing, 4)}


def seed_of(day: datetime.date) -> int:
    """The number of a day's puzzle, the same for everybody."""
    return int.from_bytes(hashlib.sha256(f"ludus {day.isoformat()}".encode()).digest()[:4], "big") % MOST_SEEDS


def puzzle_of(game: Game, level: str | None, seed: int) -> Puzzle:
    """A puzzle of a level by its number."""
    (made,) = registry.part(game, "puzzles").make(game, level, 1, seed)
    return made


def puzzle_of_day(game: Game, day: datetime.date, level: str | None = None) -> Puzzle:
    """The puzzle of a day; its level, if none is wanted, goes by the day of the week."""
    levels = game.entry.levels
    return puzzle_of(game, level or levels[day.weekday() % len(levels)], seed_of(day))
