"""The learner from lambda-returns: the returns by their definition, moves by hand, and games learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import Heap, Nim, some_network
from helpers.walk import Walk

from ludus.agents.network import NetworkPlayer
from ludus.core.game import legal_actions
from ludus.errors import BadInput
from ludus.games import make_game
from ludus.games.abalone import LAYOUTS
from ludus.learners import returns
from ludus.learners.recipe import Recipe
from ludus.play.policies import MASKED
from ludus.truth.exact import GraphTruth

TINY = returns.Config(hidden=(8,), games=100, lanes=4, plies=8, updates=2, gamma=0.5, random_plies=2)


@pytest.fixture(autouse=True)
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def a_tape(length: int, seed: int) -> returns.PlayedPly:
    """One lane with everything: ends by the rules, stopped games, random moves."""
    draw = np.random.default_rng(seed)
    done = draw.random(length) < 0.15
    over = done | (draw.random(length) < 0.1)
    ends = np.append(done[1:], False)  # a move that ends the game is followed by nothing
    return returns.PlayedPly(
        state=jnp.zeros((length, 1)),
        over=jnp.asarray(over[:, None]),
        done=jnp.asarray(done[:, None]),
        best=jnp.asarray(draw.normal(size=(length, 1)), jnp.float32),
        reward=jnp.asarray(draw.normal(size=(length, 1)), jnp.float32),
        sign=jnp.asarray(np.where(ends, 0, draw.choice([-1, 1], length))[:, None], jnp.float32),
        random=jnp.asarray(draw.random((length, 1)) < 0.2),
    )


def by_definition(tape: returns.PlayedPly, start: int, trace: float, gamma: float) -> float:
    """The mean of the n-step returns, weighted by (1 - lambda) lambda^(n - 1), the last of them by what is left. One
    of n steps adds n - 1 rewards and the best q of the position they lead to.
    """
    flat = {name: np.asarray(leaf, np.float64)[:, 0] for name, leaf in tape._asdict().items() if name != "state"}
    if flat["done"][start]:
        return 0.0
    n_step, gained, factor, place = [], 0.0, 1.0, start
    while True:
        n_step.append(gained + factor * flat["best"][place])
        if flat["random"][place] or flat["over"][place] or place + 1 == len(flat["best"]):
            break
        gained += factor * flat["reward"][place]
        if flat["sign"][place] == 0:  # the game is over: all that there was to gain is gained
            n_step.append(gained)
            break
        factor *= flat["sign"][place] * gamma
        place += 1
    weights = [(1 - trace) * trace**n for n in range(len(n_step) - 1)] + [trace ** (len(n_step) - 1)]
    return float(np.dot(weights, n_step))


@pytest.mark.parametrize("trace", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_returns_are_those_of_the_definition(trace: float, seed: int) -> None:
    config, tape = replace(TINY, trace=trace, gamma=0.9), a_tape(40, seed)
    found = np.asarray(returns.lambda_returns(config, tape))[:, 0]
    wanted = [by_definition(tape, start, trace, 0.9) for start in range(40)]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize(("players", "sign"), [(2, -1), (1, 1)])
def test_a_move_is_worth_what_it_gains_and_what_it_leads_to(players: int, sign: int) -> None:
    game, network = Nim(players=players), some_network(1, 8, 1)
    config = replace(TINY, result=3.0)

    def value(left: int) -> float:
        return float(network(jnp.array([left], jnp.float32))[0])

    found = returns.move_values(config, game, network, Heap(jnp.int32(3), jnp.int32(0)))
    np.testing.assert_allclose(found, [sign * 0.5 * value(2), sign * 0.5 * value(1), 3.0], rtol=1e-5)
    short = returns.move_values(config, game, network, Heap(jnp.int32(1), jnp.int32(0)))
    np.testing.assert_allclose(short, [3.0, MASKED, MASKED])


def test_a_marble_pushed_off_is_gained_at_once() -> None:
    game = make_game("abalone")
    # Black has three in line before two of white's, the second of which stands on the rim.
    state = game.parse("wwwww/wwwww./..ww.../......../....bbbww/......../..bbb../bbbbb./bbb.. b")
    network = returns.init(replace(TINY, network="patterns"), game, jax.random.key(0)).network
    values = jax.jit(lambda state: returns.move_values(TINY, game, network, state))(state)
    assert float(values[game.parse_move(state, "e5e6")]) == 1.0
    assert float(values[game.parse_move(state, "a1b1")]) == 0.0


def test_the_policy_takes_any_of_the_best_moves_but_for_epsilon() -> None:
    game, network = Nim(), jax.tree.map(jnp.zeros_like, some_network(1, 8, 1))  # no move is better than another
    states = Heap(jnp.full(3000, 4, jnp.int32), jnp.zeros(3000, jnp.int32))
    chosen = np.bincount(returns.policy(TINY, game, network, 0.0)(jax.random.key(0), states), minlength=3)
    np.testing.assert_allclose(chosen / 3000, 1 / 3, atol=0.05)
    almost = Heap(jnp.full(3000, 2, jnp.int32), jnp.zeros(3000, jnp.int32))  # taking both wins
    assert set(returns.policy(TINY, game, network, 0.0)(jax.random.key(0), almost).tolist()) == {1}
    strayed = np.bincount(returns.policy(TINY, game, network, 0.5)(jax.random.key(0), almost), minlength=3)
    np.testing.assert_allclose(strayed / 3000, [0.25, 0.75, 0], atol=0.05)


def test_a_random_move_teaches_nothing_of_what_follows() -> None:
    """With random moves alone, all returns are the best moves' q."""
    game, config = make_game("hex", size=3), replace(TINY, epsilon=1.0, plies=12)
    state = returns.init(config, game, jax.random.key(0))
    _, steps = jax.jit(lambda: returns.play(config, game, state, jax.random.key(1)))()
    found = returns.lambda_returns(config, steps)
    np.testing.assert_allclose(found, jnp.where(steps.done, 0, steps.best))
    assert bool(steps.done.any())


