"""`ludus train`: a tiny recipe for Hex on a board of 2, by name."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest

from ludus.agents.network import load_network
from ludus.cli.train.display import ProgressBar, rate_of, span
from ludus.games import make_game
from ludus.learners import recipes
from ludus.learners.recipe import Recipe
from ludus.runs import run_folder
from ludus.runs.tensorboard import FILE_NAME
from ludus.training.progress import Progress

SMALL = {"hidden": (8,), "games": 300, "lanes": 4, "plies": 8, "updates": 2, "batch": 16, "memory": 64}
TRAIN = ("train", "hex", "--size", "2", "--recipe", "tiny")
TINY: dict[str, Any] = {"name": "tiny", "learner": "afterstate", "as_table": True, **SMALL}
CONFIG: dict[str, Any] = {"game": "hex", "options": {"size": 2, "swap": False}, "recipe": TINY, "seed": 0}


@pytest.fixture(autouse=True)
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion does not let pass."""
    with jax.numpy_dtype_promotion("standard"):
        yield


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """In an empty folder, with one recipe more."""
    monkeypatch.setitem(recipes.ANY_GAME, "tiny", Recipe.of("tiny", "afterstate", as_table=True, **SMALL))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_run_its_folder_and_its_number(ludus, tiny: Path) -> None:
    document = ludus(*TRAIN, "--json").document
    assert set(document) == {"run", "games", "seconds", "final"}
    assert document["run"] == str(Path("runs") / "hex-tiny-0")
    assert document["games"] >= 300
    assert document["seconds"] > 0
    assert {"vs_random", "vs_perfect", "value_preserving", "positions", "unbeatable"} <= set(document["final"])
    again = ludus(*TRAIN, "--tensorboard", "board")
    assert again.status == 0
    assert f"--against {Path('runs') / 'hex-tiny-0-2'}" in again.out
    assert "games" in again.err
    assert ludus(*TRAIN, "--json", "--games", "1").document["run"] == str(Path("runs") / "hex-tiny-0-3")
    first, second = (tiny / "runs" / name / "weights.safetensors" for name in ("hex-tiny-0", "hex-tiny-0-2"))
    assert first.read_bytes() == second.read_bytes()
    events = list((tiny / "board").iterdir())
    assert len(events) == 1
    assert "tfevents" in events[0].name
    assert b"value_preserving" in events[0].read_bytes()
    # The folder is an agent, and a finished run resumes to what it is.
    exact = ludus("eval", document["run"], "--exact", "--json").document
    assert {name: exact[name] for name in document["final"]} == document["final"]
    resumed = ludus("train", "--resume", document["run"], "--json").document
    assert (resumed["run"], resumed["games"], resumed["final"]) == (
        document["run"],
        document["games"],
        document["final"],
    )


@pytest.mark.slow
def test_a_spoilt_checkpoint_is_refused(ludus, tiny: Path) -> None:
    assert ludus(*TRAIN, "--out", "mine").status == 0
    newest = max((tiny / "mine" / "checkpoints").glob("*.safetensors"))
    data = newest.read_bytes()
    (tiny / "mine" / "weights.safetensors").unlink()
    for spoilt in (data[:-1], data[:-1] + bytes([data[-1] ^ 1]), b""):
        newest.write_bytes(spoilt)
        for more in ([], ["--json"]):
            assert newest.name in ludus("train", "--resume", "mine", *more).refusal
    assert not (tiny / "mine" / "weights.safetensors").exists()
    assert newest.read_bytes() == b""
    assert "weights.safetensors" in ludus("eval", "mine", "--exact").refusal
    (tiny / "mine" / "weights.json").unlink()
    assert newest.name in ludus("eval", "mine", "--exact").refusal
    newest.write_bytes(data)
    assert ludus("train", "--resume", "mine", "--json").document["run"] == "mine"
    assert "there already" in ludus(*TRAIN, "--out", "mine").refusal


