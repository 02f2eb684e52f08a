"""Checkpoints that are damaged, edited or another run's are refused and left alone."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest
from helpers.runs import CONFIG, begin, contents, outcome, refusal, same, train

from ludus.runs import files, run_folder, run_info


def edit(path: Path, change: Callable[[dict], Any], seal: bool = False) -> None:
    """Change a manifest as a person would, or with a new seal."""
    manifest = json.loads(path.read_text())
    change(manifest)
    if seal:
        del manifest["seal"]
        manifest["seal"] = files.seal_of(manifest)
    path.write_text(json.dumps(manifest, indent=2))


def flip(path: Path, where: int) -> None:
    data = bytearray(path.read_bytes())
    data[where] ^= 1
    path.write_bytes(data)


def other_run(newest: Path) -> None:
    """Another run's checkpoint, complete and right, in this one's place."""
    other = run_folder.create(newest.parent.parent / "other", {**CONFIG, "seed": 1})
    other.checkpoint(int(newest.stem), begin())
    for suffix in (".json", ".safetensors"):
        os.replace((other.path / run_info.CHECKPOINTS / newest.name).with_suffix(suffix), newest.with_suffix(suffix))


DAMAGE: dict[str, tuple[Callable[[Path, Path], Any], str]] = {
    "truncated": (lambda at, _: os.truncate(at, at.stat().st_size - 1), "bytes where its manifest says"),
    "emptied": (lambda at, _: at.write_bytes(b""), "0 bytes where"),
    "longer": (lambda at, _: at.write_bytes(at.read_bytes() + b"\0"), "bytes where its manifest says"),
    "a bit flipped in the header": (lambda at, _: flip(at, 20), "SHA-256"),
    "a bit flipped at the end": (lambda at, _: flip(at, -1), "SHA-256"),
    "tensors missing": (lambda at, _: at.unlink(), "cannot be read"),
    "tensors a folder": (lambda at, _: (at.unlink(), at.mkdir()), "cannot be read"),
    "no safetensors": (
        lambda at, m: (
            at.write_bytes(b"x" * 100),
            edit(m, lambda d: d.update(bytes=100, sha256=files.sha256(b"x" * 100)), seal=True),
        ),
        "not a safetensors file",
    ),
    "manifest truncated": (lambda _, m: os.truncate(m, 100), "not JSON"),
    "manifest emptied": (lambda _, m: m.write_text(""), "not JSON"),
    "manifest not text": (lambda _, m: m.write_bytes(b"\xff\xfe\x00"), "not JSON"),
    "manifest a list": (lambda _, m: m.write_text("[]"), "not a JSON object"),
    "manifest without a seal": (lambda _, m: edit(m, lambda d: d.pop("seal")), "seal"),
    "manifest of the future": (lambda _, m: edit(m, lambda d: d.update(format=2)), "format 2"),
    "step edited": (lambda _, m: edit(m, lambda d: d["extra"].update(step=2)), "seal"),
    "metrics length edited": (lambda _, m: edit(m, lambda d: d["extra"].update(metrics_bytes=0)), "seal"),
    "hash edited": (lambda _, m: edit(m, lambda d: d.update(sha256="0" * 64)), "seal"),
    "shape edited": (lambda _, m: edit(m, lambda d: d["tensors"]["seen.last"].update(shape=[2, 2])), "seal"),
    "renamed": (
        lambda at, m: (os.replace(at, at.with_stem("000000000009")), os.replace(m, m.with_stem("000000000009"))),
        "renamed: it was saved after step 6",
    ),
    "another run's": (lambda at, _: other_run(at), "another config"),
    "an older one's tensors": (lambda at, _: at.write_bytes((at.with_stem("000000000004")).read_bytes()), "SHA-256"),
    "config edited": (lambda at, _: (at.parents[1] / run_info.CONFIG).write_text('{"seed": 1}'), "another config"),
    "metrics edited": (lambda at, _: flip(at.parents[1] / run_info.METRICS, 10), "metrics.jsonl' is not what it was"),
    "metrics short": (
        lambda at, _: os.truncate(at.parents[1] / run_info.METRICS, 9),
        "metrics.jsonl' is not what it was",
    ),
    "metrics gone": (lambda at, _: (at.parents[1] / run_info.METRICS).unlink(), "metrics.jsonl' is not what it was"),
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("trained") / "run"
    train(path, 7)
    return contents(path)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_foreign_checkpoint_is_refused_and_left_alone(
    tmp_path: Path, trained: dict[str, bytes], damage: str
) -> None:
    for name, data in trained.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    newest = tmp_path / run_info.CHECKPOINTS / "000000000006.safetensors"
    spoil, why = DAMAGE[damage]
    spoil(newest, newest.with_suffix(".json"))
    before = contents(tmp_path)
    text = refusal(lambda: run_folder.open_run(tmp_path).restore(begin()))
    assert why in text
    assert str(tmp_path) in text
    assert contents(tmp_path) == before


def test_a_learner_of_another_shape_is_refused(tmp_path: Path) -> None:
    train(tmp_path / "run", 2)
    other = begin()._replace(seen={"last": jnp.zeros(5, jnp.int32)})
    text = refusal(lambda: run_folder.open_run(tmp_path / "run").restore(other))
    assert "its 'seen.last' is int32[4], where int32[5] is wanted" in text


def test_one_can_go_back_to_the_checkpoint_before(tmp_path: Path) -> None:
    straight = train(tmp_path / "run", 7)
    before = outcome(tmp_path / "run")
    flip(tmp_path / "run" / run_info.CHECKPOINTS / "000000000006.safetensors", -1)
    text = refusal(lambda: train(tmp_path / "run", 7))
    assert "delete 000000000006.json to resume from the checkpoint before it" in text
    (tmp_path / "run" / run_info.CHECKPOINTS / "000000000006.json").unlink()
    assert same(train(tmp_path / "run", 7), straight)
    assert outcome(tmp_path / "run") == before


def test_leftovers_of_a_kill_are_cleared_away(tmp_path: Path) -> None:
    train(tmp_path / "run", 6)
    before = outcome(tmp_path / "run")
    folder = tmp_path / "run" / run_info.CHECKPOINTS
    (folder / "000000000008.safetensors").write_bytes(b"half")
    (folder / ".000000000008.json.tmp").write_bytes(b"{")
    (tmp_path / "run" / ".config.json.tmp").write_bytes(b"{")
    restored = run_folder.open_run(tmp_path / "run").restore(begin())
    assert restored is not None
    assert restored[0] == 6
    assert outcome(tmp_path / "run") == before
