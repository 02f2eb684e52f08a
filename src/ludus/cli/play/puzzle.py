"""Which puzzle `ludus play` begins with: one of a level, or of a day."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.cli.shared.options import check_level
from ludus.errors import BadInput, shorten

if TYPE_CHECKING:
    from ludus.core.game import Game

TODAY = "today"


def check_puzzle(game: str, level: str | None, daily: str | None, has_start: bool) -> None:
    """Refuse what can be refused before the game itself is loaded."""
    given = [f"--{name}" for name, value in (("level", level), ("daily", daily)) if value is not None]
    if not given:
        return
    known = registry.entry(game)
    if known.puzzles is None:
        raise BadInput(f"{game} makes no puzzles, so leave out {' and '.join(given)}.")
    if has_start:
        raise BadInput(f"a position or a saved game is a puzzle already; leave out {' and '.join(given)}.")
    if level is not None:
        check_level(known, level)
    if daily is not None:
        day_of(daily)


def day_of(text: str) -> datetime.date:
    if text.lower() == TODAY:
        return datetime.date.today()
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--daily '{shorten(text)}' is no day; write {TODAY}, or a date like 2026-01-31.") from None


def puzzle_start(game: Game, level: str | None, daily: str | None, seed: int) -> tuple[Any, int]:
    """A puzzle's position and number: by level and number, or by day. The weekday sets the level of a daily puzzle."""
    from ludus.play.puzzles import puzzle_of, puzzle_of_day, seed_of

    if daily is None:
        return game.parse(puzzle_of(game, level, seed).position), seed
    day = day_of(daily)
    return game.parse(puzzle_of_day(game, day, level).position), seed_of(day)
