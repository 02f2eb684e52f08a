"""Atomic files and their manifests, without JAX.

A file is written under a temporary name, synced to disk and renamed. After a power cut a new entry of a folder is there
only if the folder was synced too, so that is done whenever an entry is made. A manifest holds the length and SHA-256 of
the tensor file beside it, and a seal (a hash) of itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ludus.errors import BadInput

FORMAT = 1


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically; it is on the disk when this returns."""
    beside = path.with_name(f".{path.name}.tmp")
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):  # on a full disk, half a file takes space from others
            beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    if os.name == "posix":  # Windows cannot open a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_folder(path: Path) -> None:
    """Make a folder and its missing parents; all are on the disk when this returns."""
    missing = [at for at in (path, *path.parents) if not at.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for at in missing or [path]:  # an existing one may be new: made by a process that was killed before it synced
        with contextlib.suppress(PermissionError):  # write permission is enough to make an entry, but not to sync
            sync_folder(at.parent)


def sync_file(path: Path) -> None:
    """Sync what was appended to a file; an absent file is made."""
    with open(path, "ab") as file:
        os.fsync(file.fileno())


def remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror}.") from error


def read_object(path: Path) -> dict[str, Any]:
    data = read_bytes(path)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:  # RecursionError: brackets nested too deep
        raise BadInput(f"'{path}' is damaged: it is not JSON.") from error
    if not isinstance(value, dict):
        raise BadInput(f"'{path}' is damaged: it is not a JSON object.")
    return value


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file, each an object. An unfinished last line is left out."""
    *lines, _ = read_bytes(path).split(b"\n")
    try:
        rows = [json.loads(line) for line in lines]
        if not all(isinstance(row, dict) for row in rows):
            raise ValueError
    except (ValueError, RecursionError) as error:
        raise BadInput(f"'{path}' is damaged: a line of it is not a JSON object.") from error
    return rows


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pretty_json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, default=_plain, allow_nan=False) + "\n").encode()


def _plain(value: Any) -> Any:
    """Arrays as lists, and their scalars as numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be written as JSON")


# --- manifests ------------------------------------------------------------------------------------------------


def manifest_of(path: Path) -> Path:
    return path.with_suffix(".json")


def seal_of(manifest: dict[str, Any]) -> str:
    """A hash of the whole manifest, which reveals any edit."""
    return sha256(json.dumps(manifest, sort_keys=True).encode())


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a tensor file, checked by its seal. The tensors are not read."""
    at = manifest_of(path)
    manifest = read_object(at)
    seal = manifest.pop("seal", None)
    if manifest.get("format") != FORMAT:
        raise BadInput(f"'{at}' has format {manifest.get('format')}, and this version of ludus reads {FORMAT}.")
    if seal != seal_of(manifest):
        raise BadInput(f"'{at}' was changed after it was written: its seal does not match.")
    return manifest


def check_length(path: Path, manifest: dict[str, Any], length: int) -> None:
    if length != manifest["bytes"]:
        raise BadInput(f"'{path}' has {length} bytes where its manifest says {manifest['bytes']}.")
