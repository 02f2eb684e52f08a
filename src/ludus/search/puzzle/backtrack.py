"""Backtracking for a puzzle for one, on its twin: to the first solution in some move order, or through all positions.

Positions are counted as in the paper: each time the search enters one, the first included. So a solution explores at
least its moves plus one. A search with a table never enters a failed position again. Nothing here is recursive: the
stack has one row per ply, so that the compiled functions can be cached on disk.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float32, Float64, Int16, Int32, Int64, Shaped, UInt64
from numba.np.unsafe.ndarray import to_fixed_tuple

from ludus.core.game import Game
from ludus.search.compiled import jit
from ludus.search.words import Word

FOUND, FAILED, STOPPED = range(3)  # how a search ends
NO_END, MANY = -1, -2  # no solution; solutions with different ends
MOST = 1 << 53  # counts saturate here
EXPLORED, PLY, GOING = range(3)  # the registers; GOING: whether a search has begun


class Stack(NamedTuple):
    """The search's stack, one row per ply."""

    registers: Int64[np.ndarray, "3"]
    at: Int64[np.ndarray, "P"]  # moves made so far
    number: Int64[np.ndarray, "P"]  # of moves
    moves: Int16[np.ndarray, "P M"]
    rates: Float32[np.ndarray, "P M"]
    undo: Shaped[np.ndarray, "P U"]
    ends: Int64[np.ndarray, "P"]  # the end of all solutions below: NO_END, MANY, or the twin's number
    lines: Int64[np.ndarray, "P"]  # solutions below
    calls: Int64[np.ndarray, "P"]  # positions of the tree below, with this one
    alive: Int64[np.ndarray, "P"]  # moves after which it can be solved
    dead: Float64[np.ndarray, "P"]  # positions of the trees below all others
    hoped: Float64[np.ndarray, "P"]  # what a search in random order is expected to explore: below `alive` moves, summed
    entered: Int64[np.ndarray, "P"]  # the position's number among those explored


class PositionTable(NamedTuple):
    """Hash table of positions; nothing is replaced, and entries of other searches count as empty."""

    keys: UInt64[np.ndarray, "T"]
    search: Int32[np.ndarray, "T"]
    ends: Int64[np.ndarray, "T"]
    lines: Int64[np.ndarray, "T"]
    calls: Int64[np.ndarray, "T"]
    expected: Float64[np.ndarray, "T"]  # positions that a search in random order explores


class ExploredTree(NamedTuple):
    """The first positions that a search explores, in order: the parent of each, and the move that led there."""

    parent: Int32[np.ndarray, "L"]
    move: Int16[np.ndarray, "L"]


def stack_of(game: Game, undo: np.ndarray) -> Stack:
    plies = game.max_plies + 2
    numbers = {name: np.zeros(plies, np.int64) for name in Stack._fields}
    means = {name: np.zeros(plies, np.float64) for name in ("dead", "hoped")}
    return Stack(
        **numbers
        | means
        | {
            "registers": np.zeros(3, np.int64),
            "moves": np.zeros((plies, game.max_legal), np.int16),
            "rates": np.zeros((plies, game.max_legal), np.float32),
            "undo": undo[:plies],
        }
    )


def position_table(entries: int) -> PositionTable:
    """An empty table, for at most half as many positions; the entries are rounded up to a power of two."""
    size = 1 << max(1, entries - 1).bit_length()
    whole = {name: np.zeros(size, np.int64) for name in PositionTable._fields}
    other = {"keys": np.uint64, "search": np.int32, "expected": np.float64}
    return PositionTable(**whole | {name: np.zeros(size, kind) for name, kind in other.items()})


def explored_tree(nodes: int) -> ExploredTree:
    return ExploredTree(np.full(nodes, -1, np.int32), np.full(nodes, -1, np.int16))


@jit
def find(table: PositionTable, key: Word, search: int) -> int:
    """The place of a position in the table, or the free place for it."""
    size = len(table.keys)
    place = np.int64(key & np.uint64(size - 1))
    while table.search[place] == search and table.keys[place] != key:
        place = (place + 1) & (size - 1)
    return int(place)


@jit
def sort(moves: Int16[np.ndarray, "M"], rates: Float32[np.ndarray, "M"], count: int) -> None:
    """Stable sort, the highest rate first; NaN counts as lowest."""
    for i in range(1, count):
        move, rate = moves[i], rates[i]
        j = i
        while j > 0 and (rates[j - 1] < rate or (rates[j - 1] != rates[j - 1] and rate == rate)):
            moves[j], rates[j] = moves[j - 1], rates[j - 1]
            j -= 1
        moves[j], rates[j] = move, rate


