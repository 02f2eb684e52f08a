"""A run folder: what was asked, what came of it, and checkpoints to go on from. Atomic, verified, resumable.

    config.json            what was asked: a folder with this file is a run
    versions.json          what it ran on
    metrics.jsonl          one object a line, the same bytes whenever the same run is made again
    timing.jsonl           seconds and rates, of which nothing is promised
    checkpoints/
      000000004000.safetensors    every array of the learner's state
      000000004000.json           its manifest: a checkpoint exists once this file does

A process may be killed at any moment. So a file is written beside its place, forced to disk and renamed into it; the
tensors come before the manifest that vouches for them; and resuming cuts `metrics.jsonl` back to what it was at the
checkpoint, so that the rest is appended as if nothing had happened. What a kill leaves behind is cleared away without
a word; what a kill cannot explain (a hash that is wrong, another run's checkpoint) is refused, never loaded.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import safetensors
import safetensors.numpy

from ludus import __version__
from ludus.errors import BadInput

FORMAT = 1
KEEP = 2  # checkpoints: the newest, and one to go back to by hand

CONFIG, VERSIONS, METRICS, TIMING, CHECKPOINTS = (
    "config.json",
    "versions.json",
    "metrics.jsonl",
    "timing.jsonl",
    "checkpoints",
)

# --- files --------------------------------------------------------------------------------------------------


def write_file(path: Path, data: bytes) -> None:
    """Put a file in place whole or not at all, and on the disk before this returns."""
    beside = path.with_name(f".{path.name}.tmp")
    with open(beside, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be opened, and a rename is left to the system
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror}.") from error


def _read_object(path: Path) -> dict[str, Any]:
    data = _read(path)
    try:
        value = json.loads(data)
    except ValueError as error:
        raise BadInput(f"'{path}' is damaged: it is not JSON.") from error
    if not isinstance(value, dict):
        raise BadInput(f"'{path}' is damaged: it is not a JSON object.")
    return value


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _pretty(value: Any) -> bytes:
    return (json.dumps(value, indent=2, default=_plain, allow_nan=False) + "\n").encode()


def _plain(value: Any) -> Any:
    """Arrays and their scalars as lists and numbers, for JSON."""
    if isinstance(value, np.ndarray | np.generic | jax.Array):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be written as JSON")


def _line(row: dict[str, Any]) -> bytes:
    """One line of JSON; a number that is none (NaN, infinity) becomes null, since JSON has no word for it."""

    def finite(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: finite(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [finite(item) for item in value]
        if isinstance(value, np.ndarray | np.generic | jax.Array):
            return finite(value.tolist())
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return (json.dumps(finite(row), allow_nan=False) + "\n").encode()


# --- trees of arrays as files -------------------------------------------------------------------------------

#: The dtypes a file may hold, by safetensors' names for them.
DTYPES = {
    **{f"I{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"F{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    "BF16": np.dtype(jnp.bfloat16),
    "BOOL": np.dtype(bool),
}


class Leaf(NamedTuple):
    """What a manifest says of one array. A random key is stored as its words, and made a key again by `impl`."""

    shape: tuple[int, ...]
    dtype: str
    impl: str | None = None

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


def write_tensors(path: Path, tree: Any, extra: dict[str, Any]) -> None:
    """Write a tree of arrays to a safetensors file, and `extra` (anything JSON can hold) to the manifest beside it.

    Leaves are arrays of JAX or NumPy, random keys, or plain numbers, and go by their path in the tree
    (`params.layers.0.weight`). Equal trees make equal bytes.
    """
    described = {name: _describe(leaf, name)._asdict() for name, leaf in _named(tree).items()}
    data = safetensors.numpy.save({name: _words(leaf) for name, leaf in _named(tree).items()})
    manifest = {
        "format": FORMAT,
        "sha256": _sha256(data),
        "bytes": len(data),
        "tensors": described,
        "extra": extra,
    }
    manifest = json.loads(_pretty(manifest))  # the seal is of what a reader will find
    path.parent.mkdir(parents=True, exist_ok=True)
    # Should an older pair be in the way, its manifest must not for a moment stand beside the new tensors.
    if _manifest_of(path).exists():
        _remove(_manifest_of(path))
    write_file(path, data)
    write_file(_manifest_of(path), _pretty({**manifest, "seal": _seal(manifest)}))


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a tensor file, once it is known to be as it was written; the tensors are not looked at."""
    at = _manifest_of(path)
    manifest = _read_object(at)
    seal = manifest.pop("seal", None)
    if manifest.get("format") != FORMAT:
        raise BadInput(f"'{at}' has format {manifest.get('format')}, and this version of ludus reads {FORMAT}.")
    if seal != _seal(manifest):
        raise BadInput(f"'{at}' was changed after it was written: its seal does not fit.")
    return manifest


