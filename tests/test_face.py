"""Ludus from Python: the documents' examples as they stand, the functions, and an import that costs nothing."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
from helpers.text import refusal

import ludus
from ludus import face
from ludus.agents import function
from ludus.core import game as core
from ludus.core import table
from ludus.core.game import compiled, legal_actions
from ludus.errors import BadInput
from ludus.learners.recipe import Recipe
from ludus.search.alphabeta.analysis import Analysis
from ludus.training.progress import Progress
from ludus.truth.answers import Values

ROOT = Path(__file__).parent.parent
NAMES = ("agent", "game", "solve", "train", "match", "eval", "tournament", "ladder", "runs", "reproduce")
EXAMPLES = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
LINE = ".../.B./W.. b"


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    assert "zero byte" in refusal(ludus.train, "hex", "best", out=f"{tmp_path}/a\0b", games=1)
    assert "File name too long" in refusal(ludus.train, "hex", "best", out=tmp_path / ("x" * 300), games=1)
    assert "there is no agent" in refusal(ludus.agent, "x" * 300)
    assert not list(tmp_path.iterdir())


def test_importing_it_loads_nothing_and_its_functions_are_there() -> None:
    script = """
import sys
import ludus
assert not {"jax", "numpy", "numba", "scipy"} & set(sys.modules), sys.modules
assert {"agent", "game", "solve", "train", "match", "eval", "runs"} <= set(dir(ludus))
try:
    ludus.nothing
except AttributeError as error:
    assert str(error) == "module 'ludus' has no attribute 'nothing'"
else:
    sys.exit("there is nothing")
assert not {"jax", "numpy", "numba", "scipy"} & set(sys.modules), sys.modules
from ludus import games  # a module is found as before
"""
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert {*ludus.__all__, "eval"} == {*NAMES, "evaluate"}
    for name in {*NAMES, "evaluate"} - {"runs", "ladder"}:
        assert getattr(ludus, name) is getattr(face, "evaluate" if name == "eval" else name)


@pytest.mark.parametrize("name", ["runs", "ladder"])
def test_a_package_with_the_name_of_a_function_can_be_called(name: str) -> None:
    script = f"""
import ludus.{name}.{"files" if name == "runs" else "sprt"} as inside
import ludus
assert inside.__name__.startswith("ludus.{name}.")
assert ludus.{name}.__name__ == "ludus.{name}"
import inspect
from ludus import face
assert inspect.signature(ludus.{name}) == inspect.signature(face.{name})
assert str(ludus.{name}({"" if name == "runs" else '"hex"'})).startswith("There is no ")
"""
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd="/")
    assert (process.returncode, process.stderr) == (0, "")


def run_examples(text: str, name: str) -> int:
    """Run the examples of a document or a docstring, one after the other, as somebody would try them."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=EXAMPLES)
    with jax.numpy_dtype_promotion("standard"):  # as everybody has it; Optax is not as strict as our tests
        runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)
    return len(test.examples)


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_examples_of_a_page_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = (ROOT / page).read_text()
    # The fence that ends a block is no output.
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    if page != "README.md":
        for name in NAMES:
            assert any(f"ludus.{name}(" in block for block in blocks), name
    assert run_examples("\n".join(blocks), page) > 10


def docstrings() -> dict[str, str]:
    """The docstrings of the face, by what they are of."""
    finder = doctest.DocTestFinder(exclude_empty=False)
    found = [finder.find(getattr(face, name), name) for name in dir(face) if not name.startswith("_")]
    found += [finder.find(table.Table, "Table"), finder.find(core.Game.start, "Game.start")]
    found += [finder.find(function.function_player, "function_player")]
    return {test.name: test.docstring or "" for tests in found for test in tests}


@pytest.mark.slow
def test_the_examples_of_docstrings_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = docstrings()
    for name in (*(name if name != "eval" else "evaluate" for name in NAMES), "Agent", "Table", "Game.start"):
        assert ">>>" in found[name], f"{name} has no example"
    for name, text in found.items():  # each in a folder of its own
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        run_examples(text, name)


@pytest.mark.slow
def test_an_agent_makes_the_move_it_likes_best() -> None:
    player = ludus.agent("hex/best-3")
    assert (player.name, player.game) == ("hex/best-3", ludus.game("hex", size=3))
    assert repr(player) == "<hex/best-3 at hex size=3 swap=False>"
    for position in (None, LINE, player.game.parse(LINE)):
        values = player.values(position)
        state = player.game.init() if position is None else player.game.parse(LINE)
        legal = {player.game.format_move(state, action) for action in legal_actions(player.game, state)}
        assert set(values) == legal
        assert list(values.values()) == sorted(values.values(), reverse=True)
        assert values[player.move(position)] == max(values.values())
    assert player.values(LINE) == player.values(player.game.parse(LINE))


