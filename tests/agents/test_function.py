"""Python functions as agents: how they are named, what they are given, and how they lose by failing to move."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.text import refusal

import ludus
from ludus.agents.function import FunctionPlayer, function_player
from ludus.agents.spec import AgentSpec, is_built_in
from ludus.core.line import Line
from ludus.errors import BadInput
from ludus.ladder.results_file import Entrant, is_there
from ludus.play.player import RESIGN, Clock, Forfeit
from ludus.web.players import PlayerCache

HEX = ludus.game("hex", size=3)
MODULE = """
calls = []

def first(position, moves):
    calls.append((position, moves))
    return moves[0]

class Last:
    def choose(self, position, moves):
        return moves[-1]

last = Last()
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with a module of somebody's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "their_agents.py").write_text(MODULE)
    (tmp_path / "broken_agents.py").write_text("1 / 0")
    yield tmp_path
    for name in ("their_agents", "broken_agents"):
        sys.modules.pop(name, None)


def failing(choose: Callable[[str, list[str]], Any], seconds: float = 60.0) -> str:
    """Why this function forfeits its first move."""
    player = FunctionPlayer("mine", choose, seconds)
    with pytest.raises(Forfeit) as caught:
        player.move(Line(HEX, HEX.init()), Clock())
    message = str(caught.value)
    assert message.endswith(".")
    assert len(message.splitlines()) == 1
    return message


# --- names ------------------------------------------------------------------------------------------------------


def test_a_name_says_the_module_the_function_and_the_time() -> None:
    spec = AgentSpec.parse("python:package.module:player.choose")
    assert (spec.kind, spec.command, spec.seconds) == ("function", ("package.module", "player.choose"), 60.0)
    assert AgentSpec.parse("python:0.5s:module:choose")[-2:] == (0.5, ("module", "choose"))
    assert (spec.cost, spec.one_game_at_a_time, is_built_in(spec.name)) == ("search", True, True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("python:", "names no function of a module"),
        ("python:their_agents", "names no function of a module"),
        ("python:their_agents:1 + 1", "names no function of a module"),
        ("python:../x:choose", "names no function of a module"),
        ("python:0s:their_agents:first", "a function has some time up to 3600s for an answer, not 0s"),
        ("python:no_such_module:choose", "there is no module 'no_such_module'"),
        ("python:their_agents:nobody", "the module 'their_agents' has no 'nobody'"),
        ("python:their_agents:Last", "is a class; give an object of it, or a function"),
        ("python:their_agents:calls", "chooses no moves"),
        ("python:broken_agents:choose", "importing 'broken_agents' raised ZeroDivisionError: division by zero."),
    ],
)
def test_a_name_of_no_function_is_refused(here: Path, name: str, words: str) -> None:
    assert words in refusal(ludus.agent, name, HEX)


def test_a_function_of_a_module_here_plays(here: Path) -> None:
    player = ludus.agent("python:their_agents:first", HEX)
    assert player.move("W../.B./... b") == "b1"
    position, moves = sys.modules["their_agents"].calls[-1]
    assert (position, moves) == ("W../.B./... b", ["b1", "c1", "a2", "c2", "a3", "b3", "c3"])
    assert ludus.agent("python:their_agents:last", HEX).move() == "c3"
    assert "does not rate moves" in refusal(player.thoughts)
    found = ludus.match("python:their_agents:first", "python:their_agents:last", game=HEX, games=2, openings=0)
    assert (found.games, found.forfeits, found.distinct) == (2, (0, 0), 2)


def test_a_ladder_s_file_imports_nothing(here: Path) -> None:
    played = ludus.ladder(HEX, "python:their_agents:first", "random", games=2, batch=2, file="ladder")
    assert sorted(row.agent for row in played.rows) == ["python:their_agents:first", "random"]
    del sys.modules["their_agents"]
    # The function is on the ladder, and is not asked to play before it is named again.
    again = ludus.ladder(HEX, "perfect", games=2, batch=2, file="ladder")
    assert {row.agent: row.games for row in again.rows} == {"perfect": 2, "random": 4, "python:their_agents:first": 2}
    assert "their_agents" not in sys.modules
    assert not is_there(Entrant("htp:no-such-program", ""))


