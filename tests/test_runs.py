"""Run folders: trees come back as they went, kills leave nothing wrong, and what is wrong is refused.

Run as a script, this file trains in the folder it is given, again and again, and kills itself at random moments.
"""

from __future__ import annotations

import json
import os
import random
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus import runs, tensorboard, tensors
from ludus.errors import BadInput

CONFIG = {"game": "hex size=3", "recipe": "best", "seed": 0, "rates": (0.1, 0.01), "command": ["ludus", "train"]}


class Pair(NamedTuple):
    left: Any
    right: Any


@jax.tree_util.register_dataclass
@dataclass
class Record:
    scale: Any
    items: Any


class Layer(eqx.Module):
    weight: jax.Array
    bias: jax.Array | None


def odd_tree() -> dict[str, Any]:
    return {
        "net": Layer(jnp.arange(6, dtype=jnp.float32).reshape(2, 3) * jnp.float32(-0.1), None),
        "keys": Pair(jax.random.key(3), jax.random.split(jax.random.key(4, impl="rbg"), (2, 3))),
        "record": Record(jnp.bfloat16(1.1), [jnp.array([True, False]), jnp.arange(3, dtype=jnp.uint32), jnp.int8(-1)]),
        "numpy": (np.arange(6.0).reshape(2, 3).T, np.float32(0.1), np.zeros((0, 4), np.int64), np.float64(0.3)),
        "plain": [True, -(2**40), 0.1],
        "weak": [jnp.asarray(2.0), jnp.full((2,), 3)],
        "special": jnp.array([jnp.nan, -jnp.inf, -0.0]),
    }


def bits(leaf: Any) -> tuple:
    """All there is to know of a leaf."""
    dtype = str(getattr(leaf, "dtype", ""))
    data = jax.random.key_data(leaf) if dtype.startswith("key") else leaf
    return type(leaf), dtype, getattr(leaf, "weak_type", None), np.shape(leaf), np.asarray(data).tobytes()


def same(a: Any, b: Any) -> bool:
    return jax.tree.structure(a) == jax.tree.structure(b) and [*map(bits, jax.tree.leaves(a))] == [
        *map(bits, jax.tree.leaves(b))
    ]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(at.relative_to(folder)): at.read_bytes() for at in sorted(folder.rglob("*")) if at.is_file()}


def outcome(folder: Path) -> dict[str, bytes]:
    """What two makings of the same run have in common."""
    return {name: data for name, data in contents(folder).items() if name != runs.TIMING}


# --- trees --------------------------------------------------------------------------------------------------


def test_an_odd_tree_comes_back_as_it_was(tmp_path: Path) -> None:
    tree, path = odd_tree(), tmp_path / "final" / "weights.safetensors"
    tensors.write_tensors(path, tree, {"note": {"size": np.int64(3), 5: (1, 2), 10: 0.1}})
    assert same(tensors.read_tensors(path, jax.tree.map(lambda leaf: leaf, tree)), tree)
    assert tensors.read_manifest(path)["extra"] == {"note": {"size": 3, "5": [1, 2], "10": 0.1}}


def test_tensors_go_by_their_path(tmp_path: Path) -> None:
    tensors.write_tensors(tmp_path / "a.safetensors", odd_tree(), {})
    arrays = tensors.read_tensors(tmp_path / "a.safetensors")
    assert {"net.weight", "keys.left", "keys.right", "record.items.1", "plain.2"} <= arrays.keys()
    assert arrays["keys.right"].shape == (2, 3, 4)  # its words
    manifest = tensors.read_manifest(tmp_path / "a.safetensors")
    assert manifest["tensors"]["keys.right"] == {"shape": [2, 3], "dtype": "key<rbg>", "impl": "rbg"}
    tensors.write_tensors(tmp_path / "b.safetensors", jnp.int32(3), {})
    assert list(tensors.read_tensors(tmp_path / "b.safetensors")) == ["value"]


