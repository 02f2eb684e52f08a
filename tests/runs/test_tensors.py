"""Trees of arrays as files: they come back as they went, equal trees make equal bytes, and misfits are refused."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.runs import contents, refusal, same

from ludus.runs import files, tensors


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


def test_an_odd_tree_comes_back_as_it_was(tmp_path: Path) -> None:
    tree, path = odd_tree(), tmp_path / "final" / "weights.safetensors"
    tensors.write_tensors(path, tree, {"note": {"size": np.int64(3), 5: (1, 2), 10: 0.1}})
    assert same(tensors.read_tensors(path, jax.tree.map(lambda leaf: leaf, tree)), tree)
    assert files.read_manifest(path)["extra"] == {"note": {"size": 3, "5": [1, 2], "10": 0.1}}


def test_tensors_go_by_their_path(tmp_path: Path) -> None:
    tensors.write_tensors(tmp_path / "a.safetensors", odd_tree(), {})
    arrays = tensors.read_tensors(tmp_path / "a.safetensors")
    assert {"net.weight", "keys.left", "keys.right", "record.items.1", "plain.2"} <= arrays.keys()
    assert arrays["keys.right"].shape == (2, 3, 4)  # its words
    manifest = files.read_manifest(tmp_path / "a.safetensors")
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


def test_a_file_is_on_the_disk_before_it_is_in_place_and_its_place_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, Any]] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (calls.append(("fsync", os.fstat(handle).st_ino)), fsync(handle)))
    monkeypatch.setattr(os, "replace", lambda a, b: (calls.append(("replace", b.name)), replace(a, b)))
    tensors.write_tensors(tmp_path / "x.safetensors", {"x": 1}, {})
    folder, above = (("fsync", at.stat().st_ino) for at in (tmp_path, tmp_path.parent))
    assert calls == [
        above,
        ("fsync", (tmp_path / "x.safetensors").stat().st_ino),
        ("replace", "x.safetensors"),
        folder,
        ("fsync", (tmp_path / "x.json").stat().st_ino),
        ("replace", "x.json"),
        folder,
    ]
