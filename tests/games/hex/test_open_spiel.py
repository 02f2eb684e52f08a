"""Hex agrees with OpenSpiel's, position by position, over random games on boards of several sizes."""

from __future__ import annotations

import jax
import numpy as np
import pyspiel
import pytest

from ludus.games.hex.rules import Hex
from ludus.play import selfplay

#: size: games. The positions of all of them together are counted below.
GAMES = {2: 100, 3: 200, 4: 150, 5: 120, 7: 60, 9: 40, 11: 40}
POSITIONS = 10_000


def compare(size: int) -> int:
    """Plays random games here, replays them there, and compares everything; returns the number of positions."""
    game, peer = Hex(size=size), pyspiel.load_game(f"hex(board_size={size})")

    def play(key: jax.Array) -> tuple:
        games = selfplay.play(game, selfplay.random_policy(game), key, GAMES[size])
        look = jax.vmap(jax.vmap(lambda s: (game.legal(s), game.done(s), game.returns(s), game.player(s))))
        return games, look(games.state)

    games, (legal, done, returns, player) = jax.tree.map(np.asarray, jax.jit(play)(jax.random.key(size)))
    checked = 0
    for lane in range(GAMES[size]):
        state = peer.new_initial_state()
        for ply in range(games.plies[lane] + 1):
            where = f"{size} x {size}, game {lane}, ply {ply}"
            assert bool(done[ply, lane]) == state.is_terminal(), where
            assert returns[ply, lane].tolist() == state.returns(), where
            checked += 1
            if not state.is_terminal():
                assert np.flatnonzero(legal[ply, lane]).tolist() == state.legal_actions(), where
                assert int(player[ply, lane]) == state.current_player(), where
                state.apply_action(int(games.action[ply, lane]))
        assert state.is_terminal()
        assert games.returns[lane].tolist() == state.returns()
    return checked


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 5])
def test_hex_agrees_with_open_spiel(size: int) -> None:
    assert compare(size) > 1000


@pytest.mark.slow
def test_hex_agrees_with_open_spiel_on_ten_thousand_positions() -> None:
    assert sum(compare(size) for size in GAMES) >= POSITIONS
