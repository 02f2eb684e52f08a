"""A tour of a game: its first moves, made together with a person who has never played it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A move, and what is said before it. The page makes the other side's moves by itself."""

    words: str
    move: str
    mine: bool = True  # whether the person makes it


class Tour(NamedTuple):
    steps: tuple[Step, ...]
    last: str  # what is said at the end
    options: Mapping[str, Any] = MappingProxyType({})
    start: str | None = None  # a position; without it, the start of the game
