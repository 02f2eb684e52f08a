"""Grades on larger Hex boards, held on a small one to the solution of the whole game, and to players made up."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.cases import reference_of
from helpers.text import refusal

from ludus.agents.network import NetworkPlayer
from ludus.agents.perfect import PerfectPlayer
from ludus.core.game import Game
from ludus.games.hex import grade as hex_grade
from ludus.games.hex.grade import all_won, grade, judge_openings, share_held, state_of
from ludus.games.hex.rules import Hex, State, geometry
from ludus.games.hex.solver import tablebase as hex_tablebase
from ludus.learners.recipe import Recipe
from ludus.play.batched import Batched
from ludus.play.player import Player, RandomPlayer
from ludus.play.policies import best_moves, to_actions
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import Effort
from ludus.truth.solve import solve

HEX3, HEX4 = Hex(size=3), Hex(size=4)


@pytest.mark.parametrize("game", [HEX3, HEX4], ids=["3", "4"])
def test_a_position_by_its_stones_is_the_one_read_from_text(game: Hex) -> None:
    rng, cells, place = np.random.default_rng(0), game.size**2, jax.jit(functools.partial(state_of, game))
    for _ in range(12):
        count = rng.integers(0, cells // 2 + 1)
        letters = rng.permutation(list("B" * count + "W" * count + "." * (cells - 2 * count)))
        rows = ["".join(row) for row in letters.reshape(game.size, game.size)]
        found = place(jnp.asarray(letters == "B"), jnp.asarray(letters == "W"))
        wanted = game.parse("/".join(rows) + " b")
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            np.testing.assert_array_equal(a, b)


# --- won positions ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3])
def test_every_won_position_is_there_once(size: int) -> None:
    solution = solve(Hex(size=size))
    sets = [cells.tolist() for cells in all_won(size)]
    assert len(sets[0]) == ((solution.value > 0) & ~solution.graph.over).sum()
    assert len({(a, b) for a, b, _ in zip(*sets, strict=True)}) == len(sets[0])
    for a, b, winning in zip(*sets, strict=True):
        assert winning
        assert not winning & (a | b)


@pytest.mark.slow
def test_the_won_positions_of_four() -> None:
    assert len(all_won(4)[0]) == 5_896_679


# --- players ------------------------------------------------------------------------------------------------


class Told(Player):
    """A player whose weights are a table of the board of 3, and who says of a move what `says` makes of whether it
    wins.
    """

    name = "told"

    def __init__(self, says: Callable[[Any], Any]) -> None:
        table = hex_tablebase.tablebase(3)
        self.says = says
        self.weights = jnp.asarray(table.keys), jnp.asarray(hex_grade.planes(3, table.winning))

    def batched(self, game: Game) -> Batched:
        """The first of the best moves, in the mover's view."""
        values = _values(self.says)

        def one(weights: Any, state: State) -> Any:
            view = game.canonical(state)
            rated = jnp.where(game.legal(view), values(weights, view), -9)
            return game.canonical_action(state, rated.argmax().astype(jnp.int32))

        return Batched(lambda weights: lambda key, states: jax.vmap(one, (None, 0))(weights, states), self.weights)

    def choices(self, game: Game) -> Any:
        return _choices(self.says, game)

    def ratings(self, game: Game, lookahead: bool = True) -> Any:
        return _values(self.says)

    def expected(self, game: Game) -> Any:
        return _values(self.says)


@functools.cache
def _values(says: Any) -> Any:
    powers = 1 << np.arange(9, dtype=np.uint32)

    def values(weights: Any, state: State) -> Any:
        keys, winning = weights
        view = HEX3.canonical(state)
        own, other = (
            (side.stones.plane(geometry(3).cells).astype(jnp.uint32) * powers).sum(dtype=jnp.uint32)
            for side in (view.own, view.other)
        )
        row = winning[jnp.searchsorted(keys, own | other << np.uint32(hex_tablebase.SHIFT))]
        return to_actions(HEX3, state, says(row.astype(jnp.float32)))

    return values


@functools.cache
def _choices(says: Any, game: Game) -> Any:
    def choices(weights: Any, state: State) -> Any:
        best = best_moves(_values(says)(weights, state), game.legal(state)).astype(jnp.float32)
        return best / best.sum()

    return choices


def right(winning: Any) -> Any:
    return 2 * winning - 1


def wrong(winning: Any) -> Any:
    return 1 - 2 * winning


def nothing(winning: Any) -> Any:
    return jnp.ones_like(winning)


def some_agent(learner: str, seed: int) -> NetworkPlayer:
    recipe = Recipe.of("", learner, hidden=(16,))
    state = recipe.learner.init(recipe.config, HEX3, jax.random.key(seed))
    return NetworkPlayer("", recipe, recipe.learner.weights(state))


def popcounts(cells: np.ndarray) -> np.ndarray:
    return np.array([int(c).bit_count() for c in cells])