@pytest.mark.slow
def test_perfect_knows_and_random_does_not() -> None:
    hex3 = ludus.game("hex", size=3)
    perfect, chance = ludus.agent("perfect", hex3), ludus.agent("random", hex3)
    answer = ludus.solve(hex3, LINE)
    assert isinstance(answer, Values)
    assert perfect.values(LINE) == {move.move: move.value for move in answer.moves}
    assert perfect.values(LINE)[perfect.move(LINE)] == 1
    assert answer.winner == "black"
    assert "does not rate moves" in refusal(lambda: chance.values(LINE))
    moves = {chance.move(seed=seed) for seed in range(20)}
    assert len(moves) > 3
    assert chance.move(seed=5) == chance.move(seed=5)


def test_a_position_is_a_text_a_state_or_the_start() -> None:
    hex2 = ludus.game("hex", size=2)
    after = compiled(hex2).step(hex2.init(), np.int32(1))
    texts = [ludus.solve(hex2, position).to_json()["position"] for position in (None, "../.. b", ".B/.. w", after)]
    assert texts == ["../.. b", "../.. b", ".B/.. w", ".B/.. w"]


@pytest.mark.slow
def test_a_run_is_an_agent(tmp_path: Path) -> None:
    seen: list[Progress] = []
    tiny = Recipe.of("tiny", "negamax", hidden=(8,), games=200, optimizer="rmsprop")
    run = ludus.train(ludus.game("hex", size=2), tiny, out=str(tmp_path / "run"), seed=3, on_progress=seen.append)
    assert (run.run, run.games >= 200, seen != []) == (tmp_path / "run", True, True)
    player = ludus.agent(run.run)
    assert player.game == ludus.game("hex", size=2)
    assert player.move() in ("a1", "a2", "b1", "b2")
    again = ludus.train(ludus.game("hex", size=2), tiny, out=tmp_path / "again", seed=3, games=200)
    weights = (jax.tree.leaves(ludus.agent(folder).player.weights) for folder in (run.run, again.run))
    assert all(np.array_equal(a, b) for a, b in zip(*weights, strict=True))
    said = refusal(lambda: ludus.train(ludus.game("hex", size=2), tiny, out=run.run))
    assert "not empty" in said


