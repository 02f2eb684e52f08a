"""Runs on the page: listed by name, watched as they grow, played as they stand; and the one training it may start."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest
from helpers.web import Asking, report, write_run

import ludus
from ludus.web import app
from ludus.web.run_list import Demo
from ludus.web.server import Server


def test_runs_go_by_name_and_say_nothing_of_where_they_lie(ask: Asking, runs: Path) -> None:
    write_run(runs / "deep" / "er", 2)
    found = ask.client.get("/api/runs").json()
    (run,) = [run for run in found["runs"] if run["name"] == "run:deep/er"]
    assert (run["game"], run["games"], run["total"], run["state"]) == ("lgame", 200, 900, "stopped")
    assert run["strength"] == "holds 1"
    assert str(runs) not in json.dumps(found)
    assert ask.refused("move", game="lgame", agent="run:deep/er").endswith(".")  # nothing to play with yet


def test_a_folder_that_is_not_there_has_no_runs(tmp_path: Path) -> None:
    assert Server(tmp_path / "nowhere").players.runs() == {}


def test_a_run_is_told_whenever_it_has_come_further(tmp_path: Path) -> None:
    """The stream itself: a document at once, another after a report, none in between, and an end when nobody looks."""
    folder, told = write_run(tmp_path / "run", 1), []
    looks = iter([False, False, False, False, True])

    class Watcher:
        async def is_disconnected(self) -> bool:
            return next(looks)

    async def watch() -> None:
        server = Server(tmp_path)
        stream: Any = app._stream(server, Watcher(), "run:run", folder)  # pyright: ignore[reportArgumentType]
        async for event in stream:
            told.append(event)
            assert server.streams == 1
            if len(told) == 1:
                report(folder, 1)
        assert server.streams == 0

    asyncio.run(asyncio.wait_for(watch(), 30))
    documents = [json.loads(event.removeprefix("data: ")) for event in told]
    assert [document["run"]["games"] for document in documents] == [100, 200]
    held, loss = documents[-1]["panels"]
    assert held == {"title": "positions held, %", "points": [[100, 10.0], [200, 11.0]]}
    assert loss["title"] == "loss"
    assert str(tmp_path) not in "".join(told)


def test_events_end_with_the_run(ask: Asking, runs: Path) -> None:
    """A damaged one has ended too."""
    write_run(runs / "broken", 1)
    (runs / "broken" / "metrics.jsonl").write_text('{"games": "many"}\n')
    answer = ask.client.get("/api/events", params={"run": "run:broken"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert json.loads(answer.text.removeprefix("data: "))["run"]["state"] == "damaged"
    for name in ("run:nothing", "../broken", "broken", "", "run:../runs/broken"):
        assert ask.client.get("/api/events", params={"run": name}).status_code == 404


def test_the_demonstration_is_one_fixed_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[list[str]] = []

    class Process:
        def __init__(self, command: list[str], **_: Any) -> None:
            begun.append(command)

        def poll(self) -> None:
            return None

        def terminate(self) -> None:
            begun.append(["terminate"])

    monkeypatch.setattr(subprocess, "Popen", Process)
    demo = Demo(tmp_path / "runs")
    assert demo.start() == "page-demo"
    assert demo.start() == "page-demo"  # the one that runs already
    folder = str((tmp_path / "runs" / "page-demo").resolve())
    assert begun == [[sys.executable, "-m", "ludus", "train", "lgame", "--out", folder, "--quiet"]]
    demo.pause()
    assert begun[-1] == ["terminate"]
    demo.stop()
    assert begun[-1] == ["terminate"]


def test_runs_of_one_setting_are_a_mean_with_a_band(ask: Asking, runs: Path) -> None:
    """Seeds of one setting are one curve as far as the shortest of them goes; another setting is a curve of its own."""
    for seed, rows in enumerate((4, 3, 3)):
        folder = write_run(runs / f"seed-{seed}", 0)
        for row in range(rows):
            report(folder, row, held=10 + row + seed)
    other = write_run(runs / "longer", 2)
    config = json.loads((other / "config.json").read_text())
    config["recipe"]["games"] = 1800
    (other / "config.json").write_text(json.dumps(config))
    names = [f"run:seed-{seed}" for seed in range(3)]
    found = ask("compare", runs=[*names, "run:longer"])
    (held, loss) = found["charts"]
    assert (held["title"], loss["title"], found["left_out"]) == ("positions held, %", "loss", [])
    together, alone = held["curves"]
    assert together["label"] == "seed-0 and 2 more of its setting"
    assert (together["steps"], together["count"], together["mean"]) == ([100.0, 200.0, 300.0], 3, [11.0, 12.0, 13.0])
    assert together["low"][0] < 11 < together["high"][0]
    assert together["seeds"][2] == [12.0, 13.0, 14.0]
    assert (alone["label"], alone["low"], alone["seeds"]) == ("longer", [None, None], [])
    (runs / "seed-2" / "metrics.jsonl").write_text('{"games": "many"}\n')
    assert ask("compare", runs=names)["left_out"] == ["seed-2 cannot be read just now."]
    assert "no run 'run:nobody'" in ask.refused("compare", runs=["run:nobody"])
    assert "1 to" in ask.refused("compare", runs=[])


@pytest.mark.slow
def test_a_run_plays_as_it_stands_and_at_every_age(ask: Asking, runs: Path) -> None:
    game = ludus.game("hex", size=2)
    with jax.numpy_dtype_promotion("standard"):  # which Optax's Adam needs
        ludus.train(game, out=runs / "tiny", games=20)
    said = {"game": "hex", "options": {"size": 2}}
    assert ask("move", **said, agent="run:tiny")["move"] == ludus.agent(runs / "tiny").move()
    (run,) = [run for run in ask.client.get("/api/runs").json()["runs"] if run["name"] == "run:tiny"]
    assert run["ages"]
    for age in run["ages"]:
        name = f"tiny/selves/{age['games']:012d}"
        assert age["agent"] == f"run:{name}"
        assert ask("move", **said, agent=age["agent"])["move"] == ludus.agent(runs / name).move()
    for name in ("run:tiny/selves/000000000000", "run:tiny/selves/..", "run:tiny/selves/../../tiny", "run:/selves/1"):
        assert "there is no run" in ask.refused("move", **said, agent=name)
    assert len(ask("opinion", **said, agent="run:tiny")["moves"]) == 4
    assert "has learned hex size=2" in ask.refused("move", 400, game="hex", options={"size": 3}, agent="run:tiny")
