"""The exact chances of policies: held to recursion by the rules, to sampled games, and to known limits."""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
from helpers.exact import children, graph_of, perfect, random_policy
from helpers.positions import on_host

from ludus.agents.perfect import PerfectPlayer
from ludus.core.game import Game, compiled, legal_actions
from ludus.games import make_game
from ludus.play import arena
from ludus.play.player import RandomPlayer
from ludus.truth import batched, evaluate
from ludus.truth.graph import Graph
from ludus.truth.solve import solve

LGAME, HEX2, HEX3 = make_game("lgame"), make_game("hex", size=2), make_game("hex", size=3)


def noisy(graph: Any, policy: np.ndarray, epsilon: float) -> np.ndarray:
    """A policy that moves at random so often, written as a policy."""
    return (1 - epsilon) * policy + epsilon * evaluate.uniform(graph)


# --- policies ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_policies_share_one_between_the_moves_of_a_position() -> None:
    graph, solution = graph_of(LGAME), solve(LGAME)
    count = np.diff(graph.first)
    np.testing.assert_allclose(evaluate.uniform(graph), 1 / count[graph.parent])
    policies = [
        evaluate.uniform(graph),
        perfect(LGAME),
        evaluate.greedy(graph, -solution.value[graph.child].astype(float)),
    ]
    for policy in policies:
        total = np.bincount(graph.parent, policy, graph.num_positions)
        np.testing.assert_allclose(total, (~graph.over).astype(float))
    np.testing.assert_array_equal(perfect(LGAME) > 0, solution.holding)


@pytest.mark.slow
def test_among_plays_the_allowed_moves_alike() -> None:
    graph = graph_of(HEX3)
    allowed = random_policy(graph, 0, played=0.4) > 0
    policy = graph.among(allowed)
    for index in np.flatnonzero(~graph.over)[:500]:
        here = slice(graph.first[index], graph.first[index + 1])
        assert policy[here].tolist() == pytest.approx((allowed[here] / allowed[here].sum()).tolist())


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0, -5])
def test_greedy_takes_the_first_of_equals(shift: int) -> None:
    graph = graph_of(HEX3)
    score = np.random.default_rng(1).integers(0, 3, len(graph.child)).astype(float) + shift
    policy = evaluate.greedy(graph, jnp.asarray(score, jnp.float32) if shift else score)
    wanted = np.zeros(len(score))
    for index in np.flatnonzero(~graph.over):
        here = score[graph.first[index] : graph.first[index + 1]].tolist()
        wanted[graph.first[index] + here.index(max(here))] = 1
    np.testing.assert_array_equal(policy, wanted)


# --- chances ----------------------------------------------------------------------------------------------------