def read_tensors(path: Path, like: Any = None) -> Any:
    """Read a tree back, exactly as it was: the same names, shapes and dtypes as `like`, in its structure.

    The leaves of `like` may be arrays, or shapes as from `jax.eval_shape`; what is an array of JAX, an array of NumPy
    or a plain number there is one here. Without `like`: the arrays by name, random keys as their words.
    """
    return _build(path, *_verified(path), like)


def _verified(path: Path) -> tuple[dict[str, Any], bytes]:
    """The manifest and the bytes of a tensor file, once they are known to belong together."""
    manifest, data = read_manifest(path), _read(path)
    if len(data) != manifest["bytes"]:
        raise BadInput(f"'{path}' has {len(data)} bytes where its manifest says {manifest['bytes']}.")
    if _sha256(data) != manifest["sha256"]:
        raise BadInput(f"'{path}' is not the file its manifest describes: its SHA-256 is another.")
    return manifest, data


def _build(path: Path, manifest: dict[str, Any], data: bytes, like: Any) -> Any:
    try:
        arrays = {
            name: np.frombuffer(tensor["data"], DTYPES[tensor["dtype"]]).reshape(tensor["shape"])
            for name, tensor in safetensors.deserialize(data)
        }
    except (safetensors.SafetensorError, KeyError) as error:
        raise BadInput(f"'{path}' is no safetensors file that ludus can read.") from error
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
    """Refuse a file that holds something else than is wanted, naming the first difference."""
    for name, leaf in wanted.items():
        if name not in found:
            raise BadInput(f"'{path}' does not fit: it has no '{name}'.")
        if found[name][:2] != leaf[:2]:
            raise BadInput(f"'{path}' does not fit: its '{name}' is {found[name]}, where {leaf} is wanted.")
    for name in found:
        if name not in wanted:
            raise BadInput(f"'{path}' does not fit: it has '{name}', which is not wanted.")


def _manifest_of(path: Path) -> Path:
    return path.with_suffix(".json")


def _seal(manifest: dict[str, Any]) -> str:
    """A hash of all that a manifest says, so that an edit shows whatever it touched."""
    return _sha256(json.dumps(manifest, sort_keys=True).encode())