def test_what_is_held_by_who_knows_all_who_errs_and_who_knows_nothing() -> None:
    own, other, winning = all_won(3)
    assert (share_held(Told(right), HEX3, own, other, winning) == 1).all()
    empty, wins = 9 - popcounts(own | other), popcounts(winning)
    np.testing.assert_array_equal(share_held(Told(wrong), HEX3, own, other, winning), empty == wins)
    np.testing.assert_allclose(share_held(Told(nothing), HEX3, own, other, winning), wins / empty, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("learner", ["negamax", "afterstate"])
def test_an_agent_is_graded_as_on_the_written_down_game(learner: str, seed: int) -> None:
    agent = some_agent(learner, seed)
    found, wanted = grade(agent, HEX3, Effort.WHOLE), GraphTruth(HEX3).grade(agent, Effort.QUICK)
    assert found.every
    assert found.won_positions == wanted.won_positions
    # Of moves that tie, the one counts what share of them hold the win, the other whether all do.
    solution = solve(HEX3)
    graph, won = solution.graph, (solution.value > 0) & ~solution.graph.over
    held = graph.reduce(np.add, agent.probabilities(graph) * solution.holding, 0)[won]
    assert found.held == pytest.approx(held.mean(), abs=1e-6)
    assert found.held == pytest.approx(wanted.won_held, abs=2 / won.sum())
    assert 0.3 < found.held < 1
    assert found.first_player_win == wanted.first_player_win
    assert found.to_json()["held"] == found.held
    assert bool(found.beaten_by) == (not found.first_player_win)
    slow, text = reference_of(HEX3), HEX3.format(HEX3.init())
    for move in found.beaten_by:
        assert move in slow.moves(text)
        text = slow.play(text, move)
    if found.beaten_by:
        assert slow.result(text) == (-1, 1)


@pytest.mark.slow
def test_openings_are_judged_by_the_sign_of_their_values() -> None:
    graph, values = solve(HEX3).graph, solve(HEX3).move_value
    start = slice(graph.first[0], graph.first[1])
    wins = np.zeros(9, bool)
    wins[graph.action[start]] = values[start] > 0
    assert 0 < wins.sum() < 9
    for says, count in ((right, 9), (wrong, 0), (nothing, wins.sum())):
        found, total, truth = judge_openings(Told(says), HEX3)
        assert (found, total) == (count, 9)
        np.testing.assert_array_equal(truth, wins)


@pytest.mark.slow
def test_after_an_opening_every_defence_is_followed_or_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a board of 3, as if it were too large for a table; a player who knows all, and one who has learned nothing."""
    monkeypatch.setattr(hex_tablebase, "MAX_SIZE", 2)
    monkeypatch.setattr(hex_grade, "SAMPLES", {3: 64})
    monkeypatch.setattr(hex_grade, "WIDTHS", (1,))
    said: list[tuple[str, bool]] = []
    whole = grade(Told(right), HEX3, Effort.EVERY_DEFENCE, lambda sentence, last: said.append((sentence, last)))
    assert whole.every_defence
    assert whole.first_player_win
    assert whole.held == 1
    assert (whole.openings_right, whole.openings) == (9, 9)
    ends = [sentence for sentence, last in said if last]
    assert whole.wins_from == whole.winning_openings == tuple(sentence.split()[1].rstrip(":") for sentence in ends)
    assert not any("beaten" in sentence for sentence in ends)
    assert sum(int(sentence.split()[2].replace(",", "")) for sentence in ends) == whole.followed
    assert len(said) > len(ends)
    assert whole.to_json()["replies_tried"] == ["all"]
    part = grade(Told(right), HEX3, Effort.WHOLE)
    assert not part.every_defence
    assert part.first_player_win is None
    assert part.wins_from == whole.wins_from
    assert 0 < part.followed < whole.followed
    quick = grade(Told(right), HEX3, Effort.QUICK)
    assert (quick.held, quick.openings_right, quick.wins_from, quick.followed) == (1, 9, None, 0)
    said.clear()
    bad = grade(Told(wrong), HEX3, Effort.EVERY_DEFENCE, lambda sentence, last: said.append((sentence, last)))
    assert bad.first_player_win is False
    assert bad.wins_from == ()
    assert all(sentence.endswith(", beaten") for sentence, last in said if last)
    slow, text = reference_of(HEX3), HEX3.format(HEX3.init())
    for move in bad.beaten_by:
        text = slow.play(text, move)
    assert slow.result(text) == (-1, 1)


@pytest.mark.slow
def test_sampled_positions_are_won_and_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hex_grade, "SAMPLES", {3: 64})
    own, other, winning = hex_grade.sampled.__wrapped__(HEX3)
    table = hex_tablebase.tablebase(3)
    rows = table.find(own, other)
    assert 10 < len(rows) < 64
    assert (rows >= 0).all()
    assert (winning > 0).all()
    np.testing.assert_array_equal(table.winning[rows], winning)


def test_any_agent_that_can_say_how_it_chooses_is_graded() -> None:
    """On 3 x 3: at random, every winning move counts for its share. Perfect play is looked up, so it cannot say."""
    own, other, winning = all_won(3)
    shares = popcounts(winning) / (9 - popcounts(own | other))
    np.testing.assert_allclose(share_held(RandomPlayer(), HEX3, own, other, winning), shares, rtol=1e-6)
    agent: Player = PerfectPlayer()
    text = refusal(lambda: share_held(agent, HEX4, own, other, winning))
    assert agent.name in text
    assert "hex size=4" in text
