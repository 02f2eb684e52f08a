"""A run folder: what was asked, what came of it, and checkpoints to go on from. Atomic, verified, resumable.

    config.json            what was asked: a folder with this file is a run
    versions.json          what it ran on
    metrics.jsonl          one object a line, the same bytes whenever the same run is made again
    timing.jsonl           seconds and rates, of which nothing is promised
    .lock                  held by the process that trains; it vanishes with it
    checkpoints/
      000000004000.safetensors    every array of the learner's state
      000000004000.json           its manifest: a checkpoint exists once this file does

A process may be killed at any moment, and the power may fail. So a file is written beside its place, forced to disk and
renamed into it, and the folder is forced to disk too; the tensors come before the manifest that vouches for them; and
resuming cuts `metrics.jsonl` back to what it was at the checkpoint, so that the rest is appended as if nothing had
happened. What a kill leaves behind is cleared away without a word; what a kill cannot explain (a hash that is wrong,
another run's checkpoint) is refused, never loaded.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ludus.errors import BadInput
from ludus.runs import lock, records
from ludus.runs.files import (
    FORMAT,
    make_folder,
    manifest_of,
    pretty_json,
    read_bytes,
    read_object,
    remove,
    sha256,
    sync_file,
    sync_folder,
    write_file,
)
from ludus.runs.records import (
    CHECKPOINTS,
    CONFIG,
    FINAL,
    METRICS,
    TIMING,
    VERSIONS,
    WEIGHTS,
    refuse_taken,
    require_run,
)
from ludus.runs.tensors import build, verified, write_tensors
from ludus.version import __version__

KEEP = 2  # checkpoints: the newest, and one to go back to by hand


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


@dataclass(frozen=True)
class Run:
    """One run folder. It is for one process at a time to write to (`begin`, `go_on`); any may read."""

    path: Path
    config: dict[str, Any]
    versions: dict[str, Any]
    config_sha256: str

    def log(self, row: dict[str, Any]) -> None:
        """Add a line to the metrics: only what comes out the same each time, so no clock."""
        self._append(METRICS, row)

    def time(self, row: dict[str, Any]) -> None:
        """Add a line to the timings, on the disk before this returns: what comes next may be the end of the run."""
        self._append(TIMING, row)
        sync_file(self.path / TIMING)
        sync_folder(self.path)

    def _append(self, name: str, row: dict[str, Any]) -> None:
        with open(self.path / name, "ab") as file:
            file.write(_line(row))

    def checkpoint(self, step: int, tree: Any) -> None:
        """Save the whole state after so many steps, and drop the oldest checkpoint but two."""
        newest = self.latest()
        if newest is not None and int(newest.stem) > step:
            raise ValueError(f"step {step} comes before step {int(newest.stem)}, which has a checkpoint already")
        sync_file(self.path / METRICS)
        metrics = read_bytes(self.path / METRICS)
        extra = {
            "step": step,
            "config_sha256": self.config_sha256,
            "metrics_bytes": len(metrics),
            "metrics_sha256": sha256(metrics),
        }
        # The folder of checkpoints is made, and with it the run folder forced to disk, where the metrics may be new.
        write_tensors(self.path / CHECKPOINTS / f"{step:012d}.safetensors", tree, extra)
        self._tidy()

    def checkpoints(self) -> list[Path]:
        """The tensor files of the checkpoints that are complete, the oldest first."""
        return records.checkpoints(self.path)

    def latest(self) -> Path | None:
        """The newest checkpoint's tensor file, for `read_tensors`."""
        found = self.checkpoints()
        return found[-1] if found else None

    def newest(self, like: Any) -> tuple[dict[str, Any], Any] | None:
        """What the newest checkpoint's manifest says of it, and its state; None where there is none.

        A checkpoint that is not what this run wrote is refused. Nothing is changed.
        """
        newest = self.latest()
        if newest is None:
            return None
        try:
            manifest, data = verified(newest)
        except BadInput as error:
            if self.latest() != newest:  # whoever trains here has just replaced it
                return self.newest(like)
            remedy = f"delete {newest.stem}.json to go on from before it"
            raise BadInput(f"{str(error).removesuffix('.')}; {remedy}.") from error
        extra = manifest["extra"]
        if extra.get("config_sha256") not in self._configs():
            raise BadInput(f"'{newest}' belongs to a run with another config than '{self.path / CONFIG}'.")
        if extra["step"] != int(newest.stem):
            raise BadInput(f"'{newest}' was renamed: it was saved after step {extra['step']}.")
        return extra, build(newest, manifest, data, like)

    def restore(self, like: Any) -> tuple[int, Any] | None:
        """Go back to the newest checkpoint: its step and state, or None where there is none and all begins anew.

        The metrics written since are cut off, and what an interrupted write left is cleared away. A checkpoint that
        is not what this run wrote is refused before anything is touched.
        """
        found, kept = self.newest(like), 0
        if found is not None:
            kept = found[0]["metrics_bytes"]
            if sha256(self._metrics()[:kept]) != found[0]["metrics_sha256"]:
                raise BadInput(f"'{self.path / METRICS}' is not what it was when '{self.latest()}' was saved.")
        self._tidy()
        if len(self._metrics()) > kept:
            _cut(self.path / METRICS, kept)
        if (self.path / TIMING).exists():  # a line that was being written has no end, and would spoil the next
            _cut(self.path / TIMING, (self.path / TIMING).read_bytes().rfind(b"\n") + 1)
        return None if found is None else (found[0]["step"], found[1])

    def extended(self, games: int) -> Run:
        """The same run, to go on to a larger total. What it was at its end is in its last checkpoint, where it goes on.

        Killed before the new config is in place, it is a run that lacks its last files: they are then made again.
        """
        if self.latest() is None:
            raise BadInput(f"the run '{self.path}' has no checkpoint to go on from: begin a new run.")
        recipe = self.config["recipe"]
        before = {"games": recipe["games"], "config_sha256": self.config_sha256}
        config = {
            **self.config,
            "recipe": {**recipe, "games": games, "by_round": True},
            "extended": [*self._extended(), before],
        }
        for name in (FINAL, manifest_of(Path(WEIGHTS)).name, WEIGHTS):
            remove(self.path / name)
        write_file(self.path / CONFIG, pretty_json(config))
        return open_run(self.path)

    def _extended(self) -> list[dict[str, Any]]:
        """The configs it had before its total was raised."""
        found = self.config.get("extended", [])
        if not (isinstance(found, list) and all(isinstance(entry, dict) for entry in found)):
            raise BadInput(f"'{self.path / CONFIG}' is damaged: its entry 'extended' is no list of objects.")
        return found

    def _configs(self) -> set[Any]:
        """The hashes of its config, now and before."""
        return {self.config_sha256, *(str(entry.get("config_sha256")) for entry in self._extended())}

    def _metrics(self) -> bytes:
        return read_bytes(self.path / METRICS) if (self.path / METRICS).exists() else b""

    def _tidy(self) -> None:
        """Remove all but the last checkpoints, and what interrupted writes left."""
        for old in self.checkpoints()[:-KEEP]:
            remove(manifest_of(old))  # first, for tensors without a manifest are no checkpoint
        complete = set(self.checkpoints())
        for tensors in (self.path / CHECKPOINTS).glob("*.safetensors"):
            if tensors not in complete:
                remove(tensors)
        for unfinished in self.path.rglob(".*.tmp"):
            remove(unfinished)


