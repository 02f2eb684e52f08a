"""Learning in batches: targets and steps of RMSProp worked by hand, the tape, and the recurrent network's memory."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.learners import batch, replay
from ludus.learners.batch import Config, ReplayRow
from ludus.networks import HexagonNet, Recurrent, squash

SHAPE, ACTIONS = (4, 4, 2), 5
RATE, SECOND_RATE = 0.01, 0.1


def network_of(kind: str, seed: int) -> Any:
    def make() -> Any:
        net = HexagonNet(SHAPE, ACTIONS, jax.random.key(seed), ((1, 2), (2, 1)))
        net = jax.tree.map(lambda leaf: 2 * leaf, net)  # values that are well apart
        return net if kind == "cnn" else Recurrent(net, jax.random.key(seed + 100))

    return jax.jit(make)()


def some_rows(sequences: int, length: int, sign: float) -> ReplayRow:
    """Games of three moves, the last of which wins; what would be the best reply is often not legal."""
    rng, shape = np.random.default_rng(1), (sequences, length)
    last = np.arange(sequences * length).reshape(shape) % 3 == 2
    legal = rng.random((*shape, ACTIONS)) < 0.6
    legal[..., 0] = True
    legal[0, -1] = False  # a full board
    last[0, -1] = True
    first = np.roll(last, 1).reshape(shape)
    return ReplayRow(
        planes=jnp.asarray(rng.random((*shape, *SHAPE)) < 0.5),
        action=jnp.asarray(rng.integers(0, ACTIONS, shape), jnp.int32),
        after=jnp.asarray(rng.random((*shape, *SHAPE)) < 0.5),
        legal=jnp.asarray(legal),
        reply=jnp.asarray(rng.integers(0, ACTIONS, shape), jnp.int32),
        reward=jnp.asarray(last, jnp.float32),
        sign=jnp.asarray(np.where(last, 0, sign), jnp.float32),
        first=jnp.asarray(first),
    )


def played_through(kind: str, network: Any, rows: ReplayRow) -> tuple[list[Any], list[Any]]:
    """Move by move: its value, and the values of all moves after it; each game begins with a fresh memory."""
    made, following, memory = [], [], jnp.zeros(ACTIONS)
    rows = jax.tree.map(np.asarray, rows)
    for sequence, length in itertools.product(*map(range, rows.action.shape)):
        row = jax.tree.map(lambda leaf, at=(sequence, length): leaf[at], rows)
        if row.first or length == 0:
            memory = jnp.zeros(ACTIONS)
        here, there = (jnp.asarray(planes, jnp.float32) for planes in (row.planes, row.after))
        if kind == "cnn":
            values, then = squash(network(here)), squash(network(there))
        else:
            memory, values = network(here, memory)
            then = network(there, memory)[1]
        made.append(values[row.action])
        following.append(then)
    return made, following


def targets_by_hand(kind: str, network: Any, rows: ReplayRow, target: str) -> list[float]:
    wanted = []
    following = jax.jit(lambda network: played_through(kind, network, rows)[1])(network)
    for values, row in zip(map(np.asarray, following), np.ndindex(rows.action.shape), strict=True):
        legal = np.flatnonzero(np.asarray(rows.legal[row]))
        best = float(values[legal].max()) if len(legal) else 0.0
        then = best if target == "q" else float(values[rows.reply[row]])
        wanted.append(float(rows.reward[row]) + float(rows.sign[row]) * then)
    return wanted


def step_by_hand(kind: str, network: Any, nu: Any, rate: float, rows: ReplayRow, goal: Any) -> tuple[Any, float]:
    """nu = 0.9 nu + 0.1 g^2, and then the weights less rate g / sqrt(nu): also the error before."""

    def loss(network: Any) -> Any:
        return ((jnp.stack(played_through(kind, network, rows)[0]) - jnp.asarray(goal, jnp.float32)) ** 2).mean()

    error, gradient = jax.jit(jax.value_and_grad(loss))(network)

    def moved(weight: Any, g: Any, n: Any) -> np.ndarray:
        weight, g, n = (np.asarray(leaf, np.float64) for leaf in (weight, g, n))
        return weight - rate * g / np.sqrt(0.9 * n + 0.1 * g**2 + 1e-8)

    return jax.tree.map(moved, network, gradient, nu), float(error)


def state_of(config: Config) -> Any:
    """The parts of a state that a step uses: two networks, and optimisers that are not new."""
    first, second = (network_of(config.network, seed) for seed in (3, 4))
    seen = [jax.tree.map(lambda leaf, n=n: jnp.full_like(leaf, n), first) for n in (0.02, 0.05)]
    optimizer = optax.scale_by_rms()
    memories = [optimizer.init(net)._replace(nu=nu) for net, nu in zip((first, second), seen, strict=True)]  # pyright: ignore
    projection = (second, memories[1]) if config.objective == "pbe" else None
    state: Any = batch.State
    nothing = (None,) * 3
    return state(first, memories[0], projection, *nothing, batch.sweep_of(config), jax.random.key(0), *nothing[:2])


@functools.cache
def learning(config: Config) -> Any:
    return jax.jit(lambda state, rows: batch.learn(config, state, rows))


def share_lit(network: Any, rows: ReplayRow) -> float:
    """Of the last layer's units, those that are above zero in any position of a batch."""
    net = network.net if hasattr(network, "net") else network
    lit = np.zeros(net.matrix.shape[0], bool)
    for planes in np.asarray(rows.planes, np.float32).reshape(-1, *SHAPE):
        x = jnp.asarray(planes)
        for layer in net.layers:
            x = jnp.maximum(jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), layer)(x), 0)
        lit |= np.asarray(x).ravel() > 0
    return float(lit.mean())


