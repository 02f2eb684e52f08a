"""Self-play: drawing a move, seats, whole games against a slow loop, and many seeds at once."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.batched import on_host, unstack
from helpers.cases import reference_of
from helpers.policies import among_first, ranked
from helpers.positions import STARTS, starts_of
from helpers.walk import Place, Walk

from ludus.core.game import Game, compiled
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.play import selfplay
from ludus.play.selfplay import Episodes

# --- drawing a move -----------------------------------------------------------------------------------------


def test_below_is_the_high_half_of_the_product() -> None:
    rng = np.random.default_rng(0)
    count = np.concatenate([np.arange(1, 400), rng.integers(1, 1 << 16, 4000), [65_535] * 4]).astype(np.int32)
    bits = rng.integers(0, 1 << 32, len(count), np.uint32)
    bits[-4:] = (0, 1, 0xFFFFFFFE, 0xFFFFFFFF)
    expected = [int(b) * int(c) >> 32 for b, c in zip(bits, count, strict=True)]
    assert selfplay.below(jnp.asarray(bits), jnp.asarray(count)).tolist() == expected


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 44, 121, 221])
def test_below_is_uniform(count: int) -> None:
    """65,536 evenly spaced numbers: each result as often as every other, to within one."""
    bits = jnp.arange(1 << 16, dtype=jnp.uint32) << 16
    often = np.bincount(selfplay.below(bits, jnp.full(1 << 16, count)), minlength=count)
    assert len(often) == count
    assert often.max() - often.min() <= 1


def test_random_play_chooses_every_legal_move_alike() -> None:
    game = Hex(size=3)
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (7000,)), game.parse("BW./.../... b"))
    actions = jax.jit(selfplay.random_policy(game))(jax.random.key(0), states)
    often = np.bincount(actions, minlength=9)
    assert often[:2].tolist() == [0, 0]
    assert abs(often[2:] - 1000).max() < 150


# --- seats --------------------------------------------------------------------------------------------------


def test_a_shift_changes_who_sits_where() -> None:
    game = Hex(size=3)
    shift = jnp.asarray([0, 1, 0, 1], jnp.int32)
    both = [ranked(game, last=False), ranked(game, last=True)]
    for shifts in (shift, None):
        games = on_host(
            jax.jit(lambda key, s=shifts: selfplay.play(game, selfplay.seated(game, both, s), key, 4))(
                jax.random.key(0)
            )
        )
        legal = on_host(jax.jit(jax.vmap(jax.vmap(game.legal)))(games.state))
        for ply, lane in np.argwhere(games.live):
            first, last = np.flatnonzero(legal[ply, lane])[[0, -1]]
            who = (games.player[ply, lane] + (0 if shifts is None else shift[lane])) % 2
            assert games.action[ply, lane] == (last if who else first)


def test_each_seat_draws_its_own_numbers() -> None:
    game = Hex(size=5)
    seen: list[Any] = []

    def policy(key: jax.Array, states: Any) -> jax.Array:
        seen.append(jax.random.key_data(key).tolist())
        return ranked(game, last=False)(key, states)

    selfplay.seated(game, [policy, policy])(jax.random.key(0), selfplay.fresh(game, 2).state)
    assert seen[0] != seen[1]


# --- whole games --------------------------------------------------------------------------------------------


@functools.cache
def _random_player(game: Game, num_games: int) -> Any:
    return jax.jit(lambda key: selfplay.play(game, selfplay.random_policy(game), key, num_games))


def _follow(game: Game, games: Episodes, lane: int, text: str) -> tuple[str, int, tuple[float, ...]]:
    """One game's moves replayed by the slow reference: how it ends, after how many plies, and what each seat gets."""
    reference, seen = reference_of(game), set()
    for ply in itertools.count():
        state = unstack(games.state, ply, lane)
        assert game.format(state) == text
        assert games.player[ply, lane] == compiled(game).player(state)
        if (result := reference.result(text)) is not None:
            return "end", ply, result
        if game.repetition_ties and text in seen:
            return "tie", ply, (0.0,) * game.num_players
        if ply == game.max_plies:
            return "cap", ply, tuple(np.asarray(compiled(game).returns(state)).tolist())
        seen.add(text)
        text = reference.play(text, game.format_move(state, int(games.action[ply, lane])))
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "choices"),
    [
        pytest.param(LGame(cap=12), 1000, id="lgame"),
        pytest.param(Hex(size=3, swap=True), 1000, id="hex"),
        pytest.param(Abalone(cap=40), 2, id="abalone"),
        pytest.param(SolitaireChess(), 1000, id="solitaire-chess", marks=pytest.mark.slow),
    ],
)
def test_play_is_a_slow_loop_on_the_host(game: Game, choices: int) -> None:
    starts = starts_of(game, 0) if game.name in STARTS else None
    policy = among_first(game, choices)
    games = on_host(jax.jit(lambda key, pool: selfplay.play(game, policy, key, 64, pool))(jax.random.key(1), starts))
    how = set()
    for lane in range(64):
        start = game.format(game.init() if starts is None else unstack(starts, lane))
        why, plies, returns = _follow(game, games, lane, start)
        how.add(why)
        assert games.plies[lane] == plies, (start, why)
        assert tuple(games.returns[lane].tolist()) == returns, (start, why)
        assert games.live[:plies, lane].all()
        assert not games.live[plies:, lane].any()
    expected = {"lgame": {"end", "cap"}, "abalone": {"end", "tie", "cap"}}
    assert how == expected.get(game.name, {"end"})


