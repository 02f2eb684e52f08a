"""The compiled half of the alpha-beta search: one tree to one depth, a slice of nodes at a time.

It is not recursive: the stack, one row per ply, is in `Workspace`. So it can stop anywhere and continue later, and its
machine code can be cached on disk. `search` is the other half, in Python.

This is principal variation search. A node is entered with a window (alpha, beta) and a depth, and left with a value. A
leaf, a repetition and a table hit have their value at once; any other node is opened, and its moves are searched. The
first move gets the whole window. The others get a null window and, if late in the order, less depth; a move that then
turns out better is searched again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.np.unsafe.ndarray import to_fixed_tuple

from ludus.search.alphabeta import transpositions as tables
from ludus.search.alphabeta.nodes import (
    AGAIN,
    ASKED,
    ASKING,
    DONE,
    FORCED,
    GOING,
    HIGHEST,
    HINTED,
    INFINITE,
    KILLED,
    MATE,
    MORE,
    OPEN,
    aim,
    close,
    known,
    pick,
    weigh,
)
from ludus.search.alphabeta.transpositions import NO_MOVE
from ludus.search.alphabeta.workspace import (
    BASE,
    ENTERING,
    NODES,
    PLIES,
    PLY,
    VALUE,
    SearchSettings,
    Workspace,
    remembered,
)
from ludus.search.compiled import jit
from ludus.search.words import NONE


@functools.cache
def searcher(
    twin: Any, evaluate: Callable | None, undo: int
) -> Callable[[Any, Any, Workspace, SearchSettings, int], int]:
    """The search of a game, from its twin and an evaluation; without one, a leaf's score is its result.

    `undo` is the length of the tuple that the twin's `make` returns.
    """
    moves, make, unmake, score, key = twin.moves, twin.make, twin.unmake, twin.score, twin.key
    over, forcing = twin.over, twin.forcing

    if evaluate is None:

        @jit
        def rated(board: Any, parameters: Any, sign: int) -> int:
            return score(board) * sign
    else:

        @jit
        def rated(board: Any, parameters: Any, sign: int) -> int:
            return max(-HIGHEST, min(HIGHEST, evaluate(board, parameters)))

    @jit
    def rank(board: Any, memory: Workspace, setup: SearchSettings, ply: int, count: int, hint: int) -> None:
        """Rank a node's moves; the highest rank is searched first."""
        moves, ranks, history = memory.moves[ply], memory.ranks[ply], memory.history[(setup.seat + ply) & 1]
        first, second = memory.killers[ply, 0], memory.killers[ply, 1]
        for i in range(count):
            move = moves[i]
            if move == hint:
                ranks[i] = HINTED
            elif move == first:
                ranks[i] = KILLED + 1
            elif move == second:
                ranks[i] = KILLED
            else:
                ranks[i] = history[move]
        i = 0
        for j in range(forcing(board, memory.scratch)):  # both lists are sorted by action
            while moves[i] != memory.scratch[j]:
                i += 1
            ranks[i] = max(ranks[i], FORCED)

    @jit
    def enter(board: Any, parameters: Any, memory: Workspace, setup: SearchSettings, ply: int) -> int:
        """The value of a node that need not be opened; else `OPEN`, or `ASKED` if the oracle in Python rates it."""
        depth, alpha, beta = memory.depth[ply], memory.alpha[ply], memory.beta[ply]
        memory.length[ply], memory.loop[ply] = 0, PLIES
        here = NONE
        if depth > 0 or (depth == 0 and setup.ties):
            here = key(board)
            memory.keys[ply] = here
        if setup.ties and ply > 0 and depth >= 0:
            tie = setup.tie if ply & 1 == 0 else -setup.tie
            for before in range(ply - 2, -1, -2):
                if memory.keys[before] == here:
                    memory.loop[ply] = before
                    return tie
            if remembered(memory.seen, here):
                return tie
        sign = 1 - 2 * ((setup.seat + ply) & 1)
        out = memory.moves[ply]
        if depth <= 0:
            memory.registers[NODES] += 1
            if over(board):
                return score(board) * sign * (MATE - ply)
            value = rated(board, parameters, sign)
            if not setup.quiescence or value >= beta or ply + 1 >= PLIES:
                return value
            count = forcing(board, out)
            if count == 0:
                return value
            memory.best[ply], memory.floor[ply], memory.alpha[ply] = value, alpha, max(alpha, value)
        else:
            hint = setup.hint if ply == memory.registers[BASE] else -1
            if setup.table:
                found = tables.look(memory.table, here, setup.search)
                if found:
                    if beta - alpha == 1:
                        value = known(memory, ply, found, not setup.reductions)
                        if value != OPEN:
                            return value
                    if hint < 0 and tables.move_of(found) != NO_MOVE:
                        hint = tables.move_of(found)
            memory.registers[NODES] += 1
            count = moves(board, out)
            if count == 0:
                return score(board) * sign * (MATE - ply)
            memory.best[ply], memory.floor[ply] = -INFINITE, alpha
            if setup.asks and depth == 1:
                memory.number[ply] = count
                return ASKED
            if setup.ordering:
                rank(board, memory, setup, ply, count, hint)
        memory.chosen[ply], memory.number[ply], memory.at[ply] = -1, count, 0
        return OPEN

    @jit
    def run(board: Any, parameters: Any, memory: Workspace, setup: SearchSettings, until: int) -> int:
        """Search on until the tree is done, `until` nodes are reached, or the oracle is needed. Returns which of these;
        the rest is in `registers`.
        """
        registers = memory.registers
        ply, base, entering, value = registers[PLY], registers[BASE], registers[ENTERING] != 0, registers[VALUE]
        while True:
            open_ = False
            if entering:
                if registers[NODES] >= until:
                    registers[PLY], registers[ENTERING] = ply, 1
                    return GOING
                value = enter(board, parameters, memory, setup, ply)
                if value == ASKED:
                    registers[PLY], registers[ENTERING] = ply, 0
                    return ASKING
                open_ = value == OPEN
            entering = True
            while not open_:  # go up to a node with another move
                if ply == base:
                    registers[VALUE] = value
                    return DONE
                ply -= 1
                follows = weigh(memory, ply, -value)
                if follows == AGAIN:
                    break
                unmake(board, to_fixed_tuple(memory.undo[ply], undo))  # pyright: ignore[reportCallIssue]
                open_ = follows == MORE and memory.at[ply] < memory.number[ply]
                if not open_:
                    value = close(memory, setup, ply)
            if open_:
                changed = make(board, np.int64(pick(memory, setup, ply)))
                for i in range(undo):
                    memory.undo[ply, i] = changed[i]
                aim(memory, setup, ply)
            ply += 1

    return run
