"""Plain minimax, compiled, to hold a search to; and positions to hold it to it at."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from ludus import games
from ludus.core.game import Game, compiled
from ludus.search.alphabeta.evaluation import evaluation
from ludus.search.alphabeta.search import MATE, AlphaBeta, Switches

ABALONE = games.make_game("abalone")
HEX = games.make_game("hex", size=4)
FEW = 9  # marbles a side: who loses one has lost
LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)  # of Abalone's rows


@functools.cache
def engine(game: Game, name: str, switches: Switches) -> AlphaBeta:
    return AlphaBeta(game, evaluation(game, name), switches=switches)


@functools.cache
def minimax_of(game: Game, name: str) -> Callable:
    """Minimax in a few lines, compiled: every line is played to its end or to the depth."""
    twin, rating = games.part(game, "twin"), evaluation(game, name)
    moves, make, unmake, score, key, rate = *(twin.moves, twin.make, twin.unmake, twin.score, twin.key), rating.compiled
    ties, by_result = game.repetition_ties, rate is None
    rate = rate or score

    @njit
    def rated(board: Any, parameters: Any, sign: int) -> int:
        if by_result:
            return score(board) * sign
        return rate(board, parameters)

    @njit
    def minimax(board: Any, parameters: Any, depth: int, ply: int, sign: int, path: Any, seen: Any, space: Any) -> int:
        path[ply] = key(board)
        if ties:
            for before in range(ply):
                if path[before] == path[ply]:
                    return 0
            for other in seen:
                if other == path[ply]:
                    return 0
        count = moves(board, space[ply])
        if count == 0:
            return score(board) * sign * (MATE - ply)
        if depth == 0:
            return rated(board, parameters, sign)
        best = -(10**9)
        for i in range(count):
            undo = make(board, np.int64(space[ply, i]))
            best = max(best, -minimax(board, parameters, depth - 1, ply + 1, -sign, path, seen, space))
            unmake(board, undo)
        return best

    def scores(state: Any, depth: int, seen: tuple[int, ...] = ()) -> dict[int, int]:
        board, out = twin.from_state(game, state), np.zeros(game.max_legal, np.int16)
        space, path = np.zeros((depth + 1, game.max_legal), np.int16), np.zeros(depth + 1, np.uint64)
        path[0], found, sign = key(board), {}, 1 - 2 * int(compiled(game).player(state))
        for action in out[: moves(board, out)].tolist():
            undo = make(board, action)
            known = np.array([0, *seen], np.uint64)
            found[action] = -minimax(board, rating.parameters, depth - 1, 1, -sign, path, known, space)
            unmake(board, undo)
        return found

    return scores


def wander(game: Game, plies: int, seed: int) -> Any:
    """A position after so many random moves, or a few less."""
    twin, random = games.part(game, "twin"), np.random.default_rng(seed)
    board, out = twin.from_state(game, game.init()), np.zeros(game.max_legal, np.int16)
    state = game.init()
    for _ in range(plies):
        count = twin.moves(board, out)
        if not count:
            break
        state = twin.to_state(game, board)
        twin.make(board, int(random.choice(out[:count])))
    return twin.to_state(game, board) if twin.moves(board, out) else state


def scattered(seed: int) -> Any:
    """Few marbles anywhere: most such positions are won or lost soon."""
    random = np.random.default_rng(seed)
    cells = np.array(["b"] * FEW + ["w"] * FEW + ["."] * (61 - 2 * FEW))
    text = "".join(random.permutation(cells))
    rows = [text[sum(LENGTHS[:i]) : sum(LENGTHS[: i + 1])] for i in range(9)]
    return ABALONE.parse("/".join(rows) + " " + "bw"[seed % 2])


def end_of(game: Game, name: str, state: Any, line: tuple[int, ...]) -> int:
    """What the end of a line is worth to whoever moves first on it; every move must be legal."""
    twin, rating, sign = games.part(game, "twin"), evaluation(game, name), 1
    board, out, seen = twin.from_state(game, state), np.zeros(game.max_legal, np.int16), set()
    for action in line:
        assert action in out[: twin.moves(board, out)]
        seen.add(int(twin.key(board)))
        twin.make(board, action)
        sign = -sign
    if game.repetition_ties and int(twin.key(board)) in seen:
        return 0
    first = 1 - 2 * int(compiled(game).player(state))
    if not twin.moves(board, out):
        return twin.score(board) * first * (MATE - len(line))
    return twin.score(board) * first if rating.compiled is None else sign * rating.compiled(board, rating.parameters)
