"""How games end in self-play: the tape that goes on, the ply cap, ties by repetition, a mover with no move."""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np
import pytest
from helpers.batched import on_host, same, stack, unstack
from helpers.policies import ranked, scripted
from helpers.positions import STUCK

from ludus.core.game import Game
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.play import selfplay
from ludus.play.perft import successors

SHUFFLED = ["a1b1", "i5h4", "c1b1", "g3h4"]  # two moves and back again: the start recurs after four plies


# --- the tape -----------------------------------------------------------------------------------------------


@functools.cache
def _tape(pooled: bool) -> tuple[Game, Any, Any]:
    """60 plies of 16 lanes of 2 x 2 Hex, from its start or from a pool of three, and what the rules say of them."""
    game = Hex(size=2)
    pool = stack([game.parse(text) for text in ("../.. b", "B./.. w", "BW/.. b")]) if pooled else None

    def play(key: jax.Array, starts: Any) -> Any:
        lanes = selfplay.fresh(game, 16, starts)
        _, record = selfplay.stream(game, selfplay.random_policy(game), lanes, key, 60, starts=starts)
        twice = jax.vmap(jax.vmap(lambda s, a: (game.done(s), game.returns(s), game.step(s, a))))
        return record, twice(record.state, record.action)

    return game, on_host(jax.jit(play)(jax.random.key(2), pool)), pool


@pytest.mark.slow
@pytest.mark.parametrize("pooled", [False, True])
def test_after_a_game_the_tape_goes_on_with_a_new_one(pooled: bool) -> None:
    game, (record, (done, returns, stepped)), pool = _tape(pooled)
    np.testing.assert_array_equal(record.over, done)  # no game of 2 x 2 Hex comes to the cap
    np.testing.assert_array_equal(record.returns, np.where(done[..., None], returns, np.float32(0)))
    starts = {game.format(unstack(pool, k)) for k in range(3)} if pooled else {game.format(game.init())}
    begun = set()
    for ply in range(59):
        for lane in range(16):
            following = unstack(record.state, ply + 1, lane)
            if record.over[ply, lane]:
                begun.add(game.format(following))
            else:
                assert same(following, unstack(stepped, ply, lane))
    assert begun == starts


@pytest.mark.slow
def test_a_pool_is_dealt_in_order() -> None:
    game, (record, _), pool = _tape(True)
    dealt = [game.format(unstack(record.state, 0, lane)) for lane in range(16)]
    assert dealt == [game.format(unstack(pool, lane % 3)) for lane in range(16)]


# --- the end by cap, by repetition, by having no move -------------------------------------------------------


@pytest.mark.slow
def test_a_game_that_is_stopped_is_decided_by_marbles() -> None:
    game = Abalone(cap=3)
    more = "wwwww/wwwwww/..www../......../........./......../..bb.../bbbbbb/bbbbb"
    texts = [f"{more} b", f"{more} w", game.format(game.init()), STUCK]
    pool = stack([game.parse(text) for text in texts])
    policy = ranked(game, last=True)
    games = on_host(jax.jit(lambda key, starts: selfplay.play(game, policy, key, 4, starts))(jax.random.key(0), pool))
    assert games.plies.tolist() == [3, 3, 3, 0]  # the last has no move: it is over before it begins
    assert games.returns.tolist() == [[-1, 1], [-1, 1], [0, 0], [-1, 1]]


@pytest.mark.slow
@pytest.mark.parametrize("missing", [False, True])
def test_a_position_that_comes_back_is_a_tie(missing: bool) -> None:
    """Whatever the marbles, and in the second game of the lane as in the first."""
    game = Abalone(cap=30)
    start = game.format(game.init())
    start = start.replace("..bbb..", "..bb...") if missing else start
    policy, pool = scripted(game, start, SHUFFLED), stack([game.parse(start)])

    def play(key: jax.Array, starts: Any) -> Any:
        return selfplay.stream(game, policy, selfplay.fresh(game, 2, starts), key, 17, starts=starts)[1]

    record = on_host(jax.jit(play)(jax.random.key(0), pool))
    assert np.flatnonzero(record.over[:, 0]).tolist() == [4, 9, 14]
    np.testing.assert_array_equal(record.over[:, 0], record.over[:, 1])
    assert not record.returns.any()


@pytest.mark.slow
def test_the_start_that_comes_back_at_the_cap_is_a_tie() -> None:
    game = Abalone(cap=4)
    start = game.format(game.init()).replace("..bbb..", "..bb...")
    policy, pool = scripted(game, start, SHUFFLED), stack([game.parse(start)])
    games = on_host(jax.jit(lambda key, starts: selfplay.play(game, policy, key, 1, starts))(jax.random.key(0), pool))
    assert games.plies.tolist() == [4]
    assert games.returns.tolist() == [[0, 0]]


@pytest.mark.slow
def test_lanes_that_remember_no_position_play_on_to_the_cap() -> None:
    """White has a marble less all along, and loses when the game is stopped."""
    game = Abalone(cap=7)
    start = game.format(game.init()).replace("..www..", "..ww...")
    policy, pool = scripted(game, start, SHUFFLED), stack([game.parse(start)])
    lanes = selfplay.fresh(game, 2, pool, ties=False)
    assert len(lanes.seen) == 0

    def play(key: jax.Array, starts: Any) -> Any:
        return selfplay.stream(game, policy, lanes, key, 16, starts=starts)[1]

    record = on_host(jax.jit(play)(jax.random.key(0), pool))
    assert np.flatnonzero(record.over[:, 0]).tolist() == [7, 15]
    assert record.returns[7].tolist() == [[1, -1], [1, -1]]


@pytest.mark.slow
def test_fingerprints_tell_positions_apart() -> None:
    game = Abalone()
    states = successors(game, successors(game, jax.tree.map(lambda leaf: np.asarray(leaf)[None], game.init())))
    leaves = np.stack([leaf.astype(np.int64) for leaf in jax.tree.leaves(states)], axis=1)
    prints = on_host(jax.jit(jax.vmap(selfplay.fingerprint))(states))
    distinct = len(np.unique(leaves, axis=0))
    assert distinct > 1800
    assert len(np.unique(prints, axis=0)) == distinct
    assert [len(np.unique(half)) for half in prints.T] == [distinct, distinct]
