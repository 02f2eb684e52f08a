"""Searches as a player of `play.hosted`: on all processors where several games are under way."""

from __future__ import annotations

import os
import queue
import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from ludus.core.game import Game
from ludus.search.alphabeta.engine import PLAIN, Engine, Found, Limits, undisturbed
from ludus.search.alphabeta.evaluation import Evaluation, Oracle

WORKERS = 16  # at most: each has a table of its own


class EngineThinker:
    """A search for each position that it is asked about, each on its own: the same whatever else is searched, and on
    how many processors. One that is `plain` looks at every line to a depth, and chooses from all the best moves.
    """

    def __init__(self, game: Game, inside: Evaluation | Oracle, limits: Limits, plain: bool = False) -> None:
        self.game, self.inside, self.limits, self.plain = game, inside, limits, plain
        self._idle: queue.SimpleQueue[Engine] = queue.SimpleQueue()

    def key(self, state: Any) -> int:
        with self._engine() as engine:
            return engine.key(state)

    def choose(self, states: Sequence[Any], seen: Sequence[Sequence[int]], seeds: Sequence[int]) -> list[int]:
        if len(states) == 1:  # here, where Ctrl-C is heard
            return [self._choose(states[0], seen[0], seeds[0])]
        pool = ThreadPoolExecutor(min(os.cpu_count() or 1, WORKERS, len(states)))
        try:
            return list(pool.map(self._choose, states, seen, seeds))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _choose(self, state: Any, seen: Sequence[int], seed: int) -> int:
        return random.Random(seed).choice(self.best(state, seen))

    def best(
        self,
        state: Any,
        seen: Sequence[int] = (),
        limits: Limits | None = None,
        beat: Callable[[], Any] = undisturbed,
    ) -> list[int]:
        """The moves it chooses from; within other limits than its own, if they are given."""
        if not self.plain:
            return [self.search(state, seen, limits, beat).action]
        with self._engine() as engine:
            # As on the device, it knows the position and nothing of how it came about.
            actions, scores = engine.root_scores(state, self.limits.depth, beat=beat)
        return actions[scores == scores.max()].tolist()

    def search(
        self,
        state: Any,
        seen: Sequence[int] = (),
        limits: Limits | None = None,
        beat: Callable[[], Any] = undisturbed,
    ) -> Found:
        with self._engine() as engine:
            return engine.search(state, limits or self.limits, seen, beat=beat)

    def _tie(self) -> int:
        """It plays to win: a tie by repetition is worth half a marble less than nothing to it, where it counts some."""
        counts = isinstance(self.inside, Evaluation) and self.inside.counted
        return -self.inside.unit // 2 if counts else 0

    @contextmanager
    def _engine(self) -> Iterator[Engine]:
        """One that nobody else uses."""
        try:
            engine = self._idle.get_nowait()
        except queue.Empty:
            switches = PLAIN._replace(ordering=True) if self.plain else None
            engine = Engine(self.game, self.inside, switches=switches, tie=self._tie())
            if self.limits.seconds < float("inf"):  # the clock is for thinking, not for compiling
                engine.search(self.game.init(), Limits(depth=1))
        try:
            yield engine
        finally:
            self._idle.put(engine)
