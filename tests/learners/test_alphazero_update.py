"""AlphaZero's updates by hand in NumPy: four rounds on a tape of one repeated position, with a network of one layer;
and the openings of its games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import Heap, Nim

from ludus.core.game import Rules
from ludus.learners import alphazero, searched_games
from ludus.learners.configs import AlphaZeroConfig
from ludus.learners.tape import Tape
from ludus.networks.two_headed import TwoHeadedMLP
from ludus.play import selfplay
from ludus.search.network import gumbel

GAME, STONES, WANTED = Nim(), 4, (0.5, 0.125, 0.375)  # of the moves, at so many stones; who moves there wins
WEIGHTS, BIASES = (0.3, -0.2, 0.1, -0.1), (0.1, 0.0, -0.4, 0.2)  # three moves, and the value
LANES, PLIES, UPDATES = 2, 4, 2
CONFIG = AlphaZeroConfig(
    hidden=(),
    lanes=LANES,
    plies=PLIES,
    updates=UPDATES,
    batch=16,
    tape=2 * PLIES,
    wait=2 * PLIES,  # so nothing is learned in the first round, and something in the second
    warm=3,
    games=2 * LANES,  # finished after two rounds: from then on the rate is at its lowest
    final_rate=0.25,
    learning_rate=0.6,
    decay=0.1,
    average=0.8,
)


@pytest.fixture(autouse=True)
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def network_of(weights: tuple[float, ...], biases: tuple[float, ...]) -> TwoHeadedMLP:
    network = TwoHeadedMLP(1, (), 3, jax.random.key(0))
    return jax.tree.unflatten(jax.tree.structure(network), [jnp.array([weights]), jnp.array(biases)])


def played(config: AlphaZeroConfig, game: Rules, network: Any, lanes: Any, wait: Any, key: Any) -> Any:
    """Replaces a round of play: one position again and again, then the end of a game that its mover won."""
    shape = PLIES, LANES
    over = jnp.arange(PLIES)[:, None] + jnp.zeros(shape, jnp.int32) == PLIES - 1
    rows = Tape(
        state=Heap(jnp.full(shape, STONES, jnp.int32), jnp.zeros(shape, jnp.int32)),
        player=jnp.zeros(shape, jnp.int8),
        over=over,
        returns=jnp.where(over[..., None], jnp.array([1.0, -1.0]), 0),
        likely=jnp.broadcast_to(jnp.array([1, 2, 0], jnp.int16), (*shape, 3)),
        weights=jnp.broadcast_to(jnp.array([WANTED[1], WANTED[2], WANTED[0]], jnp.float16), (*shape, 3)),
        searched=jnp.ones(shape, bool),
    )
    return (lanes, wait), rows


class ByHand(NamedTuple):
    """Weights and biases in one row, and the means that Adam keeps of the gradient and of its square."""

    weights: np.ndarray
    average: np.ndarray
    first: np.ndarray
    second: np.ndarray


def gradient(weights: np.ndarray) -> np.ndarray:
    """Of the cross-entropy to WANTED and of the squared error to 1."""
    outputs = STONES * weights[:4] + weights[4:]
    policy = np.exp(outputs[:3]) / np.exp(outputs[:3]).sum()
    value = np.tanh(outputs[3])
    by_output = np.append(policy - np.array(WANTED), 2 * (value - 1) * (1 - value**2))
    return np.concatenate([STONES * by_output, by_output])


def update(was: ByHand, step: int, rate: float) -> ByHand:
    found = gradient(was.weights)
    found = found / max(1.0, float(np.linalg.norm(found)))
    first, second = 0.9 * was.first + 0.1 * found, 0.98 * was.second + 0.02 * found**2
    adam = first / (1 - 0.9 ** (step + 1)) / (np.sqrt(second / (1 - 0.98 ** (step + 1))) + 1e-8)
    weights = was.weights - rate * (adam + 0.1 * was.weights)
    share = max(0.2, 1 / (step + 1))
    return ByHand(weights, was.average + share * (weights - was.average), first, second)


def in_one_row(network: Any) -> np.ndarray:
    return np.concatenate([np.asarray(leaf).ravel() for leaf in jax.tree.leaves(network)])


@pytest.mark.slow
def test_four_rounds_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alphazero, "play", played)
    advance = jax.jit(lambda state: alphazero.advance(CONFIG, GAME, state))
    network = network_of(WEIGHTS, BIASES)
    state = alphazero.init(CONFIG, GAME, jax.random.key(0))._replace(network=network, average=network)
    row = in_one_row(network).astype(np.float64)
    hand, norms = ByHand(row, row, np.zeros(8), np.zeros(8)), []
    # Of each round: the rate, and how far it has risen at either update.
    rounds = [(0.0, 0.0, 0.0), (0.3, 1 / 3, 2 / 3), (0.15, 1.0, 1.0), (0.15, 1.0, 1.0)]
    for number, (rate, *risen) in enumerate(rounds):
        state, metrics = advance(state)
        assert float(metrics["rate"]) == pytest.approx(rate)
        for place, share in enumerate(risen):
            norms.append(np.linalg.norm(gradient(hand.weights)))
            hand = update(hand, UPDATES * number + place, rate * share)
        np.testing.assert_allclose(in_one_row(state.network), hand.weights, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(in_one_row(state.average), hand.average, rtol=1e-4, atol=1e-6)
    assert max(norms) > 1 > min(norms)  # some gradients are clipped, and some are not
    assert int(state.games) == 4 * LANES


@pytest.mark.parametrize("openings", ["random", "balanced"])
def test_games_begin_rather_where_the_network_thinks_them_open(openings: Any) -> None:
    """From five stones, three moves lead to values that are computed here; later moves are uniformly random."""
    config, count = AlphaZeroConfig(**{**vars(CONFIG), "openings": openings}), 6000
    values = np.tanh(0.8 * np.array([4, 3, 2]) - 1.6)  # 0.92, 0.66 and 0
    network = network_of((0, 0, 0, 0.8), (0, 0, 0, -1.6))
    lanes = selfplay.fresh(GAME, 2 * count)
    left = np.repeat(np.array([5, 2], np.int32), count)
    lanes = lanes._replace(state=lanes.state._replace(left=jnp.array(left)), ply=jnp.array(left == 2, jnp.int32))
    drawn = jax.jit(lambda lanes: searched_games.random_opening(config, GAME, network)(jax.random.key(0), lanes))(lanes)
    drawn = np.asarray(drawn)
    odds = 1 - values**2 + 0.05 if openings == "balanced" else np.ones(3)
    share = np.bincount(drawn[:count], minlength=3) / count
    assert share == pytest.approx(odds / odds.sum(), abs=0.03)
    assert np.bincount(drawn[count:], minlength=3) / count == pytest.approx([0.5, 0.5, 0], abs=0.03)


def test_of_a_game_that_is_over_nothing_more_is_gained() -> None:
    """Next position, reward, and the sign of the next value: for a move, for the last move, and for one after it."""
    over, follow = Heap(jnp.int32(0), jnp.int32(0)), jax.jit(lambda state, action: gumbel.follow(GAME, state, action))
    for state, action, left, gained, sign in (
        (Heap(jnp.int32(5), jnp.int32(1)), 1, 3, 0, -1),
        (Heap(jnp.int32(2), jnp.int32(1)), 1, 0, 1, 0),
        (over, 0, 0, 0, 0),
    ):
        reached, reward, follows = follow(state, jnp.int32(action))
        assert (int(reached.left), float(reward), float(follows)) == (left, gained, sign)