def by_the_rules(game: Game, ours: np.ndarray, theirs: np.ndarray, cap: int, seat: int) -> tuple[float, float]:
    """The probabilities that `ours` wins and loses in this seat, by playing out every game there can be."""
    graph = graph_of(game)

    def follow(state: Any, left: int) -> tuple[float, float]:
        if compiled(game).done(state):
            result = float(compiled(game).returns(state)[seat])
            return float(result > 0), float(result < 0)
        if left == 0:
            return 0.0, 0.0
        mover, number = int(compiled(game).player(state)), graph.number(state)
        policy = ours if mover == seat else theirs
        win = loss = 0.0
        for action in legal_actions(game, state):
            size = game.num_actions**0.5
            seen = action if mover == 0 else int(action % size * size + action // size)  # white's board is transposed
            [move] = [m for m in range(graph.first[number], graph.first[number + 1]) if graph.action[m] == seen]
            after = follow(on_host(compiled(game).step(state, np.int32(action))), left - 1)
            win, loss = win + policy[move] * after[0], loss + policy[move] * after[1]
        return win, loss

    return follow(on_host(game.init()), cap)


@pytest.mark.parametrize("cap", [2, 3, 4])
def test_chances_are_those_of_all_games_played_out(cap: int) -> None:
    graph = graph_of(HEX2)
    ours, theirs = random_policy(graph, 1), random_policy(graph, 2, played=0.6)
    for seat, found in enumerate(evaluate.chances(graph, ours, theirs, cap)):
        assert (found.win, found.loss) == pytest.approx(by_the_rules(HEX2, ours, theirs, cap, seat))
        assert found.no_loss == 1 - found.loss
        assert found.win + found.loss == pytest.approx({2: 0, 4: 1}.get(cap, found.win + found.loss))


@pytest.mark.slow
def test_chances_on_a_larger_board_with_a_short_cap() -> None:
    graph = graph_of(HEX3)
    ours, theirs = random_policy(graph, 3), random_policy(graph, 4, played=0.5)

    @functools.cache
    def win(index: int, left: int, we_move: bool) -> float:
        if graph.over[index]:
            return float((graph.result[index] > 0) == we_move)
        policy = ours if we_move else theirs
        return (
            sum(policy[move] * win(to, left - 1, not we_move) for move, to in children(graph)[index]) if left else 0.0
        )

    for cap in (5, 6, 9):
        first, second = evaluate.chances(graph, ours, theirs, cap)
        assert (first.win, second.win) == pytest.approx((win(0, cap, True), win(0, cap, False)))
        assert 0 < first.win < 1


def within(count: int, games: int, probability: float) -> bool:
    """Whether a count is what this probability makes likely, to five standard deviations."""
    return abs(count - games * probability) <= 5 * math.sqrt(games * probability * (1 - probability)) + 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "game", "table"),
    [
        ((PerfectPlayer(), RandomPlayer()), HEX3, HEX3),
        # Random play of the L-Game, cut short so that all three results are common.
        ((RandomPlayer(), RandomPlayer()), make_game("lgame", cap=12), LGAME),
    ],
    ids=["hex", "lgame"],
)
def test_chances_are_what_sampled_games_show(players: tuple, game: Game, table: Game) -> None:
    graph, games = graph_of(table), 4096
    ours, theirs = (player.probabilities(graph) for player in players)
    found = evaluate.chances(graph, ours, theirs, game.max_plies)
    result = arena.match(game, *players, games=games, key=jax.random.key(7))
    for tally, exact in zip(result.by_seat, found, strict=True):
        assert within(tally.wins, games // 2, exact.win)
        assert within(tally.losses, games // 2, exact.loss)
        assert within(tally.draws, games // 2, 1 - exact.win - exact.loss)
    assert 0.02 < min(found[1].loss, found[1].win) < 0.98


@pytest.mark.slow
def test_perfect_never_loses_to_perfect() -> None:
    for found in evaluate.chances(graph_of(LGAME), perfect(LGAME), perfect(LGAME), 100):
        assert found.no_loss == 1
        assert found.win == 0
    first, second = evaluate.chances(graph_of(HEX3), perfect(HEX3), perfect(HEX3), 9)
    assert (first.win, second.loss) == pytest.approx((1, 1))


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_moving_at_random_is_a_policy_of_its_own(epsilon: float) -> None:
    """Against the random player, where both sides' random moves are one product, and against another."""
    graph = graph_of(HEX3)
    ours = random_policy(graph, 3, played=0.4)
    for theirs in (evaluate.uniform(graph), random_policy(graph, 4)):
        found, wanted = (
            evaluate.chances(graph, ours, theirs, 7, epsilon),
            evaluate.chances(graph, noisy(graph, ours, epsilon), theirs, 7),
        )
        for one, other in zip(found, wanted, strict=True):
            assert (one.win, one.loss) == pytest.approx((other.win, other.loss), rel=1e-12)


# --- limits -----------------------------------------------------------------------------------------------------


def matrix(graph: Graph, policy: np.ndarray) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array((policy, graph.child, graph.first), shape=(graph.num_positions,) * 2)


def best_chances(graph: Graph, other: np.ndarray, cap: int, epsilon: float) -> tuple[float, float]:
    """The highest probability of winning that a policy can reach against the other, in the first seat and in the
    second, if it moves at random with probability epsilon.
    """
    theirs, at_random = matrix(graph, other), matrix(graph, evaluate.uniform(graph))
    end_ours = (graph.over & (graph.result > 0)).astype(float)
    end_theirs = (graph.over & (graph.result < 0)).astype(float)
    we_move, they_move = end_ours, end_theirs
    for _ in range(cap):
        best = graph.reduce(np.maximum, they_move[graph.child], 0)
        ours = (1 - epsilon) * best + epsilon * (at_random @ they_move)
        we_move, they_move = end_ours + ours, end_theirs + theirs @ we_move
    return float(we_move[0]), float(they_move[0])


@pytest.mark.slow
def test_the_limits_against_random_are_those_known_and_no_policy_is_above() -> None:
    graph, random = graph_of(LGAME), evaluate.uniform(graph_of(LGAME))
    limits = best_chances(graph, random, 100, 0.01)
    assert [round(100 * limit, 3) for limit in limits] == [99.985, 99.991]
    hardest = graph.among(solve(LGAME).hardest)
    for policy in (hardest, random_policy(graph, 5, played=0.1)):
        found = evaluate.chances(graph, noisy(graph, policy, 0.01), random, 100)
        assert all(seat.win < limit for seat, limit in zip(found, limits, strict=True))
    assert limits[0] - evaluate.chances(graph, noisy(graph, hardest, 0.01), random, 100)[0].win < 2e-4


@pytest.mark.slow
def test_the_limits_against_perfect_are_those_known() -> None:
    """Losing as seldom as any policy can, moving at random 1 time in 100."""
    graph, theirs = graph_of(LGAME), perfect(LGAME)
    replies, noise = matrix(graph, theirs), matrix(graph, evaluate.uniform(graph))
    end_ours = (graph.over & (graph.result < 0)).astype(float)
    end_theirs = (graph.over & (graph.result > 0)).astype(float)
    we_lose, they_move = end_ours, end_theirs
    for _ in range(100):
        best = graph.reduce(np.minimum, they_move[graph.child], 0)
        chance, reply = noise @ they_move, replies @ we_lose
        we_lose, they_move = end_ours + 0.99 * best + 0.01 * chance, end_theirs + reply
    assert [round(100 * (1 - loss[0]), 1) for loss in (we_lose, they_move)] == [92.4, 92.6]
    slips = evaluate.chances(graph, noisy(graph, theirs, 0.01), theirs, 100)
    assert 0.7 < slips[0].no_loss < 1 - we_lose[0]
    assert 0.7 < slips[1].no_loss < 1 - they_move[0]


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("cap", [5, 9])
def test_the_limit_is_the_best_of_slow_recursion(epsilon: float, cap: int) -> None:
    graph = graph_of(HEX3)
    other = random_policy(graph, 6)

    @functools.cache
    def win(index: int, left: int, we_move: bool) -> float:
        if graph.over[index]:
            return float((graph.result[index] > 0) == we_move)
        if left == 0:
            return 0.0
        after = [win(to, left - 1, not we_move) for _, to in children(graph)[index]]
        if we_move:
            return (1 - epsilon) * max(after) + epsilon * sum(after) / len(after)
        return sum(other[move] * there for (move, _), there in zip(children(graph)[index], after, strict=True))

    wanted = win(0, cap, True), win(0, cap, False)
    assert best_chances(graph, other, cap, epsilon) == pytest.approx(wanted)
    if epsilon == 0 and cap == 9:
        assert wanted[0] == pytest.approx(1)


# --- the same on the device -------------------------------------------------------------------------------------


def padded(at: batched.GraphArrays, policy: np.ndarray) -> jax.Array:
    table = np.zeros(at.valid.shape, np.float32)
    table[np.asarray(at.valid)] = policy
    return jnp.asarray(table)


def test_the_device_finds_the_same_chances() -> None:
    graph, at = graph_of(HEX3), batched.graph_arrays(solve(HEX3))
    ours, theirs = random_policy(graph, 9, played=0.5), random_policy(graph, 10)
    astray = noisy(graph, ours, 0.2)
    np.testing.assert_allclose(batched.noisy(at, padded(at, ours), 0.2), padded(at, astray), rtol=1e-5)
    np.testing.assert_allclose(batched.shares(at.valid), padded(at, evaluate.uniform(graph)), rtol=1e-5)
    np.testing.assert_allclose(batched.shares(at.holding), padded(at, perfect(HEX3)), rtol=1e-5)
    for cap in (5, 9):
        found = jax.jit(batched.chances, static_argnums=3)(at, padded(at, astray), padded(at, theirs), cap)
        wanted = [[seat.win, seat.loss] for seat in evaluate.chances(graph, astray, theirs, cap)]
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    assert int(batched.held(at, padded(at, ours))) == evaluate.held(solve(HEX3), ours).sum()


@pytest.mark.slow
def test_the_device_finds_the_same_of_the_l_game() -> None:
    graph, at = graph_of(LGAME), batched.graph_arrays(solve(LGAME))
    assert int(batched.held(at, batched.shares(at.holding))) == 18_248
    assert int(batched.held(at, batched.shares(at.valid))) == evaluate.held(solve(LGAME), evaluate.uniform(graph)).sum()
    found = jax.jit(batched.chances, static_argnums=3)(at, batched.shares(at.holding), batched.shares(at.valid), 6)
    wanted = evaluate.chances(graph, perfect(LGAME), evaluate.uniform(graph), 6)
    np.testing.assert_allclose(found, [[seat.win, seat.loss] for seat in wanted], rtol=1e-4, atol=1e-6)
