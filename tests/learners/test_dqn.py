"""Deep Q-learning: targets by hand, gradients, masks and heads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import TINY, Heap, Nim, floats, short_game, some_network

from ludus.games.lgame.rules import LGame
from ludus.learners import dqn
from ludus.networks import MLP

# --- targets ------------------------------------------------------------------------------------------------

WINS_LAST = ((0.2, 0.4, 0.6, 9), (0, 0, 1), (-1, -1, 0))
WINS_FIRST = ((0.2, 9, 0.6, 0.8), (1, 0, 0), (0, -1, -1))
DRAWN = ((0.2, 0.4, 9), (0, 0), (-1, 0))
ALONE = ((0.2, 0.4, 0.6, 9), (0, 0, 1), (1, 1, 0))
TARGETS = {
    # name: backup, best of each position, reward and sign of each move between them, what Q should be
    "the last move wins": ("negamax", *WINS_LAST, (-0.2, -0.3, 1)),
    "own turn: loss at the reply, win at once": ("own-turn", *WINS_LAST, (0.3, -1, 1)),
    "the first move wins, and what follows is another game": ("negamax", *WINS_FIRST, (1, -0.3, -0.4)),
    "own turn: the first move wins, and what follows is another game": ("own-turn", *WINS_FIRST, (1, 0.4, 0)),
    "a draw at the end": ("negamax", *DRAWN, (-0.2, 0)),
    "own turn: a draw at the end": ("own-turn", *DRAWN, (0, 0)),
    "own turn: a win at the reply": ("own-turn", (0.2, 0.4, 9), (0, -1), (-1, 0), (1, -1)),
    "cut off by the ply cap": ("negamax", (0.2, 0.4, 0.6), (0, 0), (-1, -1), (-0.2, -0.3)),
    "a puzzle for one": ("negamax", *ALONE, (0.2, 0.3, 1)),
    "own turn is every turn, for one": ("own-turn", *ALONE, (0.2, 0.3, 1)),
}


@pytest.mark.parametrize("case", TARGETS)
def test_targets(case: str) -> None:
    backup, best, rewards, signs, expected = TARGETS[case]
    found = dqn.targets_of(
        replace(TINY, backup=backup), jnp.float32(0.5), floats(*best), floats(*rewards), floats(*signs)
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


# --- errors and their gradient ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game", [Nim(), Nim(players=1)], ids=["two", "one"])
def test_errors_and_their_gradient_hold_the_targets_fixed(game: Nim) -> None:
    network, gamma, episode = some_network(1, 8, 3), jnp.float32(0.5), short_game(game)
    sign = -1 if game.players == 2 else 1
    # At three stones all three moves are legal; the second move ends the game, to its mover's gain.
    target = [sign * 0.5 * float(network(floats(3)).max()), 1.0]

    def by_hand(network: MLP) -> Any:
        first, second = network(floats(5))[1] - target[0], network(floats(3))[2] - target[1]
        return first**2 + second**2

    squares = dqn.errors(TINY, game, network, gamma, episode)
    assert squares.shape == (3,)
    assert float(squares[2]) == 0
    np.testing.assert_allclose(squares.sum(), by_hand(network), rtol=1e-5)
    found = jax.grad(lambda net: dqn.errors(TINY, game, net, gamma, episode).sum())(network)
    for leaf, wanted in zip(jax.tree.leaves(found), jax.tree.leaves(jax.grad(by_hand)(network)), strict=True):
        np.testing.assert_allclose(leaf, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_illegal_moves_do_not_enter_the_targets() -> None:
    # One stone left, and the two moves that are not legal there rated high.
    network = MLP((1, 4, 3), jax.random.key(0))
    biases = (*network.biases[:-1], floats(0.25, 7, 8))
    flat = jax.tree.map(jnp.zeros_like, network.weights)
    network = jax.tree.unflatten(jax.tree.structure(network), [*flat, *biases])
    state = Heap(jnp.array([2, 1, 0], jnp.int32), jnp.array([0, 1, 0], jnp.int32))
    episode = dqn.RememberedGame(state, jnp.zeros(3, jnp.int32), jnp.array([True, True, False]))
    squares = dqn.errors(TINY, Nim(2), network, jnp.float32(0.5), episode)
    np.testing.assert_allclose(squares, [(0.25 + 0.5 * 0.25) ** 2, (0.25 - 1) ** 2], rtol=1e-6)


# --- choosing moves -----------------------------------------------------------------------------------------


def chosen(network: MLP, epsilon: float, left: int, times: int = 3000) -> np.ndarray:
    states = Heap(jnp.full(times, left, jnp.int32), jnp.zeros(times, jnp.int32))
    return np.bincount(dqn.policy(TINY, Nim(), network, epsilon)(jax.random.key(0), states), minlength=3)


@pytest.mark.slow
def test_a_network_of_nans_plays_legal_moves_all_alike() -> None:
    nans = jax.tree.map(lambda leaf: jnp.full_like(leaf, jnp.nan), MLP((1, 8, 3), jax.random.key(0)))
    counts = chosen(nans, 0.0, 2)
    assert counts[2] == 0
    assert np.abs(counts[:2] - 1500).max() < 5 * np.sqrt(750)


@pytest.mark.slow
def test_the_policy_is_greedy_but_for_epsilon() -> None:
    network = some_network(1, 8, 3)
    best = int(jnp.argmax(network(floats(4))))
    assert chosen(network, 0.0, 4)[best] == 3000
    counts = chosen(network, 0.5, 4)
    # Half of them at random, a third of those the best all the same.
    assert np.abs(counts - np.where(np.arange(3) == best, 2000, 500)).max() < 5 * np.sqrt(3000 / 4)


# --- heads --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_papers_head_has_128_outputs_of_which_each_placement_has_one() -> None:
    game, config = LGame(), dqn.Config()
    state = jax.eval_shape(lambda: dqn.init(config, game, jax.random.key(0)))
    assert [leaf.shape for leaf in state.network.weights] == [(16, 512), (512, 512), (512, 128)]
    network = MLP((16, 8, 128), jax.random.key(0))
    q = np.asarray(dqn.move_values(config, game, network, game.init())).reshape(48, 13)
    assert (q == q[:, :1]).all()
    assert len(set(q[:, 0].tolist())) == 48
    assert set(q[:, 0].tolist()) <= set(np.asarray(network(game_input(game))).tolist())


def game_input(game: LGame) -> Any:
    """The paper's 16 numbers, from the planes by hand."""
    planes = np.asarray(game.observe(game.init()))
    return jnp.asarray((planes @ np.array([1, -1, 0.5], np.float32)).reshape(16))


def test_the_full_head_has_an_output_for_each_action() -> None:
    game, config = LGame(), dqn.Config(head="full", inputs="planes")
    state = jax.eval_shape(lambda: dqn.init(config, game, jax.random.key(0)))
    assert [leaf.shape for leaf in state.network.weights] == [(48, 512), (512, 512), (512, 624)]
    network = MLP((48, 8, 624), jax.random.key(0))
    q = dqn.move_values(config, game, network, game.init())
    np.testing.assert_array_equal(q, network(game.observe(game.init()).reshape(-1)))
