"""Grades on larger Hex boards, held on a small one to the solution of the whole game, and to players made up."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.cases import reference_of
from helpers.text import refusal

from ludus.games.hex import truth as grading_hex
from ludus.games.hex.rules import Hex, State, geometry
from ludus.games.hex.solver import table as hex_table
from ludus.games.hex.truth import all_won, can_be_graded, grade_hex, judge_openings, share_held, state_of
from ludus.learners import afterstate
from ludus.learners import negamax as neurohex
from ludus.training.agents import RandomAgent, TrainedAgent
from ludus.training.recipes import Recipe
from ludus.truth.grade import grade
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


@dataclass(frozen=True)
class Told(Recipe):
    """A learner whose network is a table of the board of 3, and says of a move what `says` makes of whether it wins."""

    says: Any = None

    def rating(self, game: Any) -> Any:
        return _rating(self.says)


@functools.cache
def _rating(says: Any) -> Any:
    powers = 1 << np.arange(9, dtype=np.uint32)

    def values(network: Any, state: State) -> Any:
        keys, winning = network
        own, other = (
            (side.stones.plane(geometry(3).cells).astype(jnp.uint32) * powers).sum(dtype=jnp.uint32)
            for side in (state.own, state.other)
        )
        return says(winning[jnp.searchsorted(keys, own | other << np.uint32(hex_table.SHIFT))].astype(jnp.float32))

    return values


def right(winning: Any) -> Any:
    return 2 * winning - 1


def wrong(winning: Any) -> Any:
    return 1 - 2 * winning


def nothing(winning: Any) -> Any:
    return jnp.ones_like(winning)


def told(says: Callable[[Any], Any]) -> TrainedAgent:
    table = hex_table.table(3)
    network = jnp.asarray(table.keys), jnp.asarray(grading_hex.planes(3, table.winning))
    return TrainedAgent("", Told("", "neurohex", neurohex.Config(), says=says), network)


def some_agent(seed: int) -> TrainedAgent:
    config = neurohex.Config(hidden=(16,))
    return TrainedAgent("", Recipe("", "neurohex", config), neurohex._network(config, HEX3, jax.random.key(seed)))


def popcounts(cells: np.ndarray) -> np.ndarray:
    return np.array([int(c).bit_count() for c in cells])


def test_what_is_held_by_who_knows_all_who_errs_and_who_knows_nothing() -> None:
    own, other, winning = all_won(3)
    assert (share_held(told(right), HEX3, own, other, winning) == 1).all()
    empty, wins = 9 - popcounts(own | other), popcounts(winning)
    np.testing.assert_array_equal(share_held(told(wrong), HEX3, own, other, winning), empty == wins)
    np.testing.assert_allclose(share_held(told(nothing), HEX3, own, other, winning), wins / empty, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_an_agent_is_graded_as_on_the_written_down_game(seed: int) -> None:
    agent = some_agent(seed)
    found, wanted = grade_hex(agent, HEX3), grade(agent, HEX3, matches=False)
    assert found.every
    assert found.won_positions == wanted.won_positions
    # Of moves that tie, the one counts what share of them keep the win, the other whether all do.
    solution = solve(HEX3)
    graph, won = solution.graph, (solution.value > 0) & ~solution.graph.over
    kept = graph.reduce(np.add, agent.probabilities(graph) * solution.preserving, 0)[won]
    assert found.held == pytest.approx(kept.mean(), abs=1e-6)
    assert found.held == pytest.approx(wanted.held, abs=2 / won.sum())
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
        found, total, truth = judge_openings(told(says), HEX3)
        assert (found, total) == (count, 9)
        np.testing.assert_array_equal(truth, wins)


@pytest.mark.slow
def test_after_an_opening_every_defence_is_followed_or_some(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a board of 3, as if it were too large for a table; a player who knows all, and one who has learned nothing."""
    monkeypatch.setattr(hex_table, "MAX_SIZE", 2)
    monkeypatch.setattr(grading_hex, "SAMPLE", 64)
    monkeypatch.setattr(grading_hex, "WIDTHS", (1,))
    monkeypatch.setattr(TrainedAgent, "policy", lambda self, game: best_by(self, game))
    seen: list[tuple[str, bool]] = []

    def watch(name: str, ply: int, positions: int, beaten: bool | None) -> None:
        if beaten is not None:
            seen.append((name, beaten))

    whole = grade_hex(told(right), HEX3, every_defence=True, watch=watch)
    assert whole.every_defence
    assert whole.first_player_win
    assert whole.wins_from == whole.winning_openings == tuple(name for name, _ in seen)
    assert not any(beaten for _, beaten in seen)
    assert whole.to_json()["replies_tried"] == ["all"]
    part = grade_hex(told(right), HEX3)
    assert not part.every_defence
    assert part.first_player_win is None
    assert part.wins_from == whole.wins_from
    assert 0 < part.followed < whole.followed
    bad = grade_hex(told(wrong), HEX3, every_defence=True)
    assert bad.first_player_win is False
    assert bad.wins_from == ()
    slow, text = reference_of(HEX3), HEX3.format(HEX3.init())
    for move in bad.beaten_by:
        text = slow.play(text, move)
    assert slow.result(text) == (-1, 1)


def best_by(agent: TrainedAgent, game: Hex) -> Any:
    """The first of the best moves by the agent's values, in the mover's view."""

    def one(state: State) -> Any:
        view = game.canonical(state)
        values = jnp.where(game.legal(view), agent.recipe.rating(game)(agent.network, view), -9)
        return game.canonical_action(state, values.argmax().astype(jnp.int32))

    return lambda key, states: jax.vmap(one)(states)


@pytest.mark.slow
def test_sampled_positions_are_won_and_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading_hex, "SAMPLE", 64)
    own, other, winning = grading_hex.sampled.__wrapped__(HEX3)
    table = hex_table.table(3)
    rows = table.find(own, other)
    assert 10 < len(rows) < 64
    assert (rows >= 0).all()
    assert (winning > 0).all()
    np.testing.assert_array_equal(table.winning[rows], winning)


def test_who_rates_positions_is_not_graded() -> None:
    rater = TrainedAgent("mine", Recipe("", "afterstate", afterstate.Config()), None)
    for agent in (rater, RandomAgent()):
        text = refusal(lambda agent=agent: grade_hex(agent, HEX4))
        assert agent.name in text
        assert "hex size=4" in text
    assert can_be_graded(HEX4)
    assert not can_be_graded(Hex(size=6))
    assert not can_be_graded(Hex(size=4, swap=True))