def _named(tree: Any) -> dict[str, Any]:
    """The leaves by their path, in the order of the tree."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    named = {jax.tree_util.keystr(path, simple=True, separator=".") or "value": leaf for path, leaf in leaves}
    if len(named) != len(leaves):
        raise ValueError("two leaves of this tree have the same path, once its parts are joined by dots")
    return named


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(getattr(leaf, "dtype", np.dtype(bool)), jax.dtypes.prng_key)


def _words(leaf: Any) -> np.ndarray:
    """A leaf as the array that is stored."""
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
    """A stored array as the kind of leaf it was."""
    if isinstance(like, bool | int | float):
        return type(like)(array.item())
    if isinstance(like, np.ndarray):
        return array.copy()
    if isinstance(like, np.generic):
        return array[()]
    if _is_key(like):
        return jax.random.wrap_key_data(jnp.array(array), impl=impl)
    if isinstance(like, jax.Array) and like.weak_type:
        # Else a compiled program would be compiled anew for it, and could promote it to another dtype.
        return jnp.zeros_like(like).at[...].set(array)
    return jnp.array(array)


# --- runs ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One run folder. It is for one process at a time to write to; any may read."""

    path: Path
    config: dict[str, Any]
    versions: dict[str, Any]
    config_sha256: str

    def log(self, row: dict[str, Any]) -> None:
        """Add a line to the metrics: only what comes out the same each time, so no clock."""
        self._append(METRICS, row)

    def time(self, row: dict[str, Any]) -> None:
        """Add a line to the timings."""
        self._append(TIMING, row)

    def _append(self, name: str, row: dict[str, Any]) -> None:
        with open(self.path / name, "ab") as file:
            file.write(_line(row))

    def checkpoint(self, step: int, tree: Any) -> None:
        """Save the whole state after so many steps, and drop the oldest checkpoint but two."""
        newest = self.latest()
        if newest is not None and int(newest.stem) > step:
            raise ValueError(f"step {step} comes before step {int(newest.stem)}, which has a checkpoint already")
        with open(self.path / METRICS, "ab") as file:
            os.fsync(file.fileno())
        metrics = _read(self.path / METRICS)
        extra = {
            "step": step,
            "config_sha256": self.config_sha256,
            "metrics_bytes": len(metrics),
            "metrics_sha256": _sha256(metrics),
        }
        write_tensors(self.path / CHECKPOINTS / f"{step:012d}.safetensors", tree, extra)
        self._tidy()

    def checkpoints(self) -> list[Path]:
        """The tensor files of the checkpoints that are complete, the oldest first."""
        manifests = (self.path / CHECKPOINTS).glob("*.json")
        return sorted(
            (at.with_suffix(".safetensors") for at in manifests if at.stem.isdecimal()), key=lambda at: int(at.stem)
        )

    def latest(self) -> Path | None:
        """The newest checkpoint's tensor file, for `read_tensors`."""
        found = self.checkpoints()
        return found[-1] if found else None

    def restore(self, like: Any) -> tuple[int, Any] | None:
        """Go back to the newest checkpoint: its step and state, or None where there is none and all begins anew.

        The metrics written since are cut off, and what an interrupted write left is cleared away. A checkpoint that
        is not what this run wrote is refused before anything is touched.
        """
        newest, kept, restored = self.latest(), 0, None
        if newest is not None:
            try:
                manifest, data = _verified(newest)
            except BadInput as error:
                remedy = f"delete {newest.stem}.json to go on from before it"
                raise BadInput(f"{str(error).removesuffix('.')}; {remedy}.") from error
            extra = manifest["extra"]
            if extra.get("config_sha256") != self.config_sha256:
                raise BadInput(f"'{newest}' belongs to a run with another config than '{self.path / CONFIG}'.")
            if extra["step"] != int(newest.stem):
                raise BadInput(f"'{newest}' was renamed: it was saved after step {extra['step']}.")
            restored = extra["step"], _build(newest, manifest, data, like)
            kept = extra["metrics_bytes"]
            if _sha256(self._metrics()[:kept]) != extra["metrics_sha256"]:
                raise BadInput(f"'{self.path / METRICS}' is not what it was when '{newest}' was saved.")
        self._tidy()
        if len(self._metrics()) > kept:
            _cut(self.path / METRICS, kept)
        if (self.path / TIMING).exists():  # a line that was being written has no end, and would spoil the next
            _cut(self.path / TIMING, (self.path / TIMING).read_bytes().rfind(b"\n") + 1)
        return restored

    def _metrics(self) -> bytes:
        return _read(self.path / METRICS) if (self.path / METRICS).exists() else b""

    def _tidy(self) -> None:
        """Remove all but the last checkpoints, and what interrupted writes left."""
        for old in self.checkpoints()[:-KEEP]:
            _remove(_manifest_of(old))  # first, for tensors without a manifest are no checkpoint
        complete = set(self.checkpoints())
        for tensors in (self.path / CHECKPOINTS).glob("*.safetensors"):
            if tensors not in complete:
                _remove(tensors)
        for unfinished in self.path.rglob(".*.tmp"):
            _remove(unfinished)


def create(path: Path, config: dict[str, Any]) -> Run:
    """Begin a run in a new folder."""
    files = {VERSIONS: _pretty(versions()), CONFIG: _pretty(config)}  # the config last: with it the run exists
    leftovers = {VERSIONS, f".{VERSIONS}.tmp", f".{CONFIG}.tmp"}  # of a process that was killed in here
    try:
        if path.exists() and not (path.is_dir() and {at.name for at in path.iterdir()} <= leftovers):
            raise BadInput(f"'{path}' is there already and not empty: go on with --resume, or name another --out.")
        path.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_file(path / name, data)
        _sync_folder(path.parent)
    except OSError as error:
        raise BadInput(f"the run folder '{path}' cannot be made: {error.strerror}.") from error
    return open_run(path)


def open_run(path: Path) -> Run:
    """The run in a folder; nothing is changed there."""
    if not (path / CONFIG).is_file():
        raise BadInput(f"'{path}' is not a run folder: it has no {CONFIG}.")
    config, made_with = _read_object(path / CONFIG), _read_object(path / VERSIONS)
    if made_with.get("format") != FORMAT:
        raise BadInput(f"run '{path}' has format {made_with.get('format')}, and this version of ludus reads {FORMAT}.")
    return Run(path, config, made_with, _sha256(_read(path / CONFIG)))


def versions() -> dict[str, Any]:
    """What this process runs on: a run is promised to come out the same, to the bit, only on the same."""
    return {
        "format": FORMAT,
        "ludus": __version__,
        "jax": jax.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": jax.devices()[0].device_kind,
    }


def _cut(path: Path, length: int) -> None:
    with open(path, "r+b") as file:
        file.truncate(length)
        os.fsync(file.fileno())
