"""The puzzle solver: the Python half of `backtrack` and `best_first`, which checks the clock and handles interrupts."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np

from ludus import games
from ludus.core.compiling import clock
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.search.alphabeta.workspace import undo_of
from ludus.search.puzzle import backtrack, best_first
from ludus.search.puzzle.backtrack import (
    EXPLORED,
    FOUND,
    GOING,
    MANY,
    NO_END,
    PLY,
    STOPPED,
    ExploredTree,
    PositionTable,
    Stack,
    WalkTotals,
)
from ludus.search.puzzle.order import Order, PythonOrder
from ludus.search.twins import PuzzleTwin

SLICE = 1 << 18  # positions between checks of the clock
LINES = 1 << 20  # room of a best-first search
TABLES = (1 << 14, 1 << 17, 1 << 20, 1 << 22)  # table sizes, in positions: the next if one is too small
SearchWatch = Callable[[int, float], Any]  # positions and seconds so far


class PuzzleSolution(NamedTuple):
    """The result of a search in some order."""

    solved: bool | None  # None: it gave up
    actions: tuple[int, ...]
    explored: int
    seconds: float
    tree: ExploredTree  # the first positions explored, `nodes` of them


class Census(NamedTuple):
    """The counts of everything below a position."""

    end: int | None  # the twin's number of the one end of all solutions; None without solutions, or with several ends
    solutions: int  # lines
    positions: int  # different ones
    calls: int  # positions of the whole tree, each as often as it is reached
    at_random: float  # positions that a search to the first solution explores in random order: the exact mean

    @property
    def solvable(self) -> bool:
        return self.solutions > 0

    @property
    def unique(self) -> bool:
        return self.end is not None


class PuzzleSolver:
    """A solver for one game. It is not thread-safe."""

    def __init__(self, game: Game) -> None:
        twin = games.part(game, "twin")
        if not isinstance(twin, PuzzleTwin) or game.num_players != 1:
            raise BadInput(f"{game.name} cannot be searched by backtracking: it is not a puzzle with a twin.")
        self.game, self.twin = game, twin
        undo = undo_of(twin, game)
        self._undo = undo.shape[1]
        self._memory: Stack = backtrack.stack_of(game, undo)
        self._tables: dict[int, PositionTable] = {}
        self._search = 0  # its number
        self._warm: set[Any] = set()

    def first(
        self,
        state: Any,
        order: Order | PythonOrder,
        table: bool = False,
        seconds: float = math.inf,
        nodes: int = 0,
        watch: SearchWatch | None = None,
        stops: bool = True,
    ) -> PuzzleSolution:
        """Search to the first solution, or through all positions; the first `nodes` positions are recorded. Unless it
        `stops` it goes on after solutions through the whole tree, and `solved` is None.
        """
        begin, tree = clock(), backtrack.explored_tree(nodes)
        if isinstance(order, PythonOrder):
            return self._ask(state, order, table, begin + seconds, tree)
        search = backtrack.searcher(self.twin, order.rate, self._undo, stops)
        board, memory, known = (
            self.twin.from_state(self.game, state),
            self._memory,
            self._table(TABLES[2] if table else 1),
        )
        number = self._next() if table else 0
        if search not in self._warm:  # compile before the clock starts
            memory.registers[GOING] = 0
            copied = jax.tree.map(np.copy, order.parameters)
            search(self.twin.from_state(self.game, state), copied, memory, known, number, tree, 0)
            self._warm.add(search)
        memory.registers[GOING], limit, begin = 0, SLICE, clock()
        while (ended := search(board, order.parameters, memory, known, number, tree, limit)) == STOPPED:
            limit, spent = limit + SLICE, clock() - begin
            if spent > seconds or _enough(watch, int(memory.registers[EXPLORED]), spent):
                break
        made = range(int(memory.registers[PLY])) if ended == FOUND else ()
        actions = tuple(int(memory.moves[ply, memory.at[ply] - 1]) for ply in made)
        explored = int(memory.registers[EXPLORED])
        solved = ended == FOUND if stops and ended != STOPPED else None
        return PuzzleSolution(solved, actions, explored, clock() - begin, tree)

    def likeliest(
        self,
        state: Any,
        order: Order | PythonOrder,
        seconds: float = math.inf,
        nodes: int = 0,
        watch: SearchWatch | None = None,
    ) -> PuzzleSolution:
        """The same by best-first search; it also gives up if there is no room for more lines."""
        if isinstance(order, PythonOrder) or not order.likely:
            raise BadInput(f"the order {order.name} does not say how likely a move is to be right.")
        search, tree = best_first.searcher(self.twin, order.rate, self._undo), backtrack.explored_tree(nodes)
        board, lines = self.twin.from_state(self.game, state), self._lines
        if search not in self._warm:
            lines.registers[:] = 0
            search(board, order.parameters, self._memory, lines, tree, 0)
            self._warm.add(search)
        lines.registers[:], limit, begin = 0, SLICE, clock()
        while (ended := search(board, order.parameters, self._memory, lines, tree, limit)) == STOPPED:
            limit, spent = limit + SLICE, clock() - begin
            if spent > seconds or _enough(watch, int(lines.registers[best_first.EXPLORED]), spent):
                break
        line, actions = int(lines.registers[best_first.LAST]), []
        while ended == FOUND and lines.plies[line]:
            actions.append(int(lines.move[line]))
            line = int(lines.parent[line])
        solved = True if ended == FOUND else False if ended == backtrack.FAILED else None
        explored = int(lines.registers[best_first.EXPLORED])
        return PuzzleSolution(solved, tuple(reversed(actions)), explored, clock() - begin, tree)

    @functools.cached_property
    def _lines(self) -> best_first.Frontier:
        return best_first.frontier_of(LINES)

    def census(self, state: Any) -> Census | None:
        """The census of everything below a position; None if there are too many positions."""
        counted = self._count(self.twin.from_state(self.game, state))
        if counted is None:
            return None
        positions, table = counted
        end, lines = int(self._memory.ends[0]), int(self._memory.lines[0])
        root = backtrack.find(table, np.uint64(self.twin.key(self.twin.from_state(self.game, state))), self._search)
        calls, at_random = int(self._memory.calls[0]), float(table.expected[root])
        return Census(None if end in (NO_END, MANY) else end, lines, positions, calls, at_random)

    def walk(self, state: Any, order: Order | PythonOrder) -> WalkTotals | None:
        """How often an order's first move is right in the solvable positions below, and how many moves lose there."""
        board = self.twin.from_state(self.game, state)
        counted = self._count(board)
        if counted is None:
            return None
        if isinstance(order, PythonOrder):
            return self._stroll(board, order, counted[1])
        walk = backtrack.walker(self.twin, order.rate, backtrack.ignore, self._undo)
        return WalkTotals(*walk(board, order.parameters, self._memory, counted[1], self._search, ()))

    def moves(self, state: Any) -> dict[int, bool] | None:
        """Every legal action, and whether the puzzle is solvable after it; None if there are too many positions."""
        board, out = self.twin.from_state(self.game, state), np.empty(self.game.max_legal, np.int16)
        found = {}
        for action in out[: self.twin.moves(board, out)].tolist():
            undo = self.twin.make(board, action)
            if self._count(board) is None:
                return None
            found[action] = bool(self._memory.ends[0] != NO_END)
            self.twin.unmake(board, undo)
        return found

    def solutions(self, state: Any, most: int) -> list[tuple[int, ...]]:
        """All solutions, or the first `most`, in the order of actions; empty if there are too many positions."""
        board = self.twin.from_state(self.game, state)
        counted, found = self._count(board), []
        if counted is None:
            return []
        table, out = counted[1], np.empty(self.game.max_legal, np.int16)

        def visit(line: tuple[int, ...]) -> None:
            actions = sorted(out[: self.twin.moves(board, out)].tolist())
            if not actions and self.twin.score(board) > 0:
                found.append(line)
            for action in actions:
                undo = self.twin.make(board, action)
                place = backtrack.find(table, np.uint64(self.twin.key(board)), self._search)
                if table.ends[place] != NO_END and len(found) < most:
                    visit((*line, action))
                self.twin.unmake(board, undo)

        visit(())
        return found

    def _count(self, board: Any) -> tuple[int, PositionTable] | None:
        """The number of positions below, and the table with their results; None if there are too many."""
        census = backtrack.counter(self.twin, self._undo)
        for size in TABLES:
            table = self._table(size)
            positions = census(board, self._memory, table, self._next(), size, False)
            if positions >= 0:
                return positions, table
        return None

    def _ask(self, state: Any, order: PythonOrder, table: bool, until: float, tree: ExploredTree) -> PuzzleSolution:
        """The same search with an order in Python."""
        begin, board, failed, explored = clock(), self.twin.from_state(self.game, state), set(), 0
        gave_up = False

        def solve(parent: int, move: int) -> tuple[int, ...] | None:
            nonlocal explored, gave_up
            number, explored = explored, explored + 1
            if number < len(tree.parent):
                tree.parent[number], tree.move[number] = parent, move
            actions = self._in_order(board, order)
            if not actions and self.twin.score(board) > 0:
                return ()
            for action in actions:
                undo = self.twin.make(board, action)
                gave_up |= clock() > until
                known = gave_up or (table and int(self.twin.key(board)) in failed)
                rest = None if known else solve(number, action)
                self.twin.unmake(board, undo)
                if rest is not None:
                    return (action, *rest)
            if table:
                failed.add(int(self.twin.key(board)))
            return None

        found = solve(-1, -1)
        solved = True if found is not None else None if gave_up else False
        return PuzzleSolution(solved, found or (), explored, clock() - begin, tree)

    def _stroll(self, board: Any, order: PythonOrder, table: PositionTable) -> WalkTotals:
        """The same walk with an order in Python."""
        counts, seen = [0, 0, 0, 0], set()

        def visit() -> None:
            actions = self._in_order(board, order)
            counts[0], counts[2] = counts[0] + bool(actions), counts[2] + len(actions)
            for place, action in enumerate(actions):
                undo, key = self.twin.make(board, action), np.uint64(self.twin.key(board))
                solvable = table.ends[backtrack.find(table, key, self._search)] != NO_END
                counts[1], counts[3] = counts[1] + bool(solvable and place == 0), counts[3] + (not solvable)
                if solvable and int(key) not in seen:
                    seen.add(int(key))
                    visit()
                self.twin.unmake(board, undo)

        if table.ends[backtrack.find(table, np.uint64(self.twin.key(board)), self._search)] != NO_END:
            visit()
        return WalkTotals(*counts)

    def _in_order(self, board: Any, order: PythonOrder) -> list[int]:
        """The moves of a position, the best first."""
        out = np.empty(self.game.max_legal, np.int16)
        actions = out[: self.twin.moves(board, out)]
        if len(actions) < 2:
            return actions.tolist()
        rates = np.nan_to_num(order.rate(self.twin.to_state(self.game, board))[actions], nan=-np.inf)
        return actions[np.argsort(-rates, kind="stable")].tolist()

    def _table(self, positions: int) -> PositionTable:
        if positions not in self._tables:
            self._tables[positions] = backtrack.position_table(2 * positions)
        return self._tables[positions]

    def _next(self) -> int:
        self._search += 1
        return self._search


def _enough(watch: SearchWatch | None, explored: int, seconds: float) -> bool:
    """Whether the search was interrupted by its callback; it then gives up as at its time limit."""
    try:
        if watch is not None:
            watch(explored, seconds)
    except KeyboardInterrupt:
        return True
    return False