@functools.cache
def searcher(twin: Any, rate: Callable, undo: int, stops: bool) -> Callable[..., int]:
    """The search for a first solution. `undo` is the length of the tuple that the twin's `make` returns. Unless it
    `stops` it goes on after a solution, as the code that the paper prints, and counts the whole tree.
    """
    moves, make, unmake, score, key = twin.moves, twin.make, twin.unmake, twin.score, twin.key

    @jit
    def back(board: Any, memory: Stack, ply: int) -> None:
        """Take back the last of `ply` moves."""
        unmake(board, to_fixed_tuple(memory.undo[ply - 1], undo))  # pyright: ignore[reportCallIssue]

    @jit
    def enter(board: Any, parameters: Any, memory: Stack, tree: ExploredTree, ply: int) -> bool:
        """Explore a position: generate and sort its moves. Returns whether it is solved."""
        number = memory.registers[EXPLORED]
        if number < len(tree.parent):
            tree.parent[number] = memory.entered[ply - 1] if ply else -1
            tree.move[number] = memory.moves[ply - 1, memory.at[ply - 1] - 1] if ply else -1
        memory.registers[EXPLORED], memory.entered[ply] = number + 1, number
        count = moves(board, memory.moves[ply])
        if count > 1:
            rate(board, memory.moves[ply], count, memory.rates[ply], parameters)
            sort(memory.moves[ply], memory.rates[ply], count)
        memory.at[ply], memory.number[ply] = 0, count
        return stops and count == 0 and score(board) > 0

    @jit
    def first(
        board: Any, parameters: Any, memory: Stack, table: PositionTable, search: int, tree: ExploredTree, limit: int
    ) -> int:
        """Search to the first solution, which is then the line in `memory`; `search` 0 uses no table. After `limit`
        explored positions it stops, and continues when it is called again.
        """
        registers = memory.registers
        if not registers[GOING]:
            registers[EXPLORED], registers[PLY], registers[GOING] = 0, 0, 1
        solved, ply = enter(board, parameters, memory, tree, registers[PLY]), registers[PLY]
        while not solved:
            if memory.at[ply] < memory.number[ply]:
                changed = make(board, np.int64(memory.moves[ply, memory.at[ply]]))
                for i in range(undo):
                    memory.undo[ply, i] = changed[i]
                memory.at[ply] += 1
                ply += 1
                if search and table.search[find(table, key(board), search)] == search:
                    back(board, memory, ply)
                    ply -= 1
                elif registers[EXPLORED] >= limit:
                    registers[PLY] = ply
                    return STOPPED
                else:
                    solved = enter(board, parameters, memory, tree, ply)
                continue
            if search and registers[EXPLORED] < len(table.keys) // 2:  # else the table is full
                place = find(table, key(board), search)
                table.keys[place], table.search[place] = key(board), search
            if ply == 0:
                break
            back(board, memory, ply)
            ply -= 1
        registers[PLY], registers[GOING] = ply, 0
        while ply > 0:
            back(board, memory, ply)
            ply -= 1
        return FOUND if solved else FAILED

    return first