def assert_close(found: Any, wanted: Any) -> None:
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=2e-6)


CASES = [
    ("cnn", "q", -1.0, "mse"),
    ("cnn", "sarsa", 1.0, "mse"),
    ("cnn", "sarsa", -1.0, "pbe"),
    pytest.param("rnn", "q", -1.0, "mse", marks=pytest.mark.campaign),
    ("rnn", "sarsa", 1.0, "pbe"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("network", "target", "sign", "objective"), CASES)
def test_a_step_is_the_one_worked_by_hand(network: Any, target: Any, sign: float, objective: Any) -> None:
    config = Config(network, target, objective, learning_rate=RATE, projection_rate=SECOND_RATE)
    state, rows = state_of(config), some_rows(*((6, 1) if network == "cnn" else (2, 4)), sign)
    after, metrics = learning(config)(state, rows)
    goal: Any = targets_by_hand(network, state.network, rows, target)
    assert len(set(np.round(goal, 4))) > 3
    if objective == "pbe":
        second, optimizer = state.projection
        projected, missed = step_by_hand(network, second, optimizer.nu, SECOND_RATE, rows, goal)
        assert_close(after.projection[0], projected)
        assert float(metrics["projection"]) == pytest.approx(missed, rel=1e-4)
        assert float(metrics["projection_live"]) == pytest.approx(share_lit(projected, rows))
        projected = jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), projected)
        goal = jax.jit(lambda net: jnp.stack(played_through(network, net, rows)[0]))(
            projected
        )  # towards what the second says by then
    else:
        assert after.projection is None
        assert np.isnan(metrics["projection"])
        assert np.isnan(metrics["projection_live"])
    wanted, error = step_by_hand(network, state.network, state.optimizer.nu, RATE, rows, goal)
    assert_close(after.network, wanted)
    assert float(metrics["loss"]) == pytest.approx(error, rel=1e-4)


@pytest.mark.slow
def test_how_much_of_the_projection_lives() -> None:
    """Three filters; what is dead before a step stays so."""
    config = Config("cnn", "sarsa", "pbe", learning_rate=RATE, projection_rate=SECOND_RATE)
    state, rows = state_of(config), some_rows(6, 1, -1.0)
    second, memory = state.projection
    for bias, live in (((-100, -100, -100), 0), ((-100, 100, -100), 1 / 3), ((100, 100, 100), 1)):
        net = eqx.tree_at(lambda net: net.layers[-1].bias, second, jnp.array(bias, jnp.float32))
        metrics = learning(config)(state._replace(projection=(net, memory)), rows)[1]
        assert float(metrics["projection_live"]) == pytest.approx(live)


# --- the tape -----------------------------------------------------------------------------------------------


def tape(size: int, pushed: int) -> replay.Ring:
    """Rows that contain their own number, in the order they were pushed."""
    numbers = np.zeros(size, np.int32)
    for number in range(pushed):
        numbers[number % size] = number
    names = {name: jnp.asarray(numbers) for name in ReplayRow._fields}
    return replay.Ring(ReplayRow(**names), jnp.int32(pushed))  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "pushed"), [(64, 30), (64, 64), (64, 100), (10, 10)])
@pytest.mark.parametrize("network", ["cnn", "rnn"])
def test_a_batch_is_fifty_rows_or_five_sequences_of_ten_in_a_row(network: Any, size: int, pushed: int) -> None:
    config = Config(network=network)
    shape = (5, 10) if network == "rnn" else (50, 1)
    drawn = jax.jit(lambda ring, key: batch.draw(config, ring, key))
    seen: set[int] = set()
    for seed in range(20):
        rows = np.asarray(drawn(tape(size, pushed), jax.random.key(seed)).action)
        assert rows.shape == shape
        assert (np.diff(rows, axis=1) == 1).all()
        seen |= set(rows.ravel().tolist())
    assert seen == set(range(max(0, pushed - size), pushed))


