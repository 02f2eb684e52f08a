"""What commands say when they stop before all games are played."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludus.workbench.matches import Match


def note_stopped(played: int, games: int) -> None:
    """Say on stderr that not all games were played."""
    if sys.stderr is not None:
        far = f"after {played:,} of {games:,} games" if played else "before a game was over"
        print(f"Stopped {far}.", file=sys.stderr, flush=True)


def note_match(match: Match | None, games: int) -> None:
    """The same of a match, whose result so far this is."""
    note_stopped(0 if match is None else match.games, games)
