"""Information about a run from its folder, without JAX: its settings, progress and strength.

A folder with a config.json is a run. It is running if a process holds its lock, finished if its last file is there, and
otherwise stopped. It is damaged if its files contradict each other or cannot be read. The tensors are not read: for a
list it is enough that their manifest's seal and their length are right.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ludus.errors import BadInput, shorten
from ludus.runs import lock
from ludus.runs.files import check_length, manifest_of, read_manifest, read_object, read_rows, sha256

CONFIG, VERSIONS, METRICS, TIMING, CHECKPOINTS = (
    "config.json",
    "versions.json",
    "metrics.jsonl",
    "timing.jsonl",
    "checkpoints",
)
WEIGHTS, FINAL = "weights.safetensors", "final.json"  # of a finished run; FINAL is written last
SNAPSHOTS = "selves"  # the folder of weights that were kept while the run learned

#: Files that a process killed before its config was written may leave.
LEFTOVERS = {VERSIONS, f".{VERSIONS}.tmp", f".{CONFIG}.tmp", lock.NAME}

State = Literal["running", "stopped", "finished", "damaged"]


def refuse_taken(path: Path) -> None:
    """Refuse a folder for a new run that exists and is not empty, or that has an impossible name."""
    if "\0" in str(path):
        raise BadInput(f"'{shorten(str(path))}' has a zero byte, which no folder's name has: name another --out.")
    if path.exists() and not (path.is_dir() and {at.name for at in path.iterdir()} <= LEFTOVERS):
        raise BadInput(f"'{path}' is there already and not empty: go on with --resume, or name another --out.")


def require_run(path: Path) -> None:
    """Refuse a folder that is not a run."""
    if not (path / CONFIG).is_file():
        raise BadInput(f"'{path}' is not a run folder: it has no {CONFIG}.")


def read_config(folder: Path) -> dict[str, Any]:
    """A trained agent's game, options and recipe, from its folder."""
    try:
        config = read_object(folder / CONFIG)
        wanted = {"game": str, "options": dict, "recipe": dict}
        if not all(isinstance(config[key], kind) for key, kind in wanted.items()):
            raise ValueError("an entry of another kind")
        return {key: config[key] for key in wanted}
    except (ValueError, KeyError) as error:
        raise BadInput(f"'{folder}' is not the folder of a trained agent: its config.json cannot be read.") from error


def fingerprint(config: dict[str, Any]) -> str:
    """The SHA-256 of what `read_config` returns: all that an agent's weights depend on, without the command."""
    return sha256(json.dumps(config, sort_keys=True).encode())


def checkpoints(folder: Path) -> list[Path]:
    """The tensor files of the complete checkpoints, the oldest first."""
    manifests = (folder / CHECKPOINTS).glob("*.json")
    return sorted(
        (at.with_suffix(".safetensors") for at in manifests if at.stem.isascii() and at.stem.isdecimal()),
        key=lambda at: int(at.stem),
    )


def playing_tensors(folder: Path) -> Path | None:
    """The tensor file that an agent plays with: the weights of a finished run, or the newest checkpoint."""
    path, saved = folder / WEIGHTS, checkpoints(folder)
    if manifest_of(path).is_file() or (path.is_file() and not saved):
        return path
    return saved[-1] if saved else None


@dataclass(frozen=True)
class RunInfo:
    """One run, for a list."""

    path: Path
    game: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    recipe: str = ""
    seed: int | None = None
    games: int = 0  # played by the last report
    total: int | None = None
    state: State = "damaged"
    strength: str | None = None  # at the last report, in words
    bytes: int = 0
    why: str = ""  # of the damage

    def to_json(self) -> dict[str, Any]:
        names = ("game", "recipe", "seed", "games", "total", "state", "strength", "bytes")
        more = {"options": dict(self.options)} | ({"why": self.why} if self.why else {})
        return {"run": str(self.path), **{name: getattr(self, name) for name in names}, **more}


def find_runs(folder: Path) -> list[Path]:
    """The run folders in a folder and up to two levels below, by name. Folders inside runs are skipped."""

    def below(at: Path, depth: int) -> Iterator[Path]:
        for path in sorted(at.iterdir(), key=lambda path: path.name):
            if path.is_dir() and not path.name.startswith("."):
                if (path / CONFIG).is_file():
                    yield path
                elif depth:
                    yield from below(path, depth - 1)

    try:
        return list(below(folder, 2))
    except OSError as error:
        raise BadInput(f"the folder '{folder}' cannot be read: {error.strerror}.") from error


def read_run_info(path: Path) -> RunInfo:
    """The information about a run; if it is damaged, why."""
    size = _size(path)
    try:
        config = read_object(path / CONFIG)
        known = read_config(path)
        total, seed, name = known["recipe"].get("games"), config.get("seed"), known["recipe"].get("name", "")
        if not (_is_whole(total) and (seed is None or _is_whole(seed)) and isinstance(name, str)):
            raise BadInput(f"'{path / CONFIG}' is damaged: its games, seed or recipe are not numbers and a name.")
        rows = read_metrics(path)
        games: Any = rows[-1].get("games") if rows else 0
        if not _is_whole(games):
            raise BadInput(f"'{path / METRICS}' is damaged: its last line has no number of games.")
        finished, running = (path / FINAL).is_file(), lock.is_held(path)
        if not running:
            _check_tensors(path, finished)
        words = (read_object(path / FINAL) if finished else rows[-1] if rows else {}).get("summary")
    except BadInput as error:
        return RunInfo(path, bytes=size, why=str(error))
    return RunInfo(
        path,
        known["game"],
        tuple(known["options"].items()),
        name,
        seed,
        games,
        total,
        "running" if running else "finished" if finished else "stopped",
        words if isinstance(words, str) else None,
        size,
    )


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The reports of a run so far, one per row."""
    return read_rows(path / METRICS) if (path / METRICS).exists() else []


def seconds_trained(path: Path, games: int | None = None) -> float | None:
    """The seconds of training until the report at this number of games, or in all; None if not recorded.

    A run that was stopped and resumed has several sessions; each counts up to its last report.
    """
    total, last, since = 0.0, 0.0, None
    rows = read_rows(path / TIMING) if (path / TIMING).is_file() else []
    for row in rows:
        if not (_is_number(row.get("games")) and _is_number(row.get("seconds"))):
            raise BadInput(f"'{path / TIMING}' is damaged: a line has no games or no seconds.")
        if row["seconds"] < last or row.get("since") != since:  # another session: the clock starts anew
            total += last
        last, since = float(row["seconds"]), row.get("since")
        if row["games"] == games:
            return total + last
    return total + last if rows and games is None else None


def _check_tensors(path: Path, finished: bool) -> None:
    """Check the length of the final weights or of the newest checkpoint against its manifest."""
    for at in [path / WEIGHTS] if finished else checkpoints(path)[-1:]:
        try:
            check_length(at, read_manifest(at), at.stat().st_size)
        except OSError as error:
            raise BadInput(f"'{at}' cannot be read: {error.strerror}.") from error


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _size(path: Path) -> int:
    """The bytes of all its files. Files may appear and vanish meanwhile."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.stat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total