def test_shapes_alone_say_what_is_wanted(tmp_path: Path) -> None:
    def init(key: jax.Array) -> dict[str, Any]:
        return {"key": key, "x": jnp.ones((2, 3), jnp.bfloat16)}

    tree = init(jax.random.key(5))
    tensors.write_tensors(tmp_path / "a.safetensors", tree, {})
    assert same(tensors.read_tensors(tmp_path / "a.safetensors", jax.eval_shape(init, jax.random.key(0))), tree)


def test_equal_trees_make_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        tensors.write_tensors(tmp_path / name / "x.safetensors", odd_tree(), {"step": 1})
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_what_cannot_be_stored_is_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"'deep\.name' is str"):
        tensors.write_tensors(tmp_path / "a.safetensors", {"deep": {"name": "hex"}}, {})
    with pytest.raises(ValueError, match="the same path"):
        tensors.write_tensors(tmp_path / "a.safetensors", {"a.b": 1, "a": {"b": 2}}, {})
    assert not contents(tmp_path)


def test_a_tree_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    tree = {"x": np.zeros((2, 3), np.float32), "k": jax.random.key(0)}
    tensors.write_tensors(path, tree, {})
    for like, why in (
        (tree | {"x": np.zeros((3, 2), np.float32)}, "its 'x' is float32[2, 3], where float32[3, 2] is wanted"),
        (tree | {"x": np.zeros((2, 3), np.float16)}, "its 'x' is float32[2, 3], where float16[2, 3] is wanted"),
        (tree | {"k": jax.random.key(0, impl="rbg")}, "its 'k' is key<fry>[], where key<rbg>[] is wanted"),
        (tree | {"k": np.zeros(2, np.uint32)}, "its 'k' is key<fry>[], where uint32[2] is wanted"),
        (tree | {"y": 0}, "it has no 'y'"),
        ({"x": tree["x"]}, "it has 'k', which is not wanted"),
    ):
        assert why in refusal(lambda like=like: tensors.read_tensors(path, like))


# --- folders ------------------------------------------------------------------------------------------------


