"""Gumbel AlphaZero: targets against a loop over games, the search against won positions, images against the rules."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.batched import unstack
from helpers.text import refusal

from ludus.core.game import Game, Rules, legal_actions
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners import alphazero, searched_games, two_heads
from ludus.learners import tape as tapes
from ludus.learners.configs import AlphaZeroConfig
from ludus.play.selfplay import random_positions
from ludus.search.network import gumbel
from ludus.truth import truth_of

HEX3, HEX5 = Hex(size=3), Hex(size=5)
TINY = AlphaZeroConfig(
    hidden=(16,), simulations=8, considered=4, lanes=6, plies=5, updates=2, batch=16, games=200, random_plies=2
)


@pytest.fixture(autouse=True)
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def uniform(game: Rules) -> gumbel.Judge:
    """A judge that knows nothing: a uniform policy, and a value of 0."""

    def judge(states: Any) -> Any:
        count = len(jax.tree.leaves(states)[0])
        return jnp.zeros((count, game.num_actions)), jnp.zeros(count)

    return judge


def worths(state: Any) -> dict[int, Any]:
    """The exact value of each move of a position of Hex 3 x 3."""
    found: Any = truth_of(HEX3).solve(state)
    return {HEX3.parse_move(state, move.move): move.value for move in found.moves}


@functools.cache
def searching(game: Rules, simulations: int, considered: int) -> Any:
    effort = gumbel.GumbelSettings(simulations, considered, 0.0)
    return jax.jit(lambda states: gumbel.search(game, uniform(game), jax.random.key(0), states, effort))


# --- the search ---------------------------------------------------------------------------------------------------


def test_a_search_that_knows_nothing_finds_what_is_won() -> None:
    """On every position of Hex 3 x 3 that has a winning move; and its weights are a policy over legal moves."""
    states = random_positions(HEX3, jax.random.key(1), 48)
    found = searching(HEX3, 256, 9)(states)
    won = 0
    for lane in range(48):
        state = unstack(states, lane)
        moves = worths(state)
        assert int(found.action[lane]) in moves
        legal = legal_actions(HEX3, state)
        assert found.weights[lane].sum() == pytest.approx(1, abs=1e-4)
        assert found.weights[lane][np.array(legal)].sum() == pytest.approx(1, abs=1e-4)
        if max(moves.values()) == 1 and len(legal) < 7:  # of more, so short a search that knows nothing may err
            won += 1
            assert moves[int(found.action[lane])] == 1, HEX3.format(state)
            assert found.value[lane] > 0
    assert won > 20


def test_every_simulation_is_a_visit() -> None:
    found = searching(HEX3, 20, 4)(jax.tree.map(lambda leaf: jnp.stack([leaf] * 2), HEX3.init()))
    assert found.visits.sum(axis=1).tolist() == [20, 20]
    assert (found.visits[0] > 0).sum() == 4  # as many moves as were considered


def test_of_a_game_that_is_over_anything_is_said_but_no_number_is_none() -> None:
    over = HEX3.parse("B.W/B.W/B.. w")
    found = searching(HEX3, 8, 4)(jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], over))
    assert np.isfinite(found.weights).all()
    assert 0 <= int(found.action[0]) < 9


# --- the tape -----------------------------------------------------------------------------------------------------


def test_lessons_are_what_the_games_came_to() -> None:
    """Lane by lane: the result of the row's game, if it ends on the tape with no random move in between."""
    chance = np.random.default_rng(0)
    plies, lanes = 40, 7
    over, searched = chance.random((plies, lanes)) < 0.1, chance.random((plies, lanes)) < 0.8
    player = chance.integers(0, 2, (plies, lanes))
    ended = chance.choice([-1.0, 0.0, 1.0], (plies, lanes))
    returns = np.where(over[..., None], np.stack([ended, -ended], axis=-1), 0)
    none = jnp.zeros((plies, lanes, 1))
    who, ends, results = (jnp.asarray(x) for x in (player, over, returns.astype(np.float32)))
    found = tapes.lessons(tapes.Tape(none, who, ends, results, none, none, jnp.asarray(searched)))
    for lane in range(lanes):
        for ply in range(plies):
            end = next((t for t in range(ply, plies) if over[t, lane]), None)
            known = end is not None and all(searched[ply:end, lane])
            assert bool(found.known[ply, lane]) == known, (ply, lane)
            assert bool(found.live[ply, lane]) == (not over[ply, lane])
            if known:
                assert found.result[ply, lane] == returns[end, lane, player[ply, lane]]


