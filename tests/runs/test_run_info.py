"""What is said of run folders without JAX: running, stopped, finished, damaged, and how far they have come."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.runs import contents

from ludus.runs import lock, run_folder, run_info, tensors

RECIPE = {"name": "best", "learner": "dqn", "games": 80}
CONFIG = {"game": "hex", "options": {"size": 3, "swap": False}, "recipe": RECIPE, "seed": 7, "command": "ludus train"}


def begun(path: Path) -> run_folder.Run:
    """A run with two reports and a checkpoint after each."""
    run = run_folder.create(path, CONFIG)
    for games in (10, 20):
        run.log({"games": games, "loss": 1 / games, "held": games / 100, "summary": f"holds {games}"})
        run.checkpoint(games, {"x": games})
    return run


def finished(path: Path) -> run_folder.Run:
    run = begun(path)
    tensors.write_tensors(path / "weights.safetensors", {"x": 1}, {})
    (path / "final.json").write_text(json.dumps({"held": 0.5, "summary": "holds half"}))
    return run


def test_a_run_is_what_it_is(tmp_path: Path) -> None:
    run_folder.create(tmp_path / "a new one", CONFIG)
    begun(tmp_path / "begun")
    finished(tmp_path / "finished")
    before = contents(tmp_path)
    found = {record.path.name: record for record in map(run_info.read_run_info, run_info.find_runs(tmp_path))}
    assert list(found) == ["a new one", "begun", "finished"]
    assert [record.state for record in found.values()] == ["stopped", "stopped", "finished"]
    assert [record.games for record in found.values()] == [0, 20, 20]
    assert [record.strength for record in found.values()] == [None, "holds 20", "holds half"]
    one = found["begun"].to_json()
    sizes = sum(len(data) for name, data in before.items() if name.startswith("begun/"))
    assert one == {
        "run": str(tmp_path / "begun"),
        "game": "hex",
        "recipe": "best",
        "seed": 7,
        "games": 20,
        "total": 80,
        "state": "stopped",
        "strength": "holds 20",
        "bytes": sizes,
        "options": {"size": 3, "swap": False},
    }
    with lock.held(tmp_path / "begun"):
        with open(tmp_path / "begun" / "metrics.jsonl", "a") as file:
            file.write('{"games": 3')  # a line that is being written
        running = run_info.read_run_info(tmp_path / "begun")
        assert (running.state, running.games) == ("running", 20)
    with lock.held(tmp_path / "finished"):  # it is being finished once more
        assert run_info.read_run_info(tmp_path / "finished").state == "running"


def test_runs_are_found_where_people_put_them(tmp_path: Path) -> None:
    for name in ("b", "a/one", "a/two", ".hidden/one", "no run"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("b", "b/inside", "a/one", "a/two", ".hidden/one"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "config.json").write_text("{}")
    (tmp_path / "a file").write_text("")
    assert [str(path.relative_to(tmp_path)) for path in run_info.find_runs(tmp_path)] == ["a/one", "a/two", "b"]


def edit(name: str, change: Callable[[Any], Any]) -> Callable[[Path], Any]:
    return lambda run: (run / name).write_text(json.dumps(change(json.loads((run / name).read_text()))))


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "config no JSON": lambda run: (run / "config.json").write_text("{"),
    "config nested": lambda run: (run / "config.json").write_text("[" * 100_000),
    "config empty": lambda run: (run / "config.json").write_text("{}"),
    "config a folder": lambda run: ((run / "config.json").unlink(), (run / "config.json").mkdir()),
    "game a number": edit("config.json", lambda config: config | {"game": 7}),
    "total a text": edit("config.json", lambda config: config | {"recipe": RECIPE | {"games": "many"}}),
    "seed a text": edit("config.json", lambda config: config | {"seed": "x"}),
    "metrics no JSON": lambda run: (run / "metrics.jsonl").write_text("{\n"),
    "metrics no object": lambda run: (run / "metrics.jsonl").write_text("7\n"),
    "metrics no games": lambda run: (run / "metrics.jsonl").write_text('{"games": "x"}\n'),
    "metrics no text": lambda run: (run / "metrics.jsonl").write_bytes(b"\xff\n"),
    "weights short": lambda run: (run / "weights.safetensors").write_bytes(b"x"),
    "weights gone": lambda run: (run / "weights.safetensors").unlink(),
    "manifest edited": edit("weights.json", lambda manifest: manifest | {"bytes": 7}),
    "manifest gone": lambda run: (run / "weights.json").unlink(),
    "final no JSON": lambda run: (run / "final.json").write_text(""),
    "checkpoint short": lambda run: (
        (run / "final.json").unlink(),
        (run / "checkpoints" / "000000000020.safetensors").write_bytes(b"x"),
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_called_so_and_does_not_spoil_the_list(damage: str, tmp_path: Path) -> None:
    finished(tmp_path / "run")
    assert run_info.read_run_info(tmp_path / "run").state == "finished"
    DAMAGE[damage](tmp_path / "run")
    record = run_info.read_run_info(tmp_path / "run")
    assert (record.state, record.to_json()["state"]) == ("damaged", "damaged")
    assert str(tmp_path / "run") in record.why


def test_it_takes_no_jax(tmp_path: Path) -> None:
    finished(tmp_path / "run")
    script = """
import sys
from pathlib import Path
from ludus.runs import curves
from ludus.runs import run_info
path = Path(sys.argv[1])
assert run_info.read_run_info(path).state == "finished"
assert curves.svg(curves.panels_of([path]), "it")
sys.exit("loaded JAX" if {"jax", "jaxlib", "numba"} & set(sys.modules) else 0)
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "run")], check=True)
