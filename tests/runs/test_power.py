"""A power cut at any moment: what is left is a run that goes on as if nothing had happened, and what was said to be
saved is there.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.powercut import Disk, disk
from helpers.runs import CONFIG, Learner, contents, outcome
from helpers.runs import train as train_run

from ludus.agents.spec import Setup
from ludus.ladder.results_file import BatchResult, Entrant, ResultsFile
from ludus.runs import files, run_folder, run_info, tensors
from ludus.training import snapshots

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="open files are named as Linux does it")


def begin() -> Learner:
    return Learner(np.ones(2, np.uint64), 7, {"last": np.zeros(4, np.uint64)})


def update(state: Learner) -> Learner:
    where = state.where * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return Learner(where, state.key, {"last": np.append(where, state.seen["last"])[:4]})


def train(path: Path, steps: int) -> None:
    train_run(path, steps, 2, begin, update)


def cut_at_every_moment(tmp_path: Path, act: Callable[[Path], None], look: Callable[[Path, int], None]) -> int:
    """Do it, and look at what each cut would leave; how many moments there were."""
    moments = 0

    def then(now: Disk) -> None:
        nonlocal moments
        now.left(tmp_path / "left")
        look(tmp_path / "left", moments)
        shutil.rmtree(tmp_path / "left")
        moments += 1

    (tmp_path / "there").mkdir()
    with disk(tmp_path / "there", then):
        act(tmp_path / "there")
    return moments


def test_a_disk_forgets_what_was_not_forced(tmp_path: Path) -> None:
    """The model itself: an entry wants its folder, and contents want their file."""
    seen: list[dict[str, bytes]] = []

    def act(there: Path) -> None:
        files.make_folder(there / "a" / "b")
        (there / "a" / "b" / "lost").write_bytes(b"x")
        (there / "a" / "c").mkdir()
        files.write_file(there / "a" / "b" / "kept", b"y")
        (there / "a" / "b" / "kept").write_bytes(b"z")
        (there / "a" / "late").write_bytes(b"w")

    cut_at_every_moment(tmp_path, act, lambda left, _: seen.append(contents(left)))
    assert seen[0] == {}
    # Beside what was forced, its folder has an entry that was never filled; and nothing that came later.
    assert seen[-1] == {"a/b/kept": b"y", "a/b/lost": b""}


def test_a_run_goes_on_after_a_cut_at_any_moment(tmp_path: Path) -> None:
    train(tmp_path / "straight", 7)

    def look(left: Path, moment: int) -> None:
        path = left / "runs" / "deep" / "run"
        if (path / run_info.CONFIG).exists():
            for at in run_folder.open_run(path).checkpoints():
                tensors.verified(at)  # each that is listed can be gone back to
        train(path, 7)
        assert outcome(path) == outcome(tmp_path / "straight"), moment

    assert cut_at_every_moment(tmp_path, lambda there: train(there / "runs" / "deep" / "run", 7), look) > 40


def test_what_was_saved_is_there_after_a_cut(tmp_path: Path) -> None:
    """A checkpoint with the reports before it, and their times."""
    promised = 0

    def act(there: Path) -> None:
        nonlocal promised
        run = run_folder.create(there / "runs" / "deep" / "run", CONFIG)
        for step in range(1, 6):
            run.log({"step": step})
            run.checkpoint(step, {"x": step})
            run.time({"step": step})
            promised = step

    def look(left: Path, moment: int) -> None:
        path = left / "runs" / "deep" / "run"
        if promised:
            run = run_folder.open_run(path)
            assert [row["step"] for row in files.read_rows(path / run_info.TIMING)][:promised] == [
                *range(1, promised + 1)
            ]
            restored = run.restore({"x": 0})
            assert restored is not None
            assert restored[1]["x"] == restored[0] >= promised
            assert [row["step"] for row in run_info.read_metrics(path)] == [*range(1, restored[0] + 1)]

    cut_at_every_moment(tmp_path, act, look)
    assert promised == 5


def test_what_was_saved_is_there_though_a_kill_came_before_the_cut(tmp_path: Path) -> None:
    """Folders and files that another process made, and did not force to disk before it was killed."""
    saved = False

    def act(there: Path) -> None:
        nonlocal saved
        mine = run_folder.create(there / "run", CONFIG)
        (mine.path / run_info.CHECKPOINTS).mkdir()
        for name in (run_info.METRICS, run_info.TIMING):
            (mine.path / name).write_bytes(b"")
        mine.log({"step": 1})
        mine.checkpoint(1, {"x": 1})
        saved = True

    def look(left: Path, moment: int) -> None:
        if saved:
            assert run_folder.open_run(left / "run").restore({"x": 0}) == (1, {"x": 1})
            assert (left / "run" / run_info.TIMING).exists()

    cut_at_every_moment(tmp_path, act, look)
    assert saved


def test_a_run_whose_total_is_raised_goes_on_from_its_end_after_a_cut(tmp_path: Path) -> None:
    config = {"game": "lgame", "options": {}, "recipe": {"games": 2}, "seed": 0}
    begun = raised = False

    def act(there: Path) -> None:
        nonlocal begun, raised
        run = run_folder.create(there / "run", config)
        run.checkpoint(2, {"x": 2})
        tensors.write_tensors(run.path / run_info.WEIGHTS, {"w": 1}, {})
        files.write_file(run.path / run_info.FINAL, b"{}")
        begun = True
        run.extended(4)
        raised = True

    def look(left: Path, moment: int) -> None:
        if begun:
            run = run_folder.open_run(left / "run")
            assert run.restore({"x": 0}) == (2, {"x": 2})
            games = run.config["recipe"]["games"]
            assert games == 4 or not raised
            assert not ((run.path / run_info.FINAL).exists() and games == 4), "it has not ended"
            assert (run.path / run_info.WEIGHTS).exists() or not (run.path / run_info.FINAL).exists()

    cut_at_every_moment(tmp_path, act, look)
    assert raised


def test_a_self_that_was_kept_is_there_after_a_cut(tmp_path: Path) -> None:
    config = {"game": "lgame", "options": {}, "recipe": {"games": 24}, "seed": 0}
    kept: list[str] = []

    def act(there: Path) -> None:
        run = run_folder.create(there / "runs" / "run", config)
        for games in (2, 4, 6):
            snapshots.keep(run.path, {"w": np.full(3, games)}, games, games - 2, 24)
            kept.append(f"{games:012d}")

    def look(left: Path, moment: int) -> None:
        found = left / "runs" / "run" / run_info.SNAPSHOTS
        assert set(kept) <= {at.name for at in found.glob("*") if (at / run_info.CONFIG).exists()}, moment
        for at in found.glob("*"):
            if (at / run_info.CONFIG).exists():
                assert tensors.read_tensors(at / run_info.WEIGHTS)["w"].tolist() == [int(at.name)] * 3

    cut_at_every_moment(tmp_path, act, look)
    assert len(kept) == 3


@pytest.mark.parametrize("killed", [False, True], ids=["new", "after a kill"])
def test_a_batch_that_was_added_is_there_after_a_cut(tmp_path: Path, killed: bool) -> None:
    """With `killed`, another process has added one already, and its power was not cut."""
    setup = Setup("hex", {"size": 3, "swap": False})
    added = 0

    def batch(number: int) -> BatchResult:
        return BatchResult(Entrant("a", ""), Entrant("b", ""), 0, number, 0, 2, 0, 2, (0, 0, 2, 0, 0))

    def act(there: Path) -> None:
        nonlocal added
        path = there / "runs" / "ladders" / "l.jsonl"
        results = ResultsFile(path, setup)
        if killed:
            path.parent.mkdir(parents=True)
            files.sync_folder(there)
            files.sync_folder(there / "runs")
            row = {"ladder": 1, "game": "hex", "options": setup.options, **batch(9).to_json()}
            path.write_text(json.dumps(row) + "\n")
        with results.held():
            for number in range(3):
                results.add(batch(number))
                added = number + 1

    def look(left: Path, moment: int) -> None:
        found = ResultsFile(left / "runs" / "ladders" / "l.jsonl", setup)
        assert found.games >= 4 * (added + (killed and added > 0)), moment

    cut_at_every_moment(tmp_path, act, look)
    assert added == 3
