"""Where games begin: a learner of puzzles that began at one puzzle would learn that one alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import TINY, Heap, Nim
from helpers.text import refusal

from ludus.games import make_game
from ludus.learners import dqn
from ludus.learners.starts import any_of, starts_of

HEAPS: Any = Heap(*(np.array(each, np.int32) for each in ([2, 3, 4], [0, 0, 0])))  # pyright: ignore[reportArgumentType]


def begun(game: Any, monkeypatch: pytest.MonkeyPatch, starts: Any) -> set[int]:
    monkeypatch.setattr("ludus.learners.starts.part", lambda game, name: (lambda game: starts) if starts else None)
    first, key = dqn._first(game, jax.random.key(1), 64)
    return set(np.asarray(dqn._episodes(game, key, 64, starts=first).state.left)[0].tolist())


def test_games_begin_at_any_of_the_rooms_starts_or_at_the_games_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert begun(Nim(5), monkeypatch, None) == {5}
    assert begun(Nim(5), monkeypatch, HEAPS) == {2, 3, 4}


def test_a_setup_says_where_all_games_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before what the room says, and in every round."""
    monkeypatch.setattr("ludus.learners.starts.part", lambda game, name: lambda game: HEAPS)
    state = dqn.init(TINY, Nim(9), jax.random.key(0), setup=Heap(jnp.array([7, 9]), jnp.array([0, 0])))
    for _ in range(2):
        state, _ = dqn.advance(TINY, Nim(9), state)
    begun = np.asarray(state.memory.rows.state.left)[: 2 * TINY.lanes, 0]
    assert set(begun.tolist()) == {7, 9}


def test_starts_are_drawn_alike() -> None:
    drawn = np.bincount(np.asarray(any_of(HEAPS, jax.random.key(0), 3000).left), minlength=5)[2:]
    assert np.abs(drawn - 1000).max() < 5 * np.sqrt(1000)


def test_the_l_game_begins_where_it_always_did() -> None:
    assert starts_of(make_game("lgame")) is None


@pytest.mark.slow
def test_games_of_a_puzzle_begin_at_many_puzzles() -> None:
    """Of all sizes, every one of which can be solved with one final piece and square."""
    from ludus.games.solitaire_chess import starts
    from ludus.games.solitaire_chess.levels import measure

    game = make_game("solitaire-chess")
    known = starts.starts(game)
    first = jax.tree.map(np.asarray, dqn._first(game, jax.random.key(0), 256)[0])
    texts = [game.format(jax.tree.map(lambda leaf, row=row: leaf[row], first)) for row in range(256)]
    assert len(set(texts)) > 200
    pieces = [measure(game, game.parse(text)).pieces for text in texts]  # pyright: ignore[reportArgumentType]
    assert set(pieces) == set(range(starts.FEWEST, 10))
    assert len(jax.tree.leaves(known)[0]) == starts.COUNT


# --- steps a round ------------------------------------------------------------------------------------------------


def learned(steps: int) -> Any:
    config = replace(TINY, batch="transitions", transitions=8, steps=steps)
    state, _ = dqn.advance(config, Nim(), dqn.init(config, Nim(), jax.random.key(0)))
    return state.network.weights[0]


@pytest.mark.slow
def test_a_round_has_as_many_steps_as_games_or_as_many_as_are_asked_for() -> None:
    np.testing.assert_array_equal(learned(0), learned(TINY.lanes))
    assert not np.array_equal(learned(0), learned(TINY.lanes + 4))


def test_without_recall_no_other_number_of_steps_can_be_asked_for() -> None:
    assert "leave out steps" in refusal(lambda: replace(TINY, recall=0, steps=2))


def test_a_move_of_a_puzzle_comes_without_a_reply() -> None:
    config = replace(TINY, batch="transitions", transitions=8)
    state = dqn.init(config, Nim(), jax.random.key(0))
    for players, positions in ((1, 2), (2, 3)):
        batch = dqn._batch(config, state.memory, None, jax.random.key(0), players)
        assert batch.action.shape == (8, positions)


# --- what the network sees ----------------------------------------------------------------------------------------


def test_a_network_may_see_which_moves_are_legal() -> None:
    config = replace(TINY, inputs="moves")
    state = dqn.init(config, Nim(), jax.random.key(0))
    planes = jnp.asarray(Nim().observe(Nim().init())).size
    assert state.network.weights[0].shape == (planes + Nim().num_actions, 8)
    seen = dqn._inputs(config, Nim(), Heap(jnp.int32(2), jnp.int32(0)))
    assert np.asarray(seen)[planes:].tolist() == [1, 1, 0]
