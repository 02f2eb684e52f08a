"""Proofs that a policy is unbeatable, shortest lines that beat one, and the positions that it holds."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from helpers.cases import reference_of
from helpers.exact import children, graph_of, perfect, random_policy

from ludus.core.game import Game
from ludus.games import make_game
from ludus.truth import evaluate
from ludus.truth.graph import Graph
from ludus.truth.solve import solve

LGAME, HEX2, HEX3 = make_game("lgame"), make_game("hex", size=2), make_game("hex", size=3)


def distances(graph: Graph, policy: np.ndarray, seat: int) -> dict[tuple[int, bool], int]:
    """Breadth first by hand: the plies to every position that can arise, with the policy to move or not."""
    start = (0, seat == 0)
    found: dict[tuple[int, bool], int] = {start: 0}
    queue: deque[tuple[int, bool]] = deque([start])
    while queue:
        here = queue.popleft()
        for move, to in children(graph)[here[0]]:
            there = to, not here[1]
            if (policy[move] > 0 or not here[1]) and there not in found:
                found[there] = found[here] + 1
                queue.append(there)
    return found


def shortest_loss(graph: Graph, policy: np.ndarray, seat: int) -> int | None:
    lost = [
        plies
        for (index, we_move), plies in distances(graph, policy, seat).items()
        if graph.over[index] and (graph.result[index] < 0) == we_move
    ]
    return min(lost, default=None)


def check_line(graph: Graph, policy: np.ndarray, proof: evaluate.PolicyProof) -> None:
    """A line from the start, by moves of the policy and any others, that ends with the policy beaten."""
    index, we_move = 0, proof.seat == 0
    for move in proof.line:
        assert graph.parent[move] == index
        assert policy[move] > 0 or not we_move
        index, we_move = graph.child[move], not we_move
    assert graph.over[index]
    assert (graph.result[index] < 0) == we_move


@pytest.mark.parametrize("game", [HEX2, HEX3], ids=["hex 2", "hex 3"])
@pytest.mark.parametrize("seed", range(4))
def test_a_refutation_is_the_shortest_there_is(game: Game, seed: int) -> None:
    graph = graph_of(game)
    policy = perfect(game) if seed == 0 else evaluate.greedy(graph, random_policy(graph, seed))
    proof = evaluate.prove(graph, policy)
    by_seat = [shortest_loss(graph, policy, seat) for seat in (0, 1)]
    lengths = [length for length in by_seat if length is not None]
    assert not proof.unbeatable  # the second player of Hex can always be beaten
    assert proof.seat is not None
    assert len(proof.line) == min(lengths) == by_seat[proof.seat]
    check_line(graph, policy, proof)
    if seed == 0:
        assert by_seat[0] is None
        assert proof.seat == 1


def test_random_play_of_the_l_game_is_refuted_by_the_shortest_line() -> None:
    graph = graph_of(LGAME)
    proof = evaluate.prove(graph, evaluate.uniform(graph))
    check_line(graph, evaluate.uniform(graph), proof)
    assert len(proof.line) == 2


def test_perfect_play_of_the_l_game_is_proved_unbeatable() -> None:
    graph = graph_of(LGAME)
    for policy in (perfect(LGAME), graph.among(solve(LGAME).hardest)):
        assert evaluate.prove(graph, policy) == evaluate.PolicyProof(True, None, ())
        assert evaluate.held(solve(LGAME), policy).sum() == 18_248


def planted(graph: Graph, policy: np.ndarray, index: int) -> np.ndarray:
    """The policy with a move that loses at one position."""
    here = np.arange(graph.first[index], graph.first[index + 1])
    worst = here[np.argmin(solve(graph.game).move_value[here])]
    changed = policy.copy()
    changed[here] = 0
    changed[worst] = 1
    return changed


@pytest.mark.slow
def test_one_blunder_is_refuted_where_it_can_arise_and_only_there() -> None:
    solution, graph = solve(LGAME), graph_of(LGAME)
    policy = evaluate.greedy(graph, solution.hardest.astype(float))
    assert evaluate.prove(graph, policy).unbeatable
    arising = [distances(graph, policy, seat) for seat in (0, 1)]
    worst = graph.reduce(np.minimum, solution.move_value, 1)
    risky = np.flatnonzero((solution.value == 0) & (worst < 0)).tolist()
    met = [index for index in risky if any((index, True) in seat for seat in arising)]
    never = [index for index in risky if not any((index, True) in seat for seat in arising)]
    slow = reference_of(LGAME)
    for index in met[0], met[len(met) // 2], met[-1]:
        blunder = planted(graph, policy, index)
        assert evaluate.held(solution, blunder).sum() == 18_247
        proof = evaluate.prove(graph, blunder)
        assert not proof.unbeatable
        check_line(graph, blunder, proof)
        assert index in graph.parent[list(proof.line)]
        text = LGAME.format(LGAME.init())
        for move in proof.line:  # by the slow rules, with A and B taking turns
            seen = graph.number(LGAME.parse(text))
            assert seen == graph.parent[move]
            text = slow.play(text, LGAME.format_move(graph.state(seen), int(graph.action[move])))
        assert slow.moves(text) == []
        assert "AB".index(text[-1]) == proof.seat
    blunder = planted(graph, policy, never[0])
    assert evaluate.held(solution, blunder).sum() == 18_247
    assert evaluate.prove(graph, blunder).unbeatable


def test_positions_held_one_at_a_time() -> None:
    solution, graph = solve(HEX3), graph_of(HEX3)
    for policy in (random_policy(graph, 7, played=0.2), evaluate.greedy(graph, random_policy(graph, 8))):
        wanted = []
        for index, moves in enumerate(children(graph)):
            played = [to for move, to in moves if policy[move] > 0]
            wanted.append(bool(played) and all(-solution.value[to] == solution.value[index] for to in played))
        assert evaluate.held(solution, policy).tolist() == wanted
        assert 0 < sum(wanted) < (~graph.over).sum()
