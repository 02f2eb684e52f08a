"""The page, the terminal, Python and the text protocol give the same move: for the same position, agent and seed."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.programs import Made
from helpers.trained import write_run
from helpers.web import HOST, Asking
from starlette.testclient import TestClient

import ludus
from ludus.agents.spec import AgentSpec, Kind
from ludus.cli import main
from ludus.learners.recipe import Recipe
from ludus.web.app import make_app
from ludus.web.guard import hosts_of

#: Of every kind an agent at 3 x 3 Hex. Searches go by a run, which the page calls by another name than its folder's;
#: a program and a function are written by tests of their own.
AGENTS: dict[Kind, str] = {
    "random": "random",
    "perfect": "perfect",
    "minimax": "minimax:2",
    "alphabeta": "alphabeta:2",
    "network": "hex/best-3",
    "search": "RUNS/tiny@16",
}
SEEDS = (0, 1, 2)
Say = Callable[..., str]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """A command line in this process: what it says on stdout when it is given some lines."""

    def command(*argv: str, stdin: str = "") -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        assert main(argv) == 0
        return capsys.readouterr().out

    return command


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that has a policy and a value."""
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "tiny", "hex", {"size": 3}, Recipe.of("tiny", "alphazero", hidden=(8,)))
    return folder


@pytest.fixture(scope="module")
def ask(runs: Path) -> Iterator[Asking]:
    app = make_app(runs, hosts_of("127.0.0.1", 8320), patience=10)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        yield Asking(client)


def by_python(agent: str, seed: int) -> str:
    return ludus.agent(agent, ludus.game("hex", size=3)).move(seed=seed)


def by_terminal(say: Say, agent: str, seed: int) -> str:
    """The agent has black, and so the first move; then the input ends."""
    said = say("play", "hex", "--size", "3", "--against", agent, "--side", "white", "--seed", str(seed), "--json")
    (move,) = json.loads(said)["moves"]
    return move


def by_protocol(say: Say, agent: str, seed: int) -> str:
    said = say("htp", agent, "--size", "3", "--seed", str(seed), stdin="genmove black\nquit\n")
    return said.split()[1].lower()


def by_page(ask: Asking, agent: str, seed: int) -> str:
    return ask("move", game="hex", options={"size": 3}, agent=agent, seed=seed)["move"]


def test_every_kind_of_agent_is_among_them() -> None:
    assert {*AGENTS, "program", "function"} == set(Kind.__args__)
    assert all(AgentSpec.parse(name).kind == kind for kind, name in AGENTS.items())


@pytest.mark.parametrize("kind", AGENTS)
def test_an_agent_makes_the_same_move_wherever_it_is_asked(say: Say, ask: Asking, runs: Path, kind: Kind) -> None:
    agent = AGENTS[kind].replace("RUNS", str(runs))
    moves = [by_python(agent, seed) for seed in SEEDS]
    assert [by_terminal(say, agent, seed) for seed in SEEDS] == moves
    assert [by_protocol(say, agent, seed) for seed in SEEDS] == moves
    assert [by_page(ask, AGENTS[kind].replace("RUNS/", "run:"), seed) for seed in SEEDS] == moves
    assert kind != "random" or len(set(moves)) == len(SEEDS)  # so that another seed would be seen


def test_a_program_makes_the_same_move_too_but_never_for_the_page(say: Say, ask: Asking, tmp_path: Path) -> None:
    agent = Made(tmp_path).agent
    assert by_python(agent, 0) == by_terminal(say, agent, 0) == by_protocol(say, agent, 0) == "a1"
    assert "there is no agent" in ask.refused("move", game="hex", options={"size": 3}, agent=agent)


def test_a_function_makes_the_same_move_too_but_never_for_the_page(
    say: Say, ask: Asking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "the_last.py").write_text("def choose(position, moves):\n    return moves[-1]\n")
    monkeypatch.syspath_prepend(tmp_path)
    agent = "python:the_last:choose"
    assert by_python(agent, 0) == by_terminal(say, agent, 0) == by_protocol(say, agent, 0) == "c3"
    assert "there is no agent" in ask.refused("move", game="hex", options={"size": 3}, agent=agent)
