"""Network inputs: a game's own encodings where it has them, else its planes with a border of zeros."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import Nim
from helpers.positions import random_positions, unstack
from helpers.text import refusal

from ludus.core.game import Game, legal_actions
from ludus.games.hex.features import FEATURES
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners.views import BORDER, bordered, encoding, has_planes, view

HEX3 = Hex(size=3)


def test_an_encoding_is_the_games_own_or_for_any_game() -> None:
    state = HEX3.parse(".BW/B.W/W.B b")
    np.testing.assert_array_equal(encoding(HEX3, "bordered")(state), FEATURES["bordered"](HEX3, state))
    np.testing.assert_array_equal(encoding(HEX3, "planes")(state), HEX3.observe(state))
    assert encoding(Nim(), "planes")(Nim().init()).tolist() == [5]


def test_an_encoding_that_is_none_is_refused() -> None:
    assert refusal(encoding, HEX3, "pictures") == "hex has no features 'pictures'; there are bordered, planes."
    assert refusal(encoding, Nim(), "pictures") == "this game has no features 'pictures'; there are bordered, planes."


def test_a_game_shows_itself_as_planes_or_not() -> None:
    assert has_planes(HEX3)
    assert has_planes(LGame())
    assert not has_planes(Nim())


@pytest.mark.slow
@pytest.mark.parametrize("game", [LGame(), SolitaireChess()], ids=["lgame", "solitaire-chess"])
def test_other_games_have_nothing_around_them(game: Game) -> None:
    state = jax.tree.map(jnp.asarray, unstack(random_positions(game, 8, ends=False), 4))
    inner, found = np.asarray(game.observe(state)), np.asarray(bordered(game, state))
    assert inner.any()
    np.testing.assert_array_equal(found[BORDER:-BORDER, BORDER:-BORDER], inner)
    assert np.abs(found).sum() == np.abs(inner).sum()
    assert found.shape == (inner.shape[0] + 4, inner.shape[1] + 4, inner.shape[2])


@pytest.mark.parametrize("game", [HEX3, Hex(size=3, swap=True), LGame()], ids=["hex", "hex swap", "lgame"])
def test_the_moves_of_a_view_are_those_of_the_position_by_its_canonical_action(game: Game) -> None:
    states = random_positions(game, 24, ends=False)
    look, name = jax.jit(lambda state: view(game, state)), jax.jit(game.canonical_action)
    for i in range(24):
        state = unstack(states, i)
        seen = np.flatnonzero(np.asarray(look(state).legal)).tolist()
        assert sorted(int(name(state, jnp.int32(action))) for action in seen) == legal_actions(game, state)
