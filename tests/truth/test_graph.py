"""A game written down is the game: its positions, moves and children are those of the slow rules."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases import reference_of
from helpers.positions import stack
from helpers.text import refusal

from ludus.core.game import Game
from ludus.games import make_game
from ludus.truth import graph as graphs
from ludus.truth.graph import Graph, build

LGAME, HEX2, HEX3 = make_game("lgame"), make_game("hex", size=2), make_game("hex", size=3)
SWAP = make_game("hex", size=2, swap=True)


def sample(graph: Graph, count: int) -> list[int]:
    """The start, some finished positions and any others."""
    rng = np.random.default_rng(3)
    ends = rng.choice(np.flatnonzero(graph.over), count // 5, replace=False)
    return [0, *ends.tolist(), *rng.choice(graph.num_positions, count - count // 5, replace=False).tolist()]


def test_the_l_game_has_the_counts_it_should() -> None:
    graph = build(LGAME)
    count = np.diff(graph.first)
    assert graph.num_positions == len(graph.result) == 18_368
    assert graph.over.sum() == (count == 0).sum() == 120
    assert count[0] == 65
    assert count.max() == 221
    assert round(float(count.mean()), 1) == 88.9
    assert len(graph.child) == len(graph.action) == count.sum()
    np.testing.assert_array_equal(graph.result, np.where(graph.over, -1.0, 0.0))  # who cannot move has lost


@pytest.mark.parametrize("game", [LGAME, HEX2, HEX3], ids=lambda game: game.describe())
def test_moves_and_children_are_those_of_the_slow_rules(game: Game) -> None:
    graph, slow = build(game), reference_of(game)
    assert game.format(graph.state(0)) == game.format(game.init())
    finished = 0
    for index in range(graph.num_positions) if game == HEX2 else sample(graph, 25):
        state, moves = graph.state(index), slice(graph.first[index], graph.first[index + 1])
        text = game.format(state)
        named = {
            game.format_move(state, int(a)): int(to)
            for a, to in zip(graph.action[moves], graph.child[moves], strict=True)
        }
        assert sorted(named) == slow.moves(text)
        assert len(named) == moves.stop - moves.start
        assert (np.diff(graph.action[moves]) > 0).all()
        assert (graph.parent[moves] == index).all()
        if named:
            there = graph.find(stack([game.parse(slow.play(text, move)) for move in named]))
            assert there.tolist() == list(named.values())
            assert graph.result[index] == 0
        else:
            finished += 1
            result = slow.result(text)
            assert result is not None
            assert graph.result[index] == result[0]  # the mover sits in the first seat
    assert finished >= 5


def test_the_swap_is_written_down() -> None:
    graph, slow = build.__wrapped__(SWAP), reference_of(SWAP)
    for move in slow.moves(SWAP.format(SWAP.init())):
        text = slow.play(SWAP.format(SWAP.init()), move)
        number = graph.number(SWAP.parse(text))
        assert graph.first[number + 1] - graph.first[number] == len(slow.moves(text))


def test_positions_are_found_whoever_moves() -> None:
    graph = build(HEX3)
    pair = stack([HEX3.parse("B../.W./... b"), HEX3.parse("W../.B./... w")])  # the second: transposed, colours changed
    assert graph.find(pair)[0] == graph.find(pair)[1] == graph.number(HEX3.parse("W../.B./... w")) > 0
    starts = [LGAME.parse(text) for text in ("nAA./.BA./.BA./.BBn A", "nBB./.AB./.AB./.AAn B")]
    assert build(LGAME).find(stack(starts)).tolist() == [0, 0]
    numbers = np.arange(graph.num_positions)
    np.testing.assert_array_equal(graph.find(graph.states), numbers)


def test_a_position_that_cannot_arise_is_not_found() -> None:
    graph = build(HEX3)
    # Black had joined its edges before white's last stone.
    impossible = HEX3.parse("BWW/BW./B.. b")
    assert graph.find(stack([HEX3.init(), impossible])).tolist() == [0, -1]
    message = refusal(graph.number, impossible)
    assert "BWW/BW./B.. b" in message
    assert "cannot arise" in message


@pytest.mark.parametrize(("name", "options"), [("hex", {}), ("abalone", {})])
def test_a_large_game_is_refused(name: str, options: dict) -> None:
    game = make_game(name, **options)
    message = refusal(build, game)
    assert message.startswith(game.describe())
    assert "too many positions" in message


def test_reduce_goes_over_the_moves_of_each_position() -> None:
    graph = build(HEX2)
    per_move = np.random.default_rng(0).integers(-9, 9, (len(graph.child), 2))
    for operation, plain in ((np.maximum, np.max), (np.add, np.sum)):
        found = graph.reduce(operation, per_move, -99)
        for index in range(graph.num_positions):
            here = per_move[graph.first[index] : graph.first[index + 1]]
            assert found[index].tolist() == (plain(here, axis=0).tolist() if len(here) else [-99, -99])


@pytest.mark.parametrize(
    ("total", "by_two", "by_sixteen"),
    [
        (0, [32], [32]),
        (1, [32], [32]),
        (32, [32], [32]),
        (33, [64], [512]),
        (300, [512], [512]),
        (512, [512], [512]),
        (513, [512, 32], [512, 32]),
        (1100, [512, 512, 128], [512, 512, 512]),
    ],
)
def test_rows_in_chunks_are_all_the_rows(total: int, by_two: list[int], by_sixteen: list[int]) -> None:
    sizes: list[int] = []

    def double(tree: dict[str, np.ndarray], other: np.ndarray) -> dict[str, np.ndarray]:
        sizes.append(len(other))
        return {"sum": tree["a"] + other, "rows": tree["b"]}

    a, b = np.arange(total), np.arange(3 * total).reshape(total, 3)
    for step, calls in ((2, by_two), (16, by_sixteen)):
        sizes.clear()
        result = graphs.in_chunks(512, double, {"a": a, "b": b}, 2 * a, step=step)
        np.testing.assert_array_equal(result["sum"], 3 * a)
        np.testing.assert_array_equal(result["rows"], b)
        assert sizes == calls