@functools.cache
def counter(twin: Any, undo: int) -> Callable[..., int]:
    """The census: visits every position below the root once.

    It also knows exactly what a search in random order is expected to explore. A search that stops at a solution goes
    through the whole tree below every dead move that it tries, and never leaves what lies below a live one. If all
    orders are equally likely, each dead move comes before all `alive` live ones with probability 1 / (alive + 1), and
    each live one is the first of these with probability 1 / alive.
    """
    moves, make, unmake, score, key, ending = twin.moves, twin.make, twin.unmake, twin.score, twin.key, twin.ending

    @jit
    def enter(board: Any, memory: Stack, ply: int) -> None:
        count = moves(board, memory.moves[ply])
        memory.at[ply], memory.number[ply], memory.calls[ply] = 0, count, 1
        memory.ends[ply], memory.lines[ply] = NO_END, 0
        memory.alive[ply], memory.dead[ply], memory.hoped[ply] = 0, 0, 0
        if count == 0 and score(board) > 0:
            memory.ends[ply], memory.lines[ply] = ending(board), 1

    @jit
    def add(memory: Stack, ply: int, ends: int, lines: int, calls: int, expected: float) -> None:
        """Add a child's results to its parent's."""
        if ends == NO_END:
            memory.dead[ply] += calls
        else:
            memory.alive[ply] += 1
            memory.hoped[ply] += expected
        before = memory.ends[ply]
        memory.ends[ply] = before if ends == NO_END else ends if before in (NO_END, ends) else MANY
        memory.lines[ply] = min(MOST, memory.lines[ply] + lines)
        memory.calls[ply] = min(MOST, memory.calls[ply] + calls)

    @jit
    def expected(memory: Stack, ply: int) -> float:
        alive = memory.alive[ply]
        return 1 + memory.dead[ply] / (alive + 1) + memory.hoped[ply] / max(alive, 1)

    @jit
    def census(board: Any, memory: Stack, table: PositionTable, search: int, limit: int, alike: bool) -> int:
        """The number of positions; their results are then in the table. -1 if there are more than `limit`, or if
        solutions have different ends and `alike` asks for one.
        """
        positions, ply, only = 0, 0, NO_END
        enter(board, memory, 0)
        while True:
            if memory.at[ply] < memory.number[ply]:
                changed = make(board, np.int64(memory.moves[ply, memory.at[ply]]))
                for i in range(undo):
                    memory.undo[ply, i] = changed[i]
                memory.at[ply] += 1
                place = find(table, key(board), search)
                if table.search[place] == search:
                    unmake(board, to_fixed_tuple(memory.undo[ply], undo))  # pyright: ignore[reportCallIssue]
                    add(memory, ply, table.ends[place], table.lines[place], table.calls[place], table.expected[place])
                else:
                    ply += 1
                    enter(board, memory, ply)
                continue
            place = find(table, key(board), search)
            table.keys[place], table.search[place] = key(board), search
            table.ends[place], table.lines[place] = memory.ends[ply], memory.lines[ply]
            table.calls[place], table.expected[place] = memory.calls[ply], expected(memory, ply)
            positions += 1
            if ply == 0:
                return positions
            only = memory.ends[ply] if only == NO_END else only
            stopped = positions >= limit or (alike and memory.ends[ply] not in (NO_END, only))
            while True:
                ply -= 1
                unmake(board, to_fixed_tuple(memory.undo[ply], undo))  # pyright: ignore[reportCallIssue]
                if ply == 0 or not stopped:
                    break
            if stopped:
                return -1
            child = ply + 1
            add(memory, ply, memory.ends[child], memory.lines[child], memory.calls[child], expected(memory, child))

    return census


@jit
def ignore(board: Any, solvable: bool, sink: Any) -> None:
    """The `collect` of a walk that collects nothing."""


class WalkTotals(NamedTuple):
    """The counts of a walk."""

    positions: int  # solvable, and not solved yet
    kept: int  # of these, positions that are still solvable after the move of the highest rate
    moves: int  # in these positions
    losing: int  # of these moves, those to unsolvable positions


@functools.cache
def walker(twin: Any, rate: Callable, collect: Callable, undo: int) -> Callable[..., tuple[int, int, int, int]]:
    """A walk through the positions of a census: visits every solvable position once, and calls `collect` once for each
    position one move after them, with whether it is solvable.
    """
    moves, make, unmake, key = twin.moves, twin.make, twin.unmake, twin.key

    @jit
    def walk(
        board: Any, parameters: Any, memory: Stack, table: PositionTable, search: int, sink: Any
    ) -> tuple[int, int, int, int]:
        place = find(table, key(board), search)
        if table.ends[place] == NO_END:
            return 0, 0, 0, 0
        positions, kept, total, losing, ply, entering = 0, 0, 0, 0, 0, True
        while True:
            if entering:
                count = moves(board, memory.moves[ply])
                if count > 1:
                    rate(board, memory.moves[ply], count, memory.rates[ply], parameters)
                    sort(memory.moves[ply], memory.rates[ply], count)
                memory.at[ply], memory.number[ply] = 0, count
                positions, total, entering = positions + int(count > 0), total + count, False
            if memory.at[ply] == memory.number[ply]:
                if ply == 0:
                    return positions, kept, total, losing
                ply -= 1
                unmake(board, to_fixed_tuple(memory.undo[ply], undo))  # pyright: ignore[reportCallIssue]
                continue
            changed = make(board, np.int64(memory.moves[ply, memory.at[ply]]))
            for i in range(undo):
                memory.undo[ply, i] = changed[i]
            memory.at[ply] += 1
            place = find(table, key(board), search)
            solvable, fresh = table.ends[place] != NO_END, table.calls[place] > 0
            kept += int(solvable and memory.at[ply] == 1)
            losing += int(not solvable)
            if fresh:
                collect(board, solvable, sink)
                table.calls[place] = -table.calls[place]
            if fresh and solvable:
                ply, entering = ply + 1, True
            else:
                unmake(board, to_fixed_tuple(memory.undo[ply], undo))  # pyright: ignore[reportCallIssue]

    return walk
