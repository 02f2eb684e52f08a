"""Values and distances, held to slow recursion over texts, to their own definition and to the L-Game's counts."""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np
import pytest
from helpers.cases import reference_of

from ludus.core.game import Game, compiled
from ludus.games import make_game
from ludus.truth.graph import build
from ludus.truth.solve import SolvedGraph, solve, solve_graph

LGAME, HEX2, HEX3 = make_game("lgame"), make_game("hex", size=2), make_game("hex", size=3)


def test_the_l_game_has_the_values_it_should() -> None:
    solution = solve(LGAME)
    assert Counter(solution.value.tolist()) == {1: 8_048, -1: 232, 0: 10_088}
    assert Counter(solution.plies[solution.value < 0].tolist()) == {0: 120, 2: 24, 4: 24, 6: 40, 8: 24}
    assert set(solution.plies[solution.value > 0].tolist()) == {1, 3, 5, 7, 9}
    assert (solution.plies[solution.value == 0] == -1).all()
    assert solution.value[solution.graph.over].tolist() == [-1] * 120
    assert solution.value[0] == 0


def slow_solution(game: Game) -> dict[str, tuple[int, int]]:
    """Every position of real play by its text: the mover's value and the plies to the end."""
    slow = reference_of(game)
    found: dict[str, tuple[int, int]] = {}

    def visit(text: str, seat: int) -> tuple[int, int]:
        if text not in found:
            result = slow.result(text)
            if result is not None:
                found[text] = int(result[seat]), 0
            else:
                after = [visit(slow.play(text, move), 1 - seat) for move in slow.moves(text)]
                moves = [(-value, plies + 1) for value, plies in after]
                best = max(value for value, _ in moves)
                lengths = [plies for value, plies in moves if value == best]
                found[text] = best, min(lengths) if best > 0 else max(lengths)
        return found[text]

    visit(game.format(game.init()), 0)
    return found


def mirrored(text: str) -> str:
    """A Hex position as black to move would see it: white's is turned over at the diagonal, the colours changed."""
    placement, mover = text.split()
    if mover == "b":
        return text
    turned = "/".join("".join(column) for column in zip(*placement.split("/"), strict=True))
    return turned.translate(str.maketrans("BW", "WB")) + " b"


@pytest.mark.parametrize("game", [HEX2, HEX3], ids=lambda game: game.describe())
def test_every_position_has_the_value_and_plies_of_slow_recursion(game: Game) -> None:
    solution = solve(game)
    wanted = {mirrored(text): answer for text, answer in slow_solution(game).items()}
    texts = [game.format(solution.graph.state(index)) for index in range(solution.graph.num_positions)]
    pairs = zip(solution.value.tolist(), solution.plies.tolist(), strict=True)
    assert dict(zip(texts, pairs, strict=True)) == wanted
    assert len(texts) == len(wanted)


def test_with_the_swap_the_second_player_wins() -> None:
    game = make_game("hex", size=2, swap=True)
    value, plies = slow_solution(game)[game.format(game.init())]
    solution = solve_graph(build.__wrapped__(game))
    assert value == -1
    assert (solution.value[0], solution.plies[0]) == (value, plies)


@pytest.mark.parametrize("game", [LGAME, HEX3], ids=lambda game: game.describe())
def test_values_are_proved_by_their_moves(game: Game) -> None:
    """A win has a move to a lost position one ply nearer the end, a loss only moves to won ones, the rest neither."""
    solution = solve(game)
    parent, child = solution.graph.parent, solution.graph.child
    value, plies, size = solution.value, solution.plies, solution.graph.num_positions
    after_loss, after_win = value[child] == -1, value[child] == 1
    soonest, latest, moves, bad, drawn = np.full(size, 10**6), np.zeros(size, int), *np.zeros((3, size), int)
    np.minimum.at(soonest, parent[after_loss], plies[child][after_loss] + 1)
    np.maximum.at(latest, parent, plies[child] + 1)
    np.add.at(moves, parent, 1)
    np.add.at(bad, parent[after_win], 1)
    np.add.at(drawn, parent[value[child] == 0], 1)
    over = moves == 0
    np.testing.assert_array_equal(value == 1, soonest < 10**6)
    np.testing.assert_array_equal((value == -1) & ~over, (bad == moves) & ~over)
    np.testing.assert_array_equal(plies[value == 1], soonest[value == 1])
    lost = (value == -1) & ~over
    np.testing.assert_array_equal(plies[lost], latest[lost])
    assert (plies[over] == 0).all()
    assert (drawn[(value == 0) & ~over] > 0).all()