# --- play ---------------------------------------------------------------------------------------------------


def one_round(game: Any, config: Config, key: int = 5) -> tuple[Any, Any, Any]:
    """A new run, the run after one round, and the metrics."""

    @jax.jit
    def run(key: Any) -> Any:
        state = batch.init(config, game, key)
        return state, *batch.advance(config, game, state)

    return run(jax.random.key(key))


@pytest.mark.slow
@pytest.mark.parametrize("backup", [pytest.param("paper", marks=pytest.mark.campaign), "negamax"])
def test_moves_are_written_down_as_they_are_played(backup: Any) -> None:
    config = Config(backup=backup, epsilon=0.5, moves=40, memory=40, starts=16)
    _, state, metrics = one_round(Hex(size=2), config)
    rows = jax.tree.map(np.asarray, state.tape.rows)
    assert int(state.tape.pushed) == 40
    over = rows.sign == 0
    assert 5 < over.sum() == int(state.games)
    np.testing.assert_array_equal(rows.sign[~over], {"paper": 1, "negamax": -1}[backup])
    np.testing.assert_array_equal(rows.reward, over)  # who makes the last move has won
    np.testing.assert_array_equal(rows.first[1:], over[:-1])
    empty = ~rows.planes[:, 2:-2, 2:-2, :2].any(axis=-1).reshape(40, 4)
    assert empty[np.arange(40), rows.action].all()
    for row, following in itertools.pairwise(range(40)):
        if not over[row]:
            np.testing.assert_array_equal(rows.after[row], rows.planes[following])
            np.testing.assert_array_equal(rows.legal[row], empty[following])
            assert rows.legal[row][rows.reply[row]]
    assert np.isfinite(float(metrics["value"]))


@pytest.mark.slow
def test_the_recurrent_player_remembers_its_game_and_no_other() -> None:
    """Its moves are the best by a memory that is handed on from position to position, and is fresh in each game."""
    game, config = Hex(size=2), Config(network="rnn", epsilon=0.0, memory=50, starts=16)

    @jax.jit
    def play(key: Any) -> Any:
        begun = batch.init(config, game, key)
        network = jax.tree.map(lambda leaf: 4 * leaf, begun.network)  # larger, so that memory makes a difference
        move = functools.partial(batch._move, config, game, network, begun.sweep, begun.starts)
        return network, jax.lax.scan(move, begun.playing, jax.random.split(key, 40))[1][0]

    network, rows = play(jax.random.key(1))
    rows = jax.tree.map(np.asarray, rows)
    look = jax.jit(lambda planes, memory: network(planes, memory))
    memory, kept_on, differ = network.fresh(), network.fresh(), 0
    for place in range(40):
        memory = network.fresh() if rows.first[place] else memory
        planes = jnp.asarray(rows.planes[place], jnp.float32)
        (memory, values), (kept_on, others) = look(planes, memory), look(planes, kept_on)
        empty = ~rows.planes[place][2:-2, 2:-2, :2].any(axis=-1).ravel()
        best = np.where(empty, np.asarray(values), -9).argmax()
        assert rows.action[place] == best
        differ += best != np.where(empty, np.asarray(others), -9).argmax()
    assert differ  # so it would have shown


@pytest.mark.slow
def test_both_recurrent_networks_begin_with_larger_weights() -> None:
    game, config = Hex(size=2), Config("rnn", "sarsa", "pbe", memory=50, starts=4, first_weights=3.0)

    @jax.jit
    def begun(key: Any) -> Any:
        setup = batch.new_setup(config, game, key)
        state = batch.init(config, game, key, setup=setup)
        return (setup.network, setup.second), (state.network, state.projection[0])

    for given, made in zip(*begun(jax.random.key(0)), strict=True):
        np.testing.assert_allclose(made.u, 3 * given.u, rtol=1e-6)
        np.testing.assert_allclose(made.net.matrix, 3 * given.net.matrix, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "config"),
    [
        (Hex(size=3), Config("rnn", "sarsa", "pbe", memory=100, starts=16)),
        pytest.param(LGame(), Config("cnn", "q", "mse", memory=100, starts=16), marks=pytest.mark.campaign),
    ],
    ids=["hex", "lgame"],
)
def test_it_runs_on_any_game(game: Any, config: Config) -> None:
    begun, state, metrics = one_round(game, config)
    before, after = (np.concatenate([np.ravel(x) for x in jax.tree.leaves(s.network)]) for s in (begun, state))
    assert np.isfinite(after).all()
    assert (before != after).any()
    assert float(metrics["loss"]) > 0
    again = one_round(game, config)[1]
    for a, b in zip(jax.tree.leaves(state.network), jax.tree.leaves(again.network), strict=True):
        np.testing.assert_array_equal(a, b)
