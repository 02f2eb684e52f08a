"""What a player knows for certain: right by the tablebase of 4 x 4; on larger boards a win is never lost again."""

from __future__ import annotations

import random
from typing import Any

import jax
import numpy as np
import pytest
from helpers.batched import unstack

from ludus.core.game import compiled, legal_actions
from ludus.games.hex import certain as hex_certain
from ludus.games.hex.rules import Hex
from ludus.games.hex.solver import analysis, grid
from ludus.games.hex.solver import workspace as hex_workspace
from ludus.games.hex.solver.inferior import BLACK
from ludus.games.hex.solver.large_connections import EMPTY, LOSS, UNKNOWN, WIN
from ludus.play.selfplay import random_positions
from ludus.truth import truth_of


def values(game: Hex, state: Any) -> dict[int, int]:
    found: Any = truth_of(game).solve(state)
    return {game.parse_move(state, move.move): move.value for move in found.moves}


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_on_4_x_4_it_is_right(seconds: float) -> None:
    """A winning move wins by the table, and moves that are left out lose; with time it finds every win."""
    game = Hex(size=4)
    states = random_positions(game, jax.random.key(5), 120)
    won = missed = left_out = 0
    for lane in range(120):
        state = unstack(states, lane)
        worth = values(game, state)
        move, open_moves = hex_certain.certain(game, state, seconds)
        if move is not None:
            won += 1
            assert worth[move] == 1, game.format(state)
        elif max(worth.values()) == 1:
            missed += 1
        if open_moves is not None:
            left_out += 1
            assert all(worth[action] == -1 for action in worth.keys() - set(open_moves)), game.format(state)
    assert won > 50
    assert missed == 0 or seconds == 0
    assert left_out or seconds > 0


@pytest.mark.slow
def test_on_5_x_5_it_is_right() -> None:
    """The same of more positions of a larger board, by the solver: with connections that overlap it would be wrong."""
    game = Hex(size=5)
    states = random_positions(game, jax.random.key(6), 500)
    won = left_out = 0
    for lane in range(500):
        state = unstack(states, lane)
        move, open_moves = hex_certain.certain(game, state, 0.0)
        if move is None and open_moves is None:
            continue
        worth = values(game, state)
        won += move is not None
        left_out += open_moves is not None
        assert move is None or worth[move] == 1, game.format(state)
        assert open_moves is None or all(worth[action] == -1 for action in worth.keys() - set(open_moves))
    assert won > 250
    assert left_out > 10


def test_it_sees_what_the_solvers_h_search_sees() -> None:
    """Two words or one, the rules are the same: they differ only where a bounded list gives out, as the shorter ones of
    players do sooner.
    """
    for size in (5, 6, 7):
        game, space = Hex(size=size), hex_workspace.workspace(size, 4)
        states = random_positions(game, jax.random.key(size), 60)
        same = 0
        for lane in range(60):
            state = unstack(states, lane)
            own, other = grid.masks(game, state)
            value, _, _ = analysis.h_search(space, 0, BLACK, np.uint64(own), np.uint64(other))
            seen = hex_certain._WinSearch(size, 0.0)._h_search(hex_certain._stones(size, state))
            assert (value, seen.value) not in ((WIN, LOSS), (LOSS, WIN))
            assert value != UNKNOWN or seen.value == UNKNOWN
            same += value == seen.value
        assert same >= 50


@pytest.mark.parametrize(("size", "count"), [(7, 40), pytest.param(11, 60, marks=pytest.mark.slow)])
def test_what_is_seen_to_be_won_is_won_against_any_reply(size: int, count: int) -> None:
    """From random positions that H-search says are won: the winner plays what is certain, the other side anything, but
    rather where the winner has to answer; and every time the winner joins its edges.
    """
    game, chance = Hex(size=size), random.Random(size)
    rules = compiled(game)
    states = random_positions(game, jax.random.key(1), 400)
    played = 0
    for lane in range(400):
        state = unstack(states, lane)
        if hex_certain.certain(game, state, 0.0)[0] is None:
            continue
        winner, played = int(state.mover), played + 1
        while not rules.done(state):
            if int(state.mover) == winner:
                move, _ = hex_certain.certain(game, state, 0.0)
                assert move is not None, game.format(state)
            else:
                promised = _promised(size, state)
                move = chance.choice(promised or legal_actions(game, state))
            state = rules.step(state, move)
        assert rules.returns(state)[winner] == 1
        if played == count:
            break
    assert played == count


def _promised(size: int, state: Any) -> list[int]:
    """The cells of the winner's promise, as actions of the loser, who is to move."""
    loser = int(state.mover)
    turned = hex_certain._WinSearch(size, 0.0)._other_view(hex_certain._stones(size, state))
    carrier = hex_certain._known_wins.get(turned.tobytes(), 0)
    cells = [cell for cell in range(size**2) if carrier >> cell & 1 and turned[cell] == EMPTY]
    return [hex_certain._action(size, 1 - loser, cell) for cell in cells]


def test_where_nothing_is_certain_nothing_is_said() -> None:
    assert hex_certain.certain(Hex(size=12), Hex(size=12).init(), 0.0) == (None, None)
    assert hex_certain.certain(Hex(size=5, swap=True), Hex(size=5, swap=True).init(), 0.0) == (None, None)
    assert hex_certain.certain(Hex(size=9), Hex(size=9).init(), 0.0) == (None, None)
    assert UNKNOWN == 0