def test_the_winning_openings_of_hex_3() -> None:
    solution = solve(HEX3)
    graph = solution.graph
    moves = range(graph.first[0], graph.first[1])
    winning = [
        HEX3.format_move(graph.state(0), int(graph.action[move])) for move in moves if solution.move_value[move] == 1
    ]
    assert sorted(winning) == ["a2", "a3", "b2", "c1", "c2"]
    assert [bool(solution.holding[move]) for move in moves] == [solution.move_value[move] == 1 for move in moves]


@pytest.mark.parametrize("game", [LGAME, HEX3], ids=lambda game: game.describe())
def test_holding_and_hardest_moves_one_position_at_a_time(game: Game) -> None:
    solution = solve(game)
    graph = solution.graph
    decided = np.flatnonzero((solution.value != 0) & ~graph.over)
    chosen = np.random.default_rng(4).choice(decided, 150, replace=False).tolist()
    chosen += (
        np.flatnonzero((solution.value < 0) & ~graph.over)[:150].tolist()
        + np.flatnonzero(solution.value == 0)[:50].tolist()
    )
    for index in chosen:
        moves = range(graph.first[index], graph.first[index + 1])
        value, after = solution.value[index], [graph.child[move] for move in moves]
        holds = [-solution.value[child] == value for child in after]
        lengths = [int(solution.plies[child]) for child, hold in zip(after, holds, strict=True) if hold]
        wanted = min(lengths) if value > 0 else max(lengths)
        hardest = [
            hold and (value == 0 or solution.plies[child] == wanted) for child, hold in zip(after, holds, strict=True)
        ]
        assert solution.holding[moves.start : moves.stop].tolist() == holds
        assert solution.hardest[moves.start : moves.stop].tolist() == hardest
        assert any(hardest)


@functools.cache
def won_positions(game: Game) -> list[int]:
    """A few for each distance there is, and the start if it is won."""
    solution, rng = solve(game), np.random.default_rng(5)
    lengths = np.unique(solution.plies[solution.value > 0])
    found = [rng.choice(np.flatnonzero((solution.value > 0) & (solution.plies == plies)), 3) for plies in lengths]
    return [*np.concatenate(found).tolist(), *([0] if solution.value[0] > 0 else [])]


def played_out(solution: SolvedGraph, index: int, loser: np.ndarray, rng: np.random.Generator) -> int:
    """Plies until the winner, playing the hardest moves, has won by the rules themselves."""
    graph, game = solution.graph, solution.graph.game
    state, winner, plies = graph.state(index), 0, 0
    while not compiled(game).done(state):
        number = graph.number(state)
        moves = np.arange(graph.first[number], graph.first[number + 1])
        seat = int(compiled(game).player(state))
        allowed = moves[(solution.hardest if seat == winner else loser)[moves]]
        action = graph.action[rng.choice(allowed)]
        if game.name == "hex" and seat == 1:
            action = action % 3 * 3 + action // 3  # white's canonical board is transposed
        state = compiled(game).step(state, np.int32(action))
        plies += 1
    assert compiled(game).returns(state)[winner] == 1
    return plies


@pytest.mark.parametrize("game", [LGAME, HEX3], ids=lambda game: game.describe())
def test_the_hardest_win_takes_its_plies_and_no_defence_lasts_longer(game: Game) -> None:
    solution, rng = solve(game), np.random.default_rng(6)
    shorter = 0
    for index in won_positions(game):
        assert played_out(solution, index, solution.hardest, rng) == solution.plies[index]
        careless = played_out(solution, index, np.ones_like(solution.hardest), rng)
        assert careless <= solution.plies[index]
        shorter += careless < solution.plies[index]
    assert shorter > 0
