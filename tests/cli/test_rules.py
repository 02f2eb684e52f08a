"""`ludus rules`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ludus.games import guide, names


@pytest.mark.parametrize("game", names())
def test_every_game_has_its_page(ludus, game: str) -> None:
    assert ludus("rules", game).out == f"{guide(game)}\n"
    assert ludus("rules", game, "--json").document == {"game": game, "rules": guide(game)}


def test_a_game_without_a_page_is_told_in_two_lines(ludus, nim) -> None:
    shown = ludus("rules", "nim").out
    assert shown.startswith("nim: Take one or two from a heap; who takes the last wins.\n")
    assert len(shown.splitlines()) == 2
    assert shown.rstrip() in ludus("play", "nim", "--against", "human", stdin="rules\n").out


def test_a_game_that_is_none_is_refused(ludus) -> None:
    assert "there is no game 'go'" in ludus("rules", "go").refusal
    assert "GAME" in ludus("rules").refusal


def test_rules_need_no_jax() -> None:
    program = "import sys; from ludus.cli import main; main(['rules', 'abalone']); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nFalse\n")
