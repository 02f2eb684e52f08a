"""A run folder: settings, metrics, and checkpoints to resume from. Writes are atomic, reads are verified.

    config.json            the settings: a folder with this file is a run
    versions.json          the software and the device
    metrics.jsonl          one object per line, the same bytes whenever the run is repeated
    timing.jsonl           times, which differ between repetitions
    .lock                  locked by the process that trains, until it ends
    checkpoints/
      000000004000.safetensors    every array of the learner's state
      000000004000.json           its manifest, written last: with it the checkpoint exists

A process may be killed at any moment, and the power may fail. So files are written under a temporary name, synced and
renamed, and their folder is synced too; the tensors are written before their manifest; and resuming cuts
`metrics.jsonl` back to its length at the checkpoint. Leftovers of a kill are removed silently. Damage that a kill
cannot explain (a wrong hash, another run's checkpoint) is refused, never loaded.
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
from ludus.runs import lock, run_info
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
from ludus.runs.run_info import (
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
    """One line of JSON. NaN and infinity become null, as JSON has neither."""

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
    """One run folder. One process at a time may write to it (`begin`, `reopen`); any may read."""

    path: Path
    config: dict[str, Any]
    versions: dict[str, Any]
    config_sha256: str

    def log(self, row: dict[str, Any]) -> None:
        """Append a line to the metrics: only what every repetition finds again, so no times."""
        self._append(METRICS, row)

    def time(self, row: dict[str, Any]) -> None:
        """Append a line to the timings; it is on the disk when this returns, as the run may end here."""
        self._append(TIMING, row)
        sync_file(self.path / TIMING)
        sync_folder(self.path)

    def _append(self, name: str, row: dict[str, Any]) -> None:
        with open(self.path / name, "ab") as file:
            file.write(_line(row))

    def checkpoint(self, step: int, tree: Any) -> None:
        """Save the whole state after this many steps, and remove all checkpoints but the last two."""
        newest = self.newest_checkpoint()
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
        # Making the folder of checkpoints syncs the run folder too, in which the metrics may be a new entry.
        write_tensors(self.path / CHECKPOINTS / f"{step:012d}.safetensors", tree, extra)
        self._tidy()

    def checkpoints(self) -> list[Path]:
        """The tensor files of the complete checkpoints, the oldest first."""
        return run_info.checkpoints(self.path)

    def newest_checkpoint(self) -> Path | None:
        """The newest checkpoint's tensor file, for `read_tensors`."""
        found = self.checkpoints()
        return found[-1] if found else None

    def read_newest(self, like: Any) -> tuple[dict[str, Any], Any] | None:
        """The newest checkpoint's manifest entries and its state; None if there is no checkpoint.

        A checkpoint that this run did not write is refused. No file is changed.
        """
        newest = self.newest_checkpoint()
        if newest is None:
            return None
        try:
            manifest, data = verified(newest)
        except BadInput as error:
            if self.newest_checkpoint() != newest:  # the process that trains has just replaced it
                return self.read_newest(like)
            remedy = f"delete {newest.stem}.json to resume from the checkpoint before it"
            raise BadInput(f"{str(error).removesuffix('.')}; {remedy}.") from error
        extra = manifest["extra"]
        if extra.get("config_sha256") not in self._configs():
            raise BadInput(f"'{newest}' belongs to a run with another config than '{self.path / CONFIG}'.")
        if extra["step"] != int(newest.stem):
            raise BadInput(f"'{newest}' was renamed: it was saved after step {extra['step']}.")
        return extra, build(newest, manifest, data, like)

    def restore(self, like: Any) -> tuple[int, Any] | None:
        """Go back to the newest checkpoint: its step and state, or None if there is no checkpoint.

        Later metrics are cut off, and leftovers of interrupted writes removed. A checkpoint that this run did not
        write is refused before any file is changed.
        """
        found, length = self.read_newest(like), 0
        if found is not None:
            length = found[0]["metrics_bytes"]
            if sha256(self._metrics()[:length]) != found[0]["metrics_sha256"]:
                raise BadInput(
                    f"'{self.path / METRICS}' is not what it was when '{self.newest_checkpoint()}' was saved."
                )
        self._tidy()
        if len(self._metrics()) > length:
            _cut(self.path / METRICS, length)
        if (self.path / TIMING).exists():  # a half-written line would spoil the next
            _cut(self.path / TIMING, (self.path / TIMING).read_bytes().rfind(b"\n") + 1)
        return None if found is None else (found[0]["step"], found[1])

    def extended(self, games: int) -> Run:
        """The same run with a larger total of games; it resumes from its last checkpoint.

        If it is killed before the new config is written, only the final files are missing: resuming makes them again.
        """
        if self.newest_checkpoint() is None:
            raise BadInput(f"the run '{self.path}' has no checkpoint to resume from: begin a new run.")
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
        """Its config's entry `extended`: the totals and hashes before the total was raised."""
        found = self.config.get("extended", [])
        if not (isinstance(found, list) and all(isinstance(entry, dict) for entry in found)):
            raise BadInput(f"'{self.path / CONFIG}' is damaged: its entry 'extended' is not a list of objects.")
        return found

    def _configs(self) -> set[Any]:
        """The hashes of its config, now and before it was extended."""
        return {self.config_sha256, *(str(entry.get("config_sha256")) for entry in self._extended())}

    def _metrics(self) -> bytes:
        return read_bytes(self.path / METRICS) if (self.path / METRICS).exists() else b""

    def _tidy(self) -> None:
        """Remove all but the last checkpoints, and leftovers of interrupted writes."""
        for old in self.checkpoints()[:-KEEP]:
            remove(manifest_of(old))  # first: tensors without a manifest are not a checkpoint
        complete = set(self.checkpoints())
        for tensors in (self.path / CHECKPOINTS).glob("*.safetensors"):
            if tensors not in complete:
                remove(tensors)
        for unfinished in self.path.rglob(".*.tmp"):
            remove(unfinished)


