"""The afterstate learner: move values by hand, one step, tables, every game, and small games learned to perfection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from helpers.nim import Heap, Nim, some_network

from ludus.agents.network import NetworkPlayer
from ludus.games import make_game, names
from ludus.games.hex.rules import Hex
from ludus.learners import afterstate, dqn
from ludus.learners.recipe import Recipe
from ludus.networks import MLP
from ludus.play.policies import MASKED
from ludus.truth.exact import GraphTruth
from ludus.truth.graph import build
from ludus.truth.protocol import Effort
from ludus.truth.tabular import as_table

TINY = afterstate.Config(hidden=(8,), games=100, lanes=4, plies=8, updates=2, batch=16, memory=256, gamma=0.5)


@pytest.fixture(autouse=True)
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def heap(left: int) -> Heap:
    return Heap(jnp.int32(left), jnp.int32(0))


def rated(network: MLP, left: int) -> float:
    return float(network(jnp.array([left], jnp.float32))[0])


@pytest.mark.slow
@pytest.mark.parametrize(("players", "sign"), [(2, -1), (1, 1)])
def test_a_move_is_worth_what_it_leads_to_in_its_movers_eyes(players: int, sign: int) -> None:
    game, network = Nim(players=players), some_network(1, 8, 1)
    found = afterstate.move_values(TINY, game, afterstate.Rater(network, None), heap(3))
    # Taking the last wins: the result, discounted once, and not what the network makes of an empty heap.
    np.testing.assert_allclose(found, [sign * 0.5 * rated(network, 2), sign * 0.5 * rated(network, 1), 0.5], rtol=1e-5)
    short = afterstate.move_values(TINY, game, afterstate.Rater(network, None), heap(1))
    np.testing.assert_allclose(short, [0.5, MASKED, MASKED])


@pytest.mark.slow
def test_the_policy_takes_the_best_move_but_for_epsilon() -> None:
    game, rater = Nim(), afterstate.Rater(some_network(1, 8, 1), None)
    states = Heap(jnp.full(3000, 4, jnp.int32), jnp.zeros(3000, jnp.int32))
    best = int(afterstate.move_values(TINY, game, rater, heap(4)).argmax())
    greedy = afterstate.policy(TINY, game, rater, 0.0)(jax.random.key(0), states)
    assert (np.asarray(greedy) == best).all()
    counts = np.bincount(afterstate.policy(TINY, game, rater, 0.5)(jax.random.key(0), states), minlength=3)
    assert np.abs(counts - np.where(np.arange(3) == best, 2000, 500)).max() < 5 * np.sqrt(3000 / 4)


def test_a_step_moves_the_value_to_the_target_and_a_finished_game_teaches_nothing() -> None:
    game, network = Nim(), some_network(1, 8, 1)
    rater = afterstate.Rater(network, None)
    target = 0.5 * max(-rated(network, 2), -rated(network, 1), 1)  # with three left
    optimizer = optax.scale_by_adam().init(network)  # pyright: ignore[reportArgumentType]
    batch = Heap(jnp.array([3, 0], jnp.int32), jnp.zeros(2, jnp.int32))
    before, losses = rated(network, 3), []
    step = jax.jit(lambda net, opt, batch: afterstate.update(TINY, game, rater, net, opt, jnp.float32(0.01), batch))
    learned = network
    for _ in range(100):
        (learned, optimizer), loss = step(learned, optimizer, batch)
        losses.append(float(loss))
    assert losses[0] == pytest.approx((before - target) ** 2 / 2, rel=1e-4)
    assert abs(rated(learned, 3) - target) < 0.02 < abs(before - target)
    over = Heap(jnp.zeros(2, jnp.int32), jnp.zeros(2, jnp.int32))
    fresh = optax.scale_by_adam().init(network)  # pyright: ignore[reportArgumentType]
    (same, _), loss = step(network, fresh, over)
    assert float(loss) == 0
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(same), jax.tree.leaves(network), strict=True))


@pytest.mark.slow
def test_the_rate_of_a_round_is_annealed_to_nothing() -> None:
    game = Nim()
    advance = jax.jit(lambda state: afterstate.advance(TINY, game, state))
    start = afterstate.init(TINY, game, jax.random.key(0))
    moved, _ = advance(start)
    assert not np.array_equal(moved.network.weights[0], start.network.weights[0])
    assert int(moved.memory.pushed) == 4 * 8
    assert (int(moved.rounds), int(moved.games)) == (1, int(moved.games))
    assert 4 * (8 // 6) <= int(moved.games) <= 4 * (8 // 3)  # a game is two to five plies, and then its end
    for games in (100, 1000):
        still, _ = advance(start._replace(games=jnp.int32(games)))
        np.testing.assert_array_equal(still.network.weights[0], start.network.weights[0])


# --- tables -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_table_rates_moves_as_the_game_itself() -> None:
    game = Hex(size=3)
    table, graph = as_table(game), build(game)
    shape = table.planes.shape[1:]
    network = some_network(int(np.prod(shape)), 8, 1)
    live = np.flatnonzero(~graph.over)[::7]
    states = jax.tree.map(lambda leaf: leaf[live], graph.states)
    itself = jax.jit(jax.vmap(lambda s: afterstate.move_values(TINY, game, afterstate.refresh(TINY, game, network), s)))
    rater = jax.jit(lambda net: afterstate.refresh(TINY, table, net))(network)
    assert rater.answers is not None
    assert len(rater.answers) == table.num_positions < graph.num_positions
    numbers = table.everywhere()._replace(number=jnp.asarray(table.class_of[live]), mover=jnp.zeros(len(live), int))
    written = jax.jit(jax.vmap(lambda s: afterstate.move_values(TINY, table, rater, s)))(numbers)
    # A position that another stands for has the same moves in another order.
    padded = np.full((len(live), game.max_legal), MASKED, np.float32)
    padded[:, : written.shape[1]] = written
    found = np.asarray(itself(states))
    assert len(np.unique(found[found > MASKED])) > 100
    np.testing.assert_allclose(np.sort(padded, axis=1), np.sort(found, axis=1), rtol=1e-4, atol=1e-5)


# --- learning -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("size", "table"), [(2, False), (3, True)], ids=["hex-2", "hex-3-table"])
def test_a_small_game_is_learned(size: int, table: bool) -> None:
    """Hex 2 x 2 perfectly; Hex 3 x 3 nearly everywhere, in a short training."""
    config = afterstate.Config(hidden=(64,), games=20_000, lanes=32, plies=8, updates=16, batch=128, memory=4096)
    config = replace(config, learning_rate=3e-3, epsilon=0.4)
    game = Hex(size=size)
    recipe = Recipe.of("small", "afterstate", table, **asdict(config))
    rules, truth = recipe.rules(game), GraphTruth(game)

    @jax.jit
    def fifty(state: Any) -> Any:
        return jax.lax.scan(lambda s, _: afterstate.advance(config, rules, s), state, None, length=50)[0]

    state = afterstate.init(config, rules, jax.random.key(0))
    before = after = truth.grade(NetworkPlayer("", recipe, state.network), Effort.QUICK)
    assert not before.perfect
    for _ in range(8):
        if not after.perfect:
            state = fifty(state)
            after = truth.grade(NetworkPlayer("", recipe, state.network), Effort.QUICK)
    assert after.held > before.held
    assert after.held >= (1.0 if size == 2 else 0.9) * after.positions


OPTIONS = {"hex": {"size": 2}}
LEARNERS: dict[str, tuple[Any, Any]] = {
    "afterstate": (afterstate, replace(TINY, lanes=2, plies=2, updates=1, batch=2, memory=4)),
    "dqn": (dqn, dqn.Config(hidden=(8,), inputs="planes", memory=4, lanes=2, recall=1, games=100)),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in ("hex", "solitaire-chess") else [pytest.mark.campaign])
        for name in names()
    ],
)
@pytest.mark.parametrize("learner", LEARNERS)
def test_any_learner_plays_a_round_of_any_game(learner: str, name: str) -> None:
    module, config = LEARNERS[learner]
    game = make_game(name, **OPTIONS.get(name, {}))
    start = jax.jit(lambda key: module.init(config, game, key))(jax.random.key(0))
    state, metrics = one_round(module, config, game)(start)
    assert np.isfinite(float(metrics["loss"]))
    assert int(state.rounds) == 1
    assert int(state.memory.pushed) == (4 if learner == "afterstate" else 2)
    leaves = zip(jax.tree.leaves(start.network), jax.tree.leaves(state.network), strict=True)
    changes = [float(jnp.abs(a - b).max()) for a, b in leaves]
    assert 0 < max(changes) < 1


def one_round(module: Any, config: Any, game: Any) -> Callable[[Any], Any]:
    """Compiled without optimisation, in half the time: it runs only once."""
    options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    return jax.jit(lambda state: module.advance(config, game, state), compiler_options=options)
