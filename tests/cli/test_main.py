"""The frame: help, version, refusals of every kind, interruption, closed pipes, and what --help loads."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.forked import Forked
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus import __version__
from ludus.cli import COMMANDS
from ludus.games import names

ABALONE = "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb b"
DOCS, PAPERS = "DOCS", Path(__file__).parent.parent.parent / "docs" / "papers"
REFUSED = {
    # the command line itself
    "foo": ["foo", "games"],
    "--foo": ["--foo"],
    "games 3": ["3"],
    "games --foo": ["--foo", "--json"],
    "games --json=maybe": ["--json", "maybe"],
    "perft": ["GAME"],
    "perft hex": ["DEPTH"],
    "perft hex 1 2": ["'2'"],
    "perft hex 1 --size": ["--size"],
    "perft hex 1 --size 3 --size 4": ["--size", "once"],
    "perft hex 1 --swap=maybe": ["maybe", "true or false"],
    "play": ["GAME"],
    # names
    "perft go 1": ["go", "hex"],
    "play Hex": ["Hex", "hex"],
    "bench go": ["go", "hex"],
    "play hex --against bob": ["bob", "human, random"],
    "play hex --side red": ["red", "black", "white"],
    "play hex --against human --side black": ["--side"],
    "play solitaire-chess --against random": ["--against"],
    "perft abalone 1 --layout english": ["english", "belgian-daisy"],
    "perft solitaire-chess 1 --rules lax": ["lax", "solo"],
    "perft lgame 1 --size 4": ["lgame", "size"],
    "perft hex 1 --layout standard": ["hex", "layout"],
    "perft hex 1 --set colour=red": ["colour", "size"],
    "perft hex 1 --set size": ["NAME=VALUE"],
    "perft hex 1 --size 3 --set size=3": ["size", "once"],
    # numbers
    "perft hex x": ["'x'", "whole number"],
    "perft hex 2.7": ["'2.7'", "whole number"],
    "perft hex 1e1": ["'1e1'", "whole number"],
    "perft hex -1": ["-1", "0 to 64"],
    "perft hex 65": ["65", "0 to 64"],
    f"perft hex {'9' * 5000}": ["whole number"],
    "perft hex 0 --divide": ["--divide"],
    "perft hex 1 --size 20": ["20", "2 to 19"],
    "perft hex 1 --size 3.0": ["3.0", "whole number"],
    "perft hex 1 --set size=4.5": ["4.5", "whole number"],
    "perft hex 1 --set swap=perhaps": ["perhaps", "true or false"],
    "perft solitaire-chess 1 --set pieces=-3": ["-3"],
    "play hex --seed -1": ["-1"],
    "play hex --seed x": ["'x'", "whole number"],
    "bench hex --lanes": ["--lanes"],
    "bench hex --lanes 64 x": ["'x'", "whole number"],
    "bench hex --lanes 0": ["0", "1 to"],
    "bench hex --seconds nan": ["nan"],
    "bench hex --seconds soon": ["soon", "a number"],
    # positions and files
    "perft hex 1 --position x": ["hex position 'x'"],
    f"perft hex 1 --position {'/'.join(['.' * 20] * 20)}": ["20", "2 to 19"],
    "play lgame --position nAA.": ["lgame position"],
    "play solitaire-chess --position KK2/4/4/4": ["2 kings"],
    "perft hex 1 --file /nowhere/at-all": ["/nowhere/at-all", "No such file"],
    "perft hex 1 --file /": ["directory"],
    "perft hex 1 --file x --position y": ["--position", "--file"],
    "perft hex 1 --file /nowhere --size 99": ["99", "2 to 19"],
    "bench hex --out /dev/null/x": ["/dev/null/x", "folder"],
}


@pytest.mark.parametrize("command", REFUSED, ids=lambda command: command[:60])
def test_refuses_with_one_sentence_that_names_the_fault(ludus, command: str) -> None:
    for argv in (command.split(), [*command.split(), "--json"]):
        said = ludus(*argv).refusal
        for word in REFUSED[command]:
            assert word in said


@pytest.mark.parametrize(
    ("game", "position", "fault"),
    [
        ("abalone", ABALONE.replace(".", "b", 1), "15 marbles"),
        ("lgame", "nAA./.BA./.BA./.BnB A", "not an L"),
        ("hex", "BB/.. w", "it should have"),
        ("hex", "two\nlines", "side to move"),
        ("hex", "\x1b[31mred", "side to move"),
        ("hex", "." * 100_000, "side to move"),
    ],
)
def test_refuses_positions_that_cannot_be(ludus, game: str, position: str, fault: str) -> None:
    for argv in (["perft", game, "1"], ["play", game]):
        said = ludus(*argv, f"--position={position}").refusal
        assert fault in said
        assert "\x1b" not in said
        assert len(said) < 1000


def test_a_refusal_is_one_line_whatever_was_typed(ludus) -> None:
    assert "there is no game 'two lines'" in ludus("perft", "two\nlines", "1").refusal
    said = ludus("perft", "go" * 100_000, "1").refusal
    assert said.endswith("solitaire-chess.")  # the remedy survives
    assert len(said) < 1000


def test_refuses_a_binary_file(ludus, tmp_path: Path) -> None:
    for content in (b"\xff\xfe\x00", b".../.../... b\n\0"):
        (tmp_path / "positions").write_bytes(content)
        assert "not a text file" in ludus("perft", "hex", "1", "--file", str(tmp_path / "positions")).refusal


words = st.text(st.characters(exclude_categories=["Cs", "Nd"]), max_size=8)  # no numbers: a depth of 9 never ends
option = st.sampled_from(["--position", "--size", "--set", "--against", "--side", "--file", "--layout", "--rules"])
known = st.sampled_from(
    ["perft", "play", "games", "hex", "abalone", "0", "1", "-1", "--json", "--divide", "--", "-h", "="]
)


@given(st.lists(words | option | known, max_size=6))
@settings(max_examples=150)
def test_any_command_line_runs_or_is_refused(ludus, argv: list[str]) -> None:
    result = ludus(*argv)
    assert result.status == 0 or result.refusal


@pytest.mark.slow
@given(
    argv=st.sampled_from(
        [["perft", game, "0"] for game in sorted(names())] + [["play", "hex"], ["play", "solitaire-chess"]]
    ),
    option=option,
    value=st.text() | st.text("ABWbwn./ KQRNP12", max_size=30),
)
def test_any_value_of_an_option_is_taken_or_refused(ludus, argv: list[str], option: str, value: str) -> None:
    result = ludus(*argv, f"{option}={value}")
    assert result.status == 0 or result.refusal


@given(st.sampled_from(["{}", "1 --size {}", "1 --set size={}", "1 --set {}=1"]), st.text(max_size=6))
@settings(max_examples=100)
def test_any_text_for_a_number_is_a_whole_number_or_refused(ludus, where: str, text: str) -> None:
    if "--size" in where or "--set" in where or not text.strip().isdecimal():
        result = ludus("perft", "hex", *(word.format(text) for word in where.split()), "--position", "../.. b")
        assert result.status == 0 or result.refusal


def test_help_lists_every_command_and_shows_examples(ludus) -> None:
    listing = ludus("--help")
    assert listing.status == 0
    assert ludus().out == listing.out
    for command in COMMANDS:
        assert command in listing.out
        assert f"Usage: ludus {command}" in ludus(command, "--help").out
    assert "ludus perft abalone 3 --layout belgian-daisy" in ludus("perft", "--help").out
    assert "--layout" in ludus("play", "--help").out


def test_version(ludus) -> None:
    assert ludus("--version") == (0, f"ludus {__version__}\n", "")


def test_interruption_ends_quietly(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ludus.cli.games.print_json", lambda document: interrupt())
    assert ludus("games", "--json") == (130, "", "")


def test_a_bug_is_not_hidden(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.games.print_json", lambda document: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ludus("games", "--json")


# --- as a person runs it ------------------------------------------------------------------------------------


def start(*argv: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *argv], stderr=subprocess.PIPE, check=False, **options)


def test_help_loads_nothing_heavy() -> None:
    script = """
