"""`ludus demo` and `ludus bench`, with the measurements replaced by known numbers."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

from ludus import games as registry
from ludus.games import part

ROW = {"what": "nim", "lanes": 8, "ours": 3e6, "peer": 1e6, "peer_name": "slow", "ratio": 3.0, "device": "cpu"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """What was asked of `ludus.bench`."""
    calls: list[tuple] = []

    def measure(game, lanes: int = 4096, seconds: float = 1.0) -> float:
        calls.append((game.name, lanes, seconds))
        return 1234567.8

    def run(games, peers, lanes, seconds, out, learned, simulated) -> list[dict]:
        calls.append((games, peers, lanes, seconds, out, learned, simulated))
        print("progress", file=sys.stderr)
        return [ROW, {**ROW, "peer": None, "peer_name": None, "ratio": None}]

    monkeypatch.setitem(sys.modules, "ludus.bench", SimpleNamespace(measure=measure, run=run))  # pyright: ignore
    return calls


@pytest.fixture
def only_nim(nim) -> Iterator[None]:
    with mock.patch.dict(registry.ROOMS, {"nim": registry.ROOMS["nim"]}, clear=True):
        registry.rooms.cache_clear()  # `nim` does so at the end
        yield


@pytest.mark.usefixtures("only_nim")
def test_tour_plays_every_game_and_says_how_fast(ludus, asked) -> None:
    shown = ludus("demo", "--tour").out
    assert "heap of 0" in shown
    assert "wins." in shown
    assert "1,234,568 such moves a second" in shown
    assert "ludus play lgame" in shown
    assert "\x1b" not in shown
    assert asked == [("nim", 4096, 1.0)]
    (entry,) = ludus("demo", "--tour", "--json").document["games"]
    assert entry["name"] == "nim"
    assert entry["result"] in ("first", "second")
    assert entry["plies_per_second"] == 1234567.8


@pytest.mark.usefixtures("only_nim", "asked")
def test_tour_moves_on_a_terminal(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.demo.FRAME_SECONDS", 0)
    monkeypatch.setenv("TERM", "xterm")
    assert "move 1 of" in ludus("demo", "--tour", tty=True).out
    assert "move 1 of" not in ludus("demo", "--tour", "--fast", tty=True).out
    assert "move 1 of" not in ludus("demo", "--tour").out


def test_fast_is_for_the_tour(ludus) -> None:
    assert ludus("demo", "--fast").refusal.startswith("--fast goes with --tour")


@pytest.mark.parametrize("folder", ["runs/demo", "my runs/demo"])
def test_the_command_to_play_can_be_pasted(ludus, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    outcome = SimpleNamespace(run=Path(folder), final=None)
    shown = SimpleNamespace(introduction=lambda: "Watch.", comparison=lambda outcome: (("", "this"), [("won", "all")]))
    monkeypatch.setattr("ludus.training.train.train", lambda *_: outcome)
    monkeypatch.setattr(registry, "part", lambda name, kind: shown if kind == "demo" else part(name, kind))
    (line,) = [line for line in ludus("demo").out.splitlines() if line.startswith("Play against it:")]
    command = line.removeprefix("Play against it:").split("ludus", 1)[1]
    assert shlex.split(command) == ["play", "lgame", "--against", folder]


def test_bench_passes_on_what_it_was_asked(ludus, asked, tmp_path: Path) -> None:
    document = ludus(
        "bench", "hex", "--peers", "--lanes", "64", "128", "--out", str(tmp_path / "new"), "--json"
    ).document
    assert document["rows"][0] == ROW
    ludus("bench", "--seconds", "0.5", "--learning")
    ludus("bench", "hex", "--search")
    first = (["hex"], True, [64, 128], 1.0, tmp_path / "new", False, False)
    assert asked == [first, (None, False, None, 0.5, None, True, False), (["hex"], False, None, 1.0, None, False, True)]
    assert list(tmp_path.iterdir()) == []


def test_bench_prints_a_table(ludus, asked) -> None:
    shown = ludus("bench").out
    assert "3,000,000" in shown
    assert "slow" in shown
    assert "\x1b" not in shown


def test_bench_refuses_before_it_measures(ludus, asked, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for wrong in (["go"], ["--lanes", "0"], ["--out", str(tmp_path / "file")], ["--seconds", "-1"]):
        assert ludus("bench", *wrong).refusal
    assert asked == []
