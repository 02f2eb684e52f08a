"""What commands print: tables in narrow terminals, and terminals without glyphs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludus.cli.shared.output import print_table
from ludus.runs import run_folder

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


#: A title for the window, red, the same in one byte, right to left, a new line, half of a letter.
NASTY = "a\x1b]0;title\x07b\x1b[31mc\x9b32md\u202ee\nf\ud800g\x00h"
SEEN = "a\ufffd]0;title\ufffdb\ufffd[31mc\ufffd32md\ufffde\ufffdf\ufffdg\ufffdh"


@pytest.mark.parametrize("width", ["80", "12"])
def test_names_cannot_tell_the_terminal_anything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    print_table(HEAD, [(NASTY, "1,234", NASTY)])
    out = capsys.readouterr().out
    assert all(letter.isprintable() for letter in out.replace("\n", ""))
    assert re.sub(r"\s", "", out).count(SEEN) == 2


def test_what_a_ladder_that_was_passed_on_says_is_only_shown(ludus, tmp_path: Path) -> None:
    path = tmp_path / "ladder\x1b[2J.jsonl"
    row = {"ladder": 1, "game": "hex", "options": {"size": 3, "swap": False}, "seed": 0, "number": 0, "openings": 0}
    row |= {"a": {"agent": NASTY, "digest": "\x1b[2J"}, "b": {"agent": "b", "digest": ""}}
    row |= {"wins": 2, "draws": 0, "losses": 2, "pairs": [0, 0, 2, 0, 0]}
    path.write_text(json.dumps(row) + "\n")
    result = ludus("ladder", "hex", "--size", "3", "--file", str(path))
    assert (result.status, result.err) == (0, "")
    assert all(letter.isprintable() for letter in result.out.replace("\n", ""))
    assert "4 games of 2 agents" in result.out
    picture = tmp_path / "ladder.svg"
    assert ludus("ladder", "hex", "--size", "3", "--file", str(path), "--out", str(picture)).status == 0
    ElementTree.fromstring(picture.read_text())
    (top, _) = ludus("ladder", "hex", "--size", "3", "--file", str(path), "--json").document["table"]
    assert top["agent"] in (NASTY, "b"), "JSON has it as it is, and writes no control characters"


def test_folders_of_runs_are_only_shown(ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = NASTY.replace("\x00", "").replace("\ud800", "\udcff")
    config = {"game": NASTY, "options": {NASTY: NASTY}, "recipe": {"name": NASTY, "games": 8}, "seed": 0}
    run = run_folder.create(tmp_path / "runs" / name, config)
    run.log({"games": 4, "loss": 1.0, "summary": NASTY})
    for argv in (["runs"], ["runs", "show", name]):
        result = ludus(*argv)
        assert (result.status, result.err) == (0, ""), argv
        assert all(letter.isprintable() for letter in result.out.replace("\n", "")), argv
        assert "title" in result.out
    ElementTree.fromstring((run.path / "curves.svg").read_text())


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