@pytest.mark.parametrize("game", [HEX3, pytest.param(LGame(cap=8), marks=pytest.mark.campaign)], ids=["hex", "lgame"])
def test_the_tape_goes_on_where_it_was(game: Game) -> None:
    """Each row of a lane is the position after the one before, or a start after an end; rounds join without a seam."""
    state = alphazero.init(TINY, game, jax.random.key(3))
    step = jax.jit(lambda state: alphazero.advance(TINY, game, state)[0])
    length = state.tape.over.shape[0]
    for _ in range(length // TINY.plies):
        state = step(state)
    tape, actions = jax.device_get(state.tape), jnp.arange(game.num_actions, dtype=jnp.int32)
    reach = jax.jit(lambda state: (game.legal(state), jax.vmap(game.step, (None, 0))(state, actions)))
    ends = 0
    for lane in range(TINY.lanes):
        for ply in range(length - 1):
            here, there = (unstack(tape.state, at, lane) for at in (ply, ply + 1))
            if tape.over[ply, lane]:
                ends += 1
                assert all(map(np.array_equal, jax.tree.leaves(there), jax.tree.leaves(game.init())))
                continue
            legal, after = jax.device_get(reach(here))
            moves = np.flatnonzero(legal)
            assert any(
                all(np.array_equal(a[move], b) for a, b in zip(*map(jax.tree.leaves, (after, there)), strict=True))
                for move in moves
            )
    assert ends
    assert int(state.games) == ends + int(tape.over[-1].sum())


def test_games_that_are_decided_are_broken_off_but_in_some_lanes() -> None:
    """By a loop over rows: a game that ended before the rules end it was decided by the search, with its result."""
    config = AlphaZeroConfig(**{**vars(TINY), "lanes": 16, "decided": 0.5})
    state = alphazero.init(config, HEX3, jax.random.key(3))
    length = state.tape.over.shape[0]
    step = jax.jit(lambda state: alphazero.advance(config, HEX3, state)[0])
    for _ in range(length // config.plies):
        state = step(state)
    tape, broken, whole = jax.device_get(state.tape), 0, 0
    for lane in range(config.lanes):
        for ply in range(length):
            if not tape.over[ply, lane]:
                continue
            here, returns = jax.device_put(unstack(tape.state, ply, lane)), tape.returns[ply, lane].tolist()
            if HEX3.done(here):
                whole += lane % searched_games.WHOLE == 0
                assert returns == HEX3.returns(here).tolist()
            else:
                broken += 1
                assert lane % searched_games.WHOLE
                assert sorted(returns) == [-1, 1]
                winner = max(worths(here).values())  # so near the end of so small a board, what it is sure of is so
                if len(legal_actions(HEX3, here)) < 4:
                    assert returns[int(HEX3.player(here))] == winner
            if ply + 1 < length:
                fresh = unstack(tape.state, ply + 1, lane)
                assert all(map(np.array_equal, jax.tree.leaves(fresh), jax.tree.leaves(HEX3.init())))
    assert broken > 10
    assert whole
    assert "only where two play" in refusal(alphazero.refuse, config, SolitaireChess())


def test_games_begin_after_so_many_random_moves() -> None:
    config = AlphaZeroConfig(**{**vars(TINY), "lanes": 64, "least_plies": 1, "random_plies": 3})
    state = alphazero.init(config, HEX3, jax.random.key(0))
    assert set(state.wait.tolist()) == {1, 2, 3}
    assert "after at least 4 random moves and at most 3" in refusal(
        alphazero.refuse, AlphaZeroConfig(**{**vars(config), "least_plies": 4}), HEX3
    )


def test_a_season_ends_with_an_empty_tape_and_new_games() -> None:
    config = AlphaZeroConfig(**{**vars(TINY), "season": 2})
    state = alphazero.init(config, HEX3, jax.random.key(0))
    advance = jax.jit(lambda state: alphazero.advance(config, HEX3, state)[0])
    first = advance(state)
    assert int(first.filled) == config.plies
    assert not bool(first.tape.over.all())
    second = advance(first)
    assert int(second.filled) == 0
    assert bool(second.tape.over.all())
    assert int(second.lanes.ply.sum()) == 0
    assert int(second.games) >= int(first.games)


# --- what players go by -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "count"),
    [(HEX5, 2), (Abalone(), 5), pytest.param(LGame(), 8, marks=pytest.mark.campaign)],
    ids=["hex", "abalone", "lgame"],
)
def test_players_take_the_mean_over_images(game: Any, count: int) -> None:
    """Against each image alone, with moves matched by the positions they lead to."""
    on_lattice = not isinstance(game, LGame)
    config = AlphaZeroConfig(network="tower" if on_lattice else "mlp", width=8, blocks=2, hidden=(8,), images=count)
    network = two_heads.new_network(config, game, jax.random.key(0))
    state = unstack(random_positions(game, jax.random.key(5), 3), 2)
    images, becomes = game.symmetries(state)
    single = jax.jit(lambda state: two_heads.policy_value(config, game, network, state))
    seen = [single(unstack(images, place)) for place in range(count)]
    mean = jax.jit(lambda state: two_heads.mean_policy_value(config, game, network, state))(state)
    assert float(mean.value) == pytest.approx(np.mean([one.value for one in seen]), abs=1e-5)
    for action in legal_actions(game, state):
        said = [float(one.logits[becomes[place, action]]) for place, one in enumerate(seen)]
        assert float(mean.logits[action]) == pytest.approx(np.mean(said), abs=1e-4)
    assert np.ptp([float(one.value) for one in seen]) > 1e-4  # or a mean would say nothing


def test_a_player_of_hex_sees_a_position_and_its_half_turn_alike() -> None:
    config = AlphaZeroConfig(network="tower", width=8, blocks=2)
    network = two_heads.new_network(config, HEX5, jax.random.key(1))
    state = unstack(random_positions(HEX5, jax.random.key(6), 2), 1)
    turned = unstack(HEX5.symmetries(state)[0], 1)
    judged = jax.jit(two_heads.judge(config, HEX5, network))
    logits, values = judged(jax.tree.map(lambda *leaves: jnp.stack(leaves), state, turned))
    assert np.asarray(logits[0][::-1]) == pytest.approx(np.asarray(logits[1]), abs=1e-5)
    assert float(values[0]) == pytest.approx(float(values[1]), abs=1e-6)
    raw = jax.jit(two_heads.judge(config, HEX5, network, two_heads.policy_value))
    _, values = raw(jax.tree.map(lambda *leaves: jnp.stack(leaves), state, turned))
    assert abs(float(values[0] - values[1])) > 1e-4


# --- what is learned ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game", [HEX3, Abalone(), pytest.param(LGame(), marks=pytest.mark.campaign)], ids=["hex", "abalone", "lgame"]
)
def test_an_image_leads_to_the_image_of_where_the_move_leads(game: Any) -> None:
    """If a policy is sure of one move, its image is sure of the move that leads to the image of the position."""
    states = random_positions(game, jax.random.key(2), 6)

    @jax.jit
    def mirrored(key: Any, state: Any, action: Any) -> Any:
        wanted = jnp.zeros(game.num_actions).at[action].set(1.0)
        zero = jnp.float32(0)
        sample = tapes.image(game, key, tapes.Sample(state, wanted, zero, zero > 0, zero == 0))
        return sample.wanted, game.step(sample.state, sample.wanted.argmax()), game.images(game.step(state, action))

    turned = set()
    for lane in range(6):
        state = unstack(states, lane)
        legal = legal_actions(game, state)
        action = legal[lane % len(legal)]
        for seed in range(4):
            wanted, there, images = jax.device_get(mirrored(jax.random.key(seed), state, action))
            assert wanted.sum() == 1
            texts = [game.format(unstack(images, g)) for g in range(len(jax.tree.leaves(images)[0]))]
            assert game.format(there) in texts
            turned.add(texts.index(game.format(there)))
    assert len(turned) > 1