BAD = {
    "there is no game 'chess'": lambda: ludus.game("chess"),
    "cannot be 99": lambda: ludus.game("hex", size=99),
    "no option 'colour'": lambda: ludus.game("hex", colour="red"),
    "there is no agent 'nobody'": lambda: ludus.agent("nobody"),
    "there is no agent 'nobody' for hex": lambda: ludus.agent("nobody", "hex"),
    "'random' plays any game; say which": lambda: ludus.agent("random"),
    "plays hex size=3 swap=False, not hex size=11": lambda: ludus.agent("hex/best-3", "hex"),
    "plays lgame cap=100, not hex": lambda: ludus.agent("lgame/best", "hex"),
    "boards of 2 to 8": lambda: ludus.solve("hex"),
    "hex position 'x'": lambda: ludus.solve(ludus.game("hex", size=2), "x"),
    "a text or a state of it, not 7": lambda: ludus.solve(ludus.game("hex", size=2), 7),
    "the game is over": lambda: ludus.agent("random", ludus.game("hex", size=2)).move("BW/B. w"),
    "no recipe 'worst'": lambda: ludus.train("hex", "worst", out="nowhere"),
    "at least one game": lambda: ludus.train("hex", games=0, out="nowhere"),
    "the seed of a run": lambda: ludus.train("hex", seed=-1, out="nowhere"),
    "there is no setting 'hiden'; there are ": lambda: ludus.train("hex", hiden=(4,)),
    "hidden: 'x' does not do; it takes whole numbers": lambda: ludus.train("hex", hidden="x"),
    "minutes -1: give a number of minutes": lambda: ludus.train("hex", minutes=-1),
    "seeds are a number, or different numbers": lambda: ludus.train("hex", seeds=[1, 1]),
    "tensorboard is for one run": lambda: ludus.train("hex", seeds=2, tensorboard="nowhere"),  # pyright: ignore
    "each of seeds goes from 0": lambda: ludus.train("hex", seeds=[-1]),
    "training takes a game": lambda: ludus.train(),
    "resume takes everything but games": lambda: ludus.train("hex", resume="nowhere"),
    "'nowhere' is not a run folder": lambda: ludus.train(resume="nowhere"),
    "there is no agent 'no/body' for hex": lambda: ludus.train("hex", from_="no/body"),
    "'random' plays any game; name one with game=.": lambda: ludus.match("random", "random"),
    "'<lambda>' plays any game; name one with game=.": lambda: ludus.match(lambda position, moves: "", lambda p, m: ""),
    "games goes from 1 to 100000000, and 0 does not": lambda: ludus.match("random", "random", game="hex", games=0),
    "games is a whole number": lambda: ludus.match("random", "random", game="hex", games=1.5),  # pyright: ignore
    "seed goes from 0": lambda: ludus.match("random", "random", game="hex", seed=-1),
    "openings goes from 0": lambda: ludus.match("random", "random", game="hex", openings=-1),
    "puzzle for one: there is no opponent to play.": lambda: ludus.match("random", "random", game="solitaire-chess"),
    "every_defence goes with exact; give both.": lambda: ludus.eval("random", game="hex", every_defence=True),
    "leave out exact, and games are played.": lambda: ludus.eval("random", game="abalone", exact=True),
    "epsilon is a number from 0 to 1": lambda: ludus.eval("random", game="hex", epsilon=2),
    "two agents or more, not 1.": lambda: ludus.tournament("random", game="hex"),
    "each named once, not random, random": lambda: ludus.tournament("random", "random", game="hex"),
    "games: 3 is odd": lambda: ludus.tournament("random", "perfect", game=ludus.game("hex", size=3), games=3),
    "anchor: 'x' is not on the ladder": lambda: ludus.ladder("hex", anchor="x"),
    "sprt tests two agents and adds no other": lambda: ludus.ladder("hex", "random", sprt=("random", "hex/best-11")),
    "where: there is no folder 'nowhere'": lambda: ludus.runs(where="nowhere"),
    "there is no run 'x'": lambda: ludus.runs("x"),
    "there is no paper 'checkers'": lambda: ludus.reproduce("checkers"),
    "judge does not train; leave out quick, fresh and seeds": lambda: ludus.reproduce("hex", judge=True, quick=True),
    "plays hex size=3 swap=False, not hex size=2": lambda: ludus.agent("random", ludus.game("hex", size=3)).move(
        ludus.game("hex", size=2).start()
    ),
}


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_used_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=re.escape(words)):
        BAD[words]()
    assert not list(tmp_path.iterdir())


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    hex2, out = ludus.game("hex", size=2), tmp_path / "run"
    tiny = Recipe.of("tiny", "negamax", hidden=(8,), games=200, optimizer="rmsprop")
    shorter = ludus.train(hex2, tiny, out=out, minutes=0, lanes=1)
    assert (shorter.finished, shorter.to_json()["finished"]) == (False, False)
    longer = ludus.train(resume=out)
    assert (longer.finished, longer.games >= 200) == (True, True)
    said = refusal(lambda: ludus.train(hex2, tiny, out=tmp_path / "other", from_=out))
    assert said == "a run of the learner 'negamax' begins with random weights; leave out from_."
    out.rename(tmp_path / "seed-1")
    assert "is there already" in refusal(lambda: ludus.train(hex2, tiny, out=tmp_path, seeds=2))
    assert not (tmp_path / "seed-0").exists()


@pytest.mark.slow
def test_a_search_answers_and_plays_too() -> None:
    position = "w..../b...../b....../......../..wwww.../.wwww.../bbbbb../bbbb../..... b"  # g3h4 wins at once
    answer = ludus.solve("abalone", position, depth=2)
    assert isinstance(answer, Analysis)
    assert (answer.move, answer.found.mate, answer.summary()) == ("g3h4", 1, "black wins in 1 ply")
    by_rings = ludus.solve("abalone", seconds=0.1, evaluation="centre")
    assert isinstance(by_rings, Analysis)
    assert by_rings.evaluation == "centre"
    for name in ("alphabeta:2", "minimax:1"):
        player = ludus.agent(name, "abalone")
        assert player.move(position) == "g3h4"
        assert "has scores in " in refusal(player.values, position)
        assert player.thoughts(position).moves[0].move == "g3h4"
    assert "plays any game; say which" in refusal(ludus.agent, "alphabeta:2")
