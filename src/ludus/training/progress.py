"""How far a run has come, how fast it goes, and when it will have ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludus.truth.protocol import Grade

ENOUGH = 1.0  # seconds of training, after which it can be told how long all of it will take


@dataclass(frozen=True)
class Progress:
    """How a run stands, for whoever watches."""

    games: int
    total: int
    rate: float  # games a second in this sitting, without what is compiled; 0 before it is known
    metrics: dict[str, Any]  # of the latest report; none before the first
    grade: Grade | None
    reported: bool = False  # whether the latest report is of this moment
    expected: float = 0.0  # games a second, also while few have ended; 0 before anything can be said

    @property
    def eta(self) -> float:
        left, rate = max(0, self.total - self.games), self.expected or self.rate
        return left / rate if left and rate else float("inf") if left else 0.0


OnProgress = Callable[[Progress], None]


def nobody(progress: Progress) -> None:
    """Whoever does not watch."""


class Meter:
    """Games a second, without what was compiled: the first call and the first report do not count."""

    def __init__(self, a_round: float = 0.0, lanes: int = 1) -> None:
        self.games, self.rounds, self.seconds, self.begin = 0, 0, 0.0, time.perf_counter()
        self.a_round, self.lanes = a_round, lanes
        self.seen: set[str] = set()

    def start(self) -> None:
        self.begin = time.perf_counter()

    def stop(self, what: str, games: int = 0, rounds: int = 0) -> float | None:
        """How long it took; None of the first of its kind."""
        seconds = time.perf_counter() - self.begin
        if what not in self.seen:
            self.seen.add(what)
            return None
        self.games, self.rounds, self.seconds = self.games + games, self.rounds + rounds, self.seconds + seconds
        return seconds

    @property
    def rate(self) -> float:
        return self.games / self.seconds if self.seconds else 0.0

    @property
    def expected(self) -> float:
        """The same where few games have ended yet, as those under way count too; 0 before there is enough to go by."""
        if self.seconds < ENOUGH:
            return 0.0
        return self.rate if self.games > 2 * self.lanes else self.rounds * self.a_round / self.seconds
