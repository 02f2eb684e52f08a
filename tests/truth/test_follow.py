"""Players followed through the rules: held to the proofs on the written-down graph, and every line replayed."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus.core.game import Game, compiled, legal_actions
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.truth import evaluate
from ludus.truth.follow import ALL, follow
from ludus.truth.graph import Graph, graph_policy
from ludus.truth.solve import solve

HEX2, HEX3, LGAME = Hex(size=2), Hex(size=3), LGame()


def chooser(policy: Any) -> Any:
    return lambda states: policy(jax.random.key(0), states)


def random_greedy(graph: Graph, seed: int, held: float = 0.0) -> np.ndarray:
    """One move in each position: any, or (in so many of them) one that holds the value."""
    rng = np.random.default_rng(seed)
    good = solve(graph.game).holding & (rng.random(graph.num_positions) < held)[graph.parent]
    return evaluate.greedy(graph, rng.random(len(graph.child)) + good)


def losing_line(graph: Graph, policy: np.ndarray, seat: int) -> int | None:
    """The length of the shortest line that beats the policy in this seat, by the graph."""
    line = evaluate._beating_line(graph, policy, seat)
    return None if line is None else len(line)


def replay(game: Game, line: tuple[int, ...], choose: Any, seat: int) -> float:
    """The player's result at a line's end; its moves in it are its own, the others legal."""
    state = game.init()
    for action in line:
        assert action in legal_actions(game, state)
        if int(compiled(game).player(state)) == seat:
            assert int(choose(jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state))[0]) == action
        state = compiled(game).step(state, jnp.int32(action))
    assert bool(compiled(game).done(state))
    return float(compiled(game).returns(state)[seat])


@pytest.mark.slow
@pytest.mark.parametrize("game", [HEX2, HEX3], ids=["hex 2", "hex 3"])
def test_no_defence_beats_perfect_play_in_the_first_seat(game: Hex) -> None:
    graph = solve(game).graph
    choose = chooser(graph_policy(graph, random_greedy(graph, 0, held=1.0) > 0))
    found = follow(game, choose, game.init(), 0)
    assert not found.beaten
    assert found.line == ()
    # In the second it is lost from the start, and a line shows it.
    found = follow(game, choose, game.init(), 1)
    assert found.beaten
    assert replay(game, found.line, choose, 1) == -1


@pytest.mark.slow
@pytest.mark.parametrize("game", [HEX2, HEX3], ids=["hex 2", "hex 3"])
def test_it_says_what_the_graph_says(game: Hex) -> None:
    graph = solve(game).graph
    outcomes = set()
    for seed, seat in itertools.product(range(2), (0, 1)):
        policy = random_greedy(graph, seed, held=0.9 if seed else 0.0)
        choose = chooser(graph_policy(graph, policy > 0))
        found = follow(game, choose, game.init(), seat)
        wanted = losing_line(graph, policy, seat)
        assert found.beaten == (wanted is not None)
        assert len(found.line) == (wanted or 0)
        if found.beaten:
            assert replay(game, found.line, choose, seat) == -1
        if seat == 0:
            assert evaluate.wins_from_start(graph, policy) == (not found.beaten)  # there are no draws
        outcomes.add(found.beaten)
    assert True in outcomes


@functools.cache
def weak() -> tuple[Any, Any]:
    """A player of 3 x 3 that some replies beat and others do not, and the moves that a rater likes."""
    graph = solve(HEX3).graph
    return chooser(graph_policy(graph, random_greedy(graph, 4, held=0.85) > 0)), graph


@pytest.mark.slow
def test_widths_say_how_many_replies_are_tried() -> None:
    choose, _ = weak()
    order = jnp.asarray(np.random.default_rng(0).permutation(9), jnp.float32)

    def rate(states: Any) -> Any:
        return jnp.broadcast_to(order[None], (len(states.mover), 9))

    everything = follow(HEX3, choose, HEX3.init(), 0)
    one = follow(HEX3, choose, HEX3.init(), 0, (1,), rate)
    assert one.positions <= 10  # a single line
    state, plies = HEX3.init(), 0
    while not bool(compiled(HEX3).done(state)):
        if int(compiled(HEX3).player(state)) == 0:
            action = int(choose(jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state))[0])
        else:
            action = max(legal_actions(HEX3, state), key=lambda a: float(order[a]))
        state, plies = compiled(HEX3).step(state, jnp.int32(action)), plies + 1
    assert one.positions == plies + 1
    assert one.beaten == (float(compiled(HEX3).returns(state)[0]) < 0)
    # At the first turn all eight, and one from then on: eight lines, or fewer positions where they meet.
    wide = follow(HEX3, choose, HEX3.init(), 0, (ALL, 1), rate)
    assert one.positions < wide.positions <= 2 + 8 * 8
    two = follow(HEX3, choose, HEX3.init(), 0, (2, 1), rate)
    assert one.positions < two.positions <= wide.positions
    assert everything.beaten or not wide.beaten
    assert follow(HEX3, choose, HEX3.init(), 0, (9,), rate) == everything
    assert follow(HEX3, choose, HEX3.init(), 0, (1,)) == everything  # nobody says which


def test_it_begins_anywhere() -> None:
    state = HEX2.parse("BW/.. b")
    good, bad = (lambda states, a=a: jnp.full(len(states.mover), a, jnp.int32) for a in (2, 3))
    assert not follow(HEX2, good, state, 0).beaten
    assert follow(HEX2, bad, state, 0).line == (3, 2)


# --- what the graph says, by recursion ----------------------------------------------------------------------


def minimax(graph: Graph) -> dict[int, int]:
    """The value of every position of a game that ends, as one would write it down."""

    @functools.cache
    def value(index: int) -> int:
        moves = range(graph.first[index], graph.first[index + 1])
        return max((-value(int(graph.child[m])) for m in moves), default=int(graph.result[index]))

    return {index: value(index) for index in range(graph.num_positions)}


@pytest.mark.parametrize("seed", range(3))
def test_a_policy_holds_a_position_where_all_it_may_play_does(seed: int) -> None:
    graph, value = solve(HEX2).graph, minimax(solve(HEX2).graph)
    played = np.random.default_rng(seed).random(len(graph.child)) < 0.5
    played[graph.first[:-1][~graph.over]] = True
    found = evaluate.held(solve(HEX2), graph.among(played))
    for index in range(graph.num_positions):
        moves = [m for m in range(graph.first[index], graph.first[index + 1]) if played[m]]
        assert found[index] == (bool(moves) and all(-value[int(graph.child[m])] == value[index] for m in moves))
    assert found.any()
    assert not found[~graph.over].all()


def wins_by_recursion(graph: Graph, policy: np.ndarray, cap: int) -> bool:
    """Whether the policy wins within so many plies, whatever it plays of what it may and whatever the other does."""

    @functools.cache
    def wins(index: int, ours: bool, left: int) -> bool:
        if graph.over[index]:
            return (graph.result[index] > 0) == ours and graph.result[index] != 0
        moves = range(graph.first[index], graph.first[index + 1])
        return left > 0 and all(
            wins(int(graph.child[m]), not ours, left - 1) for m in moves if policy[m] > 0 or not ours
        )

    return wins(0, True, cap)


@pytest.mark.parametrize("game", [HEX2, HEX3], ids=["hex 2", "hex 3"])
def test_a_policy_that_wins_first_beats_every_defence(game: Hex) -> None:
    graph, found = solve(game).graph, set()
    policies = [graph.among(solve(game).holding), evaluate.uniform(graph)]
    policies += [random_greedy(graph, seed, held=0.97) for seed in range(4)]
    for policy in policies:
        wins = evaluate.wins_from_start(graph, policy)
        assert wins == wins_by_recursion(graph, policy, game.max_plies)
        found.add(wins)
    assert found == {True, False}


def test_a_draw_is_no_win() -> None:
    perfect = solve(LGAME).graph.among(solve(LGAME).holding)
    assert evaluate.prove(solve(LGAME).graph, perfect).unbeatable
    assert not evaluate.wins_from_start(solve(LGAME).graph, perfect)
