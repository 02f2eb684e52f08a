"""The steps of alpha-beta at one node, compiled: the next move, its window, and the update by its value.

`tree` walks from node to node; this module is independent of any game.
"""

from __future__ import annotations

from ludus.search.alphabeta import transpositions as tables
from ludus.search.alphabeta.transpositions import EXACT, LOWER, UPPER
from ludus.search.alphabeta.workspace import PLIES, SearchSettings, Workspace
from ludus.search.compiled import jit
from ludus.search.words import Word

MATE = 1_000_000  # the score of a won game, minus the plies until its end
INFINITE = MATE + 1
HIGHEST = MATE - 2 * PLIES  # the greatest evaluation: below all scores of won games

GOING, DONE, ASKING = range(3)  # how a slice ends
WHOLE, NARROW, REDUCED = range(3)  # how a child was entered
MORE, CUT, AGAIN = range(3)  # the next step after a child's value
OPEN, ASKED = 1 << 40, 1 << 41  # instead of a value
HINTED, FORCED, KILLED = 1 << 30, 1 << 29, 1 << 28  # ranks of moves, above all ranks from the history
HISTORY = 1 << 14


@jit
def known(memory: Workspace, ply: int, found: Word, exactly: bool) -> int:
    """The value of a node from its table entry, or `OPEN` if the entry does not settle it.

    A deeper entry is good, except if results must equal those of a search without the table (`exactly`). Plies to a win
    or loss are counted from the node in the table, and from the root in the tree.
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
    """The next move of an open node: the one of the highest rank that is left, swapped to the next place."""
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
    """Set the child's window and depth, for the move that was picked last."""
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
    """Update the node by its child's value (for this node's mover); returns the next step: `MORE`, `CUT` or `AGAIN`."""
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
            if value >= beta:  # the value depends on this move only
                memory.loop[ply] = memory.loop[child]
                return CUT
    memory.loop[ply] = min(memory.loop[ply], memory.loop[child])
    return MORE


@jit
def close(memory: Workspace, setup: SearchSettings, ply: int) -> int:
    """The value of a node after its moves were searched; it is stored in the transposition table."""
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
    """Killer and history heuristics: a move that caused a cutoff is tried earlier from now on, the others later."""
    chosen, seat = memory.chosen[ply], (setup.seat + ply) & 1
    bonus = min(memory.depth[ply] * memory.depth[ply], HISTORY // 32)
    for i in range(memory.at[ply]):
        old = memory.history[seat, memory.moves[ply, i]]
        change = bonus if memory.moves[ply, i] == chosen else -bonus
        memory.history[seat, memory.moves[ply, i]] = old + change - old * bonus // HISTORY
    if memory.killers[ply, 0] != chosen:
        memory.killers[ply, 1] = memory.killers[ply, 0]
        memory.killers[ply, 0] = chosen