@contextlib.contextmanager
def begin(path: Path, config: dict[str, Any]) -> Iterator[Run]:
    """A new run in a new folder, for this process alone to write to."""
    with contextlib.ExitStack() as stack:
        try:
            refuse_taken(path)
            new = not path.exists()
            make_folder(path)
            stack.enter_context(lock.held(path))
            try:
                run = create(path, config)
            except BadInput:  # a full disk, say: leave nothing behind that was not there
                if new and not (path / CONFIG).exists():
                    shutil.rmtree(path, ignore_errors=True)
                raise
        except OSError as error:
            raise _unwritable(path, error) from error
        yield run


@contextlib.contextmanager
def go_on(path: Path) -> Iterator[Run]:
    """A run that there is already, for this process alone to write to."""
    open_run(path)  # what is no run is refused before anything is made in it
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(lock.held(path))
        except OSError as error:
            raise _unwritable(path, error) from error
        yield open_run(path)


def _unwritable(path: Path, error: OSError) -> BadInput:
    return BadInput(f"the run folder '{path}' cannot be written to: {error.strerror or error}.")


def create(path: Path, config: dict[str, Any]) -> Run:
    """Make a new folder a run."""
    files = {VERSIONS: pretty_json(versions()), CONFIG: pretty_json(config)}  # the config last: with it the run exists
    try:
        refuse_taken(path)
        make_folder(path)
        for name, data in files.items():
            write_file(path / name, data)
    except OSError as error:
        raise BadInput(f"the run folder '{path}' cannot be made: {error.strerror}.") from error
    return open_run(path)


def open_run(path: Path) -> Run:
    """The run in a folder; nothing is changed there."""
    require_run(path)
    config, made_with = read_object(path / CONFIG), read_object(path / VERSIONS)
    if made_with.get("format") != FORMAT:
        raise BadInput(f"run '{path}' has format {made_with.get('format')}, and this version of ludus reads {FORMAT}.")
    return Run(path, config, made_with, sha256(read_bytes(path / CONFIG)))


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
