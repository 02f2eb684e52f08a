"""What a person is shown first of each game: a name, a picture, opponents that are there, a tour that is legal."""

from __future__ import annotations

import pytest

from ludus import games as registry
from ludus.agents.spec import AgentSpec, learned
from ludus.core.entry import OpponentLevel
from ludus.runs.run_info import read_config

NAMES = [name for name in registry.names() if registry.entry(name).room.startswith("ludus.games.")]
LEVELS = ("easy", "medium", "hard", "perfect")
OPPONENTS = [(name, opponent) for name in NAMES for opponent in registry.entry(name).opponents]


@pytest.mark.parametrize("name", NAMES)
def test_a_game_has_a_proper_name_a_line_and_a_picture(name: str) -> None:
    entry = registry.entry(name)
    assert entry.title[0].isupper()
    assert entry.pitch.endswith(".")
    registry.part(name, "reference").moves(entry.picture)  # refuses what is no position


@pytest.mark.parametrize("name", NAMES)
def test_the_levels_rise_and_a_beginner_does_not_meet_a_perfect_player(name: str) -> None:
    opponents = registry.entry(name).opponents
    if len(registry.entry(name).seats) == 1:
        assert not opponents
        return
    levels = [opponent.level for opponent in opponents]
    assert levels == sorted(set(levels), key=LEVELS.index)
    assert levels[0] == "easy"
    assert opponents[0].chance > 0
    by_chance = [opponent.chance for opponent in opponents]
    assert by_chance == sorted(by_chance, reverse=True)


@pytest.mark.parametrize(("name", "opponent"), OPPONENTS)
def test_an_opponent_is_there_and_plays_that_board(name: str, opponent: OpponentLevel) -> None:
    entry = registry.entry(name)
    options = entry.filled(dict(opponent.options))
    spec = AgentSpec.parse(opponent.agent)
    agent = opponent.agent.partition("@")[0]
    if agent in registry.shipped(name):
        setup = learned(read_config(registry.shipped_folder(name) / agent.partition("/")[2]))
        assert {key: options[key] for key in setup.bound.options} == setup.bound.options
    else:
        assert agent in entry.solvers, spec
        registry.refuse_unsolved(name, options)


@pytest.mark.parametrize("name", NAMES)
def test_a_tour_is_legal_and_written_as_moves_are(name: str) -> None:
    entry, tour, rules = registry.entry(name), registry.part(name, "tour"), registry.part(name, "reference")
    entry.check(**tour.options)
    game = registry.make_game(name, **tour.options)
    position = tour.start or game.format(game.init())
    for step in tour.steps:
        assert step.words.endswith(".")
        assert step.move in rules.moves(position)
        position = rules.play(position, step.move)
    assert tour.steps[-1].mine
    assert tour.last.endswith(".")
