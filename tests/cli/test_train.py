"""`ludus train`: a tiny recipe for Hex on a board of 2, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

from ludus.training import recipes
from ludus.training.recipes import Recipe

SMALL = {"hidden": (8,), "games": 300, "lanes": 4, "plies": 8, "updates": 2, "batch": 16, "memory": 64}
TRAIN = ("train", "hex", "--size", "2", "--recipe", "tiny")


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
    assert "no weights yet" in ludus("eval", "mine", "--exact").refusal
    newest.write_bytes(data)
    assert ludus("train", "--resume", "mine", "--json").document["run"] == "mine"
    assert "there already" in ludus(*TRAIN, "--out", "mine").refusal


BAD = [
    ("train", "name of a game"),
    ("train chess", "there is no game 'chess'"),
    ("train hex --recipe nothing", "no recipe 'nothing'"),
    ("train hex --games 0", "--games 0"),
    ("train hex --games 2.5", "2.5"),
    ("train hex --seed -1", "--seed"),
    ("train hex --seed 99999999999", "--seed"),
    ("train hex --size 99", "99"),
    ("train hex --size 2 --recipe tiny --out a-file", "a-file"),
    ("train hex --size 2 --recipe tiny --out a-folder", "a-folder"),
    ("train hex --size 2 --recipe tiny --out a-file/below", "a-file"),
    ("train --resume nowhere", "nowhere"),
    ("train --resume a-folder", "a-folder"),
    ("train hex --resume a-folder", "--resume takes everything"),
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


@pytest.mark.parametrize("config", ["{}", "[]", "no JSON", '{"game": "hex", "options": {}, "recipe": {}, "seed": 0}'])
def test_a_config_that_is_none_is_refused(ludus, tiny: Path, config: str) -> None:
    (tiny / "run").mkdir()
    (tiny / "run" / "config.json").write_text(config)
    (tiny / "run" / "versions.json").write_text('{"format": 1}')
    assert ludus("train", "--resume", "run").refusal
