"""Ludus from Python: README's examples as they stand, the four functions, and an import that costs nothing."""

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
from ludus.core.game import compiled, legal_actions
from ludus.errors import BadInput
from ludus.learners.recipe import Recipe
from ludus.search.alphabeta.analysis import Analysis
from ludus.training.progress import Progress
from ludus.truth.answers import Values

ROOT = Path(__file__).parent.parent
NAMES = ("agent", "game", "solve", "train")
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
assert {"agent", "game", "solve", "train"} <= set(dir(ludus))
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
    assert set(ludus.__all__) == set(NAMES)
    for name in NAMES:
        assert getattr(ludus, name) is getattr(face, name)
        assert getattr(face, name).__doc__


@pytest.mark.slow
def test_readme_s_examples_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text()
    # One after the other, as somebody would try them; the fence that ends a block is no output.
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for name in NAMES:
        assert any(f"ludus.{name}(" in block for block in blocks), name
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", "README.md", 0)
    assert len(test.examples) > 10
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    with jax.numpy_dtype_promotion("standard"):  # as everybody has it; Optax is not as strict as our tests
        runner.run(test, out=said.append)
    assert not runner.failures, "".join(said)


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
}


@pytest.mark.parametrize("words", BAD)
def test_what_cannot_be_used_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=re.escape(words)):
        BAD[words]()
    assert not list(tmp_path.iterdir())


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
