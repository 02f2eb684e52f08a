"""The compiled half of the alpha-beta search: one tree to one depth, a slice of nodes at a time.

It is not recursive: the stack, a row a ply, is in `Workspace`. So it can stop anywhere and go on later, and its machine
code can be cached between processes. `search` is the other half, in Python.

A node is entered with a window (alpha, beta) and a depth, and left with a value; one that is left at once (a leaf, a
repetition, a position of the table) is never opened. At an open node each move is made, its child entered with the
window turned round, and the child's value weighed. The first move has the whole window; the others must only be shown
to be no better, so they have a window of width one, and if they look late less depth too, and are entered again where
that shows them to be better.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Int16
from numba.np.unsafe.ndarray import to_fixed_tuple

from ludus.search.alphabeta import transpositions as tables
from ludus.search.alphabeta.transpositions import EXACT, LOWER, NO_MOVE, UPPER
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
from ludus.search.words import NONE, Word

MATE = 1_000_000  # a game won at once; won later, less the plies until then
INFINITE = MATE + 1
HIGHEST = MATE - 2 * PLIES  # of an evaluation, so that it is not taken for a won game

GOING, DONE, ASKING = range(3)  # how a slice ends
WHOLE, NARROW, REDUCED = range(3)  # how a child was entered
MORE, CUT, AGAIN = range(3)  # what follows from a child's value
OPEN, ASKED = 1 << 40, 1 << 41  # in place of a value
HINTED, FORCED, KILLED = 1 << 30, 1 << 29, 1 << 28  # ranks of moves, above all of the history's
HISTORY = 1 << 14


@jit
def known(memory: Workspace, ply: int, found: Word, exactly: bool) -> int:
    """The value of a node that an entry of the table settles, or `OPEN`.

    A deeper look than asked for is welcome, but not where results shall be those of a search without the table. A won
    or lost game is counted from the node in the table, and from the root in the tree.
    """
    looked, bound, value = tables.depth_of(found), tables.bound_of(found), tables.score_of(found)
    if looked < memory.depth[ply] or (exactly and looked > memory.depth[ply]):
        return OPEN
    if value > HIGHEST:
        value -= ply
    elif value < -HIGHEST:
        value += ply
    enough = (bound & LOWER and value >= memory.beta[ply]) or (bound & UPPER and value <= memory.alpha[ply])
    return value if enough else OPEN


@jit
def pick(memory: Workspace, setup: SearchSettings, ply: int) -> int:
    """The next move of an open node: the one of the highest rank that is left, put in the next place."""
    moves, ranks, at = memory.moves[ply], memory.ranks[ply], memory.at[ply]
    if setup.ordering and memory.depth[ply] > 0:
        best = at
        for i in range(at + 1, memory.number[ply]):
            if ranks[i] > ranks[best]:
                best = i
        moves[at], moves[best] = moves[best], moves[at]
        ranks[at], ranks[best] = ranks[best], ranks[at]
    memory.at[ply] = at + 1
    return int(moves[at])


@jit
def aim(memory: Workspace, setup: SearchSettings, ply: int) -> None:
    """The child's window and depth, for the move that was picked last."""
    alpha, beta, depth, at = memory.alpha[ply], memory.beta[ply], memory.depth[ply], memory.at[ply] - 1
    stage, less = WHOLE, 0
    if at > 0 and depth > 1:  # a leaf has one value, whatever the window
        wide = beta - memory.floor[ply] > 1
        if setup.reductions and depth > 2 and memory.ranks[ply, at] < KILLED:
            less = memory.late[min(depth, len(memory.late) - 1), min(at, memory.late.shape[1] - 1)] - wide
            less = max(0, min(less, depth - 2))
        stage = REDUCED if less > 0 else NARROW if beta - alpha > 1 else WHOLE
    memory.stage[ply] = stage
    memory.depth[ply + 1] = depth - 1 - less
    memory.alpha[ply + 1] = -beta if stage == WHOLE else -alpha - 1
    memory.beta[ply + 1] = -alpha


