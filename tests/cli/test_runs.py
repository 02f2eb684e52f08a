"""`ludus runs` and `ludus runs show`: on runs that are finished, stopped, running and damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.runs import lock, run_folder, tensors

RECIPE = {"name": "best", "learner": "dqn", "games": 80}
CONFIG = {"game": "hex", "options": {"size": 3, "swap": False}, "recipe": RECIPE, "seed": 7, "command": "ludus train"}
KEYS = {"run", "game", "recipe", "seed", "games", "total", "state", "strength"}


def write(path: Path, reports: int = 3, finished: bool = False) -> run_folder.Run:
    run = run_folder.create(path, CONFIG)
    for games in range(10, 10 * reports + 1, 10):
        run.log({"games": games, "loss": 1 / games, "held": games / 100, "summary": f"holds {games}%"})
        run.checkpoint(games, {"x": games})
    if finished:
        tensors.write_tensors(path / "weights.safetensors", {"x": 1}, {})
        (path / "final.json").write_text(json.dumps({"summary": "holds all there is"}))
    return run


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_runs_are_listed(ludus, here: Path) -> None:
    assert ludus("runs", "--json").document == {"runs": []}
    assert "no run in 'runs' yet" in ludus("runs").out
    write(here / "runs" / "one", finished=True)
    write(here / "runs" / "two")
    (write(here / "runs" / "worse").path / "config.json").write_text("{")
    with lock.held(write(here / "runs" / "under way", 1).path):
        listed = ludus("runs", "--json").document["runs"]
        table = ludus("runs").out
    assert all(set(run) >= KEYS for run in listed)
    assert [(run["run"], run["state"], run["games"]) for run in listed] == [
        ("runs/one", "finished", 30),
        ("runs/two", "stopped", 30),
        ("runs/under way", "running", 10),
        ("runs/worse", "damaged", 0),
    ]
    assert (listed[0]["game"], listed[0]["recipe"], listed[0]["seed"], listed[0]["total"]) == ("hex", "best", 7, 80)
    assert [run["strength"] for run in listed] == ["holds all there is", "holds 30%", "holds 10%", None]
    assert "config.json" in listed[-1]["why"]
    words = " ".join(table.split())
    for word in ("runs/one", "hex size=3", "finished", "running", "stopped", "damaged", "30/80", "MB"):
        assert word in words, word
    assert "no folder 'nowhere'" in ludus("runs", "--runs", "nowhere").refusal
    assert ludus("runs", "--runs", "runs/one", "--json").document == {"runs": []}  # it is a run, and holds none


@pytest.mark.parametrize("state", ["finished", "stopped", "running"])
def test_a_run_is_shown(ludus, here: Path, state: str) -> None:
    run = write(here / "runs" / "one", finished=state == "finished")
    with lock.held(run.path) if state == "running" else open(os.devnull):
        shown = ludus("runs", "show", "runs/one")
        document = ludus("runs", "show", "one", "--json").document  # by its name alone
    assert shown.status == 0
    assert shown.out.startswith(f"runs/one: hex size=3, best, seed 7, 30/80 games, {state}\n")
    for word in ("won positions held, %", "loss", "30 games", "The picture: runs/one/curves.svg"):
        assert word in shown.out
    assert max(map(len, shown.out.splitlines())) <= 100
    assert (run.path / "curves.svg").read_text().rstrip().endswith("</svg>")
    assert document["svg"] == "runs/one/curves.svg"
    assert [panel["measure"] for panel in document["panels"]] == ["won positions held, %", "loss"]
    assert document["panels"][0]["curves"]["runs/one"] == [[10, 10.0], [20, 20.0], [30, 30.0]]
    assert run_folder.open_run(run.path).restore({"x": 0}) == (30, {"x": 30})  # a picture there does no harm


def test_runs_are_compared(ludus, here: Path) -> None:
    for name in ("one", "two", "three"):
        write(here / "runs" / name)
    shown = ludus("runs", "show", "one", "--compare", "runs/two", "three")
    assert shown.status == 0
    assert "* runs/one\no runs/two\n+ runs/three\n" in shown.out
    assert "The picture: curves.svg" in shown.out
    picture = (here / "curves.svg").read_text()
    assert "runs/three" in picture
    assert not list((here / "runs").rglob("*.svg"))
    (here / "pictures").mkdir()
    without = ludus("runs", "show", "--compare", "one", "two", "--svg", "pictures/both.svg", "--json").document
    assert [run["run"] for run in without["runs"]] == ["runs/one", "runs/two"]
    assert (here / "pictures" / "both.svg").is_file()


def test_curves_fit_the_terminal(ludus, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here / "runs" / "one")
    for columns in (40, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = ludus("runs", "show", "one").out.splitlines()[1:]
        assert columns - 2 <= max(map(len, lines)) <= columns


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("runs one", "no use for 'one'"),
        ("runs show", "needs the folder of a run"),
        ("runs show nowhere", "there is no run 'nowhere'"),
        ("runs show fresh", "has no report yet"),
        ("runs show worse", "config.json"),
        ("runs show good --compare worse", "config.json"),
        ("runs show good --svg picture.png", "ends in .svg"),
        ("runs show good --svg nowhere/it.svg", "nowhere/it.svg"),
        ("runs show good --foo", "--foo"),
        ("runs --games 3", "--games"),
    ],
)
def test_what_is_refused(ludus, here: Path, command: str, words: str) -> None:
    write(here / "runs" / "good")
    write(here / "runs" / "fresh", 0)
    (write(here / "runs" / "worse").path / "config.json").write_text("{")
    before = sorted(here.rglob("*"))
    for more in ([], ["--json"]):
        assert words in ludus(*command.split(), *more).refusal
    assert sorted(here.rglob("*")) == before


def test_neither_takes_jax(here: Path) -> None:
    write(here / "runs" / "one", finished=True)
    script = """
import sys
from ludus.cli import main
for argv in (["runs"], ["runs", "--json"], ["runs", "show", "one"], ["runs", "show", "nowhere"]):
    main(argv)
sys.exit("loaded JAX" if {"jax", "jaxlib", "numba"} & set(sys.modules) else 0)
"""
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