@pytest.mark.slow
def test_a_tie_by_repetition_is_an_end_and_a_game_that_is_stopped_is_none() -> None:
    """Against a set of each game's positions: after a tie the return is 0, after a stop it is the best move's q."""
    game, config = Walk(max_plies=4), replace(TINY, epsilon=1.0, lanes=20, plies=30, random_plies=0)

    @jax.jit
    def played() -> Any:
        state = returns.init(config, game, jax.random.key(0))
        _, steps = returns.play(config, game, state, jax.random.key(1))
        return returns.lambda_returns(config, steps), steps

    found, steps = jax.device_get(played())
    met = {"won": 0, "tied": 0, "stopped": 0}
    for lane in range(config.lanes):
        seen: list[tuple[int, int]] = []
        for ply in range(config.plies):
            here = int(steps.state.at[ply, lane]), int(steps.state.mover[ply, lane])
            end = "won" if here[0] >= 5 else "stopped" if len(seen) == 4 else "tied" if here in seen else None
            seen = [] if end else [*seen, here]
            assert bool(steps.over[ply, lane]) == bool(end)
            assert bool(steps.done[ply, lane]) == (end in ("won", "tied"))
            if end:
                met[end] += 1
                assert found[ply, lane] == (steps.best[ply, lane] if end == "stopped" else 0)
    assert min(met.values()) > 5, met


def learned(game: Any, recipe: Recipe, rounds: int) -> NetworkPlayer:
    config, learner = recipe.config, recipe.learner
    advance = jax.jit(lambda state: learner.advance(config, game, state)[0])
    state = learner.init(config, game, jax.random.key(0))
    for _ in range(rounds):
        state = advance(state)
    return NetworkPlayer("", recipe, learner.weights(state))


@pytest.mark.slow
def test_a_small_game_is_learned() -> None:
    game = make_game("hex", size=3)
    recipe = Recipe.of("", "returns", hidden=(64,), gamma=0.9, lanes=64, plies=16, games=20_000, epsilon=0.2)
    grades = [GraphTruth(game).grade(learned(game, recipe, rounds)) for rounds in (0, 120)]
    shares = [grade.to_json()["held"] for grade in grades]
    assert shares[0] < 0.85
    assert shares[1] > 0.93


def test_a_game_that_knows_no_patterns_says_so() -> None:
    with pytest.raises(BadInput, match="hex has no patterns; give network 'mlp'"):
        returns.init(replace(TINY, network="patterns"), make_game("hex", size=3), jax.random.key(0))


def test_games_begin_wherever_a_room_has_them_begin() -> None:
    game, config = make_game("abalone"), replace(TINY, network="patterns", lanes=10)
    state = returns.init(config, game, jax.random.key(0))
    begun = {game.format(jax.tree.map(lambda leaf, i=i: leaf[i], state.lanes.state)) for i in range(10)}
    assert begun == {game.format(make_game("abalone", layout=name).init()) for name in LAYOUTS}


@pytest.mark.parametrize(
    ("q", "repeats", "wanted"), [([3, 2, 1], [1, 0, 0], [0, 2, 1]), ([-1, -2, -3], [0, 1, 0], [-1, 0, -3])]
)
def test_a_repeated_position_is_worth_a_tie(q: list[float], repeats: list[int], wanted: list[float]) -> None:
    """So the side that is ahead avoids it, and the side that is behind chooses it."""
    game = make_game("abalone")
    states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], game.init())
    actions = jnp.asarray(legal_actions(game, game.init())[:3], jnp.int32)[None]
    values = jnp.asarray([q], jnp.float32)
    order = np.argsort(-np.asarray(q))

    def again(reached: Any) -> Any:
        assert reached.mover.shape == (1, 3)
        return jnp.asarray(repeats, bool)[order][None]  # the best are asked about, the best first

    found = returns._warned(game, states, returns.RatedMoves(values, values, actions), again)
    assert found.tolist() == [wanted]
