"""What nobody types but what comes all the same: names that no file has, digits of other scripts, lines without an end,
and games that want more memory than there is.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from helpers.text import refusal

from ludus.cli.shared.lines import MAX_LINE, read_line

LONG = "x" * 300
REFUSED = {
    ("train", "hex", "--recipe", ""): "hex has no recipe ''; there are best",
    ("train", "hex", "--recipe", LONG): "hex has no recipe",
    ("train", "hex", "--out", "a\0b"): "has a zero byte",
    ("train", "hex", "--out", LONG): "File name too long",
    ("train", "hex", "--out", f"{LONG}/run"): "File name too long",
    ("train", "--resume", LONG): "File name too long",
    ("train", "--resume", "a\0b"): "is not a run folder",
    ("play", "hex", "--against", LONG): "there is no agent 'xxx",
    ("play", "hex", "--against", "a\0b"): "there is no agent 'a",
    ("play", "hex", "--load", LONG): "cannot read",
    ("eval", LONG): "there is no agent 'xxx",
    ("eval", f"{LONG}@128"): "there is no agent 'xxx",
    ("eval", f"alphabeta:2:{LONG}/{LONG}"): "there is no agent 'xxx",
    ("eval", f"htp:{LONG}", "--game", "hex"): "there is no program 'xxx",
    ("ladder", "hex", LONG): "there is no agent 'xxx",
    ("ladder", "hex", "--file", LONG): "File name too long",
    ("runs", "--runs", LONG): "File name too long",
    ("runs", "show", LONG): "File name too long",
    ("solve", "hex", "--size", "5", "--keep", LONG): "File name too long",
    # digits, but not ours
    ("play", "hex", "--against", "minimax:\N{FULLWIDTH DIGIT FOUR}"): "is not minimax and how many plies",
    ("play", "hex", "--against", "alphabeta:\N{ARABIC-INDIC DIGIT TWO}"): "does not say how far alphabeta looks",
    ("play", "hex", "--against", "alphabeta:\N{ARABIC-INDIC DIGIT TWO}s"): "does not say how far alphabeta looks",
    ("eval", "hex/best-5@\N{ARABIC-INDIC DIGIT ONE}\N{ARABIC-INDIC DIGIT TWO}"): "does not say how long it searches",
    ("eval", "hex/best-5@\N{FULLWIDTH DIGIT FOUR}s"): "does not say how long it searches",
}


@pytest.mark.parametrize("argv", REFUSED, ids=range(len(REFUSED)))
def test_what_no_name_is_gets_one_sentence(
    ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert REFUSED[argv] in ludus(*argv).refusal
    assert not list(tmp_path.iterdir())


class Endless(io.RawIOBase):
    """Letters for as long as anybody reads, and no newline."""

    def __init__(self) -> None:
        self.read_so_far = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        buffer[:] = b"x" * len(buffer)
        self.read_so_far += len(buffer)
        assert self.read_so_far < 100 * MAX_LINE, "it reads on and on"
        return len(buffer)


def test_a_line_without_an_end_is_refused() -> None:
    endless = Endless()
    said = refusal(read_line, io.TextIOWrapper(io.BufferedReader(endless), encoding="utf-8"))
    assert f"has more than {MAX_LINE:,} characters" in said
    good = "x" * (MAX_LINE - 1) + "\n"
    stream = io.StringIO(good + "last")
    assert [read_line(stream) for _ in range(3)] == [good, "last", ""]


@pytest.mark.parametrize("argv", [("play", "hex", "--size", "2", "--against", "human"), ("htp", "random")])
def test_play_and_htp_refuse_one(ludus, argv: tuple[str, ...]) -> None:
    result = ludus(*argv, stdin="x" * (MAX_LINE + 1))
    assert result.status == 2
    assert result.err.endswith(f"ludus: a line of the input has more than {MAX_LINE:,} characters; give one a line.\n")


def test_where_memory_does_not_suffice_it_is_said(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(document: object) -> None:
        bytearray(1 << 62)

    monkeypatch.setattr("ludus.cli.games.print_json", too_much)
    said = ludus("games", "--json").refusal
    assert said == "there is not enough memory for this; ask for less, or end other programs."


def test_what_cannot_be_written_is_named_without_control_characters(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(document: object) -> None:
        raise OSError(28, os.strerror(28), "a\x1b[31mb\n")

    monkeypatch.setattr("ludus.cli.games.print_json", fail)
    assert ludus("games", "--json").refusal.startswith("cannot write or read 'a\N{REPLACEMENT CHARACTER}[31mb ': ")
