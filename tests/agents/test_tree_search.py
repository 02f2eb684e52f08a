"""Agents that search by their own network: their names, their moves on the device and at the board, any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from ludus.agents import spec
from ludus.agents.find import find_player
from ludus.agents.spec import AgentSpec
from ludus.agents.tree_search import TreeSearchPlayer
from ludus.core.game import compiled, legal_actions
from ludus.core.line import Line
from ludus.errors import BadInput
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.learners.recipe import Recipe
from ludus.play.arena import match
from ludus.play.batched import Batched
from ludus.play.player import Clock, Player
from ludus.runs.files import pretty_json
from ludus.runs.run_info import CONFIG, WEIGHTS
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
    name = f"{hexagons}@128"
    assert AgentSpec.parse(name) == AgentSpec(name, "search", hexagons, simulations=128)
    name = f"{hexagons}@0.5s"
    assert AgentSpec.parse(name) == AgentSpec(name, "search", hexagons, seconds=0.5)
    assert AgentSpec.parse(hexagons) == AgentSpec(hexagons, "network", hexagons)
    for bad in ("@0", "@", "@x", "@-1", "@99999999", "@0s", "@9999s", "@1.5"):
        with pytest.raises(BadInput, match=r"simulations|some time"):
            AgentSpec.parse(f"{hexagons}{bad}")
    odd = folder_for(tmp_path / "mine@64", HEX3, TOWER)  # a folder may be called so: then it is its name
    assert AgentSpec.parse(odd).kind == "network"
    assert AgentSpec.parse(f"{odd}@2")[1:4] == ("search", odd, None)


def test_it_plays_the_same_whether_it_was_warmed_or_not(hexagons: str) -> None:
    """After every move of a game, since a tree is kept from move to move."""
    plays = []
    for warmed in (False, True):
        player, line = find_player(f"{hexagons}@20", HEX4), Line(HEX4, HEX4.init())
        for _ in range(4):
            if warmed:
                player.warm(Line(HEX4, line.state), Clock.at(line, 1))
            line.push(player.move(line, Clock.at(line, 1)))
        plays.append(line.actions)
    assert plays[0] == plays[1]


def test_who_has_no_network_cannot_search_by_it(hexagons: str) -> None:
    for name, why in (("random@10", "no network"), ("perfect@10", "no network"), ("hex/best-3@10", "no policy")):
        with pytest.raises(BadInput, match=why):
            find_player(name, HEX3)
    with pytest.raises(BadInput, match="there is no agent 'nobody'"):
        spec.refuse_strangers(["nobody@10"])
    with pytest.raises(BadInput, match="plays hex, not lgame"):
        find_player(f"{hexagons}@4", LGame())


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
    played = match(HEX4, find_player(f"{hexagons}@4", HEX4), find_player("random", HEX4), 8, jax.random.key(0))
    assert played.games == 8


def test_in_matches_it_plays_the_same_games_each_time(planes: str) -> None:
    """Of a game of which nothing is certain, on the device alone."""
    game = LGame(cap=20)
    agent = find_player(f"{planes}@6", game)
    assert isinstance(agent, TreeSearchPlayer)
    assert not agent.hosted(game)
    one, two = (match(game, agent, find_player("random", game), 12, jax.random.key(3)) for _ in range(2))
    assert one == two
    assert (one.wins, one.draws, one.losses) != (0, 12, 0)


def test_what_is_certain_comes_before_the_network(hexagons: str) -> None:
    """With random weights and a won position: together, by the clock and at the board it plays the winning move."""
    state = HEX4.parse(".B../.B../..WW/.... b")  # b3, and then a4 or b4
    rules = compiled(HEX4)
    for name in (f"{hexagons}@2", f"{hexagons}@0.01s"):
        agent = find_player(name, HEX4)
        assert agent.hosted(HEX4)
        for together in (True, False):
            won = state
            while not rules.done(won):
                mine, line = int(rules.player(won)) == 0, Line(HEX4, won)
                theirs = legal_actions(HEX4, won)[0]
                found = agent.moves([line], [Clock()])[0] if together else agent.move(line, Clock())
                won = rules.step(won, found if mine else theirs)
            assert rules.returns(won)[0] == 1


def test_many_positions_at_once_are_answered_each_in_its_place(hexagons: str) -> None:
    game, rules = Hex(size=6), compiled(Hex(size=6))
    agent = find_player(f"{hexagons}@4", game)
    lines = [Line(game, rules.step(game.init(), cell)) for cell in (0, 7, 14, 21, 35)]
    together = agent.moves(lines, [Clock()] * 5)
    assert together == [agent.moves([line], [Clock()])[0] for line in lines]
    assert all(move in line.legal() for move, line in zip(together, lines, strict=True))


def test_thoughts_are_values_probabilities_and_visits_each_by_itself(planes: str) -> None:
    """The search's: what it would play first, a policy that sums to one, values of what was visited alone."""
    game = LGame(cap=40)
    agent, line = find_player(f"{planes}@40", game), Line(game, game.init())
    thoughts = agent.thoughts(line, Clock())
    assert thoughts is not None
    assert sorted(entry.move for entry in thoughts.moves) == sorted(
        game.format_move(line.state, a) for a in line.legal()
    )
    assert sum(entry.visits or 0 for entry in thoughts.moves) == 40
    assert sum(entry.probability or 0 for entry in thoughts.moves) == pytest.approx(1)
    for entry in thoughts.moves:
        assert (entry.value is None) == (entry.visits == 0)
        assert entry.value is None or -1 <= entry.value <= 1
    first = thoughts.moves[0]
    assert game.parse_move(line.state, first.move) == agent.move(line, Clock())
    assert thoughts.value == first.value
    assert first.line[0] == first.move
    bare = find_player(planes, game).thoughts(line, Clock())
    assert bare is not None
    assert all(entry.visits is None for entry in bare.moves)
    assert [entry.value is not None for entry in bare.moves[:8]] == [True] * 8
    assert all(entry.value is None for entry in bare.moves[8:])
    assert bare.value is not None  # the value head's, and no probability
    assert bare.value != pytest.approx(bare.moves[0].probability)


