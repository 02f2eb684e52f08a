"""Negamax deep Q-learning: targets where the truth is known, which moves are backed up, and what it learns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import Heap, Nim, some_network

from ludus.agents.network import NetworkPlayer
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.learners import negamax
from ludus.learners.negamax import Config, move_targets, move_values
from ludus.learners.recipe import Recipe
from ludus.networks import squash
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import Effort

HEX2 = Hex(size=2)
TINY = Config(hidden=(8,), gamma=0.5, optimizer="rmsprop", lanes=4, plies=8, updates=2, batch=8, memory=64, games=1000)


def network_of(game: Any, config: Config = TINY) -> Any:
    return jax.tree.map(lambda leaf: leaf + jnp.float32(0.1), negamax._network(config, game, jax.random.key(0)))


def read(text: str) -> Any:
    return jax.tree.map(jnp.asarray, HEX2.parse(text))


def targets(network: Any, text: str, *actions: int) -> np.ndarray:
    found = jax.jit(lambda network, state, moves: move_targets(TINY, HEX2, network, state, moves))
    return np.asarray(found(network, read(text), jnp.array(actions, jnp.int32)))


def stacked(*texts: str) -> Any:
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(read, texts))


# --- targets ------------------------------------------------------------------------------------------------

POSITIONS = {
    # the position: the move that wins at once, one that does not, where that leads, and the replies there
    "BW/.. b": (2, 3, "BW/.B w", [2]),
    "W./B. w": (1, 3, "W./BW b", [1]),
}


@pytest.mark.parametrize("text", POSITIONS)
def test_a_win_is_worth_one_and_else_what_the_reply_leaves(text: str) -> None:
    win, other, then, replies = POSITIONS[text]
    network = network_of(HEX2)
    found = targets(network, text, win, other)
    best = max(float(move_values(TINY, HEX2, network, read(then))[reply]) for reply in replies)
    np.testing.assert_allclose(found, [1, -0.5 * best], rtol=1e-5)


def test_replies_that_are_not_legal_do_not_count() -> None:
    network = network_of(HEX2)
    values = np.asarray(move_values(TINY, HEX2, network, read("W./BW b")))
    illegal = int(np.argmax(np.where([True, False, True, True], values, -9)))
    # Whatever the network says of a cell that is taken.
    biases = (*network.biases[:-1], network.biases[-1].at[illegal].set(5.0))
    loud = jax.tree.unflatten(jax.tree.structure(network), [*network.weights, *biases])
    before, after = (targets(n, "W./B. w", 3) for n in (network, loud))
    np.testing.assert_array_equal(before, after)


@pytest.mark.slow
@pytest.mark.parametrize("players", [1, 2])
def test_the_sign_changes_with_the_mover_alone(players: int) -> None:
    game, network = Nim(players=players), some_network(1, 8, 3)
    state = Heap(jnp.int32(4), jnp.int32(0))
    found = move_targets(TINY, game, network, state, jnp.array([0, 2], jnp.int32))
    after = [squash(network(jnp.array([left], jnp.float32))) for left in (3, 1)]
    best = np.array([after[0].max(), after[1][0]])  # with one stone left there is one move
    np.testing.assert_allclose(found, (1 if players == 1 else -1) * 0.5 * best, rtol=1e-5)
    last = move_targets(TINY, game, network, Heap(jnp.int32(2), jnp.int32(0)), jnp.array([1], jnp.int32))
    assert last.tolist() == [1]


# --- what a player goes by ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_values_are_the_mean_over_images() -> None:
    game, network = Hex(size=3), network_of(Hex(size=3))
    state = jax.tree.map(jnp.asarray, game.parse("B.W/.../..B w"))
    images, becomes = game.symmetries(state)
    values = [
        np.asarray(negamax.q_values(TINY, game, network, jax.tree.map(lambda leaf, i=i: leaf[i], images)))
        for i in range(2)
    ]
    mean = (values[0] + values[1][np.asarray(becomes[1])]) / 2
    assert np.abs(mean - values[0]).max() > 1e-3
    glance = replace(TINY, images=2)
    found = negamax.move_values(glance, game, network, state)
    np.testing.assert_allclose(found, mean, rtol=1e-5)
    # So a position and its image are played alike, at a glance and looking ahead.
    image = jax.tree.map(lambda leaf: leaf[1], images)
    for config in (glance, replace(glance, lookahead=True)):
        here, there = (negamax.move_values(config, game, network, s) for s in (state, image))
        legal = np.asarray(game.legal(state))
        np.testing.assert_allclose(here[legal], np.asarray(there)[np.asarray(becomes[1])][legal], rtol=1e-4)


def test_under_a_handicap_one_side_makes_no_random_move() -> None:
    config = replace(TINY, lanes=8, handicap=0.5, epsilon=0.3)
    wait, first, second = jnp.zeros(8, jnp.int32), jnp.zeros(8, jnp.int32), jnp.ones(8, jnp.int32)
    np.testing.assert_allclose(negamax._looseness(config, wait, first), [0.25, 0, 0.75, 0, 0.3, 0.3, 0.3, 0.3])
    np.testing.assert_allclose(negamax._looseness(config, wait, second), [0, 0.5, 0, 1, 0.3, 0.3, 0.3, 0.3])
    np.testing.assert_allclose(negamax._looseness(config, wait + 1, first), 1)
    waits = np.stack([negamax._waits(config, Hex(size=3), jax.random.key(seed)) for seed in range(32)])
    assert waits[:, :4].max() == 1
    assert waits[:, 4:].max() > 4
    plain = replace(config, handicap=0.0)
    np.testing.assert_allclose(negamax._looseness(plain, wait, first), 0.3)


# --- which moves --------------------------------------------------------------------------------------------


def backed_up(backups: int, text: str, seed: int = 0) -> tuple[list[int], list[bool]]:
    config = Config(backups=backups)
    found = negamax._backed_up(config, HEX2, read(text), jnp.int32(3), jax.random.key(seed))
    return found[0].tolist(), found[1].tolist()


@pytest.mark.slow
def test_one_all_or_some_moves_are_backed_up() -> None:
    assert backed_up(1, ".W/B. b") == ([3], [True])
    actions, valid = backed_up(0, ".W/B. b")
    assert [a for a, v in zip(actions, valid, strict=True) if v] == [0, 3]
    assert len(actions) == 4
    assert backed_up(4, ".W/B. b") == (actions, valid)  # as many as there are is all
    seen = [backed_up(2, "B./.. w", seed) for seed in range(16)]
    assert all(valid == [True, True] for _, valid in seen)
    assert {action for actions, _ in seen for action in actions} == {1, 2, 3}


# --- a step -------------------------------------------------------------------------------------------------


def stepped(config: Config, states: Any, played: list[int]) -> tuple[Any, float, Any]:
    network = network_of(HEX2, config)
    carry = network, negamax._rule(config).init(network)
    made = jnp.array(played, jnp.int32)
    learn = jax.jit(lambda *given: negamax.update(config, HEX2, network, carry, jnp.float32(0.1), *given))
    (after, _), error = learn(states, made, jax.random.key(2))
    return after, float(error), network


@pytest.mark.slow
@pytest.mark.parametrize("backups", [0, 1])
def test_a_step_is_one_of_rmsprop_towards_the_targets(backups: int) -> None:
    config = replace(TINY, backups=backups)
    texts, played = ["BW/.. b", "W./B. w"], [3, 1]
    after, error, network = stepped(config, stacked(*texts), played)
    taught = [(0, 3), (1, 1)] if backups == 1 else [(0, 2), (0, 3), (1, 1), (1, 3)]
    states = [read(text) for text in texts]
    goal = np.array([targets(network, texts[i], a)[0] for i, a in taught])

    def loss(network: Any) -> Any:
        made = jnp.stack([move_values(config, HEX2, network, states[i])[a] for i, a in taught])
        return ((made - goal) ** 2).mean()

    wanted, gradient = jax.jit(jax.value_and_grad(loss))(network)
    assert error == pytest.approx(float(wanted), rel=1e-5)
    for new, old, g in zip(*map(jax.tree.leaves, (after, network, gradient)), strict=True):
        g = np.asarray(g, np.float64)
        np.testing.assert_allclose(new, old - 0.1 * g / np.sqrt(0.1 * g**2 + 1e-8), rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_a_finished_game_teaches_nothing() -> None:
    config = Config(hidden=(8,), optimizer="rmsprop", backups=1)
    over = "BW/B. w"
    after, error, network = stepped(config, stacked(over, over), [1, 3])
    assert error == 0
    for new, old in zip(jax.tree.leaves(after), jax.tree.leaves(network), strict=True):
        np.testing.assert_array_equal(new, old)
    beside, alone = (
        stepped(config, stacked(*texts), [3] * len(texts))[1] for texts in (["BW/.. b", over], ["BW/.. b"])
    )
    assert beside == pytest.approx(alone, rel=1e-6)


# --- whole runs ---------------------------------------------------------------------------------------------


@pytest.fixture
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def trained(config: Config, game: Any, rounds: int) -> tuple[Any, Any, Any]:
    @jax.jit
    def run(key: Any) -> Any:
        state = negamax.init(config, game, key)
        return state, jax.lax.scan(lambda s, _: negamax.advance(config, game, s), state, None, length=rounds)

    begun, (state, metrics) = run(jax.random.key(0))
    return begun, state, metrics


@pytest.mark.slow
@pytest.mark.usefixtures("optax_promotes")
@pytest.mark.parametrize("backups", [0, 1])
def test_it_learns_to_hold_every_win_of_the_smallest_board(backups: int) -> None:
    config = Config(hidden=(32,), backups=backups, lanes=32, plies=8, updates=8, batch=64, memory=2048, games=40_000)
    begun, state, _ = trained(config, HEX2, 200)
    recipe = Recipe.of("", "negamax", **asdict(config))
    first, last = (GraphTruth(HEX2).grade(NetworkPlayer("", recipe, s.network), Effort.QUICK) for s in (begun, state))
    assert first.won_held < 1
    assert last.won_held == 1
    assert last.first_player_win


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "network"),
    [
        pytest.param(Hex(size=3), "tower", id="hex-tower"),
        pytest.param(LGame(), "mlp", id="lgame-mlp"),
        pytest.param(LGame(), "tower", id="lgame-tower", marks=pytest.mark.campaign),
    ],
)
def test_it_runs_on_any_game(game: Any, network: Any) -> None:
    config = Config(
        network, (8,), 4, 2, backups=2, optimizer="rmsprop", lanes=4, plies=8, updates=2, batch=8, memory=64
    )
    begun, state, metrics = trained(config, game, 1)
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(state.network)]
    assert all(np.isfinite(leaf).all() for leaf in leaves)
    assert any((new != old).any() for new, old in zip(leaves, jax.tree.leaves(begun.network), strict=True))
    assert np.isfinite(np.asarray(metrics["loss"])).all()
    assert int(state.memory.pushed) == 32
    assert 0 <= float(metrics["random"][0]) <= 1