@jit
def weigh(memory: Workspace, ply: int, value: int) -> int:
    """What follows from the value of the child just left, in this node's favour."""
    alpha, beta, stage, child = memory.alpha[ply], memory.beta[ply], memory.stage[ply], ply + 1
    if stage == REDUCED and value > alpha:
        memory.stage[ply] = NARROW
        memory.depth[child] = memory.depth[ply] - 1
        memory.alpha[child], memory.beta[child] = -alpha - 1, -alpha
        return AGAIN
    if stage == NARROW and alpha < value < beta:
        memory.stage[ply] = WHOLE
        memory.alpha[child], memory.beta[child] = -beta, -alpha
        return AGAIN
    if value > memory.best[ply]:
        memory.best[ply] = value
        if value > alpha:
            move = memory.moves[ply, memory.at[ply] - 1]
            memory.alpha[ply], memory.chosen[ply] = value, move
            if beta - memory.floor[ply] > 1:
                memory.line[ply, 0], length = move, memory.length[child]
                for i in range(length):
                    memory.line[ply, 1 + i] = memory.line[child, i]
                memory.length[ply] = length + 1
            if value >= beta:  # nothing but this move has a part in it
                memory.loop[ply] = memory.loop[child]
                return CUT
    memory.loop[ply] = min(memory.loop[ply], memory.loop[child])
    return MORE


@jit
def close(memory: Workspace, setup: SearchSettings, ply: int) -> int:
    """The value of a node whose moves have been looked at; what was learned there is kept."""
    best, depth, chosen = memory.best[ply], memory.depth[ply], memory.chosen[ply]
    if depth <= 0:
        return best
    if setup.ordering and best >= memory.beta[ply]:
        _reward(memory, setup, ply)
    if setup.table and memory.loop[ply] >= ply:
        bound = LOWER if best >= memory.beta[ply] else EXACT if best > memory.floor[ply] else UPPER
        score = best + ply if best > HIGHEST else best - ply if best < -HIGHEST else best
        tables.keep(memory.table, memory.keys[ply], setup.search, score, bound, depth, chosen)
    return best


@jit
def _reward(memory: Workspace, setup: SearchSettings, ply: int) -> None:
    """A move that was too good for the other side is tried early from now on, and what was tried before it late."""
    chosen, seat = memory.chosen[ply], (setup.seat + ply) & 1
    bonus = min(memory.depth[ply] * memory.depth[ply], HISTORY // 32)
    for i in range(memory.at[ply]):
        old = memory.history[seat, memory.moves[ply, i]]
        change = bonus if memory.moves[ply, i] == chosen else -bonus
        memory.history[seat, memory.moves[ply, i]] = old + change - old * bonus // HISTORY
    if memory.killers[ply, 0] != chosen:
        memory.killers[ply, 1] = memory.killers[ply, 0]
        memory.killers[ply, 0] = chosen


@functools.cache
def searcher(
    twin: Any, evaluate: Callable | None, undo: int
) -> Callable[[Any, Any, Workspace, SearchSettings, int], int]:
    """The search of a game, made of its twin and of an evaluation; without one, positions count by their result.

    What the twin's `make` gives is so many numbers.
    """
    moves, make, unmake, score, key = twin.moves, twin.make, twin.unmake, twin.score, twin.key
    forcing, quick = getattr(twin, "forcing", None), getattr(twin, "over", None)

    if quick is None:

        @jit
        def over(board: Any, out: Int16[np.ndarray, "M"]) -> bool:
            return moves(board, out) == 0
    else:

        @jit
        def over(board: Any, out: Int16[np.ndarray, "M"]) -> bool:
            return quick(board)

    if forcing is None:

        @jit
        def forced(board: Any, out: Int16[np.ndarray, "M"]) -> int:
            return 0
    else:

        @jit
        def forced(board: Any, out: Int16[np.ndarray, "M"]) -> int:
            return forcing(board, out)

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
        """How early each move of a node is to be looked at."""
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
        for j in range(forced(board, memory.scratch)):  # both in the order of their numbers
            while moves[i] != memory.scratch[j]:
                i += 1
            ranks[i] = max(ranks[i], FORCED)

    @jit
    def enter(board: Any, parameters: Any, memory: Workspace, setup: SearchSettings, ply: int) -> int:
        """The value of a node that need not be opened, or `OPEN`; `ASKED` where Python has it."""
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
            if over(board, out):
                return score(board) * sign * (MATE - ply)
            value = rated(board, parameters, sign)
            if not setup.quiescence or value >= beta or ply + 1 >= PLIES:
                return value
            count = forced(board, out)
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
        """On to the end of the tree, to so many nodes, or to a question: how it ended, and `registers` say the rest."""
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
            while not open_:  # up, until there is another move to make
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
