"""Compiled functions are kept between processes, and nothing that happens to them is an error."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ludus
from ludus.search.compiled import _made_of
from ludus.search.words import ahead, behind

# A function that calls others, on arrays and words; the second line says whether it was found again.
SCRIPT = """
from ludus.games.hex.solver.grid import grid, joined, transpose
import numpy as np
board = grid(3)
print(bool(joined(board, np.uint64(0b001001001))), bool(joined(board, np.uint64(0b111))))
print(sum(joined.stats.cache_hits.values()))
"""

# Functions made of others, by two evaluations: the score of each and whether it was found again.
MADE = """
from ludus.games.abalone.rules import Abalone
from ludus.search.alphabeta.search import AlphaBeta, Limits
from ludus.search.alphabeta.evaluation import evaluations
game = Abalone("belgian-daisy")
for name, known in evaluations(game).items():
    engine = AlphaBeta(game, known)
    print(name, engine.search(game.init(), Limits(3)).score, sum(engine._run.stats.cache_hits.values()))
"""


def answers(folder: str, script: str = SCRIPT) -> list[str]:
    environment = os.environ | {"LUDUS_CACHE": folder}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout.split()


@pytest.mark.slow
def test_what_is_kept_is_found_again_and_damage_is_no_error(tmp_path: Path) -> None:
    right = ["True", "False"]
    assert answers(str(tmp_path)) == [*right, "0"]
    assert answers(str(tmp_path)) == [*right, "1"]
    kept = [path for path in (tmp_path / "numba").rglob("*") if path.is_file()]
    assert kept
    for path in kept:  # one bit of each, in the middle
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    assert answers(str(tmp_path)) == [*right, "0"]
    assert answers(str(tmp_path)) == [*right, "1"]  # mended
    for path in kept:
        path.write_bytes(path.read_bytes()[:10])
    assert answers(str(tmp_path)) == [*right, "0"]


@pytest.mark.slow
def test_another_checkout_finds_it_and_another_source_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, kept = tmp_path / "src" / "ludus", str(tmp_path / "kept")
    shutil.copytree(Path(ludus.__file__).parent, source, ignore=shutil.ignore_patterns("__pycache__", "shipped"))
    assert answers(kept) == ["True", "False", "0"]
    monkeypatch.setenv("PYTHONPATH", str(source.parent))
    assert answers(kept) == ["True", "False", "1"]
    with (source / "core" / "bits.py").open("a") as file:
        file.write("# more\n")
    assert answers(kept) == ["True", "False", "0"]


@pytest.mark.slow
def test_where_nothing_can_be_kept_it_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    for folder in ("off", str(tmp_path / "file")):
        assert answers(folder) == ["True", "False", "0"]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_functions_made_of_others_are_found_again_each_its_own(tmp_path: Path) -> None:
    first = answers(str(tmp_path), MADE)
    assert first[2::3] == ["0", "0"]
    assert first[1] != first[4]
    again = answers(str(tmp_path), MADE)
    assert again[2::3] == ["1", "1"]
    assert again[:2] + again[3:5] == first[:2] + first[3:5]


def adder(number: Any, function: Callable) -> Callable:
    def add(value: int) -> int:
        return function(value) + number

    return add


def test_a_function_is_known_by_what_it_is_made_of() -> None:
    known = _made_of(adder(1, behind))
    assert known == _made_of(adder(1, behind)) != ""
    assert len({known, _made_of(adder(2, behind)), _made_of(adder(1, ahead))}) == 3
    assert _made_of(answers) == ""
    assert _made_of(adder(1, adder(2, ahead))) is None  # of a function outside the package
    assert _made_of(adder([1], ahead)) is None  # of what has no name


def jitted() -> list[tuple[str, ast.FunctionDef, bool]]:
    """Every function that is compiled for search: its module, itself, and whether it is kept."""
    found = []
    for path in sorted(Path(ludus.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                marks = [ast.unparse(mark) for mark in node.decorator_list]
                if "jit" in marks:
                    found.append((path.name, node, True))
                elif any("jit" in mark and "keep=False" in mark for mark in marks):
                    found.append((path.name, node, False))
    return found


def called(function: ast.FunctionDef) -> set[str]:
    return {
        node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def test_what_is_kept_neither_calls_itself_nor_what_is_not_kept() -> None:
    """A kept function that does so has a pointer to nowhere when it is loaded again, and ends the process."""
    functions = jitted()
    assert len(functions) > 30
    not_kept = {function.name for _, function, kept in functions if not kept}
    assert not_kept  # the perft of twins
    reach = {function.name: called(function) for _, function, kept in functions if kept}
    for name in reach:
        seen, ahead = set(), set(reach[name])
        while ahead:
            further = ahead.pop()
            assert further != name, f"{name} comes back to itself"
            assert further not in not_kept, f"{name} calls {further}"
            if further in reach and further not in seen:
                seen.add(further)
                ahead |= reach[further]