BAD = [
    ("train", "name of a game"),
    ("train chess", "there is no game 'chess'"),
    ("train hex --recipe nothing", "no recipe 'nothing'"),
    ("train hex --games 0", "--games 0"),
    ("train hex --games 2.5", "2.5"),
    ("train hex --games 3000000000", "at most 2,000,000,000 games"),
    ("train hex --games 999999999999999999", "at most 2,000,000,000 games"),
    ("train hex --size 4 --with lr=1", "no setting 'lr'; there are network, hidden, width"),
    ("train hex --with lanes", "not NAME=VALUE"),
    ("train hex --with lanes=-128", "a whole number from 1"),
    ("train hex --with hidden=a", "whole numbers from 1"),
    ("train hex --size 4 --with epsilon=2", "from 0 to 1"),
    ("train hex --size 4 --with memory=100000000 --with lanes=100000000", "GB, and there are"),
    ("train lgame --with lookahead=true", "no setting 'lookahead'"),
    ("train hex --seed -1", "--seed"),
    ("train hex --seed 99999999999", "--seed"),
    ("train hex --size 99", "99"),
    ("train hex --size 2 --recipe tiny --out a-file", "a-file"),
    ("train hex --size 2 --recipe tiny --out a-folder", "a-folder"),
    ("train hex --size 2 --recipe tiny --out a-file/below", "a-file"),
    ("train --resume nowhere", "nowhere"),
    ("train --resume a-folder", "a-folder"),
    ("train hex --resume a-folder", "--resume takes everything"),
    ("train --resume a-folder --with lanes=3", "--resume takes everything"),
    ("train --resume a-folder --games 3000000000", "at most 2,000,000,000 games"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, tiny: Path, command: str, words: str) -> None:
    refused(ludus, tiny, command, words)


def refused(ludus, tiny: Path, command: str, words: str) -> None:
    (tiny / "a-file").write_text("mine")
    (tiny / "a-folder").mkdir()
    (tiny / "a-folder" / "notes.txt").write_text("mine")
    for more in ([], ["--json"]):
        assert words in ludus(*command.split(), *more).refusal
    assert {path.name for path in tiny.rglob("*")} == {"a-file", "a-folder", "notes.txt"}
    assert (tiny / "a-file").read_text() == "mine"


def test_events_that_cannot_be_written_are_refused_before_training(ludus, tiny: Path) -> None:
    refused(ludus, tiny, "train hex --size 2 --recipe tiny --tensorboard a-file", "a-file")


EDITS = {
    "lanes": -128,
    "hidden": ["a"],
    "learning_rate": "fast",
    "epsilon": 1e400,
    "games": 10**30,
    "memory": True,
    "inputs": {"a": [[[[]]]]},
    "as_table": "yes",
    "learner": ["dqn"],
}


@pytest.mark.parametrize(
    "config",
    [
        *("{}", "[]", "no JSON", "[" * 100_000, f'{"{"}"a":' * 100_000),
        '{"game": "hex", "options": {}, "recipe": {}, "seed": 0}',
        *(json.dumps(CONFIG | {"recipe": CONFIG["recipe"] | {name: value}}) for name, value in EDITS.items()),
        *(json.dumps(CONFIG | {"seed": seed}) for seed in ("x", -1, 2**40, 1.5, None)),
        *(json.dumps(CONFIG | {"options": options}) for options in ([], {"size": "x"}, {"size": 10**9}, {"a b": 1})),
        json.dumps(CONFIG | {"game": "chess"}),
        json.dumps(CONFIG | {"game": "abalone", "options": {}}),  # which is no table
        json.dumps(CONFIG | {"extended": 7}).replace("tiny", "small"),
    ],
    ids=lambda config: config[-50:],
)
def test_a_config_that_is_none_is_refused(ludus, tiny: Path, config: str) -> None:
    (tiny / "run").mkdir()
    (tiny / "run" / "config.json").write_text(config)
    (tiny / "run" / "versions.json").write_text('{"format": 1}')
    (tiny / "run" / "checkpoints").mkdir()
    shutil.copy(tensors_of(tiny), tiny / "run" / "checkpoints" / "000000000001.safetensors")
    shutil.copy(tensors_of(tiny).with_suffix(".json"), tiny / "run" / "checkpoints" / "000000000001.json")
    assert ludus("train", "--resume", "run").refusal
    assert ludus("train", "--resume", "run", "--games", "90").refusal
    assert ludus("eval", "run", "--exact").refusal


def tensors_of(tiny: Path) -> Path:
    """A checkpoint of another run, where something is to be read at all."""
    if not (tiny / "other").exists():
        run_folder.create(tiny / "other", {"seed": 1}).checkpoint(1, {"x": 1})
    return tiny / "other" / "checkpoints" / "000000000001.safetensors"


# --- settings, quiet, more games ------------------------------------------------------------------------------


def test_settings_are_listed(ludus) -> None:
    listed = ludus("train", "hex", "--size", "2", "--recipe", "tiny", "--with", "help", "--json").document
    assert (listed["recipe"], listed["learner"]) == ("tiny", "afterstate")
    settings = {entry["name"]: entry for entry in listed["settings"]}
    assert settings["lanes"]["value"] == 4
    assert settings["epsilon"] == {
        "name": "epsilon",
        "value": 0.2,
        "takes": "a number from 0 to 1",
        "help": "share of moves made at random in training",
    }
    shown = ludus("train", "hex", "--size", "2", "--recipe", "tiny", "--with", "help").out
    assert all(name in shown for name in settings)
    assert not Path("runs").exists()


@pytest.mark.slow
def test_settings_are_taken_and_training_is_quiet_on_request(ludus, tiny: Path) -> None:
    given = ["--with", "learning_rate=0.01", "--with", "hidden=6,5"]
    done = ludus(*TRAIN, *given, "--games", "40", "--quiet", "--tensorboard", "deep/board")
    assert (done.status, done.err) == (0, "")
    config = json.loads((tiny / "runs" / "hex-tiny-0" / "config.json").read_text())
    assert (config["recipe"]["learning_rate"], config["recipe"]["hidden"]) == (0.01, [6, 5])
    agent = load_network(tiny / "runs" / "hex-tiny-0", make_game("hex", size=2))
    assert [weight.shape[1] for weight in agent.weights.weights] == [6, 5, 1]
    [events] = (tiny / "deep" / "board").iterdir()
    rows = (tiny / "runs" / "hex-tiny-0" / "metrics.jsonl").read_text().splitlines()
    assert events.read_bytes().count(b"value_preserving") == len(rows)
    assert 40 <= json.loads(rows[-1])["games"] < 60


@pytest.mark.slow
def test_events_are_written_as_the_rows_are(ludus, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def show(self: ProgressBar, progress: Progress) -> None:
        events = (tiny / "board" / FILE_NAME).read_bytes()
        seen.append((progress.reported, events.count(b"value_preserving")))

    monkeypatch.setattr(ProgressBar, "show", show)
    assert ludus(*TRAIN, "--tensorboard", "board").status == 0
    reported = [count for reported, count in seen if reported]
    assert reported == list(range(1, len(reported) + 1))
    assert len(reported) > 2


@pytest.mark.slow
def test_a_finished_run_is_trained_further(ludus, tiny: Path) -> None:
    first = ludus(*TRAIN, "--out", "my run", "--json").document
    done = ludus("train", "--resume", "my run", "--games", str(first["games"] + 100))
    assert done.status == 0
    assert "Play against it: ludus play hex --against 'my run'\n" in done.out
    assert "give more than that" in ludus("train", "--resume", "my run", "--games", "10").refusal
    [listed] = ludus("runs", "--runs", ".", "--json").document["runs"]
    assert (listed["state"], listed["total"]) == ("finished", first["games"] + 100)


@pytest.mark.slow
def test_an_unfinished_run_is_an_agent(ludus, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(self: ProgressBar, progress: Progress) -> None:
        if progress.reported:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ProgressBar, "show", stop)
        stopped = ludus(*TRAIN, "--out", "my run")
    assert (stopped.status, stopped.out) == (130, "")
    assert stopped.err.endswith("Stopped. Go on with: ludus train --resume 'my run'\n")
    assert ludus("eval", "my run", "--exact", "--json").document["positions"] > 0
    assert ludus("eval", "my run", "--against", "random", "--games", "10", "--json").document["games"] == 10
    assert ludus("match", "my run", "random", "--games", "10", "--json").document["games"] == 10
    assert ludus("train", "--resume", "my run", "--json").document["games"] >= 300


# --- long runs ------------------------------------------------------------------------------------------------


@pytest.fixture
def stopped_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run ends as soon as it is known how long it takes."""
    show = ProgressBar.show

    def stop(self: ProgressBar, progress: Progress) -> None:
        show(self, progress)
        if progress.expected:
            raise KeyboardInterrupt

    monkeypatch.setattr(ProgressBar, "show", stop)
    monkeypatch.setattr("ludus.training.progress.ENOUGH", 0.01)


@pytest.mark.slow
@pytest.mark.usefixtures("stopped_when_told")
def test_a_run_that_takes_hours_says_so_and_what_would_take_minutes(ludus, tiny: Path) -> None:
    argv = (*TRAIN, "--games", "2000000000")
    for more in ([], ["--json"]):
        said = ludus(*argv, "--out", f"my run{len(more)}", *more)
        assert said.status == 130
        [long] = [line for line in said.err.splitlines() if line.startswith("This will take about ")]
        _, _, shorter = long.partition(f"ludus train --resume 'my run{len(more)}' goes on, and ")
        assert shorter.startswith("ludus train hex --set size=2 --recipe tiny --games ")
        games = int(shorter.removesuffix(" takes minutes.").rpartition(" ")[2])
        assert 0 < games < 2_000_000_000 / 10
    assert "This will take" not in ludus(*argv, "--out", "quiet", "--quiet").err
    again = ludus("train", "--resume", "my run0")
    assert "This will take about " in again.err


@pytest.mark.slow
@pytest.mark.usefixtures("stopped_when_told")
def test_a_small_recipe_is_named_where_there_is_one(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recipes.ANY_GAME, "small", recipes.ANY_GAME["tiny"])
    said = ludus(*TRAIN, "--games", "2000000000").err
    assert "and ludus train hex --set size=2 --recipe small takes minutes." in said


@pytest.mark.slow
@pytest.mark.usefixtures("stopped_when_told")
def test_a_short_run_says_nothing_of_it(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.train.display.LONG", 1e9)
    assert "This will take" not in ludus(*TRAIN, "--games", "2000000000").err


def test_something_is_said_while_the_first_round_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.shared.progress.SILENT_SECONDS", 0.01)
    stream = io.StringIO()
    with contextlib.redirect_stderr(stream), ProgressBar():
        end = time.monotonic() + 60
        while not stream.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    assert re.match(r"compiling, then the first rounds \(\d+ s so far\)\n", stream.getvalue())
    silent = io.StringIO()
    with contextlib.redirect_stderr(silent), ProgressBar(quiet=True) as screen:
        screen.say("a sentence")
        time.sleep(0.1)
    assert silent.getvalue() == ""


@pytest.mark.parametrize(
    ("rate", "games", "words"),
    [(0.0, 50, ""), (10.0, 50, "10 games/s, 5 s to go"), (1.0, 500, "1 games/s"), (2.0, 100, "2 games/s")],
)
def test_how_long_it_will_take(rate: float, games: int, words: str) -> None:
    assert rate_of(Progress(games, 100, rate, {}, None)) == words
    assert [span(seconds) for seconds in (59.6, 600, 9000, 260_000)] == ["60 s", "10 min", "2.5 h", "3 days"]
    assert rate_of(Progress(50, 100, 0.0, {}, None, expected=5.0)) == "10 s to go"
    assert rate_of(Progress(50, 100, 1.0, {}, None, expected=5.0)) == "1 games/s, 10 s to go"
