"""What is known of Hex at which size; and that the graph, the table and the search give the same answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.batched import unstack
from helpers.positions import random_positions
from helpers.text import refusal

from ludus.games.hex.rules import Hex
from ludus.games.hex.truth import ProverTruth, TablebaseTruth
from ludus.truth import truth_of
from ludus.truth.answers import Values
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import Effort, Truth
from ludus.truth.sampled import Unsolved

HEX3 = Hex(size=3)
BOTH = ("perfect", "perfect:hardest")
QUICK, WHOLE, EVERY_DEFENCE = Effort


@pytest.mark.parametrize(
    ("sizes", "swap", "kind", "solvers", "grades"),
    [
        ((2, 3), False, GraphTruth, BOTH, (QUICK, WHOLE)),
        ((2, 3), True, GraphTruth, BOTH, (QUICK, WHOLE)),
        ((4,), False, TablebaseTruth, ("perfect",), (QUICK, WHOLE)),
        ((5,), False, ProverTruth, ("perfect",), (QUICK, WHOLE, EVERY_DEFENCE)),
        ((6,), False, ProverTruth, ("perfect",), (QUICK, WHOLE)),
        ((7,), False, ProverTruth, ("perfect",), (WHOLE,)),
        ((8,), False, ProverTruth, (), ()),
        ((9, 11, 19), False, Unsolved, (), ()),
        ((4, 5, 11), True, Unsolved, (), ()),
    ],
)
def test_what_is_known_at_which_size(sizes: tuple, swap: bool, kind: type, solvers: tuple, grades: tuple) -> None:
    for size in sizes:
        truth = truth_of(Hex(size=size, swap=swap))
        assert isinstance(truth, Truth)
        assert type(truth) is kind
        assert truth.solvers == solvers
        assert truth.grades == grades


@pytest.mark.parametrize(
    ("game", "ask", "message"),
    [
        (Hex(4), lambda t: t.policy(hardest=True), "there is no perfect:hardest for hex size=4 swap=False, only for "),
        (Hex(8), lambda t: t.policy(), "perfect plays hex on boards of 2 to 7, not 8; "),
        (
            Hex(5),
            lambda t: t.count(),
            "hex size=5 swap=False has too many positions to count; boards go up to 4 there.",
        ),
        (Hex(9), lambda t: t.solve(Hex(9).init()), "hex is solved on boards of 2 to 8, not 9; "),
        (Hex(9), lambda t: t.policy(), "hex is solved on boards of 2 to 8, not 9; "),
        (
            Hex(4, swap=True),
            lambda t: t.count(),
            "hex is solved with the swap rule on boards of 2 and 3 alone, not 4; ",
        ),
    ],
)
def test_what_is_not_known_is_refused(game: Hex, ask: Any, message: str) -> None:
    assert refusal(ask, truth_of(game)).startswith(message)


@pytest.mark.slow
@pytest.mark.parametrize("truth", [TablebaseTruth(HEX3), ProverTruth(HEX3)], ids=["table", "search"])
def test_answers_are_those_of_the_graph(truth: TablebaseTruth | ProverTruth) -> None:
    states = random_positions(HEX3, 40)
    for i in range(40):
        state = unstack(states, i)
        found, wanted = truth.solve(state), GraphTruth(HEX3).solve(state)
        text = HEX3.format(state)
        assert found.value == wanted.value, text
        assert (found.winner, found.winning_moves) == (wanted.winner, wanted.winning_moves), text
        assert [move.value for move in found.moves] == [move.value for move in wanted.moves], text
        assert _by_name(found, found.search is None) == _by_name(wanted, found.search is None), text
        if found.search is None:
            assert found.plies == wanted.plies, text
            assert [move.plies for move in found.moves] == [move.plies for move in wanted.moves], text
            assert found.to_json() == {**wanted.to_json(), "moves": found.to_json()["moves"]}
        json.dumps(found.to_json())
        marked = sum(line.count("+") for line in found.lines()[0].split("\n"))
        assert marked == len(wanted.winning_moves), text


def _by_name(answer: Values, with_plies: bool) -> dict[str, tuple[int | None, int | None]]:
    return {move.move: (move.value, move.plies if with_plies else None) for move in answer.moves}


@pytest.mark.parametrize(
    "truth", [GraphTruth(HEX3), TablebaseTruth(HEX3), ProverTruth(HEX3)], ids=["graph", "table", "search"]
)
def test_a_position_that_cannot_arise_is_refused(truth: Truth) -> None:
    """Black had joined its edges before white's last stone."""
    message = refusal(truth.solve, HEX3.parse("BWW/BW./B.. b"))
    assert message == "hex position 'BWW/BW./B.. b' cannot arise in a game."


def test_the_table_counts_what_the_graph_counts() -> None:
    found, wanted = TablebaseTruth(HEX3).count().to_json(), GraphTruth(HEX3).count().to_json()
    assert found.pop("mean_moves") == pytest.approx(wanted.pop("mean_moves"))
    assert found == wanted
    assert wanted["positions"] == 5_514
    assert wanted["win"] + wanted["loss"] == 5_514
    assert sum(wanted["loss_plies"].values()) == wanted["loss"]
