"""A cache of finished batches of runs in a folder, so that a study that was stopped continues where it was.

A batch is saved under a hash of all that it depends on: what is run, how long, with which seeds, on which device and
versions, and by which code. A file begins with the SHA-256 of the rest and names its content. A damaged file, or one
with other content, is ignored, and its batch is run again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import safetensors.numpy

from ludus.errors import BadInput
from ludus.games import entry, load
from ludus.runs.files import sha256, write_file

FOLDER = ".runs"
ABOUT = "about.txt"
TEXT = (
    "Runs that are finished, for 'ludus reproduce' to go on from. The folder may be deleted; they are then run again.\n"
)
#: Modules of a room's `paper` that are not hashed: they choose the runs, which every batch names itself, or judge them.
JUDGES = ("verdicts", "blind", "bounds", "objectives", "taught", "standings", "pictures")
NOT_HASHED = tuple(f"paper/{name}.py" for name in ("figures", "curves", "settings", "matches", "tournaments", *JUDGES))
#: The sources that a run depends on, besides its game's room. What only judges, draws or prints is left out.
HASHED = (
    "core",
    "play",
    "search",
    "truth",
    "networks",
    "learners",
    "study/grid.py",
    "study/programs.py",
    "study/measures.py",
    "study/movement.py",
)


class BatchResult(NamedTuple):
    """Results of runs: each measure by run and point, and the leaves of the final weights, runs first."""

    measured: Mapping[str, np.ndarray]
    weights: list[np.ndarray]


class RunCache:
    """The batches in one folder that belong to one study on one machine."""

    def __init__(self, folder: Path, about: Mapping[str, Any], fresh: bool = False) -> None:
        self.folder, self.about, self.fresh = folder, dict(about), fresh
        made = [path for path in (folder, *folder.parents) if not path.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(folder / ABOUT, TEXT.encode())  # if this fails, everything would: say so now
        except OSError as error:
            with contextlib.suppress(OSError):
                for path in made:  # the innermost first
                    path.rmdir()
            raise BadInput(f"the folder '{folder}' cannot be written to: {error.strerror}.") from error

    def find(self, what: Mapping[str, Any]) -> BatchResult | None:
        """A saved batch; None if there is none or it is damaged."""
        if self.fresh:
            return None
        said = self._said(what)
        try:
            found = self._path(said).read_bytes()
            seal, data = found[:64], found[64:]
            if seal.decode("ascii", "replace") != sha256(data):
                return None
            length = int.from_bytes(data[:8], "little")
            if data[8 : 8 + length].decode() != said:
                return None
            arrays = safetensors.numpy.load(data[8 + length :])
        except (OSError, ValueError, safetensors.SafetensorError):
            return None
        order = sorted((key.split("/", 2) for key in arrays), key=lambda parts: int(parts[1]))
        named = [(kind, name, arrays[f"{kind}/{number}/{name}"]) for kind, number, name in order]
        measured = {name: values for kind, name, values in named if kind == "measured"}
        return BatchResult(measured, [leaf for kind, _, leaf in named if kind == "weights"])

    def has(self, what: Mapping[str, Any]) -> bool:
        """Whether there seems to be such a batch; `find` may still see that it is damaged."""
        return not self.fresh and self._path(self._said(what)).is_file()

    def keep(self, what: Mapping[str, Any], batch: BatchResult) -> None:
        said = self._said(what)
        parts = {"measured": batch.measured.items(), "weights": (("", leaf) for leaf in batch.weights)}
        arrays = {
            f"{kind}/{number}/{name}": np.ascontiguousarray(values)
            for kind, pairs in parts.items()
            for number, (name, values) in enumerate(pairs)  # the file itself has no order
        }
        text = said.encode()
        data = len(text).to_bytes(8, "little") + text + safetensors.numpy.save(arrays)
        path = self._path(said)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)  # somebody may have deleted it
            write_file(path, sha256(data).encode() + data)
        except OSError as error:
            raise BadInput(
                f"what was run cannot be kept in '{self.folder}': {error.strerror}; make room, then "
                "the same command goes on from what was kept before."
            ) from error

    def drop(self, what: Mapping[str, Any]) -> None:
        """Delete a batch."""
        self._path(self._said(what)).unlink(missing_ok=True)

    def _said(self, what: Mapping[str, Any]) -> str:
        return json.dumps({**self.about, **what}, sort_keys=True, default=repr)

    def _path(self, said: str) -> Path:
        return self.folder / f"{sha256(said.encode())[:32]}.batch"


class BatchCheckpoint:
    """The checkpoint of an unfinished batch: its results up to a point, and the state to continue from."""

    def __init__(self, cache: RunCache, what: Mapping[str, Any]) -> None:
        self.cache, self.what, self.last = cache, what, 0

    def find(self, points: int, like: Any) -> tuple[int, Mapping[str, np.ndarray], Any] | None:
        """The latest checkpoint before the last point: its point, measures and state."""
        for at in range(points - 1, 0, -1):
            batch = self.cache.find(self._named(at))
            state = None if batch is None else as_tree(batch.weights, jax.eval_shape(_bare, like), whole=True)
            if batch is not None and state is not None:
                self.last = at
                return at, batch.measured, _dressed(state, like)
        return None

    def keep(self, at: int, measured: Mapping[str, np.ndarray], state: Any) -> None:
        """Save a checkpoint, and delete the one before it."""
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(_bare(state))]
        self.cache.keep(self._named(at), BatchResult(measured, leaves))
        self.drop()
        self.last = at

    def drop(self) -> None:
        if self.last:
            self.cache.drop(self._named(self.last))

    def _named(self, at: int) -> dict[str, Any]:
        return {**self.what, "midway": at}


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _bare(state: Any) -> Any:
    """The state with random keys as plain words."""
    return jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, state)


def _dressed(state: Any, like: Any) -> Any:
    return jax.tree.map(
        lambda leaf, other: jax.random.wrap_key_data(jnp.asarray(leaf)) if _is_key(other) else jnp.asarray(leaf),
        state,
        like,
    )


def sources(game: str) -> str:
    """A hash of the code that the runs of a game depend on."""
    package, room = Path(__file__).parent.parent, load(entry(game).room)
    places = [package / name for name in HASHED]
    places.append(Path(room.__path__[0]) if hasattr(room, "__path__") else Path(room.__file__))
    digest = hashlib.sha256()
    for place in places:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if path.relative_to(place).as_posix() in NOT_HASHED:
                continue
            digest.update(f"{path.relative_to(place)} {sha256(path.read_bytes())}\n".encode())
    return digest.hexdigest()


def as_tree(leaves: list[np.ndarray], like: Any, whole: bool = False) -> Any:
    """The leaves as a tree of this form, which is one run's, or with `whole` all runs'; None if they do not fit."""
    wanted, form = jax.tree.flatten(like)
    same = len(leaves) == len(wanted) and all(
        (leaf.shape[0 if whole else 1 :], leaf.dtype) == (other.shape, other.dtype)
        for leaf, other in zip(leaves, wanted, strict=True)
    )
    return jax.tree.unflatten(form, leaves) if same else None
