"""Agents that search: named rightly, equal to a few obvious lines of minimax, the same on any number of processors."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from helpers.positions import random_positions, stack
from helpers.text import refusal
from helpers.trained import write_run

from ludus.agents import alphabeta
from ludus.agents.find import find_player, game_of
from ludus.agents.spec import AgentSpec, is_trained, setup_of, untrained
from ludus.core.game import Game, compiled, legal_actions
from ludus.core.line import Line
from ludus.games import make_game, part
from ludus.learners.recipe import Recipe
from ludus.play import arena
from ludus.play.host_batch import state_at
from ludus.play.player import Clock
from ludus.search.alphabeta.evaluation import RESULT, Evaluation, Oracle
from ludus.search.alphabeta.player import AlphaBetaPlayer
from ludus.training.train import train
from ludus.truth import truth_of

HEX2, HEX3 = make_game("hex", size=2), make_game("hex", size=3)
ABALONE = make_game("abalone")
CENTRE = part("abalone", "evaluation")["centre"]
SMALL = Recipe.of("small", "dqn", hidden=(8,), head="full", inputs="planes")
#: Black may push the sixth of white's marbles off at i9; there is much else to do.
FIGHT = "..bbw/wwww../bbbb.../......../....w..../....b.../.w....b/.ww.../bbb.. b"


def live(game: Game, count: int, seed: int) -> list[Any]:
    """Positions to play on from."""
    states = random_positions(game, count, seed, ends=False)
    found = [state_at(states, n) for n in range(count)]
    return [state for state in found if legal_actions(game, state)]


def minimax(game: Game, state: Any, depth: int, worth: Any) -> float:
    """In the mover's favour: an end counts more than any evaluation."""
    mover = int(compiled(game).player(state))
    actions = legal_actions(game, state)
    if not actions:
        return 1e6 * float(compiled(game).returns(state)[mover])
    if depth == 0:
        return worth(state)
    return max(-minimax(game, compiled(game).step(state, np.int32(a)), depth - 1, worth) for a in actions)


def best(game: Game, state: Any, depth: int, worth: Any) -> set[int]:
    actions = legal_actions(game, state)
    scores = [-minimax(game, compiled(game).step(state, np.int32(a)), depth - 1, worth) for a in actions]
    return {action for action, score in zip(actions, scores, strict=True) if score == max(scores)}


def distance(state: Any) -> float:
    """The paper's evaluation once more, from the text: rings from the centre, one more for a marble off the board."""
    text = ABALONE.format(state)
    rows, mover = text.split()
    total = {"b": 5 * 14, "w": 5 * 14}
    for row, cells in enumerate(reversed(rows.split("/"))):
        for place, cell in enumerate(cells):
            column = place + max(0, row - 4)
            ring = max(abs(row - 4), abs(column - 4), abs(row - column))
            if cell != ".":
                total[cell] -= 5 - ring
    other = "w" if mover == "b" else "b"
    return total[other] - total[mover]


def result(game: Game) -> Any:
    return lambda state: float(compiled(game).returns(state)[int(compiled(game).player(state))])


# --- names --------------------------------------------------------------------------------------------------


def test_names_say_how_far_how_long_and_with_what() -> None:
    for spec in (
        AgentSpec("minimax:3", "minimax", plies=3),
        AgentSpec("alphabeta:12", "alphabeta", plies=12),
        AgentSpec("alphabeta:0.5s", "alphabeta", seconds=0.5),
        AgentSpec("alphabeta:.5s:a/b:c", "alphabeta", "a/b:c", seconds=0.5),
        AgentSpec("alphabeta:4:hex/best-3", "alphabeta", "hex/best-3", plies=4),
    ):
        assert AgentSpec.parse(spec.name) == spec
    for name in ("hex/best-3", "alphabet:3", "runs/minimax:2"):
        assert AgentSpec.parse(name) == AgentSpec(name, "network", name)
    assert {"minimax:2", "alphabeta:4", "alphabeta:1s"} <= set(untrained("hex"))
    assert not [name for name in untrained("lgame") if AgentSpec.parse(name).kind == "alphabeta"]


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        *[("random", "network"), ("hex/best-11", "network"), ("run:mine", "network"), ("perfect:hardest", "truth")],
        *[("hex/best-11@20s", "search"), ("hex/best-11@8", "search"), ("run:mine@8", "search")],
        *[("minimax:1", "search"), ("alphabeta:2:hex/best-3", "search"), ("htp:engine", "search")],
    ],
)
def test_a_name_says_what_a_move_costs(name: str, cost: str) -> None:
    assert AgentSpec.parse(name).cost == cost


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("minimax", "minimax:1 to minimax:4"),
        ("minimax:0", "minimax:1 to minimax:4"),
        ("minimax:5", "minimax:1 to minimax:4"),
        ("minimax:1s", "minimax:1 to minimax:4"),
        ("minimax:1:centre", "minimax:1 to minimax:4"),
        ("alphabeta", "alphabeta:4 is four plies"),
        ("alphabeta:", "alphabeta:4 is four plies"),
        ("alphabeta:deep", "alphabeta:4 is four plies"),
        ("alphabeta:-1", "alphabeta:4 is four plies"),
        ("alphabeta:1e3s", "alphabeta:4 is four plies"),
        ("alphabeta:0", "1 to 64 plies"),
        ("alphabeta:65", "1 to 64 plies"),
        ("alphabeta:0s", "up to 3600s, not 0s"),
        ("alphabeta:3601s", "up to 3600s"),
        ("alphabeta:2:", "ends with a colon"),
        ("alphabeta:2:random", "'random' has no evaluation"),
        ("alphabeta:2:minimax:2", "'minimax:2' has no evaluation"),
        ("alphabeta:2:no/body", "no agent 'no/body'"),
        ("alphabeta:2:nothing", "no evaluation 'nothing'; there are hand, centre"),
    ],
)
def test_a_bad_name_is_refused(name: str, words: str) -> None:
    assert words in refusal(find_player, name, ABALONE)


