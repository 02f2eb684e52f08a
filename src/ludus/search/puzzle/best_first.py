"""Best-first search for a puzzle for one, on its twin: the likeliest line first.

It needs an order whose numbers are log-odds: that a move from a solvable position leads to a solvable one. The
likelihood of a line is the product along it. Backtracking searches everything below a wrong move before it leaves it;
this search always continues with the likeliest open line. Like backtracking, it counts a position each time a line
enters it. It ends when a position is solved, or no line is open.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64, Int16, Int32, Int64
from numba.np.unsafe.ndarray import to_fixed_tuple

from ludus.search.compiled import jit
from ludus.search.puzzle.backtrack import FAILED, FOUND, STOPPED, ExploredTree, Stack

FULL = 3  # the search ended because it has no room for more lines
#: The registers: positions entered, lines made, lines open, the line entered last.
EXPLORED, MADE, WAITING, LAST = range(4)
#: The bonus of each ply in log-likelihood: of equally likely lines, the longer is nearer to its end.
PLY = 1.0


class Frontier(NamedTuple):
    """All lines so far, each as its last move and its parent line, and a heap of the open ones."""

    registers: Int64[np.ndarray, "4"]
    parent: Int32[np.ndarray, "N"]
    move: Int16[np.ndarray, "N"]
    plies: Int16[np.ndarray, "N"]
    score: Float64[np.ndarray, "N"]
    entered: Int32[np.ndarray, "N"]  # the number of its position among those explored
    waiting: Int32[np.ndarray, "N"]  # a heap of open lines, the best on top


def frontier_of(count: int) -> Frontier:
    """An empty frontier, with room for `count` lines."""
    numbers = {"parent": np.int32, "move": np.int16, "plies": np.int16, "score": np.float64}
    numbers |= {"entered": np.int32, "waiting": np.int32}
    return Frontier(np.zeros(4, np.int64), **{name: np.zeros(count, kind) for name, kind in numbers.items()})


@jit
def better(lines: Frontier, one: int, two: int) -> bool:
    """Whether line `one` comes before line `two`; of equal scores, the later line."""
    return lines.score[one] > lines.score[two] or (lines.score[one] == lines.score[two] and one > two)


@jit
def add(lines: Frontier, parent: int, move: int, score: float) -> None:
    """Add an open line to the heap."""
    line, place = lines.registers[MADE], lines.registers[WAITING]
    lines.parent[line], lines.move[line], lines.score[line] = parent, move, score
    lines.plies[line] = lines.plies[parent] + 1 if parent >= 0 else 0
    lines.registers[MADE], lines.registers[WAITING] = line + 1, place + 1
    while place > 0 and better(lines, line, int(lines.waiting[(place - 1) // 2])):
        lines.waiting[place] = lines.waiting[(place - 1) // 2]
        place = (place - 1) // 2
    lines.waiting[place] = line


@jit
def take(lines: Frontier) -> int:
    """Remove the best open line from the heap."""
    best, size = lines.waiting[0], lines.registers[WAITING] - 1
    lines.registers[WAITING] = size
    moved, place = lines.waiting[size], 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and better(lines, int(lines.waiting[child + 1]), int(lines.waiting[child])):
            child += 1
        if better(lines, int(moved), int(lines.waiting[child])):
            break
        lines.waiting[place] = lines.waiting[child]
        place = child
    lines.waiting[place] = moved
    return int(best)


@jit
def likelihood(odds: float) -> float:
    """The log-probability of some log-odds."""
    return float(-np.log1p(np.exp(-odds)) if odds > 0 else odds - np.log1p(np.exp(odds)))


@functools.cache
def searcher(twin: Any, rate: Callable, undo: int) -> Callable[..., int]:
    """The search for a first solution. `undo` is the length of the tuple that the twin's `make` returns."""
    moves, make, unmake, score = twin.moves, twin.make, twin.unmake, twin.score

    @jit
    def enter(board: Any, parameters: Any, memory: Stack, lines: Frontier, tree: ExploredTree, line: int) -> bool:
        """Play a line, explore its last position, and take the line back. Returns whether it is solved."""
        number, plies, at = lines.registers[EXPLORED], lines.plies[line], line
        if number < len(tree.parent):
            tree.parent[number] = lines.entered[lines.parent[line]] if plies else -1
            tree.move[number] = lines.move[line] if plies else -1
        lines.registers[EXPLORED], lines.entered[line] = number + 1, number
        for ply in range(plies - 1, -1, -1):
            memory.moves[ply, 0], at = lines.move[at], lines.parent[at]
        for ply in range(plies):
            changed = make(board, np.int64(memory.moves[ply, 0]))
            for i in range(undo):
                memory.undo[ply, i] = changed[i]
        count = moves(board, memory.moves[plies])
        solved = count == 0 and score(board) > 0
        if count > 0:
            rate(board, memory.moves[plies], count, memory.rates[plies], parameters)
        for i in range(count):
            said = likelihood(np.float64(memory.rates[plies, i]))
            add(lines, line, memory.moves[plies, i], lines.score[line] + said + PLY)
        for ply in range(plies - 1, -1, -1):
            unmake(board, to_fixed_tuple(memory.undo[ply], undo))  # pyright: ignore[reportCallIssue]
        return solved

    @jit
    def first(board: Any, parameters: Any, memory: Stack, lines: Frontier, tree: ExploredTree, limit: int) -> int:
        """Search to the first solution, which is then the line entered last. After `limit` explored positions it stops,
        and continues when it is called again; it starts if there is no line yet.
        """
        if lines.registers[MADE] == 0:
            add(lines, -1, -1, 0.0)
        while lines.registers[WAITING] > 0:
            if lines.registers[EXPLORED] >= limit:
                return STOPPED
            if lines.registers[MADE] + memory.moves.shape[1] > len(lines.move):
                return FULL
            lines.registers[LAST] = take(lines)
            if enter(board, parameters, memory, lines, tree, lines.registers[LAST]):
                return FOUND
        return FAILED

    return first
