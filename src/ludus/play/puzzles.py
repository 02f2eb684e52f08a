"""Puzzles that a room makes (its part `puzzles`) or keeps (its part `problems`), with measures of their difficulty."""

from __future__ import annotations

import datetime
import hashlib
import math
from collections.abc import Mapping
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


class Problem(NamedTuple):
    """A position in a game for two where few moves win; all others lose, and each has a reply that wins against it."""

    position: str
    options: Mapping[str, Any]  # of its game
    level: str
    goal: str  # a sentence
    answers: tuple[str, ...]
    replies: Mapping[str, str]
    explored: int  # positions that a plain search visits until every move is decided

    def to_json(self) -> dict[str, Any]:
        return self._asdict() | {
            "options": dict(self.options),
            "answers": list(self.answers),
            "replies": dict(self.replies),
        }


BASE_RATING, PER_DOUBLING = 600, 100


def rating_of(explored: int) -> int:
    """The rating of a puzzle, for players' ratings: each doubling of the positions that a solver explores adds 100."""
    return round(BASE_RATING + PER_DOUBLING * math.log2(max(1, explored)))


def problem_of(game: str, level: str, seed: int) -> Problem:
    """The problem of a level and a seed."""
    return registry.part(game, "problems").problem(level, seed)


def seed_of(day: datetime.date) -> int:
    """The seed of a day's puzzle, the same for everybody."""
    return int.from_bytes(hashlib.sha256(f"ludus {day.isoformat()}".encode()).digest()[:4], "big") % MOST_SEEDS


def puzzle_of(game: Game, level: str | None, seed: int) -> Puzzle:
    """The puzzle of a level and a seed."""
    (made,) = registry.part(game, "puzzles").make(game, level, 1, seed)
    return made


def puzzle_of_day(game: Game, day: datetime.date, level: str | None = None) -> Puzzle:
    """The puzzle of a day; by default the level follows the day of the week."""
    return puzzle_of(game, level or level_of_day(game.entry.levels, day), seed_of(day))


def level_of_day(levels: tuple[str, ...], day: datetime.date) -> str:
    return levels[day.weekday() % len(levels)]
