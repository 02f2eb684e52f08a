"""The progress of a run: games played, rate, and estimated time to the end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludus.truth.protocol import Grade

ENOUGH = 1.0  # seconds of training, before the time to the end is estimated


@dataclass(frozen=True)
class Progress:
    """What a callback is told."""

    games: int
    total: int
    rate: float  # games a second since the start or resume, without compiling; 0: not known yet
    metrics: dict[str, Any]  # of the latest report; empty before the first
    grade: Grade | None
    reported: bool = False  # whether this call follows a report
    expected: float = 0.0  # games a second, estimated also while few have ended; 0: not known yet

    @property
    def eta(self) -> float:
        left, rate = max(0, self.total - self.games), self.expected or self.rate
        return left / rate if left and rate else float("inf") if left else 0.0


OnProgress = Callable[[Progress], None]


def no_progress(progress: Progress) -> None:
    """The callback that does nothing."""


class Meter:
    """Games a second. The first call and the first report are not counted, as they compile."""

    def __init__(self, games_a_round: float = 0.0, lanes: int = 1) -> None:
        self.games, self.rounds, self.seconds, self.began = 0, 0, 0.0, time.perf_counter()
        self.games_a_round, self.lanes = games_a_round, lanes
        self.seen: set[str] = set()

    def start(self) -> None:
        self.began = time.perf_counter()

    def stop(self, what: str, games: int = 0, rounds: int = 0) -> float | None:
        """The seconds it took; None for the first call of a kind."""
        seconds = time.perf_counter() - self.began
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
        """An estimate that counts unfinished games too, for when few have ended; 0 if it is too early."""
        if self.seconds < ENOUGH:
            return 0.0
        return self.rate if self.games > 2 * self.lanes else self.rounds * self.games_a_round / self.seconds