@contextlib.contextmanager
def begin(path: Path, config: dict[str, Any]) -> Iterator[Run]:
    """A new run in a new folder, locked for this process."""
    with contextlib.ExitStack() as stack:
        try:
            refuse_taken(path)
            new = not path.exists()
            make_folder(path)
            stack.enter_context(lock.held(path))
            try:
                run = create(path, config)
            except BadInput:  # a full disk, for example: leave nothing behind
                if new and not (path / CONFIG).exists():
                    shutil.rmtree(path, ignore_errors=True)
                raise
        except OSError as error:
            raise _unwritable(path, error) from error
        yield run


@contextlib.contextmanager
def reopen(path: Path) -> Iterator[Run]:
    """An existing run, locked for this process."""
    open_run(path)  # refuse what is not a run before a lock file is made in it
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(lock.held(path))
        except OSError as error:
            raise _unwritable(path, error) from error
        yield open_run(path)


def _unwritable(path: Path, error: OSError) -> BadInput:
    return BadInput(f"the run folder '{path}' cannot be written to: {error.strerror or error}.")


def create(path: Path, config: dict[str, Any]) -> Run:
    """Write the first files of a run into a new folder."""
    files = {VERSIONS: pretty_json(versions()), CONFIG: pretty_json(config)}  # the config last: it makes a run
    try:
        refuse_taken(path)
        make_folder(path)
        for name, data in files.items():
            write_file(path / name, data)
    except OSError as error:
        raise BadInput(f"the run folder '{path}' cannot be made: {error.strerror}.") from error
    return open_run(path)


def open_run(path: Path) -> Run:
    """The run in a folder. No file is changed."""
    require_run(path)
    config, made_with = read_object(path / CONFIG), read_object(path / VERSIONS)
    if made_with.get("format") != FORMAT:
        raise BadInput(f"run '{path}' has format {made_with.get('format')}, and this version of ludus reads {FORMAT}.")
    return Run(path, config, made_with, sha256(read_bytes(path / CONFIG)))


def versions() -> dict[str, Any]:
    """The software and the device. A run gives the same bytes only where these are the same."""
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