def test_the_loss_is_the_cross_entropy_and_the_squared_error_by_hand() -> None:
    network = alphazero.init(TINY, HEX3, jax.random.key(5)).network
    states = random_positions(HEX3, jax.random.key(6), 3)
    legal = np.stack([np.asarray(HEX3.legal(unstack(states, i))) for i in range(3)])
    wanted = legal / legal.sum(axis=1, keepdims=True)
    results = np.array([1.0, -1.0, 1.0])
    known, live = jnp.array([True, False, True]), jnp.array([True, True, False])
    batch = tapes.Sample(states, jnp.float32(wanted), jnp.float32(results), known, live)
    total, (by_moves, by_value) = alphazero.loss(TINY, HEX3, network, batch)
    moves, values = [], []
    for i in range(3):
        found = two_heads.policy_value(TINY, HEX3, network, unstack(states, i))
        logits = np.asarray(found.logits, np.float64)[legal[i]]
        moves.append(-(wanted[i][legal[i]] * (logits - np.log(np.exp(logits).sum()))).sum())
        values.append((float(found.value) - results[i]) ** 2)
    assert by_moves == pytest.approx(np.mean(moves[:2]), abs=1e-5)
    assert by_value == pytest.approx(values[0], abs=1e-5)
    assert total == pytest.approx(np.mean(moves[:2]) + values[0], abs=1e-5)


@pytest.mark.slow
def test_it_learns_hex_3_x_3() -> None:
    """From random weights to the right move in nearly every won position."""
    config = AlphaZeroConfig(
        hidden=(64, 64),
        simulations=16,
        considered=9,
        random_plies=6,
        lanes=32,
        plies=8,
        updates=16,
        batch=256,
        games=4000,
    )
    state = alphazero.init(config, HEX3, jax.random.key(0))
    rounds = jax.jit(lambda state: jax.lax.scan(lambda s, _: alphazero.advance(config, HEX3, s), state, None, 20))
    assert _kept(config, state) < 0.8
    while int(state.games) < config.games:
        state, _ = rounds(state)
    assert _kept(config, state) > 0.97


def _kept(config: AlphaZeroConfig, state: Any) -> float:
    """The share of won positions whose likeliest move still wins."""
    states = random_positions(HEX3, jax.random.key(9), 400)
    network = state.average
    chosen = np.asarray(two_heads.policy(config, HEX3, network, 0.0)(jax.random.key(0), states))
    good, won = 0, 0
    for lane in range(400):
        here = unstack(states, lane)
        worth = worths(here)
        if max(worth.values()) == 1:
            won += 1
            good += worth[int(chosen[lane])] == 1
    return good / won