def test_games_that_cannot_be_searched_are_refused() -> None:
    for game in ("lgame", "solitaire-chess"):
        assert f"no search for {game}" in refusal(find_player, "alphabeta:2", make_game(game))
    assert "there is no agent 'nothing' for hex" in refusal(find_player, "alphabeta:2:nothing", HEX3)


def test_a_search_plays_the_game_of_the_agent_inside(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", "hex", {"size": 3}, SMALL)
    for name in (f"alphabeta:2:{run}", f"alphabeta:0.1s:{run}"):
        assert game_of(name) == HEX3
        assert setup_of(name) == ("hex", {"size": 3, "swap": False}, False)
        assert not is_trained(name)  # its weights are another's
        assert "plays hex, not abalone" in refusal(find_player, name, ABALONE)
    assert game_of("alphabeta:2") is None
    assert game_of("alphabeta:2:centre") is None


@pytest.mark.slow
def test_a_search_goes_on_under_other_options_that_are_free() -> None:
    agent = find_player("alphabeta:2", ABALONE)
    assert isinstance(agent, AlphaBetaPlayer)
    other = make_game("abalone", layout="german-daisy", cap=30)
    assert agent.best(Line(other, ABALONE.init())) == agent.best(Line(ABALONE, ABALONE.init()))
    assert agent.best(Line(other, other.init()))[0] in legal_actions(other, other.init())


def test_who_moves_by_chance_and_by_what() -> None:
    minimax2, deep = find_player("minimax:2", ABALONE), find_player("alphabeta:3", ABALONE)
    assert isinstance(minimax2, AlphaBetaPlayer)
    assert isinstance(deep, AlphaBetaPlayer)
    assert (minimax2.chance, deep.chance) == (True, False)
    assert (minimax2.inside.name, deep.inside.name) == ("centre", "hand")
    other = find_player("alphabeta:3:centre", ABALONE)
    assert isinstance(other, AlphaBetaPlayer)
    assert other.inside is CENTRE
    plain = find_player("alphabeta:3", HEX3)
    assert isinstance(plain, AlphaBetaPlayer)
    assert plain.inside is RESULT
    assert "thinks a position at a time" in refusal(deep.on_device, ABALONE)
    assert "plays hex size=3" in refusal(plain.move, Line(HEX2, HEX2.init()), Clock())


# --- moves --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_minimax_of_one_ply_is_the_same_on_the_device_on_the_host_and_by_hand() -> None:
    agent = find_player("minimax:1", ABALONE)
    assert isinstance(agent, AlphaBetaPlayer)
    assert not agent.hosted(ABALONE)
    positions = [ABALONE.parse(FIGHT), *live(ABALONE, 10, seed=3)]
    states = stack(positions)
    choices = agent.choices(ABALONE)
    assert choices is not None
    shares = np.asarray(jax.jit(jax.vmap(choices, (None, 0)))(None, states))
    several = 0
    for state, share in zip(positions, shares, strict=True):
        expected = best(ABALONE, state, 1, distance)
        assert set(np.flatnonzero(share).tolist()) == expected
        assert share[share > 0] == pytest.approx(1 / len(expected))
        assert set(agent.best(Line(ABALONE, state))) == expected
        several += len(expected) > 1
    assert several  # any of them, by chance
    policy = jax.jit(agent.on_device(ABALONE).policy)
    moves = np.stack([np.asarray(policy(jax.random.key(seed), states)) for seed in range(20)])
    assert (shares[np.arange(len(shares)), moves] > 0).all()
    assert (moves != moves[0]).any()


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimax_is_plain_minimax(depth: int) -> None:
    agent = find_player(f"minimax:{depth}", HEX3)
    assert isinstance(agent, AlphaBetaPlayer)
    for state in live(HEX3, 12, seed=depth):
        assert set(agent.best(Line(HEX3, state))) == best(HEX3, state, depth, result(HEX3))


@pytest.mark.slow
def test_minimax_of_two_plies_sees_the_reply() -> None:
    agent = find_player("minimax:2", ABALONE)
    assert isinstance(agent, AlphaBetaPlayer)
    assert agent.hosted(ABALONE)
    fight, state = ABALONE.parse(FIGHT), ABALONE.init()  # which has its mirror image, so that no move is best alone
    assert set(agent.best(Line(ABALONE, fight))) == best(ABALONE, fight, 2, distance)
    expected = best(ABALONE, state, 2, distance)
    assert set(agent.best(Line(ABALONE, state))) == expected
    lines, clocks = [Line(ABALONE, state)] * 12, [Clock(number=number) for number in range(12)]
    chosen = agent.moves(lines, clocks)
    assert 1 < len(set(chosen)) <= len(set(chosen) | expected) == len(expected)
    assert chosen == agent.moves(lines, clocks)  # chance comes from the seed alone


@pytest.mark.slow
def test_alphabeta_knows_what_was_on_the_board() -> None:
    """Ahead, it does not go where a tie waits; a minimax player knows nothing of it."""
    deep, plain = find_player("alphabeta:2", ABALONE), find_player("minimax:2", ABALONE)
    assert isinstance(deep, AlphaBetaPlayer)
    assert isinstance(plain, AlphaBetaPlayer)
    state = ABALONE.parse("wwww./wwwww./..www../......../........./......../..bbb../bbbbbb/bbbbb b")
    fresh = Line(ABALONE, state)
    liked = deep.move(fresh, Clock())
    after = compiled(ABALONE).step(state, np.int32(liked))
    back = Line(ABALONE, after)
    back.follow(0, state)  # the position after it was on the board before
    assert deep.moves([back, fresh], [Clock()] * 2)[0] != liked
    assert deep.moves([back, fresh], [Clock()] * 2)[1] == liked
    clock = Clock(number=5)
    assert plain.move(back, Clock.at(fresh, 5)) == plain.move(fresh, Clock.at(fresh, 5))
    assert plain.moves([back], [clock]) == plain.moves([fresh], [clock])


@pytest.mark.slow
def test_games_are_the_same_on_any_number_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game("abalone", cap=10)
    agent, other = find_player("alphabeta:2", game), find_player("minimax:2", game)
    found = []
    for count in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda count=count: count)
        found.append(arena.match(game, agent, other, 6, jax.random.key(2)))
    assert found[0] == found[1]
    assert found[0].openings == 0  # the other moves by chance
    twice = arena.match(game, agent, find_player("alphabeta:1", game), 6, jax.random.key(2))
    assert twice.openings > 0
    assert twice.ci95 is not None


