"""`ludus cache`: what is kept, and `--warm`, which makes the first calls in advance."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ludus import games as registry
from ludus.cli import cache as command
from ludus.core import cache


def test_the_calls_of_each_game_are_those_that_compile() -> None:
    calls = {name: [call for call, _ in command.first_calls(name)] for name in registry.names()}
    assert calls["lgame"] == ["solve", "a hint in play"]
    assert calls["hex"] == ["solve", "a hint in play"]
    assert calls["abalone"] == ["solve --depth", "a hint in play"]
    assert calls["solitaire-chess"] == ["solve", "puzzles", "a hint in play"]


def test_a_game_too_large_to_be_solved_is_warmed_where_it_can_be() -> None:
    assert command._solvable(registry.entry("hex")) == {"size": 8}
    assert command._solvable(registry.entry("lgame")) == {}
    assert command._solvable(registry.entry("abalone")) is None


def two_calls(done: list[str], then: Callable[[], Any]) -> Callable[[str], Iterator[tuple[str, Callable[[], Any]]]]:
    def calls(name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
        yield "solve", lambda: done.append(f"{name} solve")
        yield "a hint in play", then

    return calls


def test_warm_makes_them_one_by_one(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    done: list[str] = []
    monkeypatch.setattr(command, "first_calls", two_calls(done, lambda: done.append("hint")))
    found = json.loads(ludus("cache", "--warm", "hex", "--json").out)
    assert done == ["hex solve", "hint"]
    assert [(call["game"], call["call"]) for call in found["warmed"]] == [("hex", "solve"), ("hex", "a hint in play")]
    assert found["folder"] == str(tmp_path)
    done.clear()
    said = ludus("cache", "--warm").out.splitlines()
    assert done[::2] == [f"{name} solve" for name in registry.names()]
    assert [line.split(":")[0] for line in said[:-1:2]] == list(registry.names())


def test_ctrl_c_ends_it_and_what_was_made_stays(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))

    def stop() -> None:
        raise KeyboardInterrupt

    done: list[str] = []
    monkeypatch.setattr(command, "first_calls", two_calls(done, stop))
    left = ludus("cache", "--warm")
    assert (left.status, left.out, done) == (130, "", [f"{registry.names()[0]} solve"])


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("hex",), "'hex' says what to compile; add --warm, or leave it out."),
        (("--warm", "chess"), "chess"),
        (("--warm", "--clear"), "give one of --warm and --clear."),
    ],
)
def test_what_makes_no_sense_is_refused(ludus, argv: tuple[str, ...], why: str) -> None:
    refused = ludus("cache", *argv)
    assert refused.status == 2
    assert why in refused.err


def test_where_nothing_is_kept_there_is_nothing_to_warm(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_CACHE", "off")
    assert cache.folder() is None
    refused = ludus("cache", "--warm")
    assert (refused.status, refused.out) == (2, "")
    assert "LUDUS_CACHE is off" in refused.err
