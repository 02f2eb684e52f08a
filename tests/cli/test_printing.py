"""What commands print: tables in narrow terminals, and terminals without glyphs."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from ludus.cli.common import print_table

HEAD, ROWS = ("agent", "rating", "what it is"), [("hex/best-5", "1,234", "a trained one"), ("random", "-", "")]


def test_a_table_where_there_is_room(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    print_table(HEAD, ROWS, right=("rating",))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert " agent        rating   what it is" in lines
    assert " hex/best-5    1,234   a trained one" in lines


def test_a_list_where_there_is_none(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    print_table(HEAD, ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "agent: hex/best-5",
        "  rating: 1,234",
        "  what it is: a trained",
        "    one",
        "agent: random",
        "  rating: -",
        "  what it is: -",
    ]


@pytest.mark.parametrize("width", [1, 12, 20, 30, 40, 50, 79])
def test_nothing_is_lost_however_narrow(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [(f"runs/a-very-long-name-{k}", f"{k:,}00", "some words, and some more of them") for k in range(3)]
    print_table(("", "games", "said"), rows, right=("games",))
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= max(width, 10)
    letters = re.sub(r"[\s─]", "", out)
    for row in rows:
        if width >= 40:
            assert all(word in out for cell in row for word in cell.split())
        assert row[0] in letters


@pytest.mark.parametrize("width", ["40", "30"])
def test_games_are_listed_whole_in_a_narrow_terminal(ludus, monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    shown = ludus("games").out
    words = set(re.split(r"[\s,]+", shown))
    for game in ludus("games", "--json").document["games"]:
        options = (f"{option}={value}" for option, value in game["options"].items())
        assert {game["name"], *game["seats"], *options, *game["agents"], *game["learners"]} <= words
    assert max(map(len, shown.splitlines())) <= int(width)


@pytest.mark.parametrize(
    ("argv", "stdin", "seen"),
    [
        (["games"], "", "solitaire-chess"),
        (["--help"], "", "play "),
        pytest.param(
            ["play", "hex", "--size", "2", "--against", "human"], "a1\nb1\n", "  1 B W 1", marks=pytest.mark.slow
        ),
        pytest.param(["play", "hex", "--size", "2", "--json"], "", '"position": "../.. b"', marks=pytest.mark.slow),
    ],
)
def test_a_terminal_without_glyphs_shows_letters(argv: list[str], stdin: str, seen: str) -> None:
    environment = os.environ | {"PYTHONUTF8": "0", "LC_ALL": "C", "JAX_PLATFORMS": "cpu"}
    environment.pop("PYTHONIOENCODING", None)
    done = subprocess.run(
        [sys.executable, "-m", "ludus", *argv], input=stdin.encode(), capture_output=True, env=environment, check=True
    )
    out, err = done.stdout.decode("ascii"), done.stderr.decode("ascii")
    assert seen in out
    assert "?" not in out + err