def refusal(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused: one, and about a file that it names."""
    with pytest.raises(BadInput) as caught:
        act()
    text = str(caught.value)
    assert text.endswith(".")
    assert ". " not in text
    assert "\n" not in text
    assert text.count("'") >= 2
    return text


def test_a_new_run_says_what_was_asked_and_what_it_runs_on(tmp_path: Path) -> None:
    made = runs.create(tmp_path / "deep" / "run", CONFIG)
    assert made.config == {**CONFIG, "rates": [0.1, 0.01]}
    assert {"ludus", "jax", "numpy", "python", "platform", "device"} <= made.versions.keys()
    assert runs.open_run(made.path) == made
    assert made.restore(odd_tree()) is None


def test_a_folder_in_use_is_refused_and_left_alone(tmp_path: Path) -> None:
    runs.create(tmp_path / "run", CONFIG)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    before = contents(tmp_path)
    for name in ("run", "file", "full"):
        text = refusal(lambda name=name: runs.create(tmp_path / name, CONFIG))
        assert str(tmp_path / name) in text
        assert "--resume" in text
        assert "--out" in text
    assert "cannot be made" in refusal(lambda: runs.create(tmp_path / "file" / "run", CONFIG))
    with pytest.raises(TypeError, match="JSON"):
        runs.create(tmp_path / "new", {"path": tmp_path})
    assert contents(tmp_path) == before
    assert not (tmp_path / "new").exists()
    (tmp_path / "empty").mkdir()
    runs.create(tmp_path / "empty", CONFIG)


def test_what_is_no_run_is_not_opened(tmp_path: Path) -> None:
    assert "not a run folder" in refusal(lambda: runs.open_run(tmp_path / "nowhere"))
    run = runs.create(tmp_path / "run", CONFIG)
    good = (run.path / runs.VERSIONS).read_text()
    (run.path / runs.VERSIONS).write_text(good.replace('"format": 1', '"format": 2'))
    assert "format 2" in refusal(lambda: runs.open_run(run.path))
    (run.path / runs.VERSIONS).unlink()
    assert "cannot be read" in refusal(lambda: runs.open_run(run.path))
    (run.path / runs.VERSIONS).write_text(good)
    (run.path / runs.CONFIG).write_text("[]")
    assert "not a JSON object" in refusal(lambda: runs.open_run(run.path))
    (run.path / runs.CONFIG).write_bytes(b'{"game": "h')
    assert "not JSON" in refusal(lambda: runs.open_run(run.path))


def test_rows_are_lines_of_json(tmp_path: Path) -> None:
    run = runs.create(tmp_path / "run", CONFIG)
    run.log({"step": 1, "loss": jnp.float32(0.5), "by_seat": np.array([1, 2]), "odd": [float("nan"), np.inf]})
    run.log({"step": np.int64(2), "won": np.True_, "nested": {"x": jnp.full(2, jnp.inf)}})
    run.time({"seconds": 0.25})
    first, second = map(json.loads, (run.path / runs.METRICS).read_text().splitlines())
    assert first == {"step": 1, "loss": 0.5, "by_seat": [1, 2], "odd": [None, None]}
    assert second == {"step": 2, "won": True, "nested": {"x": [None, None]}}
    assert json.loads((run.path / runs.TIMING).read_text()) == {"seconds": 0.25}


# --- checkpoints --------------------------------------------------------------------------------------------


class Learner(NamedTuple):
    """As small as a learner can be: it walks at random."""

    where: Any
    key: Any
    seen: dict[str, Any]


def begin() -> Learner:
    return Learner(jnp.float32(0), jax.random.key(7), {"last": jnp.zeros(4, jnp.int32)})


@jax.jit
def update(state: Learner) -> Learner:
    key, key_step = jax.random.split(state.key)
    where = state.where + jax.random.normal(key_step)
    return Learner(where, key, {"last": jnp.roll(state.seen["last"], 1).at[0].set((where * 1000).astype(jnp.int32))})


def train(path: Path, steps: int, every: int = 2, begin: Callable = begin, update: Callable = update) -> Any:
    """Begin or go on, and end after so many steps: what a training command does."""
    run = runs.open_run(path) if (path / runs.CONFIG).exists() else runs.create(path, CONFIG)
    step, state = run.restore(begin()) or (0, begin())
    while step < steps:
        state = update(state)
        step += 1
        run.log({"step": step, "where": state.where})
        run.time({"clock": time.monotonic()})
        if step % every == 0:
            run.checkpoint(step, state)
    return state


def test_the_last_two_checkpoints_are_kept(tmp_path: Path) -> None:
    state = train(tmp_path / "run", 9)
    run = runs.open_run(tmp_path / "run")
    assert [at.stem for at in run.checkpoints()] == ["000000000006", "000000000008"]
    assert len(list((run.path / runs.CHECKPOINTS).iterdir())) == 4
    newest = run.latest()
    assert newest is not None
    assert tensors.read_manifest(newest)["extra"]["step"] == 8
    assert int(state.seen["last"][1]) == int(tensors.read_tensors(newest, begin()).seen["last"][0])


def test_steps_do_not_go_back_and_the_same_one_may_be_saved_again(tmp_path: Path) -> None:
    run = runs.create(tmp_path / "run", CONFIG)
    run.checkpoint(5, {"x": 1})
    with pytest.raises(ValueError, match="step 4 comes before step 5"):
        run.checkpoint(4, {"x": 2})
    run.checkpoint(5, {"x": 3})
    assert run.restore({"x": 0}) == (5, {"x": 3})


def test_resuming_cuts_the_metrics_back(tmp_path: Path) -> None:
    train(tmp_path / "run", 5)
    run = runs.open_run(tmp_path / "run")
    assert (run.path / runs.METRICS).read_text().count("\n") == 5
    with open(run.path / runs.METRICS, "a") as file:
        file.write('{"step": 6, "wh')  # as a kill may leave it
    with open(run.path / runs.TIMING, "a") as file:
        file.write('{"clo')
    restored = run.restore(begin())
    assert restored is not None
    assert restored[0] == 4
    assert [json.loads(line)["step"] for line in (run.path / runs.METRICS).read_text().splitlines()] == [1, 2, 3, 4]
    assert all(json.loads(line) for line in (run.path / runs.TIMING).read_text().splitlines())


def test_without_a_checkpoint_all_begins_anew(tmp_path: Path) -> None:
    train(tmp_path / "run", 1)
    assert runs.open_run(tmp_path / "run").restore(begin()) is None
    assert (tmp_path / "run" / runs.METRICS).read_bytes() == b""


def test_a_resumed_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    straight = train(tmp_path / "straight", 7)
    for steps in (1, 2, 5, 5, 7, 7):
        resumed = train(tmp_path / "resumed", steps)
    assert same(resumed, straight)
    assert outcome(tmp_path / "resumed") == outcome(tmp_path / "straight")


class Crash(BaseException):
    """The moment of a kill: nothing after it is done."""


def crash_at(patch: pytest.MonkeyPatch, moment: int) -> None:
    """Whatever touches the disk for good comes to nothing from the given call on."""
    calls = 0

    def dying(act: Callable) -> Callable:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > moment:
                raise Crash
            return act(*args, **kwargs)

        return call

    for name in ("replace", "fsync", "unlink", "mkdir"):
        patch.setattr(os, name, dying(getattr(os, name)))


def test_a_crash_at_any_moment_changes_nothing_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # the moments count, and the disk is slow
    train(tmp_path / "straight", 7)
    moment, crashed = 0, True
    while crashed:
        crashed = False
        path = tmp_path / str(moment)
        with pytest.MonkeyPatch.context() as patch:
            crash_at(patch, moment)
            try:
                train(path, 7)
            except Crash:
                crashed = True
        train(path, 7)
        assert outcome(path) == outcome(tmp_path / "straight"), moment
        moment += 1
    assert moment > 30  # so many moments there were


def test_a_crash_while_a_step_is_saved_again_loses_that_step_at_most(tmp_path: Path) -> None:
    moment, crashed, found = 0, True, set()
    while crashed:
        crashed = False
        run = runs.create(tmp_path / str(moment), CONFIG)
        for step in (4, 5):
            run.checkpoint(step, {"x": step})
        with pytest.MonkeyPatch.context() as patch:
            crash_at(patch, moment)
            try:
                run.checkpoint(5, {"x": 50})
            except Crash:
                crashed = True
        restored = run.restore({"x": 0})
        assert restored is not None
        found.add((restored[0], restored[1]["x"]))
        moment += 1
    assert found == {(5, 5), (4, 4), (5, 50)}


def test_a_file_is_on_the_disk_before_it_is_in_place_and_its_place_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, Any]] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (calls.append(("fsync", os.fstat(handle).st_ino)), fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (calls.append(("replace", b.name)), replace(a, b)))
    tensors.write_tensors(tmp_path / "x.safetensors", {"x": 1}, {})
    folder = ("fsync", tmp_path.stat().st_ino)
    assert calls == [
        ("fsync", (tmp_path / "x.safetensors").stat().st_ino),
        ("replace", "x.safetensors"),
        folder,
        ("fsync", (tmp_path / "x.json").stat().st_ino),
        ("replace", "x.json"),
        folder,
    ]


# --- kills --------------------------------------------------------------------------------------------------

KILLS = 12


def train_plainly(path: Path, steps: int) -> None:
    """Train without JAX, which many short processes would each have to start and compile for."""

    def update(state: Learner) -> Learner:
        where = state.where * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        return Learner(where, state.key, {"last": np.append(where, state.seen["last"])[:4]})

    def begin() -> Learner:
        return Learner(np.ones(2, np.uint64), 7, {"last": np.zeros(4, np.uint64)})

    train(path, steps, 3, begin, update)


def kill_and_resume(path: Path, seed: int) -> None:
    """Train in processes that are killed at a random moment, each once it has got somewhere; the last may end."""
    rng, timing = random.Random(seed), path / runs.TIMING

    def size() -> int:
        return timing.stat().st_size if timing.exists() else 0

    for _ in range(KILLS):
        before = size()
        pid = os.fork()  # JAX allows it as long as it has not been used in this process
        if pid == 0:
            train_plainly(path, 1_000_000)
        while size() <= before:
            time.sleep(0.001)
            assert os.waitpid(pid, os.WNOHANG) == (0, 0), "the training ended by itself"
        time.sleep(rng.random() * 0.1)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    train_plainly(path, 5 + (path / runs.METRICS).read_bytes().count(b"\n"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed as POSIX does it")
def test_kills_at_random_moments_change_nothing_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, __file__, str(tmp_path / "killed")], check=True, timeout=60)
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # no kill will come here, and it is slow
    train_plainly(tmp_path / "straight", (tmp_path / "killed" / runs.METRICS).read_bytes().count(b"\n"))
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "straight")


# --- what is refused ----------------------------------------------------------------------------------------


def edit(path: Path, change: Callable[[dict], Any], seal: bool = False) -> None:
    """Change a manifest as a person would, or with a new seal."""
    manifest = json.loads(path.read_text())
    change(manifest)
    if seal:
        del manifest["seal"]
        manifest["seal"] = tensors.seal_of(manifest)
    path.write_text(json.dumps(manifest, indent=2))


def flip(path: Path, where: int) -> None:
    data = bytearray(path.read_bytes())
    data[where] ^= 1
    path.write_bytes(data)


def other_run(newest: Path) -> None:
    """Another run's checkpoint, complete and right, in this one's place."""
    other = runs.create(newest.parent.parent / "other", {**CONFIG, "seed": 1})
    other.checkpoint(int(newest.stem), begin())
    for suffix in (".json", ".safetensors"):
        os.replace((other.path / runs.CHECKPOINTS / newest.name).with_suffix(suffix), newest.with_suffix(suffix))


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
            edit(m, lambda d: d.update(bytes=100, sha256=tensors.sha256(b"x" * 100)), seal=True),
        ),
        "no safetensors file",
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
    "config edited": (lambda at, _: (at.parents[1] / runs.CONFIG).write_text('{"seed": 1}'), "another config"),
    "metrics edited": (lambda at, _: flip(at.parents[1] / runs.METRICS, 10), "metrics.jsonl' is not what it was"),
    "metrics short": (lambda at, _: os.truncate(at.parents[1] / runs.METRICS, 9), "metrics.jsonl' is not what it was"),
    "metrics gone": (lambda at, _: (at.parents[1] / runs.METRICS).unlink(), "metrics.jsonl' is not what it was"),
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
    newest = tmp_path / runs.CHECKPOINTS / "000000000006.safetensors"
    spoil, why = DAMAGE[damage]
    spoil(newest, newest.with_suffix(".json"))
    before = contents(tmp_path)
    text = refusal(lambda: runs.open_run(tmp_path).restore(begin()))
    assert why in text
    assert str(tmp_path) in text
    assert contents(tmp_path) == before


def test_a_learner_of_another_shape_is_refused(tmp_path: Path) -> None:
    train(tmp_path / "run", 2)
    other = begin()._replace(seen={"last": jnp.zeros(5, jnp.int32)})
    text = refusal(lambda: runs.open_run(tmp_path / "run").restore(other))
    assert "its 'seen.last' is int32[4], where int32[5] is wanted" in text


def test_one_can_go_back_to_the_checkpoint_before(tmp_path: Path) -> None:
    straight = train(tmp_path / "run", 7)
    before = outcome(tmp_path / "run")
    flip(tmp_path / "run" / runs.CHECKPOINTS / "000000000006.safetensors", -1)
    text = refusal(lambda: train(tmp_path / "run", 7))
    assert "delete 000000000006.json to go on from before it" in text
    (tmp_path / "run" / runs.CHECKPOINTS / "000000000006.json").unlink()
    assert same(train(tmp_path / "run", 7), straight)
    assert outcome(tmp_path / "run") == before


def test_leftovers_of_a_kill_are_cleared_away(tmp_path: Path) -> None:
    train(tmp_path / "run", 6)
    before = outcome(tmp_path / "run")
    folder = tmp_path / "run" / runs.CHECKPOINTS
    (folder / "000000000008.safetensors").write_bytes(b"half")
    (folder / ".000000000008.json.tmp").write_bytes(b"{")
    (tmp_path / "run" / ".config.json.tmp").write_bytes(b"{")
    restored = runs.open_run(tmp_path / "run").restore(begin())
    assert restored is not None
    assert restored[0] == 6
    assert outcome(tmp_path / "run") == before


# --- TensorBoard --------------------------------------------------------------------------------------------


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return number, at


def read_message(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protocol buffer, by the rules of its wire format."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 2:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            assert tag & 7 == 5
            (value,), at = struct.unpack("<f", data[at : at + 4]), at + 4
        yield tag >> 3, value


def slow_crc32c(data: bytes) -> int:
    """Bit by bit, as division by the Castagnoli polynomial."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def read_events(path: Path) -> Iterator[dict[int, Any]]:
    data, at = path.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack("<Q", data[at : at + 8])
        parts = (data[at : at + 8], data[at + 12 : at + 12 + length])
        sums = struct.unpack("<I", data[at + 8 : at + 12]) + struct.unpack("<I", data[at + 12 + length :][:4])
        for part, masked in zip(parts, sums, strict=True):
            rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
            assert (rotated >> 17 | rotated << 15) & 0xFFFFFFFF == slow_crc32c(part)
        yield dict(read_message(parts[1]))
        at += 16 + length


def test_crc32c_is_the_standard_one() -> None:
    assert tensorboard.crc32c(b"123456789") == 0xE3069283  # RFC 3720's check value


def test_metrics_become_events(tmp_path: Path) -> None:
    run = runs.create(tmp_path / "run", CONFIG)
    run.log({"step": 300, "loss": 0.25, "won": {"first": [1, 0.5]}, "name": "x", "none": None, "sure": True})
    run.log({"loss": 1e300, "n" * 200: -3})
    path = tensorboard.write_events(run.path / runs.METRICS, tmp_path / "logs" / "run")
    assert "tfevents" in path.name
    head, *events = read_events(path)
    assert head == {3: b"brain.Event:2"}
    curves = [(event[2], {tag.decode(): number for tag, number in values(event[5])}) for event in events]
    assert curves == [
        (300, {"loss": 0.25, "won/first/0": 1.0, "won/first/1": 0.5, "sure": 1.0}),
        (1, {"loss": float("inf"), "n" * 200: -3.0}),
    ]


def values(summary: bytes) -> Iterator[tuple[bytes, float]]:
    for number, value in read_message(summary):
        assert number == 1
        fields = dict(read_message(value))
        yield fields[1], fields[2]


def test_metrics_that_are_none_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(lambda: tensorboard.write_events(tmp_path / "no", tmp_path / "logs"))
    (tmp_path / "bad").write_text('{"a": 1}\n[]\n')
    assert "not a JSON object" in refusal(lambda: tensorboard.write_events(tmp_path / "bad", tmp_path / "logs"))
    assert not (tmp_path / "logs").exists()


if __name__ == "__main__":
    kill_and_resume(Path(sys.argv[1]), seed=0)