def test_the_page_starts_no_function(here: Path) -> None:
    for name in ("python:their_agents:first", "python:os:getcwd", "alphabeta:2:python:os:getcwd", "python:os:getcwd@2"):
        with pytest.raises(BadInput):
            PlayerCache(here).find(name, HEX)
    assert "their_agents" not in sys.modules


# --- what forfeits ----------------------------------------------------------------------------------------------


def test_what_it_raises_or_answers_is_told_in_a_sentence() -> None:
    def raises(position: str, moves: list[str]) -> str:
        raise KeyError("b2")

    def leaves(position: str, moves: list[str]) -> str:
        sys.exit(3)

    where = "'mine', at '.../.../... b', "
    assert failing(raises) == f"{where}raised KeyError: 'b2'."
    assert failing(leaves) == f"{where}raised SystemExit: 3."
    assert failing(lambda position, moves: "d4").startswith(f"{where}answered with 'd4', which is no legal move there;")
    assert failing(lambda position, moves: 4) == f"{where}answered with 4, and a move is a text."
    assert failing(lambda position: "a1").startswith(f"{where}raised TypeError: ")  # pyright: ignore[reportArgumentType]


def test_one_that_is_late_forfeits_and_is_told_to_stop() -> None:
    thread: list[threading.Thread] = []

    def spins(position: str, moves: list[str]) -> str:
        thread.append(threading.current_thread())
        while True:
            pass

    assert failing(spins, 0.05) == "'mine', at '.../.../... b', did not answer within 0.05 s."
    thread[0].join(60)
    assert not thread[0].is_alive()


def test_a_failure_costs_one_game_and_the_match_goes_on() -> None:
    asked = []

    def fails_now_and_then(position: str, moves: list[str]) -> str:
        asked.append(position)
        if len(asked) % 7 == 0:
            raise ValueError("not today")
        return moves[0]

    found = ludus.match(fails_now_and_then, "random", game=HEX, games=6)
    assert found.games == 6
    assert found.forfeits == (len(asked) // 7, 0) != (0, 0)
    assert all("raised ValueError: not today." in fault.why for fault in found.faults)
    assert found.to_json()["forfeits"] == {"fails_now_and_then": len(asked) // 7}


def test_one_that_never_moves_is_an_error() -> None:
    said = refusal(ludus.match, lambda position, moves: "", "random", game=HEX, games=10)
    assert said.endswith("it has failed 3 times without a move in between.")


def test_it_may_resign() -> None:
    assert function_player(lambda position, moves: "resign").move(Line(HEX, HEX.init()), Clock()) == RESIGN
    assert ludus.agent(lambda position, moves: "resign", HEX).move() == "resign"
    found = ludus.match(lambda position, moves: "Resign", "random", game=HEX, games=2)
    assert (found.losses, found.forfeits) == (2, (0, 0))


def test_an_object_is_an_agent_and_other_things_are_none() -> None:
    class Chosen:
        def __init__(self) -> None:
            self.seen = 0

        def choose(self, position: str, moves: list[str]) -> str:
            self.seen += 1
            return moves[-1]

    chosen = Chosen()
    assert ludus.agent(chosen, HEX).move() == "c3"
    assert (chosen.seen, function_player(chosen).name) == (1, "Chosen")
    assert "is a class" in refusal(ludus.agent, Chosen, HEX)
    assert "chooses no moves" in refusal(ludus.agent, 7, HEX)
    assert "plays any game; say which" in refusal(ludus.agent, chosen)
    assert "a ladder keeps results by name" in refusal(ludus.ladder, HEX, chosen)