import sys
from ludus.cli import COMMANDS, main
for argv in ([], ["--help"], ["--version"], ["foo"], *([command, "--help"] for command in COMMANDS)):
    main(argv)
heavy = {"jax", "jaxlib", "numpy", "numba", "scipy", "matplotlib", "equinox"} & set(sys.modules)
sys.exit(f"loaded {heavy}" if heavy else 0)
"""
    process = start("-c", script, stdout=subprocess.PIPE)
    assert b"Count the lines" in process.stdout.split(b"Usage: ")[1]  # what a command does, in the list
    said = f"ludus: there is no command 'foo'; the commands are {', '.join(COMMANDS)}.\n"
    assert (process.returncode, process.stderr.decode()) == (0, said)


def test_a_refusal_leaves_no_traceback() -> None:
    process = start("-m", "ludus", "perft", "hex", "1", "--size", "20", stdout=subprocess.PIPE)
    assert (process.returncode, process.stdout) == (2, b"")
    assert process.stderr == b"ludus: hex: size goes from 2 to 19, so it cannot be 20.\n"


def said(stderr: str) -> list[str]:
    """Its lines, but for how long it has taken so far, which a busy machine may have said of any command."""
    return [line for line in stderr.splitlines() if not line.endswith(" s so far)")]


def test_a_closed_pipe_is_no_drama() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = start("-m", "ludus", "perft", "lgame", "1", "--json", stdout=writing)
    os.close(writing)
    assert (process.returncode, said(process.stderr.decode())) == (141, [])


SMALL = "--game hex --size 2"
PRINTS = [
    "games",
    "games --json",
    "solve --help",
    "completion bash",
    "perft hex 1 --size 2",
    "solve hex --size 2 --moves",
    f"eval perfect {SMALL} --exact",
    f"match random random {SMALL} --games 4",
    f"tournament random perfect {SMALL} --games 4",
    f"reproduce hex fig8 --judge --out {DOCS}",
]


@pytest.fixture(scope="module")
def forked() -> Iterator[Forked]:
    with Forked(os.environ) as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize("command", PRINTS)
def test_what_cannot_be_printed_is_no_drama_either(command: str, tmp_path: Path, forked: Forked) -> None:
    """A pipe that nobody reads from ends a command as it does others; a disk that is full gets a sentence."""
    if DOCS in command:
        shutil.copytree(PAPERS, tmp_path / "papers")  # which is judged and drawn again
    argv = command.replace(DOCS, str(tmp_path / "papers")).split()
    reading, writing = os.pipe()
    os.close(reading)
    result = forked.run(*argv, cwd=tmp_path, stdout=writing)
    os.close(writing)
    assert (result.status, said(result.err)) == (141, [])
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        result = forked.run(*argv, cwd=tmp_path, stdout=full.fileno())
    assert result.status == 2
    (sentence,) = said(result.err)
    assert sentence.startswith("ludus: ")
    assert sentence.endswith("No space left on device.")


@pytest.mark.slow
def test_bytes_that_are_no_text_do_not_end_a_game() -> None:
    argv = ["-m", "ludus", "play", "lgame", "--against", "random"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = start(*argv, input=b"\xff\xfe\nquit\n", stdout=subprocess.PIPE, env=ascii_only)
    assert (process.returncode, process.stderr) == (0, b"")
    assert b"Goodbye." in process.stdout
    assert b"\x1b" not in process.stdout