def test_what_is_proved_is_said_in_thoughts(hexagons: str) -> None:
    line = Line(HEX4, HEX4.parse(".B../.B../..WW/.... b"))
    thoughts = find_player(f"{hexagons}@4", HEX4).thoughts(line, Clock())
    assert thoughts is not None
    assert (thoughts.moves[0].value, thoughts.moves[0].words) == (1.0, "wins, proved")


def test_at_the_board_the_tree_is_kept_and_an_undo_begins_another(planes: str) -> None:
    game = LGame(cap=40)
    agent, line = find_player(f"{planes}@1000", game), Line(game, game.init())
    assert isinstance(agent, TreeSearchPlayer)
    line.push(agent.move(line, Clock()))
    first = agent._tree
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
    assert agent.thoughts(line, Clock(seconds=0)) is not None  # who looks on changes nothing
    assert agent.move(line, Clock()) in line.legal()
    assert agent._tree is first
    assert first.root is looked_at.node
    assert int(first.root.visits.sum()) == before + 1000
    other = Line(game, game.init())
    other.push(reply)
    agent.move(other, Clock())
    assert agent._tree is not first


def test_the_clock_ends_a_search_and_so_does_whoever_waits(planes: str) -> None:
    game = LGame(cap=20)
    agent, line = find_player(f"{planes}@10000", game), Line(game, game.init())
    assert agent.move(line, Clock(seconds=0.0)) in line.legal()

    class Enough(Exception):
        pass

    beats: list[int] = []

    def beat() -> None:
        beats.append(1)
        if len(beats) > 3:
            raise Enough

    for ask in (agent.move, agent.thoughts):
        beats.clear()
        with pytest.raises(Enough):
            ask(line, Clock(beat=beat))
    with pytest.raises(BadInput, match="by the clock"):
        find_player(f"{planes}@0.05s", game).on_device(game)


def test_search_helps_even_a_random_network(hexagons: str) -> None:
    """On 3 x 3 without what is certain: a search of 64 simulations beats the bare network."""
    bare = find_player(hexagons, HEX3)
    agent = find_player(f"{hexagons}@64", HEX3)

    class OnDevice(Player):
        name = "searching"

        def batched(self, game: Any) -> Batched | None:
            return agent.batched(game)

    result = match(HEX3, OnDevice(), bare, 200, jax.random.key(0))
    assert result.score > 0.6
    assert np.isfinite(result.score)
