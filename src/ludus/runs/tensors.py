"""Trees of arrays as files: safetensors with a manifest beside it, written atomically and verified when read.

The tensors are written before their manifest (`files`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import safetensors
import safetensors.numpy

from ludus.errors import BadInput
from ludus.runs.files import (
    FORMAT,
    check_length,
    make_folder,
    manifest_of,
    pretty_json,
    read_bytes,
    read_manifest,
    remove,
    seal_of,
    sha256,
    write_file,
)

#: The dtypes that a file may hold, by their names in safetensors.
DTYPES = {
    **{f"I{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"F{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    "BF16": np.dtype(jnp.bfloat16),
    "BOOL": np.dtype(bool),
}


class Leaf(NamedTuple):
    """A manifest's entry for one array. A random key is stored as its words; `impl` makes it a key again."""

    shape: tuple[int, ...]
    dtype: str
    impl: str | None = None

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


def digest(tree: Any) -> str:
    """The SHA-256 of the bytes of a tree's arrays, in order."""
    return sha256(b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(tree)))


def write_tensors(path: Path, tree: Any, extra: dict[str, Any]) -> None:
    """Write a tree of arrays to a safetensors file, and `extra` (any JSON value) to the manifest beside it.

    Leaves are arrays of JAX or NumPy, random keys, or plain numbers, named by their path in the tree
    (`params.layers.0.weight`). Equal trees give equal bytes.
    """
    described = {name: _describe(leaf, name)._asdict() for name, leaf in _named(tree).items()}
    data = safetensors.numpy.save({name: _words(leaf) for name, leaf in _named(tree).items()})
    manifest = {
        "format": FORMAT,
        "sha256": sha256(data),
        "bytes": len(data),
        "tensors": described,
        "extra": extra,
    }
    manifest = json.loads(pretty_json(manifest))  # the seal is computed from what a reader will find
    make_folder(path.parent)
    # An older manifest must never stand beside the new tensors.
    if manifest_of(path).exists():
        remove(manifest_of(path))
    write_file(path, data)
    write_file(manifest_of(path), pretty_json({**manifest, "seal": seal_of(manifest)}))


def read_tensors(path: Path, like: Any = None) -> Any:
    """Read a tree back exactly: the names, shapes and dtypes must be those of `like`, whose structure it gets.

    The leaves of `like` may be arrays, or shapes as from `jax.eval_shape`. An array of JAX, an array of NumPy or a
    plain number in `like` is one in the result. Without `like`: the arrays by name, random keys as their words.
    """
    return build(path, *verified(path), like)


def verified(path: Path) -> tuple[dict[str, Any], bytes]:
    """The manifest and the bytes of a tensor file, checked against each other."""
    manifest, data = read_manifest(path), read_bytes(path)
    check_length(path, manifest, len(data))
    if sha256(data) != manifest["sha256"]:
        raise BadInput(f"'{path}' is not the file that its manifest describes: its SHA-256 differs.")
    return manifest, data


def build(path: Path, manifest: dict[str, Any], data: bytes, like: Any) -> Any:
    try:
        arrays = {
            name: np.frombuffer(tensor["data"], DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
            for name, tensor in safetensors.deserialize(data)
        }
    except (safetensors.SafetensorError, KeyError) as error:
        raise BadInput(f"'{path}' is not a safetensors file that ludus can read.") from error
    if like is None:
        return arrays
    found = {
        name: Leaf(tuple(leaf["shape"]), leaf["dtype"], leaf["impl"]) for name, leaf in manifest["tensors"].items()
    }
    wanted = {name: _describe(leaf, name) for name, leaf in _named(like).items()}
    _compare(path, found, wanted)
    leaves = [_restore(arrays[name], leaf, found[name].impl) for name, leaf in _named(like).items()]
    return jax.tree.unflatten(jax.tree.structure(like), leaves)


def _compare(path: Path, found: dict[str, Leaf], wanted: dict[str, Leaf]) -> None:
    """Refuse a file whose arrays differ from those wanted, naming the first difference."""
    for name, leaf in wanted.items():
        if name not in found:
            raise BadInput(f"'{path}' does not fit: it has no '{name}'.")
        if found[name][:2] != leaf[:2]:
            raise BadInput(f"'{path}' does not fit: its '{name}' is {found[name]}, where {leaf} is wanted.")
    for name in found:
        if name not in wanted:
            raise BadInput(f"'{path}' does not fit: it has '{name}', which is not wanted.")


def _named(tree: Any) -> dict[str, Any]:
    """The leaves by path, in the order of the tree."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    named = {jax.tree_util.keystr(path, simple=True, separator=".") or "value": leaf for path, leaf in leaves}
    if len(named) != len(leaves):
        raise ValueError("two leaves of this tree have the same path, once its parts are joined by dots")
    return named


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(getattr(leaf, "dtype", np.dtype(bool)), jax.dtypes.prng_key)


def _words(leaf: Any) -> np.ndarray:
    """The array that is stored for a leaf."""
    return np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf, order="C")


def _describe(leaf: Any, name: str) -> Leaf:
    if _is_key(leaf):
        impl = str(jax.random.key_impl(leaf)) if isinstance(leaf, jax.Array) else None
        return Leaf(tuple(leaf.shape), str(leaf.dtype), impl)
    if isinstance(leaf, bool | int | float):
        leaf = np.asarray(leaf)
    if not hasattr(leaf, "dtype") or leaf.dtype not in DTYPES.values():
        raise TypeError(f"leaf '{name}' is {type(leaf).__name__}, not an array or number that can be stored")
    return Leaf(tuple(leaf.shape), leaf.dtype.name)


def _restore(array: np.ndarray, like: Any, impl: str | None) -> Any:
    """A stored array as a leaf of the same kind as `like`."""
    if isinstance(like, bool | int | float):
        return type(like)(array.item())
    if isinstance(like, np.ndarray):
        return array.copy()
    if isinstance(like, np.generic):
        return array[()]
    if _is_key(like):
        return jax.random.wrap_key_data(jnp.array(array), impl=impl)
    if isinstance(like, jax.Array) and like.weak_type:
        # Keep the weak type: otherwise programs are compiled again, and may promote to another dtype.
        return jnp.zeros_like(like).at[...].set(array)
    return jnp.array(array)
