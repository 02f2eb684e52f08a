"""The ranges of numbers that commands and functions take."""

from __future__ import annotations

MAX_GAMES, MAX_OPENING, MAX_SEED = 10**8, 1000, 2**31 - 1
