"""The defaults of the Game protocol, on a game that implements no more than it must."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.cases import cases, reference_of
from helpers.odd_nim import OddNim
from helpers.text import refusal

from ludus.core import game as core_game
from ludus.core.arrays import select
from ludus.core.game import afterstates, each_move, legal_actions
from ludus.games import ROOMS, entry, make_game, names, rooms
from ludus.play import selfplay
from ludus.play.perft import perft

NIM = OddNim()


def lowest(state: tuple) -> Any:
    """A number that differs between positions."""
    return selfplay.fingerprint(state)[0]


def test_moves_are_counted_and_numbered_from_the_mask() -> None:
    state = NIM.parse("5")
    assert int(jax.jit(NIM.num_legal)(state)) == 2
    assert [int(jax.jit(NIM.nth_legal)(state, np.int32(n))) for n in (0, 1)] == [0, 2]
    assert legal_actions(NIM, state) == [0, 2]
    assert legal_actions(NIM, NIM.parse("2")) == [0]
    assert legal_actions(NIM, NIM.parse("0")) == []


def test_moves_are_read_without_regard_to_case() -> None:
    assert NIM.parse_move(NIM.parse("3"), " Take3 ") == 2
    assert refusal(NIM.parse_move, NIM.parse("2"), "take3") == "nim move 'take3': take one or three."


@pytest.mark.slow
def test_afterstates_are_padded_to_the_limit() -> None:
    after = afterstates(NIM, jax.tree.map(jnp.asarray, NIM.parse("5")))
    assert after.valid.tolist() == [True, True, False]
    assert after.actions.tolist()[:2] == [0, 2]
    assert after.states.heap.tolist()[:2] == [4, 2]
    assert afterstates(NIM, jax.tree.map(jnp.asarray, NIM.parse("5")), limit=1).states.heap.tolist() == [4]


@pytest.mark.parametrize("some", [1, 4, 100])
def test_what_is_said_of_each_move_is_said_of_where_it_leads(monkeypatch: pytest.MonkeyPatch, some: int) -> None:
    """Moves in chunks, under vmap and without, for every count of moves: the same answers."""
    monkeypatch.setattr(core_game, "SOME", some)
    game = make_game("hex", size=3)
    states = jax.jit(lambda key: selfplay.random_positions(game, key, 4))(jax.random.key(0))
    found = jax.jit(jax.vmap(lambda state: each_move(game, state, lowest)))(states)
    limited = jax.jit(jax.vmap(lambda state: each_move(game, state, lowest, 3)))(states)
    for lane in range(4):
        state = jax.tree.map(lambda leaf, lane=lane: np.asarray(leaf[lane]), states)
        actions = legal_actions(game, state)
        assert found.actions[lane][: len(actions)].tolist() == actions
        assert found.valid[lane].tolist() == [True] * len(actions) + [False] * (game.max_legal - len(actions))
        said = [int(lowest(core_game.compiled(game).step(state, action))) for action in actions]
        assert found.said[lane][: len(actions)].tolist() == said
        assert limited.said[lane][: len(said[:3])].tolist() == said[:3]
        assert limited.valid[lane].sum() == len(said[:3])


def test_of_no_move_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_game, "SOME", 2)
    over = each_move(NIM, jax.tree.map(jnp.asarray, NIM.parse("0")), lambda state: state.heap)
    assert not over.valid.any()


def test_lines_are_counted() -> None:
    """Lines of ones and k threes that take six or fewer."""
    expected = [sum(math.comb(depth, k) for k in range(depth + 1) if depth + 2 * k <= 6) for depth in range(8)]
    assert [perft(NIM, NIM.init(), depth) for depth in range(8)] == expected


def test_it_plays_itself() -> None:
    games = jax.jit(lambda key: selfplay.play(NIM, selfplay.random_policy(NIM), key, 50))(jax.random.key(0))
    plies = np.asarray(games.plies)
    assert set(plies.tolist()) <= {2, 4, 6}  # six is even, and so is the number of odd numbers that add up to it
    assert np.asarray(games.returns).tolist() == [[-1, 1]] * 50


def test_it_has_a_name_a_value_and_one_form() -> None:
    assert NIM.describe() == "nim heap=6"
    assert OddNim(heap=6) == NIM
    state = NIM.init()
    assert NIM.canonical(state) == state
    assert NIM.sample(jax.random.key(0)) == state
    assert int(NIM.canonical_action(state, jnp.int32(2))) == 2


def test_select_takes_one_state_or_the_other() -> None:
    one, two = (jax.tree.map(jnp.asarray, NIM.parse(text)) for text in ("1", "2"))
    assert [int(select(jnp.bool_(flag), one, two).heap) for flag in (True, False)] == [1, 2]


@pytest.fixture
def one_more_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add a game to the registry, and forget what the registry has cached."""
    monkeypatch.setitem(ROOMS, "nim", "helpers.odd_nim:ENTRY")
    rooms.cache_clear()
    entry.cache_clear()
    yield
    monkeypatch.undo()
    rooms.cache_clear()
    entry.cache_clear()


@pytest.mark.usefixtures("one_more_game")
def test_a_game_in_the_registry_is_held_to_the_laws_and_needs_a_reference() -> None:
    assert "nim" in names()
    assert make_game("nim", heap=9) == OddNim(heap=9)
    [case] = [case for case in cases() if case.values[0].name == "nim"]
    assert case.values == (NIM,)
    assert not case.marks
    with pytest.raises(pytest.fail.Exception, match="the game 'nim', but its entry has no reference"):
        reference_of(NIM)