def test_the_same_key_plays_the_same_games() -> None:
    player = _random_player(Hex(size=3), 32)
    one, again, other = (on_host(player(jax.random.key(seed))) for seed in (5, 5, 6))
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(again), strict=True))
    assert not np.array_equal(one.action, other.action)
    assert len({one.action[:, lane].tobytes() for lane in range(32)}) == 32


@pytest.mark.slow
def test_seeds_mapped_are_seeds_one_by_one() -> None:
    player = _random_player(Hex(size=3), 32)
    keys = jax.random.split(jax.random.key(3), 3)
    mapped = on_host(jax.jit(jax.vmap(player))(keys))
    for k in range(3):
        alone = on_host(player(keys[k]))
        for a, b in zip(jax.tree.leaves(mapped), jax.tree.leaves(alone), strict=True):
            np.testing.assert_array_equal(a[k], b)


def test_random_positions_are_unfinished_and_of_every_length() -> None:
    game = Hex(size=3)
    found = jax.jit(lambda key: selfplay.random_positions(game, key, 256))(jax.random.key(0))
    assert not np.asarray(jax.vmap(game.done)(found)).any()
    stones = np.asarray(jax.vmap(lambda s: s.own.stones.count() + s.other.stones.count())(found))
    assert set(range(7)) <= set(stones.tolist())


# --- what was there before ----------------------------------------------------------------------------------


def test_what_was_there_before_is_known_again() -> None:
    """Held to a set for each lane, through game after game."""
    game, lanes = Walk(), selfplay.fresh(Walk(), 40)
    seen: list[set[tuple[int, int]]] = [set() for _ in range(40)]

    @jax.jit
    def look(lanes: selfplay.Lanes, key: Any) -> Any:
        after = jax.vmap(lambda state: jax.vmap(game.step, (None, 0))(state, jnp.arange(2)))(lanes.state)
        return (
            selfplay.been(game, lanes)(after),
            after,
            *selfplay.advance(game, selfplay.random_policy(game), lanes, key),
        )

    yes = no = 0
    for ply in range(60):
        again, after, moved, record = jax.device_get(look(lanes, jax.random.key(ply)))
        for lane, known in enumerate(seen):
            known.add((int(record.state.at[lane]), int(record.state.mover[lane])))
            for k in range(2):
                wanted = (int(after.at[lane, k]), int(after.mover[lane, k])) in known
                assert again[lane, k] == wanted
                yes, no = yes + wanted, no + (not wanted)
            if record.over[lane]:
                known.clear()
        lanes = moved
    assert min(yes, no) > 100


def test_a_wary_policy_is_told_what_would_repeat() -> None:
    """Against one who always goes left, to the right unless that repeats: 2, 1, 0 (not 2 again), 0, 1, and 0 once more.
    Who does not ask is back at 2 after two plies.
    """
    game = Walk()

    def left(key: Any, states: Any) -> Any:
        return jnp.zeros_like(states.at)

    def careful(key: Any, states: Any, again: selfplay.Again) -> Any:
        right = jax.vmap(lambda state: jax.vmap(game.step, (None, 0))(state, jnp.ones(1, jnp.int32)))(states)
        return 1 - again(right)[:, 0].astype(jnp.int32)

    for wary, plies in (
        (selfplay.HistoryPolicy(careful), 5),
        (lambda key, states: selfplay.HistoryPolicy(careful)(key, states), 2),
    ):
        played = selfplay.play(game, selfplay.seated(game, (left, wary)), jax.random.key(0), 1)
        assert played.plies.tolist() == [plies]


def test_a_lane_is_made_of_the_positions_of_a_game() -> None:
    """As if the game had been played there: what was there before is known, and what came to pass is not asked for."""
    game = Walk()
    places = [Place(jnp.int32(at), jnp.int32(ply % 2)) for ply, at in enumerate((2, 1, 0, 0, 1))]
    for length in range(1, len(places) + 1):
        lane = selfplay.lane_after(game, places[:length])
        asked = [(at, mover) for at in range(4) for mover in range(2)]
        states = Place(*(jnp.asarray([part], jnp.int32) for part in zip(*asked, strict=True)))
        known = {(int(place.at), int(place.mover)) for place in places[:length]}
        assert selfplay.been(game, lane)(states)[0].tolist() == [one in known for one in asked]