@pytest.mark.slow
def test_on_a_small_board_deep_is_perfect() -> None:
    grade = truth_of(HEX2).grade(find_player("alphabeta:4", HEX2)).to_json()
    assert grade["perfect"]
    shallow = truth_of(HEX3).grade(find_player("minimax:1", HEX3)).to_json()
    assert not shallow["perfect"]


# --- an agent inside ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_ply_with_an_agent_inside_is_that_agent(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", "hex", {"size": 3}, SMALL)
    agent, inner = find_player(f"alphabeta:1:{run}", HEX3), find_player(str(run), HEX3)
    assert isinstance(agent, AlphaBetaPlayer)
    assert isinstance(agent.inside, Oracle)
    values = inner.ratings(HEX3)
    assert values is not None
    for state in live(HEX3, 8, seed=9):
        actions = legal_actions(HEX3, state)
        rated = np.asarray(values(inner.weights, state))[actions]
        (chosen,) = agent.best(Line(HEX3, state))
        assert rated[actions.index(chosen)] >= rated.max() - 1 / alphabeta.ORACLE_UNIT


def test_a_compiled_evaluation_is_taken_where_a_learner_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run", "hex", {"size": 3}, SMALL)
    asked = []

    def made(config: Any, game: Any, weights: Any) -> Evaluation:
        asked.append((config, game))
        return dataclasses.replace(RESULT, name="compiled")

    learner = dataclasses.replace(SMALL.learner, compiled_evaluation=made)
    monkeypatch.setattr(Recipe, "learner", property(lambda self: learner))
    agent = find_player(f"alphabeta:1:{run}", HEX3)
    assert isinstance(agent, AlphaBetaPlayer)
    assert agent.inside.name == "compiled"
    assert asked == [(SMALL.config, HEX3)]


@pytest.mark.slow
def test_a_network_that_has_no_compiled_form_is_asked_itself(tmp_path: Path) -> None:
    """Its learner has one for other networks: no other evaluation may take its place unsaid."""
    game = make_game("hex", size=2)
    recipe = Recipe.of("mlp", "returns", network="mlp", hidden=(4,), games=4, lanes=2, plies=8, rounds=1)
    with jax.numpy_dtype_promotion("standard"):  # which Optax's Adam needs
        train(game, recipe, 0, tmp_path / "run")
    found = alphabeta.evaluation_of(game, str(tmp_path / "run"))
    assert isinstance(found, Oracle)
