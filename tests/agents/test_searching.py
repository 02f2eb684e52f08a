"""Agents that search by their own network: their names, their moves on the device and at the board, any size."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from ludus.agents import spec
from ludus.agents.mind import Mind
from ludus.agents.players import find_agent
from ludus.agents.searching import SearchingAgent, Timed, Together
from ludus.core.game import compiled, legal_actions
from ludus.errors import BadInput
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.learners.recipes import Recipe
from ludus.play.arena import match
from ludus.play.line import Line
from ludus.runs.files import pretty_json
from ludus.runs.records import CONFIG, WEIGHTS
from ludus.runs.tensors import write_tensors

TOWER = Recipe.of("tiny", "alphazero", network="tower", width=8, blocks=2, lanes=4, games=10)
MLP = Recipe.of("tiny", "alphazero", hidden=(16,), lanes=4, games=10)
HEX3, HEX4 = Hex(size=3), Hex(size=4)


def folder_for(path: Path, game: Any, recipe: Recipe) -> str:
    """An agent with random weights, as a run leaves one."""
    path.mkdir()
    weights = recipe.learner.weights(recipe.learner.init(recipe.config, game, jax.random.key(0)))
    config = {"game": game.name, "options": game.options(), "recipe": recipe.to_json(), "seed": 0, "command": ""}
    (path / CONFIG).write_bytes(pretty_json(config))
    write_tensors(path / WEIGHTS, weights, {"games": 0})
    return str(path)


@pytest.fixture(scope="module")
def hexagons(tmp_path_factory: pytest.TempPathFactory) -> str:
    return folder_for(tmp_path_factory.mktemp("agents") / "hexagons", HEX3, TOWER)


@pytest.fixture(scope="module")
def planes(tmp_path_factory: pytest.TempPathFactory) -> str:
    return folder_for(tmp_path_factory.mktemp("agents") / "planes", LGame(cap=20), MLP)


def test_a_name_says_how_long_it_searches(hexagons: str, tmp_path: Path) -> None:
    assert spec.thought_of(f"{hexagons}@128") == (hexagons, 128, None)
    assert spec.thought_of(f"{hexagons}@0.5s") == (hexagons, None, 0.5)
    assert spec.thought_of(hexagons) is None
    for bad in ("@0", "@", "@x", "@-1", "@99999999", "@0s", "@9999s", "@1.5"):
        with pytest.raises(BadInput, match=r"simulations|some time"):
            spec.thought_of(f"{hexagons}{bad}")
    odd = folder_for(tmp_path / "mine@64", HEX3, TOWER)  # a folder may be called so: then it is its name
    assert spec.thought_of(odd) is None
    assert spec.thought_of(f"{odd}@2") == (odd, 2, None)


def test_who_has_no_network_cannot_search_by_it(hexagons: str) -> None:
    for name, why in (("random@10", "no network"), ("perfect@10", "no network"), ("hex/best-3@10", "no policy")):
        with pytest.raises(BadInput, match=why):
            find_agent(name, HEX3)
    with pytest.raises(BadInput, match="there is no agent 'nobody'"):
        spec.refuse_strangers(["nobody@10"])
    with pytest.raises(BadInput, match="plays hex, not lgame"):
        find_agent(f"{hexagons}@4", LGame())


def test_a_tower_plays_any_size_and_others_their_own(hexagons: str) -> None:
    setup = spec.setup_of(f"{hexagons}@8")
    assert setup is not None
    assert setup.options["size"] == 3
    assert setup.meets(spec.bound_of(Hex(size=9)))
    assert not setup.meets(spec.bound_of(Hex(size=9, swap=True)))  # its network has no output for a swap
    assert not setup.meets(spec.bound_of(LGame()))
    dense = spec.setup_of("hex/best-3")
    assert dense is not None
    assert not dense.meets(spec.bound_of(HEX4))
    played = match(HEX4, find_agent(f"{hexagons}@4", HEX4), find_agent("random", HEX4), 8, jax.random.key(0))
    assert played.games == 8


def test_in_matches_it_plays_the_same_games_each_time(planes: str) -> None:
    """Of a game of which nothing is certain, on the device alone."""
    game = LGame(cap=20)
    agent = find_agent(f"{planes}@6", game)
    assert isinstance(agent, SearchingAgent)
    assert agent.thinker(game) is None
    one, two = (match(game, agent, find_agent("random", game), 12, jax.random.key(3)) for _ in range(2))
    assert one == two
    assert (one.wins, one.draws, one.losses) != (0, 12, 0)


def test_what_is_certain_comes_before_the_network(hexagons: str) -> None:
    """With random weights and a won position: together, by the clock and at the board it plays the winning move."""
    state = HEX4.parse(".B../.B../..WW/.... b")  # b3, and then a4 or b4
    rules = compiled(HEX4)
    for name, kind in ((f"{hexagons}@2", Together), (f"{hexagons}@0.01s", Timed)):
        agent = find_agent(name, HEX4)
        assert isinstance(agent, SearchingAgent)
        thinker = agent.thinker(HEX4)
        assert isinstance(thinker, kind)
        won = state
        while not rules.done(won):
            mine = int(rules.player(won)) == 0
            move = thinker.choose([won], [[]], [0])[0] if mine else legal_actions(HEX4, won)[0]
            won = rules.step(won, move)
        assert rules.returns(won)[0] == 1
    mind = Mind(find_agent(f"{hexagons}@2", HEX4), HEX4)
    assert mind.at_board is not None
    assert mind.move(Line(HEX4, state), 0, 0) in legal_actions(HEX4, state)


def test_many_positions_at_once_are_answered_each_in_its_place(hexagons: str) -> None:
    agent = find_agent(f"{hexagons}@4", Hex(size=6))
    assert isinstance(agent, SearchingAgent)
    thinker = agent.thinker(Hex(size=6))
    assert isinstance(thinker, Together)
    game, rules = Hex(size=6), compiled(Hex(size=6))
    states = [rules.step(game.init(), cell) for cell in (0, 7, 14, 21, 35)]
    together = thinker.choose(states, [[]] * 5, [0] * 5)
    assert together == [thinker.choose([state], [[]], [0])[0] for state in states]
    assert all(move in legal_actions(game, state) for move, state in zip(together, states, strict=True))


def test_at_the_board_the_tree_is_kept_and_an_undo_begins_another(planes: str) -> None:
    game = LGame(cap=40)
    agent = find_agent(f"{planes}@1000", game)
    assert isinstance(agent, SearchingAgent)
    board, line = agent.at_board(game), Line(game, game.init())
    line.push(board.move(line))
    first = board._tree
    assert first is not None
    reply = int(first.root.actions[0])
    place = first.root.best()
    assert line.actions[-1] == int(first.root.actions[place])
    edge = first.root.children[place]
    assert edge is not None
    most = int(edge.node.visits.argmax())  # the reply that was looked at most
    looked_at = edge.node.children[most]
    assert looked_at is not None
    before = int(looked_at.node.visits.sum())
    assert before > 0
    line.push(int(edge.node.actions[most]))
    assert board.move(line) in line.legal()
    assert board._tree is first
    assert first.root is looked_at.node
    assert int(first.root.visits.sum()) == before + 1000
    other = Line(game, game.init())
    other.push(reply)
    board.move(other)
    assert board._tree is not first


def test_the_clock_ends_a_search_and_so_does_whoever_waits(planes: str) -> None:
    game = LGame(cap=20)
    agent = find_agent(f"{planes}@10000", game)
    assert isinstance(agent, SearchingAgent)
    board = agent.at_board(game)
    assert board.seconds == math.inf
    assert board.find(game.init(), seconds=0.0) in legal_actions(game, game.init())

    class Enough(Exception):
        pass

    beats: list[int] = []

    def beat() -> None:
        beats.append(1)
        if len(beats) > 3:
            raise Enough

    with pytest.raises(Enough):
        board.find(game.init(), beat=beat)
    timed = find_agent(f"{planes}@0.05s", game)
    with pytest.raises(BadInput, match="by the clock"):
        timed.policy(game)


def test_search_helps_even_a_random_network(hexagons: str) -> None:
    """On 3 x 3 without what is certain: a search of 64 simulations beats the bare network."""
    bare = find_agent(hexagons, HEX3)
    agent = find_agent(f"{hexagons}@64", HEX3)

    class OnDevice:
        name, chance = "searching", False

        def policy(self, game: Any) -> Any:
            return agent.policy(game)

    result = match(HEX3, OnDevice(), bare, 200, jax.random.key(0))
    assert result.score > 0.6
    assert np.isfinite(result.score)
