"""Run folders: what is asked for is kept, checkpoints are too, and a run that goes on ends with the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from helpers.runs import CONFIG, begin, contents, outcome, refusal, same, train

from ludus.runs import files, run_folder, run_info, tensors


def test_a_new_run_says_what_was_asked_and_what_it_runs_on(tmp_path: Path) -> None:
    made = run_folder.create(tmp_path / "deep" / "run", CONFIG)
    assert made.config == {**CONFIG, "rates": [0.1, 0.01]}
    assert {"ludus", "jax", "numpy", "python", "platform", "device"} <= made.versions.keys()
    assert run_folder.open_run(made.path) == made
    assert made.restore(begin()) is None


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path: Path) -> None:
    run_folder.create(tmp_path / "run", CONFIG)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    before = contents(tmp_path)
    for name in ("run", "file", "full"):
        text = refusal(lambda name=name: run_folder.create(tmp_path / name, CONFIG))
        assert str(tmp_path / name) in text
        assert "--resume" in text
        assert "--out" in text
    assert "cannot be made" in refusal(lambda: run_folder.create(tmp_path / "file" / "run", CONFIG))
    with pytest.raises(TypeError, match="JSON"):
        run_folder.create(tmp_path / "new", {"path": tmp_path})
    assert contents(tmp_path) == before
    assert not (tmp_path / "new").exists()
    (tmp_path / "empty").mkdir()
    run_folder.create(tmp_path / "empty", CONFIG)


def test_what_is_no_run_is_not_opened(tmp_path: Path) -> None:
    assert "not a run folder" in refusal(lambda: run_folder.open_run(tmp_path / "nowhere"))
    run = run_folder.create(tmp_path / "run", CONFIG)
    good = (run.path / run_info.VERSIONS).read_text()
    (run.path / run_info.VERSIONS).write_text(good.replace('"format": 1', '"format": 2'))
    assert "format 2" in refusal(lambda: run_folder.open_run(run.path))
    (run.path / run_info.VERSIONS).unlink()
    assert "cannot be read" in refusal(lambda: run_folder.open_run(run.path))
    (run.path / run_info.VERSIONS).write_text(good)
    (run.path / run_info.CONFIG).write_text("[]")
    assert "not a JSON object" in refusal(lambda: run_folder.open_run(run.path))
    (run.path / run_info.CONFIG).write_bytes(b'{"game": "h')
    assert "not JSON" in refusal(lambda: run_folder.open_run(run.path))


def test_rows_are_lines_of_json(tmp_path: Path) -> None:
    run = run_folder.create(tmp_path / "run", CONFIG)
    run.log({"step": 1, "loss": jnp.float32(0.5), "by_seat": np.array([1, 2]), "odd": [float("nan"), np.inf]})
    run.log({"step": np.int64(2), "won": np.True_, "nested": {"x": jnp.full(2, jnp.inf)}})
    run.time({"seconds": 0.25})
    first, second = map(json.loads, (run.path / run_info.METRICS).read_text().splitlines())
    assert first == {"step": 1, "loss": 0.5, "by_seat": [1, 2], "odd": [None, None]}
    assert second == {"step": 2, "won": True, "nested": {"x": [None, None]}}
    assert json.loads((run.path / run_info.TIMING).read_text()) == {"seconds": 0.25}


# --- checkpoints --------------------------------------------------------------------------------------------


def test_the_last_two_checkpoints_are_kept(tmp_path: Path) -> None:
    state = train(tmp_path / "run", 9)
    run = run_folder.open_run(tmp_path / "run")
    assert [at.stem for at in run.checkpoints()] == ["000000000006", "000000000008"]
    assert len(list((run.path / run_info.CHECKPOINTS).iterdir())) == 4
    newest = run.newest_checkpoint()
    assert newest is not None
    assert files.read_manifest(newest)["extra"]["step"] == 8
    assert int(state.seen["last"][1]) == int(tensors.read_tensors(newest, begin()).seen["last"][0])


def test_steps_do_not_go_back_and_the_same_one_may_be_saved_again(tmp_path: Path) -> None:
    run = run_folder.create(tmp_path / "run", CONFIG)
    run.checkpoint(5, {"x": 1})
    with pytest.raises(ValueError, match="step 4 comes before step 5"):
        run.checkpoint(4, {"x": 2})
    run.checkpoint(5, {"x": 3})
    assert run.restore({"x": 0}) == (5, {"x": 3})


def test_resuming_cuts_the_metrics_back(tmp_path: Path) -> None:
    train(tmp_path / "run", 5)
    run = run_folder.open_run(tmp_path / "run")
    assert (run.path / run_info.METRICS).read_text().count("\n") == 5
    with open(run.path / run_info.METRICS, "a") as file:
        file.write('{"step": 6, "wh')  # as a kill may leave it
    with open(run.path / run_info.TIMING, "a") as file:
        file.write('{"clo')
    restored = run.restore(begin())
    assert restored is not None
    assert restored[0] == 4
    assert [json.loads(line)["step"] for line in (run.path / run_info.METRICS).read_text().splitlines()] == [1, 2, 3, 4]
    assert all(json.loads(line) for line in (run.path / run_info.TIMING).read_text().splitlines())


def test_without_a_checkpoint_all_begins_anew(tmp_path: Path) -> None:
    train(tmp_path / "run", 1)
    assert run_folder.open_run(tmp_path / "run").restore(begin()) is None
    assert (tmp_path / "run" / run_info.METRICS).read_bytes() == b""


def test_a_resumed_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    straight = train(tmp_path / "straight", 7)
    for steps in (1, 2, 5, 5, 7, 7):
        resumed = train(tmp_path / "resumed", steps)
    assert same(resumed, straight)
    assert outcome(tmp_path / "resumed") == outcome(tmp_path / "straight")
