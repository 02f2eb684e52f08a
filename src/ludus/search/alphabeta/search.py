"""Alpha-beta search for any game for two with a twin: iterative deepening until a limit is reached.

`tree` searches to one depth, in compiled code. This module calls it for a slice of nodes at a time, and between slices
checks the clock, the limits and interrupts. The result depends only on the arguments, not on earlier searches, unless
the clock stops it.

With `PLAIN` switches the score is that of plain minimax; so it is with all switches except reductions and quiescence.
There is one exception, in games where a repeated position is a tie: a table entry may come from another line, with
other positions to repeat (the graph history interaction problem). A position that repeats one of the line or of the
game is always a tie, and a value that depends on a repetition in the line above its node is not stored.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import jax
import numpy as np
from jaxtyping import Int

from ludus import games
from ludus.core.callbacks import Watch
from ludus.core.compiling import clock
from ludus.core.game import Game, compiled
from ludus.errors import BadInput
from ludus.play.player import no_beat
from ludus.search.alphabeta import evaluation as evaluations
from ludus.search.alphabeta import transpositions
from ludus.search.alphabeta.evaluation import Evaluation, Oracle
from ludus.search.alphabeta.nodes import ASKING, DONE, HIGHEST, INFINITE
from ludus.search.alphabeta.nodes import MATE as MATE
from ludus.search.alphabeta.tree import searcher
from ludus.search.alphabeta.workspace import (
    BASE,
    DEEPEST,
    ENTERING,
    NODES,
    PLY,
    VALUE,
    SearchSettings,
    hashed,
    undo_of,
    workspace_of,
)
from ludus.search.twins import SearchTwin

SLICE = 20_000  # nodes between checks of the clock


class Switches(NamedTuple):
    """The techniques of the search; each can be switched off."""

    table: bool = True  # transposition table
    ordering: bool = True  # move ordering
    reductions: bool = True  # late move reductions
    quiescence: bool = True  # quiescence search: forcing moves beyond the depth
    aspiration: bool = True  # aspiration windows


PLAIN = Switches(*(False,) * 5)


class Limits(NamedTuple):
    """When a search stops: at the first limit reached. Depth 1 is always finished."""

    depth: int = DEEPEST
    nodes: int = 0  # 0: any number
    seconds: float = math.inf


class Found(NamedTuple):
    """The result of a search."""

    action: int
    score: int  # for the mover; MATE minus the plies to a win, or the negative of that for a loss
    line: tuple[int, ...]  # principal variation, `action` first
    depth: int  # the last that was finished
    nodes: int
    seconds: float
    complete: bool  # whether the full depth was finished, or a forced end of the game found

    @property
    def mate(self) -> int | None:
        """The plies to a forced win or loss, else None."""
        return MATE - abs(self.score) if abs(self.score) > HIGHEST else None


@functools.lru_cache(maxsize=64)  # always the same function for a game: a `Line` caches its results by it
def numbering(game: Game) -> Callable[[Any], int]:
    """The hash of a position in all searches of a game."""
    twin = games.part(game, "twin")
    return lambda state: int(twin.key(twin.from_state(game, state)))


class _Stopped(Exception):
    """A limit was reached within a tree."""


class AlphaBeta:
    """An alpha-beta search of one position at a time. It is not thread-safe: use one for each thread."""

    def __init__(
        self,
        game: Game,
        evaluation: Evaluation | Oracle | None = None,  # None: the game's first
        *,
        switches: Switches | None = None,
        entries: int = 1 << 20,  # of the table, 16 bytes each
        tie: int = 0,  # the score of a repetition for the side that searches; below 0 it prefers to play on
    ) -> None:
        twin = games.part(game, "twin")
        if not isinstance(twin, SearchTwin) or game.num_players != 2:
            why = "it is a game for one" if game.num_players == 1 else "it has no twin for alpha-beta"
            raise BadInput(f"{game.name} cannot be searched by alpha-beta: {why}.")
        self.tie = tie
        self.game, self.evaluation = game, evaluation or evaluations.evaluation(game)
        self._oracle = evaluation if isinstance(evaluation, Oracle) else None
        inner = evaluations.RESULT if isinstance(self.evaluation, Oracle) else self.evaluation
        self.switches = (switches or Switches())._replace(**({"quiescence": False} if self._oracle else {}))
        self._twin, self._number = twin, 0
        self._parameters = _own(inner.parameters)
        undo = undo_of(twin, game)
        self._run = searcher(twin, inner.compiled, undo.shape[1])
        self._memory = workspace_of(game, undo, entries if self.switches.table else 0)

    @property
    def unit(self) -> int:
        """The score of one unit of the evaluation: a piece, for example, or the value 1 of an oracle."""
        return self.evaluation.unit

    def prepared(self) -> AlphaBeta:
        """Itself, after compilation, so that a time limit does not count the compilation."""
        self.search(self.game.init(), Limits(depth=1))
        return self

    def over(self, state: Any) -> bool:
        """Whether the game is over."""
        return not self._twin.moves(self._twin.from_state(self.game, state), self._memory.scratch)

    def in_words(self, state: Any, line: Iterable[int]) -> list[str]:
        """The moves of a line in notation. Uses the twin, because the rules in JAX would have to be compiled."""
        board, moves = self._twin.from_state(self.game, state), []
        for action in line:
            moves.append(self.game.format_move(self._twin.to_state(self.game, board), action))
            self._twin.make(board, action)
        return moves

    def search(
        self,
        state: Any,
        limits: Limits = Limits(),  # noqa: B008, it cannot be changed
        seen: Iterable[int] = (),
        watch: Watch | None = None,
        on_interrupt: Literal["raise", "best"] = "raise",
        beat: Callable[[], Any] = no_beat,
    ) -> Found:
        """The best move of a position; `seen` has the keys of the earlier positions of the game.

        `on_interrupt` says whether a KeyboardInterrupt is raised or ends the search with the best move so far. `beat`
        is called at each check of the clock; an exception from it ends the search, and a KeyboardInterrupt from it
        counts as an interrupt.
        """
        began = clock()
        board, setup = self._begin(state, seen, self.switches.reductions)
        self._legal(board)
        best = 0, (-1,)
        finished, deepest, complete = 0, max(1, min(limits.depth, DEEPEST)), False

        def stop() -> bool:
            beat()
            late = clock() - began >= limits.seconds
            return finished > 0 and (late or 0 < limits.nodes <= self._nodes)

        try:
            for depth in range(1, deepest + 1):
                until = limits.nodes if limits.nodes and finished else math.inf
                best = self._deepen(board, setup, depth, best[0] if finished else None, until, stop)
                finished = depth
                setup = setup._replace(hint=best[1][0])
                if watch is not None:
                    watch(self._sentence(state, best, depth, clock() - began), False)
                complete = depth == deepest or MATE - abs(best[0]) <= depth
                if complete or stop():
                    break
        except (_Stopped, KeyboardInterrupt) as stopped:
            if isinstance(stopped, KeyboardInterrupt) and (on_interrupt == "raise" or not finished):
                raise
            best = self._so_far() or best
        seconds = clock() - began
        if watch is not None:
            watch(self._sentence(state, best, finished, seconds), True)
        return Found(best[1][0], best[0], best[1], finished, self._nodes, seconds, complete)

    def root_scores(
        self, state: Any, depth: int, seen: Iterable[int] = (), beat: Callable[[], Any] = no_beat
    ) -> tuple[Int[np.ndarray, "L"], Int[np.ndarray, "L"]]:
        """Every legal move and its exact score at this depth: no reductions, and full windows. An exception from `beat`
        ends the search.
        """
        depth = max(1, depth)
        board, setup = self._begin(state, seen, reductions=False)
        actions = self._legal(board)
        if self._oracle and depth == 1:
            return actions, self._rated(board, actions)
        memory, scores = self._memory, np.empty(len(actions), np.int64)
        memory.keys[0] = self._twin.key(board)
        for i, action in enumerate(actions.tolist()):
            beat()
            undo = self._twin.make(board, action)
            scores[i] = -self._tree(board, setup, 1, depth - 1, -INFINITE, INFINITE, math.inf, lambda: bool(beat()))
            self._twin.unmake(board, undo)
        return actions, scores

    def _begin(self, state: Any, seen: Iterable[int], reductions: bool) -> tuple[Any, SearchSettings]:
        """A board and the settings of a new search. Clears killers and history; its new number outdates the table."""
        memory, ties = self._memory, self.game.repetition_ties
        self._number += 1
        if self._number == transpositions.SEARCHES:
            memory.table[:] = 0
            self._number = 1
        memory.history[:] = 0
        memory.killers[:] = -1
        memory.registers[NODES] = 0
        self._memory = memory._replace(seen=hashed(seen if ties else ()))
        on = self.switches
        board = self._twin.from_state(self.game, state)
        seat = int(compiled(self.game).player(state))
        kinds = (on.table, on.ordering, reductions, on.quiescence, ties, self._oracle is not None)
        return board, SearchSettings(*kinds, seat=seat, tie=self.tie, search=self._number, hint=-1)

    def _legal(self, board: Any) -> Int[np.ndarray, "L"]:
        out = self._memory.scratch
        actions = out[: self._twin.moves(board, out)].astype(np.int64)
        if not len(actions):
            raise BadInput(f"{self.game.name}: the game is over, there is nothing to search.")
        return actions

    @property
    def _nodes(self) -> int:
        return int(self._memory.registers[NODES])

    def _deepen(
        self,
        board: Any,
        setup: SearchSettings,
        depth: int,
        expected: int | None,
        until: float,
        stop: Callable[[], bool],
    ) -> tuple[int, tuple[int, ...]]:
        """Score and line at one depth, with an aspiration window about the expected score, widened when it fails."""
        low, high, margin = -INFINITE, INFINITE, max(1, self.unit // 3)
        if self.switches.aspiration and expected is not None and abs(expected) <= HIGHEST:
            low, high = expected - margin, expected + margin
        while True:
            score = self._tree(board, setup, 0, depth, low, high, until, stop)
            margin *= 4
            if score <= low and low > -INFINITE:
                low = max(-INFINITE, score - margin)
            elif score >= high and high < INFINITE:
                high = min(INFINITE, score + margin)
                setup = setup._replace(hint=self._line()[0])
            else:
                return score, self._line()

    def _tree(
        self,
        board: Any,
        setup: SearchSettings,
        base: int,
        depth: int,
        low: int,
        high: int,
        until: float,
        stop: Callable[[], bool],
    ) -> int:
        """The value of the board's position at ply `base`, to a depth and within a window."""
        memory = self._memory
        memory.registers[[PLY, BASE, ENTERING, VALUE]] = base, base, 1, 0
        memory.alpha[base], memory.beta[base], memory.depth[base] = low, high, depth
        while True:
            status = self._run(board, self._parameters, memory, setup, int(min(self._nodes + SLICE, until)))
            if status == DONE:
                return int(memory.registers[VALUE])
            if status == ASKING:
                self._answer(board)
            if stop():
                raise _Stopped

    def _answer(self, board: Any) -> None:
        """Set the value of the current node from the oracle's ratings of its moves; their children are not searched."""
        memory, ply = self._memory, int(self._memory.registers[PLY])
        actions = memory.moves[ply, : memory.number[ply]]
        scores = self._rated(board, actions)
        memory.registers[VALUE] = scores.max()
        memory.line[ply, 0], memory.length[ply] = actions[scores.argmax()], 1

    def _rated(self, board: Any, actions: Int[np.ndarray, "L"]) -> Int[np.ndarray, "L"]:
        assert self._oracle is not None
        values = np.asarray(self._oracle.rate(self._twin.to_state(self.game, board)), np.float64)[actions]
        return np.clip(np.rint(values * self.unit), -HIGHEST, HIGHEST).astype(np.int64)

    def _line(self) -> tuple[int, ...]:
        return tuple(self._memory.line[0, : self._memory.length[0]].tolist())

    def _so_far(self) -> tuple[int, tuple[int, ...]] | None:
        """The best of the unfinished depth, which is safe: its first move was the best of the depth before."""
        memory = self._memory
        sure = self.switches.ordering and memory.floor[0] < memory.best[0] < memory.beta[0] and memory.length[0]
        return (int(memory.best[0]), self._line()) if sure else None

    def _sentence(self, state: Any, best: tuple[int, tuple[int, ...]], depth: int, seconds: float) -> str:
        score, line = best
        worth = f"{score / self.unit:+.2f}"
        if abs(score) > HIGHEST:
            worth = f"{'won' if score > 0 else 'lost'} in {MATE - abs(score)}"
        return f"depth {depth}: {worth}, {self._nodes:,} nodes, {seconds:.1f} s: {' '.join(self.in_words(state, line))}"


def _own(parameters: Any) -> Any:
    """A copy: parameters may include work arrays, and searches run in parallel."""
    return jax.tree.map(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, parameters)
