"""Deep Q-learning at work: optimisers, batches from memory, rounds and sweeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from helpers.nim import TINY, Heap, Nim, floats, short_game, some_network

from ludus.learners import dqn, replay
from ludus.networks import MLP

# --- steps --------------------------------------------------------------------------------------------------

OPTAX = {
    "nesterov": lambda rate: optax.sgd(rate, momentum=0.9, nesterov=True),
    "rmsprop": lambda rate: optax.rmsprop(rate),
    "adadelta": lambda rate: optax.adadelta(rate),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTAX)
def test_two_steps_are_optaxs_own(name: Any) -> None:
    config, rate, gamma = replace(TINY, optimizer=name), 0.05, jnp.float32(0.9)
    game = Nim()
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), short_game(game))
    network = theirs = some_network(1, 8, 3)
    carry = (network, dqn._rule(config).init(network))  # pyright: ignore[reportArgumentType]
    optimizer = OPTAX[name](rate)
    state = optimizer.init(theirs)  # pyright: ignore[reportArgumentType]

    def loss(network: MLP) -> Any:
        squares = jax.vmap(lambda episode: dqn.errors(config, game, network, gamma, episode))(batch)
        return squares.sum() / 4  # live moves

    for _ in range(2):
        carry, error = dqn.update(config, game, carry, jnp.float32(rate), gamma, batch)
        expected, gradient = jax.value_and_grad(loss)(theirs)
        change, state = optimizer.update(gradient, state, theirs)  # pyright: ignore[reportArgumentType]
        theirs = optax.apply_updates(theirs, change)  # pyright: ignore[reportArgumentType]
        np.testing.assert_allclose(error, expected, rtol=1e-5)
    for ours, wanted, before in zip(*map(jax.tree.leaves, (carry[0], theirs, network)), strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-5, atol=1e-7)
        assert not np.array_equal(ours, before)


# --- batches ------------------------------------------------------------------------------------------------


def remembered(lengths: list[int], size: int = 6) -> tuple[replay.Ring, dqn.RememberedGame]:
    """Games of these lengths; the action of each move is 100 x its game + its place."""
    number, place = np.arange(len(lengths))[:, None], np.arange(size)[None]
    live = jnp.asarray(place < np.array(lengths)[:, None])
    heap = jnp.asarray(np.broadcast_to(place, live.shape).astype(np.int32))
    games = dqn.RememberedGame(Heap(heap, heap % 2), jnp.asarray((100 * number + place).astype(np.int32)), live)
    row = jax.tree.map(lambda leaf: leaf[0], games)
    return replay.push(replay.empty(row, 8), games), row


def test_no_recall_is_the_game_just_played() -> None:
    memory, _ = remembered([2, 3, 4])
    just_played = short_game(Nim())
    batch = dqn._batch(replace(TINY, recall=0), memory, just_played, jax.random.key(0))
    for leaf, wanted in zip(jax.tree.leaves(batch), jax.tree.leaves(just_played), strict=True):
        np.testing.assert_array_equal(leaf, wanted[None])


def test_a_recall_is_of_so_many_whole_games() -> None:
    memory, row = remembered([2, 3, 4])
    batch = dqn._batch(replace(TINY, recall=10), memory, row, jax.random.key(0))
    assert batch.action.shape == (10, 6)
    games = np.asarray(batch.action)[:, 0] // 100
    assert set(games.tolist()) == {0, 1, 2}
    np.testing.assert_array_equal(np.asarray(batch.live).sum(axis=1), np.array([2, 3, 4])[games])


def drawn_moves(lengths: list[int], count: int = 6000) -> np.ndarray:
    """How often each move (game, place) is drawn, of so many."""
    memory, row = remembered(lengths)
    config = replace(TINY, batch="transitions", transitions=count)
    batch = dqn._batch(config, memory, row, jax.random.key(0))
    assert batch.action.shape == (count, 3)
    assert np.asarray(batch.live).tolist() == [[True, False, False]] * count
    move, reply, after = (np.asarray(batch.state.left)[:, k] for k in range(3))
    np.testing.assert_array_equal(np.stack([reply, after]), np.minimum(np.stack([move + 1, move + 2]), 5))
    found = np.asarray(batch.action)[:, 0]
    np.testing.assert_array_equal(found % 100, move)
    counts = np.zeros((len(lengths), 6), int)
    np.add.at(counts, (found // 100, found % 100), 1)
    return counts


@pytest.mark.slow
def test_a_batch_of_transitions_has_so_many_live_moves() -> None:
    memory, row = remembered([2, 3, 5])
    config = replace(TINY, batch="transitions")
    batch = jax.vmap(lambda key: dqn._batch(config, memory, row, key))(jax.random.split(jax.random.key(1), 20))
    assert batch.live.shape == (20, 32, 3)
    assert np.asarray(batch.live).sum(axis=(1, 2)).tolist() == [32] * 20


@pytest.mark.slow
def test_transitions_are_drawn_from_the_live_moves_alone_and_alike() -> None:
    counts = drawn_moves([3, 3, 3])
    assert (counts[:, 3:] == 0).all()
    assert np.abs(counts[:, :3] - 6000 / 9).max() < 5 * np.sqrt(6000 / 9)


@pytest.mark.slow
def test_a_move_of_a_long_game_is_drawn_as_often_as_one_of_a_short_game() -> None:
    counts = drawn_moves([1, 5])
    assert np.abs(counts[np.arange(6) < np.array([[1], [5]])] - 1000).max() < 5 * np.sqrt(1000)


@pytest.mark.slow
@pytest.mark.parametrize("backup", ["negamax"])
def test_a_transition_cut_from_the_end_of_the_tape_teaches_what_its_game_does(backup: Any) -> None:
    # Three stones taken one by one fill the tape of a game of at most two plies: the last move is cut off by the cap.
    state = Heap(jnp.array([5, 4, 3], jnp.int32), jnp.array([0, 1, 0], jnp.int32))
    game = dqn.RememberedGame(state, jnp.zeros(3, jnp.int32), jnp.array([True, True, False]))
    memory = replay.push(replay.empty(game, 1), jax.tree.map(lambda leaf: leaf[None], game))
    network, gamma = some_network(1, 8, 3), jnp.float32(0.9)
    config = replace(TINY, batch="transitions", backup=backup)
    whole = dqn.errors(config, Nim(), network, gamma, game)
    batch = dqn._batch(config, memory, game, jax.random.key(0))
    cut = jax.vmap(lambda episode: dqn.errors(config, Nim(), network, gamma, episode))(batch)[:, 0]
    place = 5 - np.asarray(batch.state.left)[:, 0]
    assert set(place.tolist()) == {0, 1}
    np.testing.assert_allclose(cut, np.asarray(whole)[place], rtol=1e-5)


# --- a target network -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_with_a_target_network_its_values_are_the_targets() -> None:
    """Held fixed: with another network the errors are others, and no gradient goes to it."""
    game, gamma, batch = Nim(), jnp.float32(0.9), short_game(Nim())
    network = some_network(1, 8, 3)
    other = jax.tree.map(lambda leaf: 2 * leaf, network)
    own = dqn.errors(TINY, game, network, gamma, batch)
    np.testing.assert_allclose(dqn.errors(TINY, game, network, gamma, batch, network), own, rtol=1e-6)
    assert not np.allclose(dqn.errors(TINY, game, network, gamma, batch, other), own)

    def loss(target: MLP) -> Any:
        return dqn.errors(TINY, game, network, gamma, batch, target).sum()

    assert all(not np.any(leaf) for leaf in jax.tree.leaves(jax.grad(loss)(other)))


@pytest.mark.slow
def test_a_target_network_is_a_copy_as_often_as_it_should_be() -> None:
    """With four steps a round and a copy every eight, the copy of a round stays through the next."""
    config = replace(TINY, batch="transitions", transitions=8, steps=4, target=8)
    advance = jax.jit(lambda state: dqn.advance(config, Nim(), state)[0])
    states = [dqn.init(config, Nim(), jax.random.key(0))]
    for _ in range(3):
        states.append(advance(states[-1]))
    before, first, second, third = (jax.tree.leaves(state.target) for state in states)
    for begin, one, two, three in zip(before, first, second, third, strict=True):
        np.testing.assert_array_equal(begin, one)
        np.testing.assert_array_equal(one, two)
        assert not np.array_equal(two, three)
    for copied, learned in zip(third, jax.tree.leaves(states[2].network), strict=True):
        np.testing.assert_array_equal(copied, learned)
    assert dqn.init(replace(config, target=0), Nim(), jax.random.key(0)).target is None


# --- rounds -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_rates_are_annealed_from_end_to_end_and_a_round_counts() -> None:
    config = replace(TINY, epsilon=0.4, final_epsilon=0.1, learning_rate=0.2, final_rate=0.25)
    game = Nim()
    advance = jax.jit(lambda state: dqn.advance(config, game, state))
    start = dqn.init(config, game, jax.random.key(0))
    for games, epsilon, rate in ((0, 0.4, 0.2), (50, 0.25, 0.125), (100, 0.1, 0.05), (500, 0.1, 0.05)):
        state, metrics = advance(start._replace(games=jnp.int32(games)))
        assert float(metrics["epsilon"]) == pytest.approx(epsilon, rel=1e-5)
        assert float(metrics["rate"]) == pytest.approx(rate, rel=1e-5)
        assert (int(state.games), int(state.rounds), int(state.memory.pushed)) == (games + 4, 1, 4)
    assert float(metrics["plies"]) >= 2  # five stones cannot be taken at once
    assert not np.array_equal(jax.random.key_data(state.key), jax.random.key_data(start.key))


@pytest.mark.slow
def test_a_sweep_is_its_single_runs() -> None:
    game = Nim()
    keys = jax.random.split(jax.random.key(0), 3)
    sweep = dqn.DqnSweep(
        learning_rate=floats(0.1, 0.1, 0.03),
        final_rate=floats(0.1, 0.1, 1),
        gamma=floats(0.9, 0.5, 0.9),
        epsilon=floats(0.1, 0.1, 0.5),
        final_epsilon=floats(0, 0, 0.5),
    )

    def three_rounds(key: Any, sweep: dqn.DqnSweep) -> tuple[MLP, Any]:
        state = dqn.init(TINY, game, key, sweep)
        state, metrics = jax.lax.scan(lambda s, _: dqn.advance(TINY, game, s), state, None, length=3)
        return state.network, metrics

    together = jax.jit(jax.vmap(three_rounds))(keys, sweep)
    alone = jax.jit(three_rounds)
    for run in range(3):
        single = alone(keys[run], jax.tree.map(lambda leaf, run=run: leaf[run], sweep))
        for leaf, wanted in zip(jax.tree.leaves(together), jax.tree.leaves(single), strict=True):
            np.testing.assert_allclose(leaf[run], wanted, rtol=1e-4, atol=1e-5)
    rates = np.asarray(together[1]["rate"])[:, 0]
    np.testing.assert_allclose(rates, [0.1, 0.1, 0.03], rtol=1e-5)
    assert not np.array_equal(together[0].weights[0][0], together[0].weights[0][1])


@pytest.mark.slow
def test_annealed_and_constant_rates_are_one_program_and_train_as_they_would_alone() -> None:
    game, learner = Nim(), dqn.LEARNER
    configs = [replace(TINY, final_rate=final, games=16) for final in (0.1, 1.0)]
    program = learner.program(configs[0])
    assert program == learner.program(configs[1])

    def four_rounds(config: Any, sweep: dqn.DqnSweep | None) -> tuple[MLP, Any]:
        state = dqn.init(config, game, jax.random.key(0), sweep)
        state, metrics = jax.lax.scan(lambda s, _: dqn.advance(config, game, s), state, None, length=4)
        return state.network, metrics["rate"]

    sweeps = jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(learner.sweep, configs))
    networks, rates = jax.jit(jax.vmap(lambda sweep: four_rounds(program, sweep)))(sweeps)
    # Four games a round: after a quarter of all games, a quarter of the way from 0.1 to 0.01.
    np.testing.assert_allclose(rates, [[0.1, 0.0775, 0.055, 0.0325], [0.1] * 4], rtol=1e-5)
    for place, config in enumerate(configs):
        network, _ = jax.jit(lambda config=config: four_rounds(config, None))()
        for leaf, wanted in zip(jax.tree.leaves(networks), jax.tree.leaves(network), strict=True):
            np.testing.assert_allclose(leaf[place], wanted, rtol=1e-4, atol=1e-5)
    assert not np.allclose(networks.weights[0][0], networks.weights[0][1], rtol=1e-3, atol=1e-4)
