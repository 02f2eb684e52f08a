"""Best-first search for a puzzle for one, on its twin: the likeliest line first.

An order whose numbers are the log-odds that a move leads to a position that can be solved, given that its own can be,
says how likely a whole line is: the product along it. Where backtracking goes through all that is below a wrong move
before it doubts it, this search leaves it for the likeliest line that waits anywhere. It enters positions as
backtracking does, each time that a line leads there, and counts them so; it ends when one is solved, or none waits.
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

FULL = 3  # how a search ends for which there is no room
#: The registers: positions entered, lines, those that wait, the one entered last.
EXPLORED, MADE, WAITING, LAST = range(4)
#: What a ply more is worth against likelihood, in logarithms: lines that are as likely end sooner the longer they are.
PLY = 1.0


class Frontier(NamedTuple):
    """The lines searched so far, each as its last move and the line before it, and a heap of those that wait."""

    registers: Int64[np.ndarray, "4"]
    parent: Int32[np.ndarray, "N"]
    move: Int16[np.ndarray, "N"]
    plies: Int16[np.ndarray, "N"]
    score: Float64[np.ndarray, "N"]
    entered: Int32[np.ndarray, "N"]  # the number of the position it leads to, of those explored
    waiting: Int32[np.ndarray, "N"]  # a heap of lines, the best on top


def frontier_of(count: int) -> Frontier:
    """Room for so many."""
    numbers = {"parent": np.int32, "move": np.int16, "plies": np.int16, "score": np.float64}
    numbers |= {"entered": np.int32, "waiting": np.int32}
    return Frontier(np.zeros(4, np.int64), **{name: np.zeros(count, kind) for name, kind in numbers.items()})


@jit
def better(lines: Frontier, one: int, two: int) -> bool:
    """Which of two waits in front; of those alike the later."""
    return lines.score[one] > lines.score[two] or (lines.score[one] == lines.score[two] and one > two)


@jit
def add(lines: Frontier, parent: int, move: int, score: float) -> None:
    """A line that waits from now on."""
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
    """The best that waits, which then waits no more."""
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
    """The logarithm of how likely it is, of the logarithm of the odds."""
    return float(-np.log1p(np.exp(-odds)) if odds > 0 else odds - np.log1p(np.exp(odds)))


@functools.cache
def searcher(twin: Any, rate: Callable, undo: int) -> Callable[..., int]:
    """The search for a first solution. What the twin's `make` gives is so many numbers."""
    moves, make, unmake, score = twin.moves, twin.make, twin.unmake, twin.score

    @jit
    def enter(board: Any, parameters: Any, memory: Stack, lines: Frontier, tree: ExploredTree, line: int) -> bool:
        """Go along a line, explore the position there, and come back. Whether it is solved."""
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
        """To the first solution, which is then the line entered last. One that has explored so many positions stops,
        and goes on when it is called again; it begins where no line was ever made.
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
