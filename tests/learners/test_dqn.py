"""Deep Q-learning: targets by hand, gradients, masks, heads, optimisers, batches and sweeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Array, Bool, Float, Int

from ludus import replay
from ludus.game import Rules
from ludus.games.lgame import LGame
from ludus.learners import dqn
from ludus.networks import MLP

TINY = dqn.Config(hidden=(8,), inputs="planes", head="full", memory=64, lanes=4, recall=2, games=100)


class Heap(NamedTuple):
    left: Int[Array, ""]
    mover: Int[Array, ""]


@dataclass(frozen=True)
class Nim(Rules[Heap]):
    """Take one to three from a heap; who takes the last wins."""

    stones: int = 5

    num_players: ClassVar[int] = 2

    @property
    def num_actions(self) -> int:
        return 3

    @property
    def max_plies(self) -> int:
        return self.stones

    def init(self) -> Heap:
        return Heap(jnp.int32(self.stones), jnp.int32(0))

    def step(self, state: Heap, action: Int[Array, ""]) -> Heap:
        return Heap(state.left - 1 - action, (state.mover + 1) % self.num_players)

    def player(self, state: Heap) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: Heap) -> Bool[Array, "A"]:
        return state.left > jnp.arange(3)

    def done(self, state: Heap) -> Bool[Array, ""]:
        return state.left <= 0

    def returns(self, state: Heap) -> Float[Array, "P"]:
        lost = jnp.where(self.done(state), jnp.float32(-1), jnp.float32(0))
        return jnp.where(jnp.arange(2) == state.mover, lost, -lost)

    def observe(self, state: Heap) -> Float[Array, "1"]:
        return state.left.astype(jnp.float32)[None]

    def symmetries(self, state: Heap) -> tuple[Heap, Int[Array, "1 A"]]:
        return jax.tree.map(lambda leaf: leaf[None], state), jnp.arange(3, dtype=jnp.int32)[None]


class Solo(Nim):
    """The same heap for one; taking the last is worth 1."""

    num_players: ClassVar[int] = 1

    def returns(self, state: Heap) -> Float[Array, "P"]:
        return self.done(state).astype(jnp.float32)[None]


def floats(*values: float) -> Any:
    return jnp.array(values, jnp.float32)


# --- targets ------------------------------------------------------------------------------------------------

NO, YES = False, True
TARGETS = {
    # name: backup, best of each position, the mover's result, over, players, what Q should be
    "the last move wins": ("negamax", (0.2, 0.4, 0.6, 9), (0, 0, 0, -1), (NO, NO, NO, YES), 2, (-0.2, -0.3, 1)),
    "own turn: loss at the reply, win at once": (
        "own-turn",
        (0.2, 0.4, 0.6, 9),
        (0, 0, 0, -1),
        (NO, NO, NO, YES),
        2,
        (0.3, -1, 1),
    ),
    "the first move wins, and what follows is another game": (
        "negamax",
        (0.2, 9, 0.6, 0.8),
        (0, -1, 0, 0),
        (NO, YES, NO, NO),
        2,
        (1, -0.3, -0.4),
    ),
    "own turn: the first move wins, and what follows is another game": (
        "own-turn",
        (0.2, 9, 0.6, 0.8),
        (0, -1, 0, 0),
        (NO, YES, NO, NO),
        2,
        (1, 0.4, 0),
    ),
    "a draw at the end": ("negamax", (0.2, 0.4, 9), (0, 0, 0), (NO, NO, YES), 2, (-0.2, 0)),
    "own turn: a draw at the end": ("own-turn", (0.2, 0.4, 9), (0, 0, 0), (NO, NO, YES), 2, (0, 0)),
    "own turn: a win at the reply": ("own-turn", (0.2, 0.4, 9), (0, 0, 1), (NO, NO, YES), 2, (1, -1)),
    "cut off by the ply cap": ("negamax", (0.2, 0.4, 0.6), (0, 0, 0), (NO, NO, NO), 2, (-0.2, -0.3)),
    "a puzzle for one": ("negamax", (0.2, 0.4, 0.6, 9), (0, 0, 0, 1), (NO, NO, NO, YES), 1, (0.2, 0.3, 1)),
    "own turn is every turn, for one": (
        "own-turn",
        (0.2, 0.4, 0.6, 9),
        (0, 0, 0, 1),
        (NO, NO, NO, YES),
        1,
        (0.2, 0.3, 1),
    ),
}


@pytest.mark.parametrize("case", TARGETS)
def test_targets(case: str) -> None:
    backup, best, result, over, players, expected = TARGETS[case]
    found = dqn.targets(
        replace(TINY, backup=backup), jnp.float32(0.5), floats(*best), floats(*result), jnp.array(over), players > 1
    )
    np.testing.assert_allclose(found, expected, atol=1e-6)


# --- errors and their gradient ------------------------------------------------------------------------------


def short_game(game: Nim) -> dqn.Episode:
    """Five stones: take two, then the last three; after the end a fresh heap, in which a move stands that was none."""
    mover = [0, 1, 0, 0] if game.num_players == 2 else [0, 0, 0, 0]
    state = Heap(jnp.array([5, 3, 0, 5], jnp.int32), jnp.array(mover, jnp.int32))
    return dqn.Episode(state, jnp.array([1, 2, 0, 1], jnp.int32), jnp.array([True, True, False, False]))


def some_network(*sizes: int) -> MLP:
    key = jax.random.key(3)
    return jax.tree.map(lambda leaf: leaf + jnp.float32(0.1), MLP(sizes, key))


@pytest.mark.parametrize("game", [Nim(), Solo()], ids=["two", "one"])
def test_errors_and_their_gradient_hold_the_targets_fixed(game: Nim) -> None:
    network, gamma, episode = some_network(1, 8, 3), jnp.float32(0.5), short_game(game)
    sign = -1 if game.num_players == 2 else 1
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


def test_illegal_moves_do_not_enter_the_targets() -> None:
    # One stone left, and the two moves that are not legal there rated high.
    network = MLP((1, 4, 3), jax.random.key(0))
    biases = (*network.biases[:-1], floats(0.25, 7, 8))
    flat = jax.tree.map(jnp.zeros_like, network.weights)
    network = jax.tree.unflatten(jax.tree.structure(network), [*flat, *biases])
    state = Heap(jnp.array([2, 1, 0], jnp.int32), jnp.array([0, 1, 0], jnp.int32))
    episode = dqn.Episode(state, jnp.zeros(3, jnp.int32), jnp.array([True, True, False]))
    squares = dqn.errors(TINY, Nim(2), network, jnp.float32(0.5), episode)
    np.testing.assert_allclose(squares, [(0.25 + 0.5 * 0.25) ** 2, (0.25 - 1) ** 2], rtol=1e-6)


# --- choosing moves -----------------------------------------------------------------------------------------

numbers = st.floats(width=32, allow_nan=True)


@settings(max_examples=100)
@given(st.lists(st.tuples(numbers, st.booleans()), min_size=4, max_size=4).filter(lambda l: any(b for _, b in l)))
def test_the_best_moves_are_legal_and_there_is_one(rated: list[tuple[float, bool]]) -> None:
    q, legal = np.array([v for v, _ in rated], np.float32), np.array([l for _, l in rated])
    best = np.asarray(dqn.best_moves(jnp.asarray(q), jnp.asarray(legal)))
    assert best.any()
    assert not (best & ~legal).any()
    rated_legal = q[legal & ~np.isnan(q)]
    expected = legal & (q == rated_legal.max()) if len(rated_legal) else legal
    np.testing.assert_array_equal(best, expected)


@pytest.mark.parametrize("value", [-np.inf, -1e10, np.inf, 1e30])
def test_a_network_that_diverged_still_moves_legally(value: float) -> None:
    best = dqn.best_moves(jnp.full(3, value, jnp.float32), jnp.array([False, True, True]))
    assert best.tolist() == [False, True, True]


def chosen(network: MLP, epsilon: float, left: int, times: int = 3000) -> np.ndarray:
    states = Heap(jnp.full(times, left, jnp.int32), jnp.zeros(times, jnp.int32))
    return np.bincount(dqn.policy(TINY, Nim(), network, epsilon)(jax.random.key(0), states), minlength=3)


def test_a_network_of_nans_plays_legal_moves_all_alike() -> None:
    nans = jax.tree.map(lambda leaf: jnp.full_like(leaf, jnp.nan), MLP((1, 8, 3), jax.random.key(0)))
    counts = chosen(nans, 0.0, 2)
    assert counts[2] == 0
    assert np.abs(counts[:2] - 1500).max() < 5 * np.sqrt(750)


def test_the_policy_is_greedy_but_for_epsilon() -> None:
    network = some_network(1, 8, 3)
    best = int(jnp.argmax(network(floats(4))))
    assert chosen(network, 0.0, 4)[best] == 3000
    counts = chosen(network, 0.5, 4)
    # Half of them at random, a third of those the best all the same.
    assert np.abs(counts - np.where(np.arange(3) == best, 2000, 500)).max() < 5 * np.sqrt(3000 / 4)


# --- heads --------------------------------------------------------------------------------------------------


def test_the_papers_head_has_128_outputs_of_which_each_placement_has_one() -> None:
    game, config = LGame(), dqn.Config()
    state = jax.eval_shape(lambda: dqn.init(config, game, jax.random.key(0)))
    assert [leaf.shape for leaf in state.network.weights] == [(16, 512), (512, 512), (512, 128)]
    network = MLP((16, 8, 128), jax.random.key(0))
    q = np.asarray(dqn.action_values(config, game, network, game.init())).reshape(48, 13)
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
    q = dqn.action_values(config, game, network, game.init())
    np.testing.assert_array_equal(q, network(game.observe(game.init()).reshape(-1)))


# --- steps --------------------------------------------------------------------------------------------------

OPTAX = {
    "nesterov": lambda rate: optax.sgd(rate, momentum=0.9, nesterov=True),
    "rmsprop": lambda rate: optax.rmsprop(rate),
    "adadelta": lambda rate: optax.adadelta(rate),
}


@pytest.mark.parametrize("name", OPTAX)
def test_two_steps_are_optaxs_own(name: Any) -> None:
    config, rate, gamma = replace(TINY, optimizer=name), 0.05, jnp.float32(0.9)
    game = Nim()
    batch = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), short_game(game))
    network = theirs = some_network(1, 8, 3)
    carry = (network, dqn._direction(config).init(network))  # pyright: ignore[reportArgumentType]
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


def remembered(lengths: list[int], size: int = 6) -> tuple[replay.Ring, dqn.Episode]:
    """Games of these lengths, each move told by its action: 100 x its game + its place."""
    number, place = np.arange(len(lengths))[:, None], np.arange(size)[None]
    live = jnp.asarray(place < np.array(lengths)[:, None])
    heap = jnp.asarray(np.broadcast_to(place, live.shape).astype(np.int32))
    games = dqn.Episode(Heap(heap, heap % 2), jnp.asarray((100 * number + place).astype(np.int32)), live)
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


def test_a_batch_of_transitions_has_so_many_live_moves() -> None:
    memory, row = remembered([2, 3, 5])
    config = replace(TINY, batch="transitions")
    batch = jax.vmap(lambda key: dqn._batch(config, memory, row, key))(jax.random.split(jax.random.key(1), 20))
    assert batch.live.shape == (20, 32, 3)
    assert np.asarray(batch.live).sum(axis=(1, 2)).tolist() == [32] * 20


def test_transitions_are_drawn_from_the_live_moves_alone_and_alike() -> None:
    counts = drawn_moves([3, 3, 3])
    assert (counts[:, 3:] == 0).all()
    assert np.abs(counts[:, :3] - 6000 / 9).max() < 5 * np.sqrt(6000 / 9)


def test_a_move_of_a_long_game_is_drawn_as_often_as_one_of_a_short_game() -> None:
    counts = drawn_moves([1, 5])
    assert np.abs(counts[np.arange(6) < np.array([[1], [5]])] - 1000).max() < 5 * np.sqrt(1000)


@pytest.mark.slow
@pytest.mark.parametrize("backup", ["negamax"])
def test_a_transition_cut_from_the_end_of_the_tape_teaches_what_its_game_does(backup: Any) -> None:
    # Three stones taken one by one fill the tape of a game of at most two plies: the last move is cut off by the cap.
    state = Heap(jnp.array([5, 4, 3], jnp.int32), jnp.array([0, 1, 0], jnp.int32))
    game = dqn.Episode(state, jnp.zeros(3, jnp.int32), jnp.array([True, True, False]))
    memory = replay.push(replay.empty(game, 1), jax.tree.map(lambda leaf: leaf[None], game))
    network, gamma = some_network(1, 8, 3), jnp.float32(0.9)
    config = replace(TINY, batch="transitions", backup=backup)
    whole = dqn.errors(config, Nim(), network, gamma, game)
    batch = dqn._batch(config, memory, game, jax.random.key(0))
    cut = jax.vmap(lambda episode: dqn.errors(config, Nim(), network, gamma, episode))(batch)[:, 0]
    place = 5 - np.asarray(batch.state.left)[:, 0]
    assert set(place.tolist()) == {0, 1}
    np.testing.assert_allclose(cut, np.asarray(whole)[place], rtol=1e-5)


# --- rounds -------------------------------------------------------------------------------------------------


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
    sweep = dqn.Sweep(floats(0.1, 0.1, 0.03), floats(0.9, 0.5, 0.9), floats(0.1, 0.1, 0.5), floats(0, 0, 0.5))

    def three_rounds(key: Any, sweep: dqn.Sweep) -> tuple[MLP, Any]:
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
