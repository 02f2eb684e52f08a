"""The alpha-beta player; it uses all processors for several games at once.

A `plain` player visits every line to its depth and plays any of the best moves (minimax). The other uses all techniques
of the search, and plays the move that it finds. A plain player of depth 1 also has a policy for the device, if its
evaluation runs there: so it can play thousands of games at once.
"""

from __future__ import annotations

import math
import os
import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float

from ludus import games
from ludus.core.game import Game
from ludus.core.line import Line
from ludus.errors import BadInput
from ludus.play.batched import Batched
from ludus.play.player import Clock, Player, no_beat
from ludus.play.thoughts import ActionRating, Considered, Thoughts
from ludus.search.alphabeta import one_ply
from ludus.search.alphabeta.analysis import Analysis, analyse, move_scores, score_in_words
from ludus.search.alphabeta.evaluation import Evaluation, Oracle
from ludus.search.alphabeta.search import PLAIN, AlphaBeta, Found, Limits, numbering

WORKERS = 16  # at most, because each has its own transposition table
GLANCE = 3  # search depth of `thoughts`; one less with a network's values, which are slower
T = TypeVar("T")


class AlphaBetaPlayer(Player):
    """Searches each position independently: results do not depend on other searches or the number of processors."""

    def __init__(self, name: str, game: Game, inside: Evaluation | Oracle, limits: Limits, plain: bool = False) -> None:
        self.name, self.game, self.inside, self.limits, self.plain = name, game, inside, limits, plain
        self.chance = plain
        self._idle: dict[Any, queue.SimpleQueue[Any]] = {}

    # --- one game on the host

    def move(self, line: Line, clock: Clock) -> int:
        limits = self.limits._replace(seconds=min(self.limits.seconds, clock.seconds))
        return clock.chance().choice(self.best(line, limits, clock.beat))

    def warm(self, line: Line, clock: Clock) -> None:
        self.best(line, Limits(depth=1), clock.beat)

    def moves(self, lines: Sequence[Line], clocks: Sequence[Clock]) -> list[int]:
        if len(lines) == 1:  # in this thread, which receives Ctrl-C
            return [self.move(lines[0], clocks[0])]
        pool = ThreadPoolExecutor(min(os.cpu_count() or 1, WORKERS, len(lines)))
        try:
            return list(pool.map(self.move, lines, clocks))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def best(self, line: Line, limits: Limits | None = None, beat: Callable[[], Any] = no_beat) -> list[int]:
        """The moves it chooses from, within its own limits or the given ones."""
        if not self.plain:
            return [self.search(line, limits, beat).action]
        with self._search(line.game) as search:
            # Without the game's history, as on the device.
            actions, scores = search.root_scores(line.state, self.limits.depth, beat=beat)
        return actions[scores == scores.max()].tolist()

    def search(self, line: Line, limits: Limits | None = None, beat: Callable[[], Any] = no_beat) -> Found:
        with self._search(line.game) as search:
            return search.search(line.state, limits or self.limits, line.seen(numbering(line.game)), beat=beat)

    def thoughts(self, line: Line, clock: Clock) -> Thoughts:
        """A score for every move from a search of a few plies; its own limits are not used."""
        depth = GLANCE if isinstance(self.inside, Evaluation) else GLANCE - 1
        seen = line.seen(numbering(line.game))
        with self._full_search(line.game) as search:
            scores = move_scores(search, line.state, depth, seen, clock.beat)
            limits = Limits(depth=depth + 1, seconds=clock.seconds)
            found = analyse(search, line.state, limits, seen, lambda *_: clock.beat())
        best = tuple(found.line)
        moves = tuple(self._considered(move, score, best if move == found.move else ()) for move, score in scores)
        return Thoughts(moves, moves[0].value, self.inside.counted, depth)

    def _considered(self, move: str, score: int, line: tuple[str, ...]) -> Considered:
        words = score_in_words(score)
        return Considered(move, self._value(score), words=words, line=line, proved=bool(words))

    def _value(self, score: int) -> float:
        """A score in units; without units, as the expected result, clipped to -1..1 for a forced end."""
        value = score / self.inside.unit
        return value if self.inside.counted else min(1.0, max(-1.0, value))

    def analyse(self, line: Line, clock: Clock) -> Analysis:
        """A search for as long as the clock allows; its own limits are not used."""
        seen, limits = line.seen(numbering(line.game)), Limits(seconds=clock.seconds)
        with self._full_search(line.game) as search:
            return analyse(search, line.state, limits, seen, beat=clock.beat)

    # --- batches of games on the device

    def batched(self, game: Game) -> Batched | None:
        rate = self._on_device
        return None if rate is None else Batched.fixed(one_ply.policy(game, rate))

    def choices(self, game: Game) -> ActionRating | None:
        return None if self._on_device is None else one_ply.choices(game, self._on_device)

    @property
    def _on_device(self) -> one_ply.Rate | None:
        """Its evaluation as a function for the device, if it is plain, of depth 1, and the evaluation has one."""
        shallow = self.plain and self.limits.depth == 1
        return one_ply.rate_of(self.inside) if shallow and isinstance(self.inside, Evaluation) else None

    def probabilities(self, graph: Any) -> Float[np.ndarray, "E"]:
        allowed = np.zeros(len(graph.child), bool)
        for position in np.flatnonzero(~graph.over).tolist():
            moves = slice(graph.first[position], graph.first[position + 1])
            allowed[moves] = np.isin(graph.action[moves], self.best(Line(graph.game, graph.state(position))))
        return graph.among(allowed)

    # --- searches, each used by one thread at a time

    def _search(self, game: Game) -> AbstractContextManager[AlphaBeta]:
        if _bound(game) != _bound(self.game):
            raise BadInput(f"the agent '{self.name}' plays {self.game.describe()}, not {game.describe()}.")
        return self._one(game, lambda: self._made(game))

    def _full_search(self, game: Game) -> AbstractContextManager[AlphaBeta]:
        """For `thoughts` and `analyse`: a search with all techniques, also for a plain player."""
        return self._one(("full", game), lambda: AlphaBeta(game, self.inside).prepared())

    def _made(self, game: Game) -> AlphaBeta:
        switches = PLAIN._replace(ordering=True) if self.plain else None
        search = AlphaBeta(game, self.inside, switches=switches, tie=self._tie())
        return search.prepared() if self.limits.seconds < math.inf else search

    def _tie(self) -> int:
        """The score of a tie by repetition: half a unit below 0 if the evaluation has units, to make it play to win."""
        return -self.inside.unit // 2 if self.inside.counted else 0

    @contextmanager
    def _one(self, key: Any, make: Callable[[], T]) -> Iterator[T]:
        """An idle object of this key, or a new one; no other thread uses it meanwhile."""
        idle = self._idle.setdefault(key, queue.SimpleQueue())
        try:
            found = idle.get_nowait()
        except queue.Empty:
            found = make()
        try:
            yield found
        finally:
            idle.put(found)


def _bound(game: Game) -> tuple[str, dict[str, Any]]:
    """The game's name and its bound options."""
    return game.name, games.entry(game.name).binding(game.options(), False)
